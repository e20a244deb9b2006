import { HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"
import { Audiences, HumanAuth, listenerCookies, ListenerAuth, Mints } from "../api/auth/Audience.ts"
import { ChatSpeakers, ChatViewers } from "../api/listeners/Chat.ts"
import { ListenerOrAgentAuth, Readers } from "../api/auth/Authorization.ts"
import { withEnvelope, withSentProblems } from "./DocsProblems.ts"
import { humanCookies } from "../api/auth/SessionCookie.ts"

/** Schemes of guards that read more than one place, which no single declaration can express. Cookie names are those over TLS. */
const schemes = {
  agentKey: { type: "http", scheme: "bearer" },
  listenerToken: {
    type: "http",
    scheme: "bearer",
    description: "A listener's token, as POST /api/listeners/session answers it."
  },
  listenerHeader: {
    type: "apiKey",
    in: "header",
    name: "x-listener-token",
    description: "The same token, where the header Authorization is taken."
  },
  listenerCookie: {
    type: "apiKey",
    in: "cookie",
    name: listenerCookies[0],
    description: "The same token, as browsers keep it."
  },
  humanSession: {
    type: "apiKey",
    in: "cookie",
    name: humanCookies[0],
    description: "The session of somebody who has signed in."
  }
} as const
type Scheme = keyof typeof schemes
const ofListener: ReadonlyArray<Scheme> = ["listenerToken", "listenerHeader", "listenerCookie"]
/** Schemes of each guard, and whether it admits callers without a credential. */
const guards = new Map<unknown, { readonly takes: ReadonlyArray<Scheme>; readonly isOptional: boolean }>([
  [ListenerAuth, { takes: ofListener, isOptional: false }],
  [Audiences, { takes: ofListener, isOptional: true }],
  [Mints, { takes: ofListener, isOptional: true }],
  [ListenerOrAgentAuth, { takes: ["agentKey", ...ofListener], isOptional: false }],
  [ChatSpeakers, { takes: ["agentKey", ...ofListener], isOptional: false }],
  [ChatViewers, { takes: ["agentKey", ...ofListener], isOptional: true }],
  [Readers, { takes: ["agentKey"], isOptional: true }],
  [HumanAuth, { takes: ["humanSession"], isOptional: false }]
])
/** The API description with every accepted credential, including those of listeners and people, and with problems as they are sent. */
export const describeApi = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
) => {
  const spec = withSentProblems(OpenApi.fromApi(api)) as {
    readonly paths: Record<
      string,
      Record<
        string,
        {
          security?: ReadonlyArray<Record<string, ReadonlyArray<string>>>
          readonly responses: Parameters<typeof withEnvelope>[0]
        }
      >
    >
    readonly components: {
      readonly securitySchemes: Record<string, unknown>
      readonly schemas: Readonly<Record<string, unknown>>
    }
  }
  // The registered name is in lower case, and programs compare it as it is.
  for (const scheme of Object.values(spec.components.securitySchemes) as Array<{ scheme?: string }>)
    if (scheme.scheme !== undefined) scheme.scheme = scheme.scheme.toLowerCase()
  for (const operations of Object.values(spec.paths))
    for (const { responses } of Object.values(operations)) withEnvelope(responses, spec.components.schemas)
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware }) => {
      const found = [...middleware].map((each) => guards.get(each)).find((guard) => guard !== undefined)
      const operation = spec.paths[endpoint.path.replaceAll(/:(\w+)/g, "{$1}")]?.[endpoint.method.toLowerCase()]
      if (found === undefined || operation === undefined) return
      operation.security = [...(found.isOptional ? [{}] : []), ...found.takes.map((scheme) => ({ [scheme]: [] }))]
      for (const scheme of found.takes) spec.components.securitySchemes[scheme] ??= schemes[scheme]
    }
  })
  return spec
}
