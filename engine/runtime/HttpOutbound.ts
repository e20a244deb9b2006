import * as NodeDns from "@effect/platform-node/NodeDns"
import { Array as Arr, Effect, Layer, type Option, Semaphore, Result } from "effect"
import { Dns, NetAddress, IpNetwork } from "effect/net"
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import type { LookupFunction } from "node:net"
import { StationConfig } from "./Config.ts"
import { dnsTimeoutMs, outboundAtOnceMax, outboundPorts } from "../rules/runtime/limits.ts"
import {
  Outbound,
  type OutboundAnswer,
  OutboundFailed,
  OutboundRefused,
  type OutboundRequest
} from "../ports/Outbound.ts"
import { urlCharsMax } from "../rules/agents/limits.ts"
import { fetchOver } from "./PublicFetch.ts"

const networks = (...cidrs: ReadonlyArray<string>) => cidrs.map(IpNetwork.fromStringUnsafe)

/** IANA's special-purpose registry, and the metadata addresses of clouds. */
const notPublic4 = networks(
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "168.63.129.16/32"
)

/** Allocated global unicast; excludes mapped IPv4, NAT64, local and multicast addresses. */
const global6 = IpNetwork.fromStringUnsafe("2000::/3")

/** Excluded from it: protocol assignments with Teredo and benchmarking, documentation, 6to4. */
const notPublic6 = networks("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")

const isInside = (address: NetAddress.IpAddress) => (network: IpNetwork.IpNetwork) =>
  IpNetwork.contains(network, address)

/** Whether the address is on the public network. */
export const isPublic = (address: NetAddress.IpAddress): boolean =>
  NetAddress.isIpv4Address(address)
    ? !notPublic4.some(isInside(address))
    : isInside(address)(global6) && !notPublic6.some(isInside(address))

/** A parsed URL before its name is resolved. */
export interface Destination {
  readonly url: URL
  /** The host if it is an IP address. */
  readonly literal: NetAddress.IpAddress | null
}

const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, "")

/**
 * Parses and checks a URL. The URL standard has already turned every spelling of the host (decimal, octal, hexadecimal, full-width, IDN) into one
 * address or one ASCII name, so the check sees the real target. `allowPrivate` is for tests: any port, and http to this machine.
 */
export const destinationOf = (text: string, allowPrivate: boolean): Result.Result<Destination, string> => {
  if (text.length > urlCharsMax) return Result.fail(`has more than ${urlCharsMax} characters`)
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return Result.fail("is not an absolute https address")
  const url = new URL(text)
  const host = hostOf(url)
  const literal = Result.getOrNull(NetAddress.ipFromString(host))
  if (
    url.protocol !== "https:" &&
    !(allowPrivate && (literal === null ? isLocalName(host) : NetAddress.isLoopback(literal)))
  )
    return Result.fail("must begin with https://")
  if (url.username !== "" || url.password !== "") return Result.fail("must not carry credentials")
  if (!allowPrivate && url.port !== "" && !outboundPorts.includes(Number(url.port)))
    return Result.fail(`must use port ${outboundPorts.join(" or ")}`)
  if (literal === null && !/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(host))
    return Result.fail("has a host that is no usable name")
  if (!allowPrivate && literal === null && !host.includes(".")) return Result.fail("has a host that is no public name")
  if (!allowPrivate && literal !== null && !isPublic(literal))
    return Result.fail("leads to a host that is not on the public network")
  url.hash = ""
  return Result.succeed({ url, literal })
}

/** Names reserved for this machine. */
export const isLocalName = (host: string): boolean => host === "localhost" || host.endsWith(".localhost")

/** Connects only to the checked addresses, so that a changed DNS answer can't redirect the request. */
const pinTo = (addresses: ReadonlyArray<NetAddress.IpAddress>): LookupFunction => {
  const all = addresses.map((address) => ({
    address: NetAddress.formatIp(address),
    family: NetAddress.isIpv4Address(address) ? 4 : 6
  }))
  return (_, options, done) => (options.all === true ? done(null, all) : done(null, all[0]!.address, all[0]!.family))
}
// Own agents: the global ones may use a proxy from the environment, which would resolve names itself.
const agents = { "http:": new HttpAgent(), "https:": new HttpsAgent({ maxCachedSessions: 0 }) }
const reasonOf = (fault: NodeJS.ErrnoException & { readonly errors?: ReadonlyArray<NodeJS.ErrnoException> }): string =>
  fault.code ?? fault.errors?.[0]?.code ?? "the connection failed"
const exchange = (
  { answerMaxBytes, body, headers, method }: OutboundRequest,
  { url }: Destination,
  addresses: ReadonlyArray<NetAddress.IpAddress>
) =>
  Effect.callback<OutboundAnswer, OutboundFailed>((resume) => {
    const fail = (detail: string) => resume(Effect.fail(new OutboundFailed({ detail })))
    const isSecure = url.protocol === "https:"
    const read = (response: IncomingMessage) => {
      const chunks: Array<Uint8Array> = []
      let length = 0
      const answer = (isCut: boolean) => {
        resume(
          Effect.succeed({
            status: response.statusCode!,
            isCut,
            body: Buffer.concat(chunks).subarray(0, answerMaxBytes),
            headers: Object.fromEntries(
              Object.entries(response.headers).map(([name, value]) => [
                name,
                Array.isArray(value) ? value.join(", ") : value
              ])
            )
          })
        )
        request.destroy()
      }
      response.on("data", (chunk: Uint8Array) => {
        chunks.push(chunk)
        length += chunk.length
        if (length > answerMaxBytes) answer(true)
      })
      response.on("end", () => answer(false))
      response.on("error", () => fail("the answer was broken off"))
    }
    const request = (isSecure ? httpsRequest : httpRequest)(
      url,
      {
        method,
        agent: agents[url.protocol as keyof typeof agents],
        lookup: pinTo(addresses),
        headers: {
          ...headers,
          connection: "close",
          ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) })
        }
      },
      read
    )
    request.on("error", (fault) => fail(reasonOf(fault)))
    request.end(body)
    return Effect.sync(() => request.destroy())
  })
/** The only path for requests to addresses given by users. */
export const HttpOutbound = Layer.effect(
  Outbound,
  Effect.gen(function* () {
    const allowPrivate = (yield* StationConfig).allowPrivateCallbacks === "on"
    const dns = yield* Dns.Dns
    const room = yield* Semaphore.make(outboundAtOnceMax)

    const parseDestination = (text: string) =>
      Effect.mapError(Effect.fromResult(destinationOf(text, allowPrivate)), (detail) => new OutboundRefused({ detail }))

    // DNS only: the system resolver also reads local files, and blocks a thread as long as a slow name server.
    const lookUp = (name: string) =>
      Effect.map(
        Effect.all([Effect.option(dns.resolve(name, "A")), Effect.option(dns.resolve(name, "AAAA"))], {
          concurrency: 2
        }),
        (found) =>
          Arr.getSomes<ReadonlyArray<Option.Option<ReadonlyArray<Dns.A | Dns.Aaaa>>>>(found).flatMap((records) =>
            records.map(({ address }): NetAddress.IpAddress => address)
          )
      )

    const addressesOf = Effect.fnUntraced(function* ({ literal, url }: Destination) {
      const addresses =
        literal !== null
          ? [literal]
          : isLocalName(url.hostname)
            ? NetAddress.loopbackAddresses
            : yield* lookUp(url.hostname)
      if (!Arr.isReadonlyArrayNonEmpty(addresses))
        return yield* new OutboundFailed({ detail: "has a host that can't be found" })
      if (!allowPrivate && !addresses.every(isPublic))
        return yield* new OutboundRefused({ detail: "leads to a host that is not on the public network" })
      return addresses
    })

    const ask = Effect.fnUntraced(function* (request: OutboundRequest) {
      const destination = yield* parseDestination(request.url)
      return yield* Effect.flatMap(addressesOf(destination), (addresses) =>
        exchange(request, destination, addresses)
      ).pipe(
        Effect.timeoutOrElse({
          duration: request.timeoutMs,
          orElse: () =>
            Effect.fail(
              new OutboundFailed({ detail: `no whole answer within ${request.timeoutMs / 1_000} s`, isTimeout: true })
            )
        }),
        room.withPermits(1)
      )
    })
    return Outbound.of({
      check: Effect.fnUntraced(function* (text) {
        const destination = yield* parseDestination(text)
        yield* addressesOf(destination).pipe(
          Effect.timeoutOrElse({
            duration: 2 * dnsTimeoutMs,
            orElse: () => Effect.fail(new OutboundRefused({ detail: "has a host that can't be found in time" }))
          }),
          Effect.catchTag("OutboundFailed", ({ detail }) => new OutboundRefused({ detail }))
        )
        return destination.url.href
      }),
      ask,
      fetch: fetchOver(ask)
    })
  })
)
/** With the system's name servers. */
export const HttpOutboundLive = HttpOutbound.pipe(
  Layer.provide(Layer.effect(Dns.Dns, Effect.orDie(NodeDns.make({ timeout: dnsTimeoutMs, tries: 1 }))))
)
