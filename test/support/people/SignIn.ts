import { Context, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { AgentHttp } from "../http/AgentHttp.ts"
import {
  clientId,
  clientSecret,
  type OidcProvider,
  oidcProvider
} from "../../../bench/instruments/servers/OidcProvider.ts"

/** The station's two providers. The second returns addresses only when they are requested. */
export class Providers extends Context.Service<Providers, { readonly a: OidcProvider; readonly b: OidcProvider }>()(
  "test/Providers"
) {}

/** A station with sign-in, configured with `publicUrl`. */
export const SignInHttp = (publicUrl = "http://radio.test", given: Record<string, string> = {}) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const a = yield* oidcProvider([`${publicUrl}/login/a/callback`])
      const b = yield* oidcProvider([`${publicUrl}/login/b/callback`], false)
      const slot = (name: "A" | "B", issuer: string, label: string) => ({
        [`OIDC_${name}_ISSUER`]: issuer,
        [`OIDC_${name}_CLIENT_ID`]: clientId,
        [`OIDC_${name}_CLIENT_SECRET`]: clientSecret,
        [`OIDC_${name}_LABEL`]: label
      })
      return AgentHttp({
        PUBLIC_URL: publicUrl,
        // Mail goes to a double; the address only says that there is mail.
        SMTP_URL: "smtp://127.0.0.1:1",
        ...slot("A", a.issuer, "Alpha"),
        ...slot("B", b.issuer, "Beta & <Sons>"),
        ...given
      }).pipe(Layer.provideMerge(Layer.succeed(Providers, { a, b })))
    })
  )

/** A browser's cookies of one host. */
export const makeJar = () => {
  const jar = new Map<string, string>()
  return {
    jar,
    header: () => [...jar].map(([name, value]) => `${name}=${value}`).join("; "),
    take: (response: Response) => {
      for (const line of response.headers.getSetCookie()) {
        const [pair, ...rest] = line.split(";")
        const at = pair!.indexOf("=")
        const [name, value] = [pair!.slice(0, at), pair!.slice(at + 1)]
        if (value === "" || rest.some((part) => /max-age=0$/i.test(part.trim()))) jar.delete(name)
        else jar.set(name, value)
      }
    }
  }
}

export interface Hop {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** A browser without pages: follows redirects, with a cookie jar for each host. Requests to `publicUrl` reach the test's server. */
export const makeBrowser = Effect.gen(function* () {
  const { address } = yield* HttpServer.HttpServer
  const at = `http://127.0.0.1:${"port" in address ? address.port : 0}`
  const jars = new Map<string, ReturnType<typeof makeJar>>()
  const jarOf = (host: string) => jars.get(host) ?? jars.set(host, makeJar()).get(host)!
  const hop = (url: string, ask: RequestInit = {}) =>
    Effect.promise(async (): Promise<Hop> => {
      const { host, pathname, search } = new URL(url)
      const cookies = jarOf(host)
      const response = await fetch(host === "radio.test" ? `${at}${pathname}${search}` : url, {
        redirect: "manual",
        ...ask,
        headers: {
          "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/130.0",
          ...(cookies.jar.size === 0 ? {} : { cookie: cookies.header() }),
          ...ask.headers
        }
      })
      cookies.take(response)
      return { url, status: response.status, headers: response.headers, body: await response.text() }
    })
  /** Until there is no redirect, or `stop` holds; that last address is not requested. */
  const go = Effect.fnUntraced(function* (path: string, stop: (url: string) => boolean = () => false) {
    // The provider asks for the user again.
    for (const host of jars.keys()) if (host !== "radio.test") jars.delete(host)
    let url = new URL(path, "http://radio.test").href
    const seen: Array<Hop> = []
    for (let turn = 0; turn < 12; turn++) {
      if (stop(url)) return { url, seen, last: seen.at(-1)! }
      const answer = yield* hop(url)
      seen.push(answer)
      const to = answer.headers.get("location")
      if (answer.status < 300 || answer.status > 399 || to === null) return { url, seen, last: answer }
      url = new URL(to, url).href
    }
    return yield* Effect.die("led in circles")
  })
  const station = jarOf("radio.test")
  /** A form of the station's own page. */
  const press = (
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = { origin: "http://radio.test" }
  ) =>
    hop(`http://radio.test${path}`, {
      method: "POST",
      body: new URLSearchParams(fields).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers }
    })
  return { hop, go, press, jar: station.jar }
})
