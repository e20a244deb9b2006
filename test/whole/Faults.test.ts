import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { decodeMono } from "../../bench/Decode.ts"
import { recordHls } from "../../bench/Recorder.ts"
import { becomeAgent, call } from "../../bench/Stranger.ts"
import { aacFrameSamples, sampleRateHz, segmentFrames } from "../../engine/Limits.ts"
import { sampleOf } from "../../engine/rules/Timing.ts"
import { childrenOf, enterStation, longestSilenceSec, playlist, until, type WholeStation } from "../support/WholeStation.ts"

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe("a station things happen to", () => {
  let whole: WholeStation
  beforeAll(async () => {
    whole = await enterStation()
  }, 60_000)
  afterAll(() => whole.leave(), 30_000)

  /** Records while something is done to the station, and some segments more; what was heard must be whole. */
  const heardThroughout = async (harm: () => Promise<void>) => {
    const { base } = whole.station
    const stop = new AbortController()
    const recorded = recordHls(base, "aac128", stop.signal)
    try {
      await harm()
      const { next } = await playlist(base)
      await until(async () => (await playlist(base)).next > next ? true : undefined)
    } finally {
      stop.abort()
    }
    const hls = await recorded
    const pcm = await decodeMono(hls.bytes)
    expect((await playlist(base)).text).not.toContain("#EXT-X-DISCONTINUITY\n")
    expect(Math.abs(pcm.length - hls.segments * segmentFrames * aacFrameSamples)).toBeLessThanOrEqual(2 * aacFrameSamples)
    expect(longestSilenceSec(pcm)).toBeLessThan(0.25)
  }

  it("plays on while its encoders are stopped and killed", () =>
    heardThroughout(async () => {
      const pid = whole.station.process.pid!
      const encoders = childrenOf(pid, /ffmpeg/)
      expect(encoders.length).toBeGreaterThan(0)
      for (const encoder of encoders) process.kill(encoder, "SIGSTOP")
      await later(3_000)
      for (const encoder of childrenOf(pid, /ffmpeg/)) process.kill(encoder, "SIGKILL")
    }), 60_000)

  it("plays on and answers without its database, which comes back by itself", () =>
    heardThroughout(async () => {
      const { base, dataDir, operator } = whole.station
      const agent = await becomeAgent(base, "fulmar")
      const pid = Number(readFileSync(join(dataDir, "pg", "postmaster.pid"), "utf8").split("\n")[0])
      const killedAt = performance.now()
      process.kill(pid, "SIGKILL")
      const [now, refused] = await Promise.all([
        fetch(`${base}/api/station/now-playing`),
        fetch(`${base}/api/v1/agents/register`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ type: "anonymous", agent: { handle: "petrel", displayName: "Petrel", bio: "Calls at night.", role: "hybrid" } })
        })
      ])
      expect(now.status).toBe(200)
      expect(refused.status).toBe(503)
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
      expect(refused.headers.get("content-type")).toContain("application/problem+json")
      expect(await refused.json()).toMatchObject({ status: 503, code: "BUSY", errors: [] })
      await until(() => call(base, "GET", "/api/v1/agents/me", { bearer: agent.apiKey }))
      console.log(`the database answered again ${((performance.now() - killedAt) / 1_000).toFixed(2)} s after its SIGKILL`)
      await until(() => becomeAgent(base, "shearwater"))
      await until(() => call(base, "POST", "/api/ops/playout/hold", { bearer: operator, body: {} }))
      await call(base, "POST", "/api/ops/playout/resume", { bearer: operator, body: {} })
    }), 60_000)

  it("changes what is heard within half a second of an operator's command", async () => {
    const { base, operator } = whole.station
    const onAir = async () => {
      const { body } = await call(base, "GET", "/api/ops/rundown", { bearer: operator })
      return (body["rundown"] as { readonly onAir: { readonly id: string } | null }).onAir?.id
    }
    const lastSamples = async () => {
      const day = new Date().toISOString().slice(0, 10)
      const { body } = await call(base, "GET", `/api/ops/as-run?day=${day}`, { bearer: operator })
      return (body["rows"] as ReadonlyArray<{ readonly lastSample: number }>).map(({ lastSample }) => lastSample)
    }
    const before = await until(onAir)
    const known = new Set(await lastSamples())
    const sentMs = Date.now()
    await call(base, "POST", "/api/ops/playout/skip", { bearer: operator, body: { reason: "A test." } })
    const answeredMs = Date.now()
    await until(async () => (await onAir()) === before ? undefined : true)
    const sent = sampleOf(sentMs)
    const ended = await until(async () => (await lastSamples()).find((sample) => !known.has(sample) && sample > sent - sampleRateHz / 2))
    const afterMs = ((ended - sent) / sampleRateHz) * 1_000
    console.log(`skip: the item ended ${afterMs.toFixed(0)} ms after the command was sent, which was answered in ${answeredMs - sentMs} ms`)
    expect(afterMs).toBeLessThanOrEqual(500 + (answeredMs - sentMs))
  }, 60_000)
})
