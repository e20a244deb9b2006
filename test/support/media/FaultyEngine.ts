import { existsSync, writeFileSync } from "node:fs"

/** A speech engine with one fault, to test the port that must survive it. */
const { fault, marker } = JSON.parse(process.argv[2]!) as {
  readonly fault:
    | "hangs"
    | "crashes"
    | "exits"
    | "silent"
    | "not-a-number"
    | "never-starts"
    | "crashes-once"
    | "rambles"
    | "none"
  /** A file that exists once the engine has crashed. */
  readonly marker?: string
}

const tone = () => Float32Array.from({ length: 11_025 }, (_, i) => 0.3 * Math.sin(i / 8))

process.on("message", ({ id }: { readonly id: number }) => {
  const answer = (pcm: Float32Array) => process.send?.({ id, line: { pcm, sampleRateHz: 22_050, marks: [] } })
  if (fault === "hangs") for (;;) Math.sqrt(2)
  if (fault === "exits") process.exit(3)
  if (fault === "crashes") throw new Error("out of memory")
  if (fault === "crashes-once" && marker !== undefined && !existsSync(marker)) {
    writeFileSync(marker, "")
    throw new Error("once")
  }
  if (fault === "silent") answer(new Float32Array(11_025))
  else if (fault === "not-a-number") answer(tone().fill(Number.NaN, 500, 501))
  else if (fault === "rambles") answer(new Float32Array(22_050 * 400).fill(0.1))
  else answer(tone())
})
if (fault !== "never-starts") process.send?.({ ready: true })
