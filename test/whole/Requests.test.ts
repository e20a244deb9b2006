import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { call as ask } from "../../bench/Stranger.ts"
import { enterStation, later, until, type WholeStation } from "../support/WholeStation.ts"

// oxlint-disable-next-line typescript/no-explicit-any
const call = async (...asked: Parameters<typeof ask>): Promise<any> => (await ask(...asked)).body

interface Line {
  readonly id: string
  readonly trackId: string | null
}

describe("a song that somebody asks a whole station for", () => {
  let whole: WholeStation
  beforeAll(async () => {
    whole = await enterStation()
  }, 60_000)
  afterAll(() => whole.leave(), 30_000)

  it("has an honest time, is heard within it, and is told of by its status, its history and its label", async () => {
    const { base, operator } = whole.station
    const rundown = async () => (await call(base, "GET", "/api/ops/rundown", { bearer: operator })).rundown as { readonly onAir: Line | null; readonly items: ReadonlyArray<Line> }
    const status = () => call(base, "GET", "/api/station/song-requests/status?includeTerminal=1")
    // One that is planned, and doesn't begin at once: it is heard for whoever asks from then on.
    const wanted = await until(async () => (await rundown()).items.slice(2).find(({ trackId }) => trackId !== null))
    const asked = await call(base, "POST", `/api/v1/tracks/${wanted.trackId}/request`, { body: { source: "web", consent: { acknowledged: true } } })
    expect(asked).toMatchObject({ success: true, status: "scheduled", trackId: wanted.trackId, requestCount: 1, etaReason: "in_rundown", rotationInfluence: "scheduled" })
    expect(["up_next", "within_15_min", "within_1_hour"]).toContain(asked.etaLabel)
    expect(Date.parse(asked.estimatedPlayAt)).toBeGreaterThan(Date.now())

    await call(base, "POST", `/api/ops/song-requests/${asked.requestId}/schedule`, { bearer: operator, body: { reason: "a test" } })
    const { request: promoted } = await status()
    expect(promoted).toMatchObject({ requestId: asked.requestId, status: "scheduled", etaReason: "in_rundown" })
    const { estimatedPlayAt } = promoted
    // What is about to begin already begins before it.
    const onAir = await until(async () => {
      await call(base, "POST", "/api/ops/playout/skip", { bearer: operator, body: {} })
      await later(1_000)
      const { request } = await status()
      return request?.etaLabel === "on_air" ? request : undefined
    })
    expect(Date.parse(onAir.estimatedPlayAt)).toBeLessThanOrEqual(Date.parse(estimatedPlayAt) + 5_000)
    const playing = await until(async () => {
      const now = await call(base, "GET", "/api/station/now-playing")
      return now.track?.id === wanted.trackId ? now : undefined
    })
    expect(playing.listenerLabel).toBe("a listener")
    // Thirty seconds are enough to have heard it.
    await later(33_000)
    await call(base, "POST", "/api/ops/playout/skip", { bearer: operator, body: {} })
    const over = await until(async () => {
      const { recentTerminal, request } = await status()
      return request === null ? recentTerminal[0] : undefined
    })
    expect(over).toMatchObject({ requestId: asked.requestId, status: "fulfilled", terminalAt: over.fulfilledAt })
    expect(Math.abs(Date.parse(over.fulfilledAt) - Date.parse(playing.item.startedAt) - 30_000)).toBeLessThan(1_000)
    const { items } = await call(base, "GET", "/api/station/history?types=music")
    expect(items.find((item: { readonly track: { readonly id: string } | null }) => item.track?.id === wanted.trackId)).toMatchObject({ listenerLabel: "a listener" })
  }, 120_000)
})
