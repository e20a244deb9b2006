import * as fc from "fast-check"
import { Result } from "effect"
import { NetAddress } from "effect/net"
import { describe, expect, it } from "vitest"
import { destinationOf, isPublic } from "../../../engine/runtime/HttpOutbound.ts"

const ip = NetAddress.ipFromStringUnsafe
const octet = fc.integer({ min: 0, max: 255 })
const v4 = (...parts: ReadonlyArray<fc.Arbitrary<number>>) => fc.tuple(...parts).map((octets) => octets.join("."))
const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16))
const v6 = (begin: string, count: number) =>
  fc.array(group, { minLength: count, maxLength: count }).map((groups) => `${begin}:${groups.join(":")}`)
const within = (min: number, max: number) => fc.integer({ min, max })
const only = (value: number) => fc.constant(value)
/** Addresses outside the public internet, with random values in every free bit. */
const forbidden = {
  "this network": v4(only(0), octet, octet, octet),
  ten: v4(only(10), octet, octet, octet),
  "carrier-grade NAT": v4(only(100), within(64, 127), octet, octet),
  loopback: v4(only(127), octet, octet, octet),
  "link-local, with the metadata of clouds": v4(only(169), only(254), octet, octet),
  "172.16/12": v4(only(172), within(16, 31), octet, octet),
  "protocol assignments": v4(only(192), only(0), only(0), octet),
  documentation: fc.oneof(
    v4(only(192), only(0), only(2), octet),
    v4(only(198), only(51), only(100), octet),
    v4(only(203), only(0), only(113), octet)
  ),
  "6to4 relays": v4(only(192), only(88), only(99), octet),
  "192.168/16": v4(only(192), only(168), octet, octet),
  benchmarking: v4(only(198), within(18, 19), octet, octet),
  "multicast, reserved, broadcast": v4(within(224, 255), octet, octet, octet),
  "a cloud's own server": fc.constant("168.63.129.16"),
  "IPv4-mapped": fc.oneof(fc.constant("8.8.8.8"), v4(octet, octet, octet, octet)).map((four) => `::ffff:${four}`),
  "IPv4-compatible": v4(octet, octet, octet, octet).map((four) => `::${four}`),
  NAT64: fc.oneof(
    v4(octet, octet, octet, octet).map((four) => `64:ff9b::${four}`),
    v6("64:ff9b:1", 5)
  ),
  "Teredo and its like": fc.oneof(v6("2001:0", 6), v6("2001:2", 6), v6("2001:1ff", 6)),
  "6to4": v6("2002", 7),
  "documentation of IPv6": fc.oneof(
    v6("2001:db8", 6),
    v6("3fff", 7).filter((text) => Number.parseInt(text.split(":")[1]!, 16) < 0x1000)
  ),
  "unique local": fc.oneof(v6("fc00", 7), v6("fd00", 7), fc.constant("fd00:ec2::254")),
  "link-local of IPv6": v6("fe80", 7),
  "multicast of IPv6": v6("ff02", 7),
  "what is handed out to nobody": fc.oneof(
    v6("4000", 7),
    v6("1", 7),
    v6("fec0", 7),
    fc.constant("::1"),
    fc.constant("::"),
    v6("100", 7)
  )
}
const refusal = (url: string, allowPrivate = false) =>
  Result.match(destinationOf(url, allowPrivate), { onFailure: (detail) => detail, onSuccess: () => "taken" })
describe("the public network", () => {
  it.each(Object.entries(forbidden))("excludes %s, as an address and as a host", (_, addresses) => {
    fc.assert(
      fc.property(addresses, (text) => {
        expect(isPublic(ip(text))).toBe(false)
        expect(refusal(`https://${text.includes(":") ? `[${text}]` : text}/hook`)).toContain(
          "not on the public network"
        )
      }),
      { numRuns: 300 }
    )
  })

  it("includes all others", () => {
    for (const text of [
      "1.1.1.1",
      "8.8.8.8",
      "100.63.255.255",
      "100.128.0.0",
      "172.15.255.255",
      "172.32.0.0",
      "169.253.255.255",
      "192.167.255.255",
      "223.255.255.255",
      "11.0.0.0",
      "2606:4700:4700::1111",
      "2a00:1450:4001:80b::200e",
      "2001:200::1",
      "2001:4860:4860::8888"
    ]) {
      expect([text, isPublic(ip(text))]).toEqual([text, true])
    }
  })

  it("is decided by the address that is connected to, in any spelling", () => {
    fc.assert(
      fc.property(v4(only(127), octet, octet, octet), fc.integer({ min: 0, max: 5 }), (text, way) => {
        const [a, b, c, d] = text.split(".").map(Number) as [number, number, number, number]
        const all = ((a * 256 + b) * 256 + c) * 256 + d
        const spelt = [
          String(all),
          `0x${all.toString(16)}`,
          `0${all.toString(8)}`,
          `0x${a.toString(16)}.${b}.0${c.toString(8)}.${d}`,
          `${a}.${b * 65_536 + c * 256 + d}`,
          `${text}.`
        ][way]!
        expect([spelt, refusal(`https://${spelt}/`)]).toEqual([
          spelt,
          expect.stringContaining("not on the public network")
        ])
      })
    )
    for (const host of [
      "①②⑦.0.0.1",
      "127。0。0。1",
      "１２７.0.0.1",
      "0177.1",
      "0",
      "[::ffff:7f00:1]",
      "[0:0:0:0:0:0:0:1]",
      "%31%32%37.0.0.1"
    ])
      expect([host, refusal(`https://${host}/`)]).toEqual([host, expect.stringContaining("not on the public network")])
    for (const host of [
      "localhost",
      "LOCALHOST",
      "intranet",
      "ｌｏｃａｌｈｏｓｔ",
      "example.com.",
      "localhost.",
      "exam ple.com",
      "[fe80::1%25eth0]",
      "a..b",
      "256.256.256.256"
    ])
      expect([host, refusal(`https://${host}/`)]).not.toEqual([host, "taken"])
  })

  it("is reached over https on the allowed ports only, without credentials", () => {
    for (const url of [
      "https://hooks.example/a?b=c",
      "https://hooks.example:8443/",
      "https://hooks.example:443/",
      "HTTPS://Hooks.Example/",
      "https://bücher.example/",
      "https://1.1.1.1/"
    ])
      expect([url, refusal(url)]).toEqual([url, "taken"])
    for (const url of [
      "http://hooks.example/",
      "https://hooks.example:444/",
      "https://hooks.example:80/",
      "https://me@hooks.example/",
      "https://me:secret@hooks.example/",
      "https:hooks.example",
      "//hooks.example",
      "hooks.example",
      "ftp://hooks.example/",
      "file:///etc/passwd",
      "gopher://hooks.example/",
      `https://hooks.example/${"a".repeat(2_048)}`,
      "https://",
      ""
    ]) {
      expect([url, refusal(url)]).not.toEqual([url, "taken"])
    }
  })

  it("includes this machine for tests, and only this machine without TLS", () => {
    for (const url of [
      "http://127.0.0.1:9999/",
      "http://localhost:9999/",
      "https://10.0.0.1:9999/",
      "http://[::1]:9999/"
    ])
      expect([url, refusal(url, true)]).toEqual([url, "taken"])
    for (const url of ["http://10.0.0.1/", "http://hooks.example/", "https://a:b@127.0.0.1/"])
      expect([url, refusal(url, true)]).not.toEqual([url, "taken"])
  })

  it("rejects misleading addresses, and never throws", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.webUrl({ withFragments: true }),
          fc.string(),
          fc.string().map((text) => `https://${text}`)
        ),
        (text) => {
          const destination = destinationOf(text, false)
          if (Result.isFailure(destination)) return
          const { literal, url } = destination.success
          expect([url.protocol, url.username, url.password, url.hash]).toEqual(["https:", "", "", ""])
          if (literal !== null) expect(isPublic(literal)).toBe(true)
        }
      ),
      { numRuns: 3_000 }
    )
  })
})
