import { layer } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { Studio } from "../../../actors/segments/protocol/Studio.ts"
import { announcedAirings, countedAsRun } from "../../../actors/air/AiringEvents.ts"
import { type AsRunSeal, AsRunWriter } from "../../../engine/store/air/AsRun.ts"
import { ListenerCredits } from "../../../engine/store/air/ListenerCredits.ts"
import { SongRequests } from "../../../engine/store/music/SongRequests.ts"
import { Outbox } from "../../../engine/store/sql/Outbox.ts"
import { Segments } from "../../../engine/store/segments/Segments.ts"
import { Assets } from "../../../engine/store/sound/Assets.ts"
import { type AsRunOutcome, AsRunRow } from "../../../schema/air/AsRun.ts"
import type { ItemId } from "../../../schema/Ids.ts"
import { epochMs } from "../../../schema/time/Samples.ts"
import { airable, testId } from "../../support/air/Airables.ts"
import { assetOf } from "../../support/air/StudioDouble.ts"
import { speechDraft, stranger, StudioWorld } from "../../support/segments/StudioWorld.ts"
import { marksOf } from "../../support/air/Airings.ts"

const seal: AsRunSeal = {
  fence: 1,
  genesis: "",
  link: (prevHash, { seq }) => new AsRunRow({ seq, text: "{}", prevHash, hash: `hash-${seq}`, signature: "" }),
  root: () => ({ root: "", signature: "" }),
  head: () => ""
}
const queued = Effect.gen(function* () {
  const by = stranger()
  const studio = (yield* Studio.client)(by.agentId)
  yield* studio.Grant({ patch: { freeAir: true, stationSpeech: true }, actor: "operator@test", reason: null })
  return (yield* studio.GenerateSpeech({
    by,
    draft: speechDraft({ scriptText: `This is ${by.handle}.` })
  })).segment
})
const newsOf = (segmentId: string) =>
  Effect.flatMap(Outbox, (outbox) =>
    Effect.map(outbox.listAfter(0, 10_000), (all) =>
      all.map(({ event }) => event).filter((event) => "segmentId" in event && event.segmentId === segmentId)
    )
  )

const World = Layer.mergeAll(
  announcedAirings.pipe(Layer.provide([ListenerCredits.layer, SongRequests.layer])),
  countedAsRun.pipe(Layer.provide(AsRunWriter.layer))
).pipe(Layer.provideMerge(StudioWorld))

layer(World)("events of a segment on the air", (it) => {
  it.effect("are in the outbox once, however often they are reported", () =>
    Effect.gen(function* () {
      const segment = yield* queued
      const marks = yield* marksOf
      for (const atMs of [1_790_000_000_000, 1_790_000_060_000]) yield* marks.place(segment.id, 1, atMs)
      for (let n = 0; n < 2; n++) yield* marks.begin(segment.id, 1, 1_790_000_000_000)
      for (let n = 0; n < 2; n++) yield* marks.end(segment.id, 1, 1, 1_790_000_009_000)
      expect((yield* newsOf(segment.id)).map(({ _tag }) => _tag)).toEqual([
        "SegmentQueued",
        "SegmentScheduled",
        "SegmentAired"
      ])
      expect((yield* newsOf(segment.id))[2]).toMatchObject({
        agentId: segment.agentId,
        title: segment.title,
        airedAt: "2026-09-21T14:13:20.000Z",
        airedCompletely: true
      })
    })
  )

  it.effect("report that the segment waits again, and that it was given up", () =>
    Effect.gen(function* () {
      const segment = yield* queued
      const marks = yield* marksOf
      yield* marks.place(segment.id, 1, 1_790_000_000_000)
      yield* marks.displace(segment.id, 1, "DISPLACED")
      yield* marks.giveUp(segment.id, 1, "AUDIO_LOST")
      expect(
        (yield* newsOf(segment.id)).map((event) => [event._tag, "reason" in event ? event.reason : null]).slice(1)
      ).toEqual([
        ["SegmentScheduled", null],
        ["SegmentQueued", "DISPLACED"],
        ["SegmentFailed", "AUDIO_LOST"]
      ])
      expect(yield* (yield* Segments).find(segment.id)).toMatchObject({
        status: "failed",
        statusReason: "AUDIO_LOST",
        audioStatus: "failed"
      })
      expect(
        (yield* (yield* Outbox).listAfter(0, 10_000)).some(
          ({ event }) => event._tag === "OpsAlerted" && event.detail.includes(segment.id)
        )
      ).toBe(true)
    })
  )

  it.effect("are stored with the change or not at all, and never by a scheduler that lost the air", () =>
    Effect.gen(function* () {
      const segment = yield* queued
      const marks = yield* marksOf
      const sql = yield* SqlClient.SqlClient
      yield* sql`ALTER TABLE outbox RENAME TO outbox_away`
      const exit = yield* Effect.exit(marks.place(segment.id, 5, 1_790_000_000_000))
      yield* sql`ALTER TABLE outbox_away RENAME TO outbox`
      expect([Exit.isFailure(exit), (yield* (yield* Segments).find(segment.id))!.status]).toEqual([true, "queued"])
      yield* marks.place(segment.id, 5, 1_790_000_000_000)
      yield* marks.displace(segment.id, 4, "DISPLACED")
      expect((yield* newsOf(segment.id)).map(({ _tag }) => _tag)).toEqual(["SegmentQueued", "SegmentScheduled"])
    })
  )

  it.effect("tell an agent of each airing of its track once, however many stretches it has", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const asRun = yield* AsRunWriter
      const { agentId } = yield* queued
      const track = airable("music", 901, 30)
      yield* (yield* Assets).save(assetOf(track))
      yield* sql`INSERT INTO tracks (id, asset_id, title, artist, genre, category, is_instrumental, duration_sec, approval_status, remixable, source, agent_id, rotation_class, weight, created_at, updated_at)
        VALUES (${track.trackId}, ${track.assetId}, 'Low water', 'Ada', 'jazz', 'song', false, 30, 'approved', false, 'upload', ${agentId}, 'contributed', 1, now(), now())`
      const heard = (item: number, fromSec: number, toSec: number, outcome: AsRunOutcome) =>
        asRun.append(
          "longwave",
          [
            {
              itemId: testId("itm", item) as ItemId,
              kind: "music",
              role: "music",
              title: "Low water",
              artist: "Ada",
              segmentId: null,
              trackId: track.trackId,
              agentId,
              assetId: track.assetId,
              firstSample: fromSec * 48_000,
              lastSample: toSec * 48_000 - 1,
              outcome,
              layers: [],
              trace: [],
              pcmSha256: null
            }
          ],
          seal
        )
      // One that was cut by a crash and went on, reported twice; then another airing.
      for (let n = 0; n < 2; n++) yield* heard(1, 0, 10, "cut")
      for (let n = 0; n < 2; n++) yield* heard(1, 12, 30, "complete")
      yield* heard(2, 30, 60, "complete")
      const news = (yield* (yield* Outbox).listAfter(0, 10_000)).flatMap(({ event }) =>
        event._tag === "TrackAired" ? [[event.agentId, event.title, event.airedAt, event.airedCompletely]] : []
      )
      expect(news).toEqual([
        [agentId, "Low water", new Date(epochMs).toISOString(), false],
        [agentId, "Low water", new Date(epochMs + 30_000).toISOString(), true]
      ])
    })
  )
})
