import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { addressCharsKnownMax, addressesKnownMax } from "../../engine/rules/http/limits.ts"

/** The client's address: the last untrusted one in `X-Forwarded-For`, else the socket's. */
export type AddressOf = (socketAddress: string | undefined, forwardedFor: string | undefined) => string

const parseAddress = (text: string): NetAddress.IpAddress | null =>
  Result.getOrElse(NetAddress.ipFromString(text.trim().replace(/^::ffff:(?=\d+\.)/, "")), () => null)

/** A hop of `X-Forwarded-For`: an address, with a port or without. */
const hopOf = (text: string): NetAddress.IpAddress | null => {
  const hop = text.trim()
  return parseAddress(/^\[([^\]]*)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop)
}

/** IPv6 customers have a whole /64, so limits count that. */
const countedForm = (address: NetAddress.IpAddress): string =>
  NetAddress.isIpv6Address(address)
    ? IpNetwork.format(IpNetwork.fromAddressUnsafe(address, 64))
    : NetAddress.formatIp(address)

const makeIsProxy = (trustedProxies: string) => {
  const proxies = trustedProxies
    .split(",")
    .filter((text) => text !== "")
    .map(IpNetwork.fromStringUnsafe)
  return (address: NetAddress.IpAddress) => proxies.some((network) => IpNetwork.contains(network, address))
}

/** Address of a connection; null for a trusted proxy, which many clients share. */
export const makeHolderOf = (trustedProxies: string) => {
  const isProxy = makeIsProxy(trustedProxies)
  return (socketAddress: string | undefined): string | null => {
    const address = parseAddress(socketAddress ?? "")
    return address === null ? "unknown" : isProxy(address) ? null : countedForm(address)
  }
}

/** `trustedProxies`: comma-separated CIDRs. Without any, the header is ignored. */
export const makeAddressOf = (trustedProxies: string): AddressOf => {
  const isProxy = makeIsProxy(trustedProxies)
  const read: AddressOf = (socketAddress, forwardedFor) => {
    let client = parseAddress(socketAddress ?? "")
    for (const hop of (forwardedFor ?? "").split(",").toReversed()) {
      if (client === null || !isProxy(client)) break
      const before = hopOf(hop)
      // Further left stands what the client itself may have sent.
      if (before === null) break
      client = before
    }
    return client === null ? "unknown" : countedForm(client)
  }
  // Cached, because players send several requests a second.
  let known = new Map<string, string>()
  return (socketAddress, forwardedFor) => {
    const asked = `${socketAddress ?? ""} ${forwardedFor ?? ""}`
    const before = known.get(asked)
    if (before !== undefined) return before
    const address = read(socketAddress, forwardedFor)
    if (known.size >= addressesKnownMax) known = new Map()
    if (asked.length <= addressCharsKnownMax) known.set(asked, address)
    return address
  }
}
