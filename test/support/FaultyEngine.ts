import { parentPort, workerData } from "node:worker_threads"

/** A speech engine with one fault, for the tests of the one that must survive it. */
const { fault } = workerData as { readonly fault: "hangs" | "crashes" | "exits" | "silent" | "not-a-number" | "never-starts" | "crashes-once" | "rambles"; readonly marker?: Int32Array }
const marker = (workerData as { readonly marker?: Int32Array }).marker

const tone = () => Float32Array.from({ length: 11_025 }, (_, i) => 0.3 * Math.sin(i / 8))

parentPort?.on("message", ({ id }: { readonly id: number }) => {
  const answer = (pcm: Float32Array) => parentPort?.postMessage({ id, line: { pcm, sampleRateHz: 22_050, marks: [] } }, [])
  if (fault === "hangs") for (;;) Math.sqrt(2)
  if (fault === "exits") process.exit(3)
  if (fault === "crashes") throw new Error("out of memory")
  if (fault === "crashes-once" && marker !== undefined && Atomics.add(marker, 0, 1) === 0) throw new Error("once")
  if (fault === "silent") answer(new Float32Array(11_025))
  else if (fault === "not-a-number") answer(tone().fill(Number.NaN, 500, 501))
  else if (fault === "rambles") answer(new Float32Array(22_050 * 400).fill(0.1))
  else answer(tone())
})
if (fault !== "never-starts") parentPort?.postMessage({ ready: true }, [])
