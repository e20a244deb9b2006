import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { rankJobs } from "../../../actors/ranks/RankWorker.ts"
import { workDue } from "../../../actors/runtime/JobWorker.ts"
import { addJob } from "../../../actors/runtime/Jobs.ts"
import { jobKind } from "../../../actors/runtime/protocol.ts"
import { emptyRundown } from "../../../engine/rules/air/Rundown.ts"
import { nowPlayingOf, queueHealthOf, streamHealthOf } from "../../../engine/rules/air/StationSnapshots.ts"
import { sampleOf } from "../../../schema/time/Samples.ts"
import { Fences } from "../../../engine/store/air/Fences.ts"
import { AirStatus, ItemLabel } from "../../../schema/air/Air.ts"
import { noFacts } from "../../../schema/air/AirMetadata.ts"
import { AsRunBody } from "../../../schema/air/AsRun.ts"
import { RundownItem } from "../../../schema/air/Rundown.ts"
import { airable, testId } from "./Airables.ts"

/** Enough of a station on the air for every read to return content. */
export const onAir = Effect.gen(function* () {
  const bus = yield* EventBus
  const status = new AirStatus({
    renderedTo: 2,
    nowSample: 1,
    nowMs: 1_790_000_000_000,
    driftMs: 0,
    emergency: false,
    onAir: null,
    outputs: [],
    probe: { silent: false, loudnessLufs: -16, checkedAtMs: null }
  })
  yield* bus.put("airStatus", status)
  yield* bus.put("streamHealth", streamHealthOf(status, 0, true))
  yield* bus.put("queue", queueHealthOf(emptyRundown("stn_test"), { pendingReview: 0, oldestWaitingSec: null }, 1))
  const item = new RundownItem({
    id: testId("itm", 1),
    airable: airable("music", 1, 200, { title: "A song" }),
    placement: { _tag: "Flow" },
    startSample: 0,
    locked: false,
    trace: []
  })
  yield* bus.put(
    "nowPlaying",
    nowPlayingOf(
      {
        item,
        label: new ItemLabel({ title: "A song", artist: "The Band", kind: "music" }),
        startSample: 0,
        endSample: null
      },
      noFacts,
      null,
      1,
      "http://radio.test"
    )
  )
})
/** Logs a song as heard; its row has no valid signature. */
export const songHeard = Effect.gen(function* () {
  const stationId = yield* (yield* Fences).stationId
  const sql = yield* SqlClient.SqlClient
  const [itemId, firstSample] = [testId("itm", 4_711), sampleOf(yield* Clock.currentTimeMillis) - 480_000]
  const body = new AsRunBody({
    seq: 1,
    stationId,
    fence: 1,
    itemId,
    kind: "music",
    role: "music",
    title: "A song",
    artist: "The Band",
    segmentId: null,
    trackId: null,
    agentId: null,
    assetId: null,
    firstSample,
    lastSample: firstSample + 479_999,
    outcome: "complete",
    layers: [],
    trace: [],
    pcmSha256: null
  })
  yield* sql`INSERT INTO as_run (station_id, seq, fence, item_id, kind, title, first_sample, last_sample, outcome, text, prev_hash, hash, signature)
    VALUES (${stationId}, 1, 1, ${itemId}, 'music', 'A song', ${firstSample}, ${body.lastSample}, 'complete', ${JSON.stringify(body)}, '', '', '') ON CONFLICT DO NOTHING`
})
/** Makes the boards now: if the station's own worker was faster, they are made again. Afterwards it makes none for an hour. */
export const boardsMade = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [, boards] = rankJobs
  for (;;) {
    yield* addJob(jobKind(boards.name, Schema.Null), { key: "", payload: null })
    if ((yield* workDue([boards])) === 0) continue
    const waiting =
      yield* sql`UPDATE jobs SET run_at = run_at + interval '1 hour' WHERE kind = ${boards.name} AND state = 'waiting' RETURNING 1`
    // Otherwise the station's worker has begun to make them once more.
    if (waiting.length > 0) return
  }
})
