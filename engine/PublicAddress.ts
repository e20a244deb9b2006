import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { outboundPorts, urlCharsMax } from "./Limits.ts"

const networks = (...cidrs: ReadonlyArray<string>) => cidrs.map(IpNetwork.fromStringUnsafe)

/** IANA's special-purpose registry, and what clouds answer their own machines from. */
const notPublic4 = networks(
  "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16",
  "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32"
)
/** All that is handed out as global unicast; IPv4 in disguise, NAT64, local and multicast lie outside of it. */
const global6 = IpNetwork.fromStringUnsafe("2000::/3")
/** Within it: protocol assignments with Teredo and benchmarking, documentation, 6to4. */
const notPublic6 = networks("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")

const lies = (address: NetAddress.IpAddress) => (network: IpNetwork.IpNetwork) => IpNetwork.contains(network, address)

/** Whether it is one address on the public network. */
export const isPublic = (address: NetAddress.IpAddress): boolean => NetAddress.isIpv4Address(address)
  ? !notPublic4.some(lies(address))
  : lies(address)(global6) && !notPublic6.some(lies(address))

/** Where a URL leads, before any name is looked up. */
export interface Destination {
  readonly url: URL
  /** Where the host is no name. */
  readonly literal: NetAddress.IpAddress | null
}

const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, "")

/**
 * Reads a URL as it will be asked. Whatever way a host is spelt (decimal, octal, hexadecimal, full-width, in an alphabet of its own), the URL standard
 * has made one address or one ASCII name of it by then, and that is what is judged. `allowPrivate` is for tests: any port, and http to this machine itself.
 */
export const destinationOf = (text: string, allowPrivate: boolean): Result.Result<Destination, string> => {
  if (text.length > urlCharsMax) return Result.fail(`has more than ${urlCharsMax} characters`)
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return Result.fail("is not an absolute https address")
  const url = new URL(text)
  const host = hostOf(url)
  const literal = Result.getOrNull(NetAddress.ipFromString(host))
  if (url.protocol !== "https:" && !(allowPrivate && (literal === null ? isLocalName(host) : NetAddress.isLoopback(literal)))) return Result.fail("must begin with https://")
  if (url.username !== "" || url.password !== "") return Result.fail("must not carry credentials")
  if (!allowPrivate && url.port !== "" && !outboundPorts.includes(Number(url.port))) return Result.fail(`must use port ${outboundPorts.join(" or ")}`)
  if (literal === null && !/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(host)) return Result.fail("has a host that is no usable name")
  if (!allowPrivate && literal === null && !host.includes(".")) return Result.fail("has a host that is no public name")
  if (!allowPrivate && literal !== null && !isPublic(literal)) return Result.fail("leads to a host that is not on the public network")
  url.hash = ""
  return Result.succeed({ url, literal })
}

/** The name that always means this machine itself. */
export const isLocalName = (host: string): boolean => host === "localhost" || host.endsWith(".localhost")
