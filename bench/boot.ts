import { join } from "node:path"
import { decodeMono } from "./Decode.ts"
import { hash, median, type Report } from "./Report.ts"
import { inFolder, residentMiB, type RunningStation, startStation } from "./Station.ts"

const pollMs = 10
const soundRms = 10 ** (-50 / 20)

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const sinceStart = (station: RunningStation) => (performance.now() - station.startedAtMs) / 1_000

/** Seconds from the process's start until a listener's own decoder gives a sample that isn't silence. */
const firstSound = async (station: RunningStation): Promise<number> => {
  for (;;) {
    const response = await fetch(`${station.base}/live.mp3`).catch(() => undefined)
    if (response?.ok !== true) {
      await response?.body?.cancel()
      await pause(pollMs)
      continue
    }
    const chunks: Array<Uint8Array> = []
    for await (const chunk of response.body!) {
      const at = sinceStart(station)
      chunks.push(chunk)
      const pcm = await decodeMono(Buffer.concat(chunks)).catch(() => new Float32Array())
      if (pcm.some((sample) => Math.abs(sample) > soundRms)) return at
    }
  }
}

const ready = async (station: RunningStation): Promise<number> => {
  for (;;) {
    const response = await fetch(`${station.base}/readyz`).catch(() => undefined)
    await response?.body?.cancel()
    if (response?.ok === true) return sinceStart(station)
    await pause(pollMs)
  }
}

/** P9: from process start to first sound as heard over HTTP, and to the API being ready; cold (empty folder) and warm. */
export const run = async (size: "whole" | "small"): Promise<Report> => {
  const rounds = size === "whole" ? 5 : 1
  const cold: Array<readonly [number, number]> = []
  const warm: Array<readonly [number, number]> = []
  const memory: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    await inFolder(async (folder) => {
      for (const into of [cold, warm]) {
        const station = await startStation({ dataDir: join(folder, "var") })
        into.push(await Promise.all([firstSound(station), ready(station)]))
        if (into === warm) memory.push(residentMiB(station.process.pid!).station)
        await station.stop()
      }
    })
  }
  const rows = [
    { what: "cold: process start to first sound heard", unit: "s", values: cold.map(([sound]) => sound) },
    { what: "cold: process start to API ready", unit: "s", values: cold.map(([, api]) => api) },
    { what: "warm: process start to first sound heard", unit: "s", values: warm.map(([sound]) => sound) },
    { what: "warm: process start to API ready", unit: "s", values: warm.map(([, api]) => api) },
    { what: "resident memory of the station, on air", unit: "MiB", values: memory, note: "without Postgres and encoders" }
  ]
  const value = (index: number) => median(rows[index]!.values)
  return {
    bench: "boot",
    rows,
    goals: [
      { name: "cold first sound (s)", direction: "at most", limit: 2, value: value(0) },
      { name: "warm first sound (s)", direction: "at most", limit: 2, value: value(2) },
      { name: "warm API ready (s)", direction: "at most", limit: 4, value: value(3) },
      { name: "resident memory (MiB)", direction: "at most", limit: 250, value: value(4) }
    ],
    computed: hash(rows.map(({ values }) => values.length).join())
  }
}
