import { describe, expect, it } from "vitest"
import * as fc from "fast-check"
import { jsonBytesMax, jsonDepthMax, jsonItemsMax, jsonKeysMax } from "../../../engine/rules/http/limits.ts"
import { scanJson } from "../../../http/envelope/JsonScan.ts"

describe("the scan of a body", () => {
  it("accepts all output of JSON.stringify", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), (text) => scanJson(text) === null),
      { numRuns: 2_000 }
    )
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => scanJson(JSON.stringify(value, null, 2)) === null),
      { numRuns: 500 }
    )
  })

  it("finds a repeated key, at any depth and in any spelling", () => {
    for (const text of [
      `{"a":1,"a":2}`,
      `{"b":{"a":1,"a":2}}`,
      `[{"a":1},{"a":[],"b":{},"a":{}}]`,
      String.raw`{"a":1,"\u0061":2}`,
      `{"":1,"":2}`,
      `{"__proto__":1,"__proto__":2}`
    ]) {
      expect(scanJson(text)).toContain("twice")
    }
    for (const text of [
      `{"a":{"a":1},"b":"a"}`,
      `[{"a":1},{"a":2}]`,
      `{"a":"a","b":["a","a"]}`,
      String.raw`{"a\"":1,"a":2}`,
      String.raw`{"a":"\\","b":"{\"b\":1,\"b\":2}"}`
    ]) {
      expect(scanJson(text)).toBe(null)
    }
  })

  it("refuses nesting beyond the bound and allows it up to there", () => {
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels)
    expect(scanJson(nested(jsonDepthMax))).toBe(null)
    expect(scanJson(nested(jsonDepthMax + 1))).toContain("deeper")
    expect(scanJson(`${'{"a":'.repeat(jsonDepthMax + 1)}1${"}".repeat(jsonDepthMax + 1)}`)).toContain("deeper")
    expect(scanJson(`{"a":"${"[".repeat(500)}"}`)).toBe(null)
  })

  it("refuses arrays and objects longer than any operation accepts, and allows them up to there", () => {
    const list = (count: number) => JSON.stringify(Array.from({ length: count }, () => ({ a: [1, "],["], b: "," })))
    const object = (count: number) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, [n]])))
    for (const [text, wrong] of [
      [list(jsonItemsMax), null],
      [list(jsonItemsMax + 1), "entries"],
      [object(jsonKeysMax), null],
      [object(jsonKeysMax + 1), "fields"],
      [`{"a":${list(jsonItemsMax + 1)}}`, "entries"]
    ] as const) {
      expect(scanJson(text)).toEqual(wrong === null ? null : expect.stringContaining(wrong))
    }
  })

  it("quotes only the beginning of a key", () => {
    expect(scanJson(`{"${"k".repeat(50_000)}":1,"${"k".repeat(50_000)}":2}`)!.length).toBeLessThan(120)
  })

  it("accepts the fullest allowed bodies", () => {
    const keys = Array.from({ length: jsonKeysMax }, (_, n) => `"k${n}":0`).join(",")
    const bodies = [
      `[${Array.from({ length: 50 }, () => `{${keys}}`).join(",")}]`,
      `["${"\\\\".repeat(jsonBytesMax / 4)}"]`,
      `[${`[${"{},".repeat(jsonItemsMax - 1)}{}],`.repeat(60)}0]`
    ]
    for (const body of bodies) {
      expect(scanJson(body)).toBe(null)
    }
  })
})
