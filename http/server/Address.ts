import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { remember } from "./remember.ts"

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
  const holderOf = remember((socketAddress) => {
    const address = parseAddress(socketAddress)
    return { holder: address === null ? "unknown" : isProxy(address) ? null : countedForm(address) }
  })
  return (socketAddress: string | undefined): string | null => holderOf(socketAddress ?? "").holder
}

/** `trustedProxies`: comma-separated CIDRs. Without any, the header is ignored. */
export const makeAddressOf = (trustedProxies: string): AddressOf => {
  const isProxy = makeIsProxy(trustedProxies)
  const addressOf = remember((hops) => {
    const end = hops.indexOf("\n")
    let client = parseAddress(hops.slice(0, end))
    for (const hop of hops
      .slice(end + 1)
      .split(",")
      .toReversed()) {
      if (client === null || !isProxy(client)) break
      const before = hopOf(hop)
      // Further left stands what the client itself may have sent.
      if (before === null) break
      client = before
    }
    return client === null ? "unknown" : countedForm(client)
  })
  return (socketAddress, forwardedFor) => addressOf(`${socketAddress ?? ""}\n${forwardedFor ?? ""}`)
}
