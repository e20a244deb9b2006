import { describe, expect, it } from "vitest"
import * as fc from "fast-check"
import { makeAddressOf } from "../../../http/server/Address.ts"

describe("a client's address", () => {
  it("is the socket's without a trusted proxy, whatever headers say", () => {
    const addressOf = makeAddressOf("")
    expect(addressOf("203.0.113.7", "198.51.100.1")).toBe("203.0.113.7")
    expect(addressOf("::ffff:203.0.113.7", undefined)).toBe("203.0.113.7")
    expect(addressOf(undefined, "198.51.100.1")).toBe("unknown")
  })

  it("is the last one that isn't a trusted proxy", () => {
    const addressOf = makeAddressOf("10.0.0.0/8,fd00::/8")
    expect(addressOf("10.0.0.1", "6.6.6.6, 198.51.100.1, 10.2.3.4")).toBe("198.51.100.1")
    expect(addressOf("::ffff:10.0.0.1", "198.51.100.1")).toBe("198.51.100.1")
    expect(addressOf("fd00::1", "198.51.100.1")).toBe("198.51.100.1")
    expect(addressOf("203.0.113.7", "198.51.100.1")).toBe("203.0.113.7")
    expect(addressOf("10.0.0.1", undefined)).toBe("10.0.0.1")
    expect(addressOf("10.0.0.1", "10.0.0.2")).toBe("10.0.0.2")
  })

  it("isn't chosen by the client: entries left of the last untrusted one are ignored", () => {
    const addressOf = makeAddressOf("10.0.0.0/8")
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.ipV4(), fc.string())), (invented) => {
        const header = [...invented.map((text) => text.replaceAll(",", "")), "198.51.100.1"].join(",")
        return addressOf("10.0.0.1", header) === "198.51.100.1"
      })
    )
  })

  it("is read with its port, and never behind an unreadable entry", () => {
    const addressOf = makeAddressOf("10.0.0.0/8,fd00::/8")
    expect(addressOf("10.0.0.1", "6.6.6.6, 9.9.9.9:5123")).toBe("9.9.9.9")
    expect(addressOf("10.0.0.1", "6.6.6.6, [2001:db8:1:2::9]:443")).toBe(addressOf("2001:db8:1:2::9", undefined))
    expect(addressOf("10.0.0.1", "6.6.6.6, [2001:db8:1:2::9]")).toBe(addressOf("2001:db8:1:2::9", undefined))
    expect(addressOf("10.0.0.1", "9.9.9.9, 10.0.0.2:80")).toBe("9.9.9.9")
    for (const hop of ["unknown", "_hidden", "", "9.9.9.9:", "[9.9.9.9", "10.0.0.2, "])
      expect(addressOf("10.0.0.1", `6.6.6.6, ${hop}`), hop).toMatch(/^10\./)
  })

  it("counts an IPv6 network once", () => {
    const addressOf = makeAddressOf("")
    const one = addressOf("2001:db8:1:2:3:4:5:6", undefined)
    expect(addressOf("2001:db8:1:2:ffff::1", undefined)).toBe(one)
    expect(addressOf("2001:db8:1:3::1", undefined)).not.toBe(one)
  })

  it("accepts any header without failing", () => {
    const addressOf = makeAddressOf("10.0.0.0/8")
    fc.assert(fc.property(fc.string(), fc.string(), (socket, header) => typeof addressOf(socket, header) === "string"))
  })
})
