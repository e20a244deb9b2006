import { layer } from "@effect/vitest"
import { Clock, Effect, FileSystem, Layer, Schedule } from "effect"
import { expect } from "vitest"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { ActorCluster } from "../../../actors/runtime/Cluster.ts"
import { Station } from "../../../actors/air/protocol.ts"
import { forgetCredits } from "../../../actors/air/inTransaction.ts"
import { StationLive } from "../../../actors/air/Station.ts"
import { ActorTree } from "../../../actors/runtime/Supervision.ts"
import { AsRunKey } from "../../../engine/runtime/AsRunKey.ts"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { Keys } from "../../../engine/runtime/Keys.ts"
import { Air } from "../../../engine/ports/Air.ts"
import { AirMetadata } from "../../../engine/store/air/AirMetadata.ts"
import { AsRun } from "../../../engine/store/air/AsRun.ts"
import { Assets } from "../../../engine/store/sound/Assets.ts"
import { Outbox } from "../../../engine/store/sql/Outbox.ts"
import { SongRequestsWriter } from "../../../engine/store/music/SongRequests.ts"
import { Stores } from "../../../engine/store/Stores.ts"
import { TracksWriter } from "../../../engine/store/music/Tracks.ts"
import { Track } from "../../../schema/music/Track.ts"
import { makeAirDouble } from "../../support/air/AirDouble.ts"
import { airable, testId } from "../../support/air/Airables.ts"
import { TestPostgres } from "../../support/sql/Postgres.ts"
import { assetOf, makeStudioDouble } from "../../support/air/StudioDouble.ts"

const Config = Layer.unwrap(
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    return StationConfig.fromEnvironment({
      DATA_DIR: yield* files.makeTempDirectoryScoped({ prefix: "longwave-requests-" })
    })
  })
)

const World = StationLive.pipe(
  Layer.provideMerge(ActorCluster),
  Layer.provideMerge(
    Layer.mergeAll(
      EventBus.layer,
      ActorTree.layer,
      makeStudioDouble().layer,
      Layer.effect(
        Air,
        Effect.map(makeAirDouble, ({ air }) => air)
      )
    )
  ),
  Layer.provideMerge(Stores),
  Layer.provideMerge(Layer.mergeAll(IdSource.layer, AsRunKey.ephemeral, Keys.layer)),
  Layer.provideMerge(Config),
  Layer.provideMerge(TestPostgres)
)

const until = <A, E, R>(ask: Effect.Effect<A, E, R>, so: (answer: A) => boolean) =>
  ask.pipe(Effect.repeat({ schedule: Schedule.spaced(50), until: (answer) => so(answer) }))

layer(World, { timeout: 300_000, excludeTestServices: true })("a requested song, over Postgres", (it) => {
  it.effect(
    "is placed first, airs, and appears in the history with its requester and in the log with its request",
    () =>
      Effect.gen(function* () {
        const station = (yield* Station.client)("longwave")
        const requests = yield* SongRequestsWriter
        const nowMs = yield* Clock.currentTimeMillis
        // Six seconds long, so that half of it is heard soon; in a class that rotation doesn't use.
        const wanted = airable("music", 900, 6)
        yield* (yield* Assets).save(assetOf(wanted))
        yield* (yield* TracksWriter).save(
          new Track({
            id: wanted.trackId!,
            assetId: wanted.assetId,
            title: wanted.title,
            artist: wanted.artist!,
            genre: "jazz",
            mood: null,
            category: "song",
            description: null,
            isInstrumental: true,
            lyrics: null,
            language: null,
            durationSec: 6,
            bpm: null,
            musicalKey: null,
            approvalStatus: "approved",
            approvalReason: null,
            remixable: false,
            source: "upload",
            agentId: null,
            rotationClass: "shelf",
            weight: 1,
            playCount: 0,
            lastPlayedAtMs: null,
            createdAtMs: nowMs,
            updatedAtMs: nowMs
          })
        )
        yield* until(station.GetRundown(), ({ items, onAir }) => items.length >= 12 && onAir !== null)
        const asked = (n: number, listenerLabel: string, agentId: string | null) =>
          requests.add({
            id: testId("sreq", n),
            trackId: wanted.trackId!,
            requester: agentId ?? testId("usr", n),
            humanId: agentId === null ? testId("usr", n) : null,
            listenerId: null,
            agentId,
            listenerLabel,
            note: null,
            source: "api",
            acknowledged: true,
            disclosureVersion: null,
            createdAtMs: nowMs + n,
            expiresAtMs: nowMs + 6 * 3_600_000
          })
        // One airing serves both requests. It names only the requester who agreed to be named.
        const [agents, mara] = [testId("sreq", 1), testId("sreq", 2)]
        expect([yield* asked(1, "a listener", testId("agt", 5)), yield* asked(2, "Mara", null)]).toEqual([true, true])
        yield* station.PlaceRequests()
        // The house still makes its first pieces, and the station replans after each: the request moves with its song.
        const [placed, view] = yield* until(
          Effect.all([requests.find(mara), station.GetRundown()]),
          ([request, { items }]) => items.some(({ id }) => id === request!.itemId)
        )
        expect(placed!.status).toBe("scheduled")
        expect(view.items.find(({ id }) => id === placed!.itemId)).toMatchObject({
          trackId: wanted.trackId,
          locked: false
        })

        const act = { actor: "test", reason: "a test" }
        const first = yield* station.PromoteRequest({
          requestId: mara,
          displacements: 0,
          trackId: wanted.trackId!,
          ...act
        })
        const again = yield* station.PromoteRequest({
          requestId: mara,
          displacements: 0,
          trackId: wanted.trackId!,
          ...act
        })
        const itemId = first.items.find(({ trackId }) => trackId === wanted.trackId)?.id
        for (const { items } of [first, again])
          expect(items.filter(({ trackId }) => trackId === wanted.trackId)).toMatchObject([
            { id: itemId, locked: true }
          ])
        // Items that the air chain already holds air first. They are skipped by id until the song's turn.
        yield* until(
          Effect.tap(station.GetRundown(), ({ onAir }) =>
            onAir === null || onAir.trackId === wanted.trackId
              ? Effect.void
              : Effect.ignore(station.Skip({ itemId: onAir.id, ...act }))
          ),
          ({ onAir }) => onAir?.trackId === wanted.trackId
        )
        const heard = yield* until(requests.find(mara), (request) => request!.status !== "scheduled")
        expect([heard!.status, (yield* requests.find(agents))!.status]).toEqual(["fulfilled", "fulfilled"])

        const bus = yield* EventBus
        const asRun = yield* AsRun
        const [airing] = (yield* asRun.history((yield* bus.get("stationId"))!, {
          types: ["music"],
          before: { _tag: "Now" },
          limit: 20
        })).filter(({ trackId }) => trackId === wanted.trackId)
        expect(Math.abs(heard!.fulfilledAtMs! - airing!.startedAtMs - 3_000)).toBeLessThan(10)
        const [fact] = yield* (yield* AirMetadata).find([
          { itemId: airing!.itemId, segmentId: null, trackId: wanted.trackId, agentId: null }
        ])
        expect(fact!.listenerLabel).toBe("Mara")
        const rows = yield* asRun.rows((yield* bus.get("stationId"))!, {
          fromSeq: airing!.asRunSeq,
          fromSample: 0,
          toSample: Number.MAX_SAFE_INTEGER,
          limit: 1
        })
        expect(rows[0]!.body).toMatchObject({ itemId, songRequestIds: [agents, mara] })
        expect((yield* station.VerifyAsRun({ day: null })).fault).toBeNull()
        // Agents are notified of their requests; listeners poll.
        const news = (yield* (yield* Outbox).listAfter(0, 10_000)).flatMap(({ event }) =>
          event._tag === "SongRequestUpdated" ? [[event.requestId, event.status]] : []
        )
        expect(news).toEqual([
          [agents, "scheduled"],
          [agents, "fulfilled"]
        ])
        // A deleted account is no longer named anywhere.
        yield* requests.forget(testId("usr", 2), nowMs)
        yield* forgetCredits(testId("usr", 2))
        expect(
          (yield* (yield* AirMetadata).find([
            { itemId: airing!.itemId, segmentId: null, trackId: wanted.trackId, agentId: null }
          ]))[0]!.listenerLabel
        ).toBe("a listener")
      }),
    300_000
  )
})
