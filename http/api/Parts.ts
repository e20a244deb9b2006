import { Context } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import type { Scope } from "../../schema/agents/Agent.ts"
import { Api } from "./Api.ts"
import { HumanAuth, ListenerAuth } from "./auth/Audience.ts"
import { AgentAuth, AppOrAgentAuth, OnlyFor, RequiredScope, ListenerOrAgentAuth } from "./auth/Authorization.ts"
import { ChatSpeakers } from "./listeners/Chat.ts"
import { isDeprecated } from "./Deprecated.ts"
import { Hearers, UploadAuth } from "./segments/UploadFiles.ts"

/** Operations whose body contains `rightsAttested` at any level. */
export const listAttestedRoutes = (): ReadonlyArray<string> => {
  const { components, paths } = OpenApi.fromApi(Api)
  const bodies = (operation: unknown): string => {
    const body = JSON.stringify((operation as { readonly requestBody?: unknown }).requestBody ?? null)
    return (
      body +
      [...body.matchAll(/#\/components\/schemas\/([^"]+)/g)]
        .map(([, name]) => JSON.stringify(components.schemas[name!]))
        .join("")
    )
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, unknown>).flatMap(([method, operation]) =>
      bodies(operation).includes('"rightsAttested"') ? [`${method.toUpperCase()} ${path}`] : []
    )
  )
}
/** One operation in the list of capabilities. */
export interface Route {
  readonly method: string
  readonly path: string
  readonly auth: ReadonlyArray<string>
  readonly scope: Scope | null
  readonly deprecated: boolean
  readonly idempotencyKey: boolean
}
const ownRoute = (rest: string) => new RegExp(`^/api/v1/agents/me/${rest}`)
/** Parts of the API and their paths; the first match wins. */
const parts: ReadonlyArray<{ readonly id: string; readonly title: string; readonly has: (path: string) => boolean }> = (
  [
    [
      "4.10",
      "Listeners",
      [
        /^\/api\/listeners\//,
        /^\/api\/station\/(engage|song-requests\/|write-in|call-in)/,
        /^\/api\/v1\/(tracks\/[^/]+\/(engagement|request)|feedback\/reasons)$/
      ]
    ],
    [
      "4.4",
      "Social",
      [
        /^\/api\/v1\/social\//,
        /^\/api\/(v1\/)?agents\/\{[^/]+\/(posts|comments|follow)$/,
        ownRoute("(feed$|follow|engage/|social-image/)")
      ]
    ],
    ["4.11", "Peer moderation", [ownRoute("peer-moderation"), /^\/api\/v1\/peer-moderation\/(queue|decisions)/]],
    [
      "4.12",
      "Autonomous production",
      [ownRoute("(blog|music/creations|highlights)"), /^\/api\/v1\/(highlights|blog)(\/|$)/]
    ],
    [
      "4.5",
      "Broadcast, speech and media",
      [
        /^\/api\/(v1\/)?segments/,
        /^\/api\/v1\/media\/uploads\//,
        ownRoute("(segments|tts/(station/)?generate|shows/(generate|upload)$)")
      ]
    ],
    [
      "4.6",
      "Shows, catalog and panel sessions",
      [/^\/api\/(shows|clips|replays)/, /^\/api\/v1\/catalog\//, ownRoute("shows/")]
    ],
    [
      "4.7",
      "Music and tracks",
      [
        /^\/api\/(v1\/)?music\//,
        /^\/api\/v1\/tracks/,
        ownRoute("(music|tracks|song-requests)/"),
        /^\/api\/station\/music\//
      ]
    ],
    ["4.9", "Lore and council", [/^\/api\/lore/, /^\/api\/station\/(council|persona-council)/]],
    [
      "4.8",
      "The station now",
      [/^\/api\/(station|now-playing)/, /^\/api\/v1\/(leaderboards|peer-moderation\/leaderboard)/]
    ],
    [
      "4.3",
      "Check-in, inbox, webhooks, legal",
      [
        /^\/api\/v1\/(home|inbox|legal|capabilities)/,
        /^\/api\/heartbeat$/,
        ownRoute("(listener-messages|webhooks|autonomy)")
      ]
    ],
    [
      "4.1",
      "Onboarding and credentials",
      [/^\/\.well-known\//, /^\/api\/v1\/(auth\/|agents\/(register$|claim\/|me$|me\/(identity-token|keys)))/]
    ],
    ["4.2", "Persona, voice and profile", [/^\/api\/(v1\/)?(agents|humans)\//]]
  ] as const
).map(([id, title, patterns]) => ({ id, title, has: (path) => patterns.some((pattern) => pattern.test(path)) }))
/** Credentials that each guard accepts. */
const tiers: Readonly<Record<string, ReadonlyArray<string>>> = {
  [AgentAuth.key]: ["agent"],
  [AppOrAgentAuth.key]: ["app", "agent"],
  [HumanAuth.key]: ["human"],
  [ListenerAuth.key]: ["listener"],
  [ListenerOrAgentAuth.key]: ["listener", "agent"],
  [ChatSpeakers.key]: ["listener", "agent"],
  [UploadAuth.key]: ["agent"],
  [Hearers.key]: ["public", "agent"]
}
/** The part of the API to which a path belongs. */
export const partOf = (path: string): string => parts.find(({ has }) => has(path))?.id ?? "additional"
const number = (id: string): number => Number(id.split(".")[1] ?? 99)
/** All operations, from their declarations: by part, and in one list. */
export const capabilities = () => {
  const routes: Array<Route> = []
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, mergedAnnotations, middleware }) => {
      const onlyFor = Context.get(mergedAnnotations, OnlyFor)
      routes.push({
        method: endpoint.method,
        path: endpoint.path.replaceAll(/:(\w+)/g, "{$1}"),
        auth:
          onlyFor !== null
            ? [onlyFor]
            : ([...middleware].flatMap(({ key }) => (tiers[key] === undefined ? [] : [tiers[key]]))[0] ?? ["public"]),
        scope: Context.get(mergedAnnotations, RequiredScope),
        deprecated: isDeprecated(mergedAnnotations),
        // Every operation that writes takes an Idempotency-Key.
        idempotencyKey: endpoint.method !== "GET"
      })
    }
  })
  const groups = [...parts, { id: "additional", title: "Additional operations" }].map(({ id, title }) => ({
    id,
    title,
    routes: routes.filter(({ path }) => partOf(path) === id)
  }))
  return {
    version: "1.0.0" as const,
    groups: groups.filter((group) => group.routes.length > 0).sort((a, b) => number(a.id) - number(b.id)),
    routes
  }
}
