import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { songRequestArtistMs, songRequestTrackMs } from "../../../../engine/rules/air/limits.ts"
import { admissionRefusal, joinRequests } from "../../../../engine/rules/air/RequestAdmission.ts"
import { waitMs } from "../../../../engine/rules/music/SongRequest.ts"
import type { Play } from "../../../../schema/air/Rundown.ts"
import { airable, testId } from "../../../support/air/Airables.ts"

describe("a song request", () => {
  it("may be repeated exactly when the window has passed", () => {
    expect(waitMs([], 3_600_000, 10)).toBeNull()
    expect(waitMs([1_000, 500], 3_600_000, 1_001)).toBe(3_599_999)
    expect(waitMs([1_000], 3_600_000, 3_600_999)).toBe(1)
    expect(waitMs([1_000], 3_600_000, 3_601_000)).toBeNull()
  })
})

const play = (atMs: number, n: number, more: Partial<Play> = {}): Play => ({
  atMs,
  role: "music",
  assetId: testId("mas", n),
  artist: `artist ${n % 5}`,
  agentId: null,
  topic: null,
  ...more
})
const agents = (n: number) => airable("music", n, 180, { agentId: testId("agt", n) })
const hour = 3_600_000

describe("admission into rotation", () => {
  it("keeps a track 120 minutes from itself, and an artist 45 from their other tracks, before and after", () => {
    for (const sign of [1, -1]) {
      expect(admissionRefusal(agents(1), 0, [play(sign * (songRequestTrackMs - 1), 1)])).toBe("separation")
      expect(admissionRefusal(agents(1), 0, [play(sign * songRequestTrackMs, 1)])).toBeNull()
      expect(admissionRefusal(agents(1), 0, [play(sign * (songRequestArtistMs - 1), 6)])).toBe("separation")
      expect(admissionRefusal(agents(1), 0, [play(sign * songRequestArtistMs, 6)])).toBeNull()
    }
    // All house music has one artist.
    expect(admissionRefusal(airable("music", 1, 180), 0, [play(60_000, 6)])).toBeNull()
    expect(admissionRefusal(airable("music", 1, 180), 0, [play(60_000, 1)])).toBe("separation")
  })

  it("accepts at most three requests in any hour", () =>
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 6 * hour }), { minLength: 1, maxLength: 40 }), (times) => {
        const taken: Array<Play> = []
        times.forEach((atMs, n) => {
          const refusal = admissionRefusal(airable("music", 100 + n, 180), atMs, taken)
          const inAnHour = (from: number) => taken.filter((one) => one.atMs >= from && one.atMs < from + hour).length
          // Refused exactly where an hour would contain a fourth request.
          const full = [...taken.map((one) => one.atMs), atMs].some(
            (from) => from <= atMs && atMs < from + hour && inAnHour(from) >= 3
          )
          expect(refusal).toBe(full ? "request_quota" : null)
          if (refusal === null) taken.push(play(atMs, 100 + n, { requested: true }))
        })
        for (const { atMs } of taken)
          expect(taken.filter((one) => one.atMs >= atMs && one.atMs < atMs + hour).length).toBeLessThanOrEqual(3)
      })
    ))

  it("gives a planned airing to all its requesters", () => {
    const song = airable("music", 1, 180)
    const item = {
      id: testId("itm", 1),
      airable: song,
      placement: { _tag: "Flow" as const },
      startSample: 0,
      locked: false,
      trace: [],
      songRequestIds: [testId("sreq", 1)]
    }
    const { ids, left } = joinRequests(
      [item],
      [
        { songRequestIds: [testId("sreq", 1), testId("sreq", 2)], airable: song },
        { songRequestIds: [testId("sreq", 3)], airable: airable("music", 2, 180) }
      ]
    )
    expect(ids.get(0)).toEqual([testId("sreq", 1), testId("sreq", 2)])
    expect(left.map(({ songRequestIds }) => songRequestIds)).toEqual([[testId("sreq", 3)]])
  })
})
