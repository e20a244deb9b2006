import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { deprecatedSinceSec } from "../../engine/rules/social/limits.ts"
import { Api } from "../api/Api.ts"
import { methodsOfApi, type MethodsOf } from "./Methods.ts"

const former = "/api/auth/agent/"

/** Old addresses and their successors. */
const successors: ReadonlyMap<string, string> = new Map([
  ...["register", "claim/start", "claim/verify-otp", "claim/complete", "me", "me/identity-token", "me/keys/rotate"].map(
    (member) => [`${former}${member}`, `/api/v1/agents/${member}`] as const
  ),
  [`${former}verify`, "/api/v1/auth/verify"]
])

const methodsOf = methodsOfApi(Api)

/** 308 keeps method and body, so that redirected requests still work. */
export const LegacyRoutes = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    for (const [path, successor] of successors) {
      yield* router.add(
        "*",
        path as `/${string}`,
        Effect.map(HttpServerRequest.HttpServerRequest, ({ url }) =>
          HttpServerResponse.empty({
            status: 308,
            headers: {
              location: `${successor}${url.slice(path.length)}`,
              deprecation: `@${deprecatedSinceSec}`,
              link: `<${successor}>; rel="successor-version"`,
              "cache-control": "no-store"
            }
          })
        )
      )
    }
  })
)

export const legacyMethods: MethodsOf = (path) => methodsOf(successors.get(path) ?? "")
