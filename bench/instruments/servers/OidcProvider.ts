import { Effect } from "effect"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Provider } from "oidc-provider"

/** A user of the provider. */
export interface Known {
  readonly sub: string
  readonly email?: string
  readonly verified?: boolean
}

export interface OidcProvider {
  readonly issuer: string
  /** The user in front of the browser; null cancels. */
  who: Known | null
  /** Every request, as `METHOD path`. */
  readonly asked: Array<string>
}

export const clientId = "the-station"
export const clientSecret = "a secret of 32 characters at least"

/** A real OpenID Connect provider on this machine. Every visitor is signed in as `who` and consents. */
export const oidcProvider = (comeBackTo: ReadonlyArray<string>, idTokenHasEmail = true) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      let handle: (request: IncomingMessage, response: ServerResponse) => void = (_, response) =>
        void response.writeHead(503).end()
      const server = createServer((request, response) => handle(request, response)).listen(0, "127.0.0.1")
      await once(server, "listening")
      const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const people = new Map<string, Known>()
      const provider = new Provider(issuer, {
        clients: [
          {
            client_id: clientId,
            client_secret: clientSecret,
            redirect_uris: [...comeBackTo],
            response_types: ["code"],
            grant_types: ["authorization_code"]
          }
        ],
        scopes: ["openid", "email"],
        claims: { openid: ["sub"], email: ["email", "email_verified"] },
        conformIdTokenClaims: !idTokenHasEmail,
        pkce: { required: () => true },
        ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
        features: { devInteractions: { enabled: false } },
        cookies: { keys: ["for tests alone"] },
        findAccount: (_, sub) => ({
          accountId: sub,
          claims: () => ({
            sub,
            ...(people.get(sub)?.email === undefined
              ? {}
              : { email: people.get(sub)!.email, email_verified: people.get(sub)!.verified ?? true })
          })
        }),
        interactions: { url: (_, { uid }) => `/who/${uid}` }
      })
      // Its warnings are about settings that tests need: plain HTTP and own keys.
      provider.on("server_error", (_, error) => console.error(error))
      const world: OidcProvider = { issuer, who: null, asked: [] }
      const callback = provider.callback()
      handle = (request, response) => {
        world.asked.push(`${request.method} ${request.url!.split("?")[0]!}`)
        if (!request.url!.startsWith("/who/")) return void callback(request, response)
        void (async () => {
          const { who } = world
          if (who === null)
            return provider.interactionFinished(request, response, {
              error: "access_denied",
              error_description: "the person said no"
            })
          people.set(who.sub, who)
          const { params } = await provider.interactionDetails(request, response)
          const grant = new provider.Grant({ accountId: who.sub, clientId: String(params["client_id"]) })
          grant.addOIDCScope("openid email")
          return provider.interactionFinished(request, response, {
            login: { accountId: who.sub },
            consent: { grantId: await grant.save() }
          })
        })().catch((error: unknown) => response.writeHead(500).end(String(error)))
      }
      return { world, server }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  ).pipe(Effect.map(({ world }) => world))
