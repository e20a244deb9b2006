import * as NodeDns from "@effect/platform-node/NodeDns"
import { Array as Arr, Effect, Layer, type Option, Semaphore } from "effect"
import { Dns, NetAddress } from "effect/net"
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import type { LookupFunction } from "node:net"
import { StationConfig } from "./Config.ts"
import { dnsTimeoutMs, outboundAtOnceMax } from "./Limits.ts"
import { Outbound, type OutboundAnswer, OutboundFailed, OutboundRefused, type OutboundRequest } from "./ports/Outbound.ts"
import { type Destination, destinationOf, isLocalName, isPublic } from "./PublicAddress.ts"

/** Connects to what was looked at, and to nothing that the name may mean by now. */
const pinnedTo = (addresses: ReadonlyArray<NetAddress.IpAddress>): LookupFunction => {
  const all = addresses.map((address) => ({ address: NetAddress.formatIp(address), family: NetAddress.isIpv4Address(address) ? 4 : 6 }))
  return (_, options, done) => options.all === true ? done(null, all) : done(null, all[0]!.address, all[0]!.family)
}

// Agents of our own: the process-wide ones may be told by the environment to go through a proxy, which would look names up itself.
const agents = { "http:": new HttpAgent(), "https:": new HttpsAgent({ maxCachedSessions: 0 }) }

const reasonOf = (fault: NodeJS.ErrnoException & { readonly errors?: ReadonlyArray<NodeJS.ErrnoException> }): string => fault.code ?? fault.errors?.[0]?.code ?? "the connection failed"

const exchange = ({ answerMaxBytes, body, headers, method }: OutboundRequest, { url }: Destination, addresses: ReadonlyArray<NetAddress.IpAddress>) =>
  Effect.callback<OutboundAnswer, OutboundFailed>((resume) => {
    const failed = (detail: string) => resume(Effect.fail(new OutboundFailed({ detail })))
    const isSecure = url.protocol === "https:"
    const read = (response: IncomingMessage) => {
      const chunks: Array<Uint8Array> = []
      let length = 0
      const answer = (isCut: boolean) => {
        resume(Effect.succeed({
          status: response.statusCode!, isCut, body: Buffer.concat(chunks).subarray(0, answerMaxBytes),
          headers: Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]))
        }))
        request.destroy()
      }
      response.on("data", (chunk: Uint8Array) => {
        chunks.push(chunk)
        length += chunk.length
        if (length > answerMaxBytes) answer(true)
      })
      response.on("end", () => answer(false))
      response.on("error", () => failed("the answer was broken off"))
    }
    const request = (isSecure ? httpsRequest : httpRequest)(url, {
      method, agent: agents[url.protocol as keyof typeof agents], lookup: pinnedTo(addresses),
      headers: { ...headers, connection: "close", ...body === undefined ? {} : { "content-length": Buffer.byteLength(body) } }
    }, read)
    request.on("error", (fault) => failed(reasonOf(fault)))
    request.end(body)
    return Effect.sync(() => request.destroy())
  })

/** The one way out to addresses that strangers named. */
export const Strangers = Layer.effect(Outbound, Effect.gen(function*() {
  const allowPrivate = (yield* StationConfig).allowPrivateCallbacks === "on"
  const dns = yield* Dns.Dns
  const room = yield* Semaphore.make(outboundAtOnceMax)

  const parsed = (text: string) => Effect.mapError(Effect.fromResult(destinationOf(text, allowPrivate)), (detail) => new OutboundRefused({ detail }))

  // By DNS alone: the system's own resolver reads files that concern this machine, and holds a thread for as long as a stranger's server likes.
  const looked = (name: string) => Effect.map(
    Effect.all([Effect.option(dns.resolve(name, "A")), Effect.option(dns.resolve(name, "AAAA"))], { concurrency: 2 }),
    (found) => Arr.getSomes<ReadonlyArray<Option.Option<ReadonlyArray<Dns.A | Dns.Aaaa>>>>(found).flatMap((records) => records.map(({ address }): NetAddress.IpAddress => address))
  )

  const addressesOf = Effect.fnUntraced(function*({ literal, url }: Destination) {
    const addresses = literal !== null ? [literal] : isLocalName(url.hostname) ? NetAddress.loopbackAddresses : yield* looked(url.hostname)
    if (!Arr.isReadonlyArrayNonEmpty(addresses)) return yield* new OutboundFailed({ detail: "has a host that can't be found" })
    if (!allowPrivate && !addresses.every(isPublic)) return yield* new OutboundRefused({ detail: "leads to a host that is not on the public network" })
    return addresses
  })

  return Outbound.of({
    check: Effect.fn("Outbound.check")(function*(text) {
      const destination = yield* parsed(text)
      yield* addressesOf(destination).pipe(
        Effect.timeoutOrElse({ duration: 2 * dnsTimeoutMs, orElse: () => Effect.fail(new OutboundRefused({ detail: "has a host that can't be found in time" })) }),
        Effect.catchTag("OutboundFailed", ({ detail }) => new OutboundRefused({ detail }))
      )
      return destination.url.href
    }),
    ask: Effect.fn("Outbound.ask")(function*(request) {
      const destination = yield* parsed(request.url)
      return yield* Effect.flatMap(addressesOf(destination), (addresses) => exchange(request, destination, addresses)).pipe(
        Effect.timeoutOrElse({ duration: request.timeoutMs, orElse: () => Effect.fail(new OutboundFailed({ detail: `no whole answer within ${request.timeoutMs / 1_000} s` })) }),
        room.withPermits(1)
      )
    })
  })
}))

/** With the name servers of the system. */
export const StrangersLive = Strangers.pipe(Layer.provide(Layer.effect(Dns.Dns, Effect.orDie(NodeDns.make({ timeout: dnsTimeoutMs, tries: 1 })))))
