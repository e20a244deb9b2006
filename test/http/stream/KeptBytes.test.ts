import { expect, it } from "vitest"
import { keptBytes } from "../../../engine/runtime/keptBytes.ts"
import { Piece } from "../../../http/stream/events/EventFanout.ts"

it("bytes that are kept hold no memory but their own", () => {
  const shared = Buffer.from("event: track\n\n")
  expect(shared.buffer.byteLength).toBeGreaterThan(shared.length)
  const piece = new Piece(shared)
  for (const [bytes, text] of [
    [keptBytes(shared), "event: track\n\n"],
    [piece.plain, "event: track\n\n"],
    [piece.chunked, "e\r\nevent: track\n\n\r\n"]
  ] as const) {
    expect(bytes.toString()).toBe(text)
    expect(bytes.buffer.byteLength).toBe(bytes.length)
  }
})
