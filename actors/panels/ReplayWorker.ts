import { Clock, Effect, Layer, Context } from "effect"
import { replayLeaseSec, replayRetrySec, replayTickSec, replayTriesMax } from "../../engine/rules/panels/limits.ts"
import { ReplaySound } from "../../engine/ports/ReplaySound.ts"
import { Assets } from "../../engine/store/sound/Assets.ts"
import { Clips } from "../../engine/store/panels/Clips.ts"
import { PublishedReplays } from "../../engine/store/panels/Replays.ts"
import { StationFacts } from "../../engine/store/sql/StationFacts.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import { work, type Wakeup, makeWakeup } from "../runtime/Wakeup.ts"
import { renewLease } from "../runtime/renewLease.ts"
import { outboxReader, type Told } from "../runtime/OutboxReader.ts"
import { Archivist } from "./protocol/Replays.ts"
import { emit } from "../runtime/emit.ts"

/** Calls the worker for recordings. */
export class ArchiveBell extends Context.Service<ArchiveBell, Wakeup>()("longwave/actors/ArchiveBell") {
  static readonly layer = Layer.effect(ArchiveBell, makeWakeup)
}
const leaseMs = replayLeaseSec * 1_000
const later = (tries: number) =>
  Effect.map(Clock.currentTimeMillis, (nowMs) => nowMs + replayRetrySec * 1_000 * 2 ** Math.min(tries - 1, 10))
/** Null when it is made, else why it isn't, and whether another try may help. */
const outcomeOf = <A, E extends { readonly _tag: string; readonly detail: string }, R>(
  work: Effect.Effect<A, E, R>,
  done: (made: A) => Effect.Effect<void>
) =>
  Effect.matchEffect(work, {
    onFailure: ({ _tag, detail }) => Effect.succeed({ detail, again: _tag !== "Unairable" }),
    onSuccess: (made) => Effect.as(done(made), null)
  })
/** For players that take it in pieces. Without them there is still the whole of it: who can't be packaged is told of, and tried again now and then. */
const packOne = Effect.fnUntraced(function* () {
  const replays = yield* PublishedReplays
  const nowMs = yield* Clock.currentTimeMillis
  const next = yield* replays.leaseUnpackaged(nowMs, nowMs + leaseMs)
  if (next === null) return false
  const { assetId, id, tries } = next
  const failed = yield* outcomeOf((yield* ReplaySound).pack(assetId), () =>
    Effect.flatMap(Clock.currentTimeMillis, (atMs) => replays.markPackaged(id, atMs))
  ).pipe(
    renewLease(leaseMs, (atMs) => replays.postpone(id, atMs + leaseMs)),
    // Stopped in order, the next start need not wait for the lease to end.
    Effect.onInterrupt(() => Effect.ignoreCause(replays.postpone(id, 0)))
  )
  if (failed === null) return true
  yield* Effect.logWarning(`replays: ${id} could not be packaged`, failed.detail)
  if (tries === replayTriesMax)
    yield* emit({
      _tag: "OpsAlerted",
      what: "replay_unpackaged",
      detail: `${id} can't be packaged for players: ${failed.detail}`
    })
  yield* replays.postpone(id, yield* later(tries))
  return true
})
const cutOne = Effect.fnUntraced(function* () {
  const [assets, clips, { run }] = [yield* Assets, yield* Clips, yield* Transaction]
  const nowMs = yield* Clock.currentTimeMillis
  const next = yield* clips.lease(nowMs, nowMs + leaseMs)
  if (next === null) return false
  const {
    clip: { assetId, durationSec, id, sourceAssetId, startSec },
    tries
  } = next
  const synthetic = (yield* assets.find(sourceAssetId))?.synthetic ?? null
  const work = Effect.flatMap(ReplaySound, (sound) =>
    sound.cut({ from: sourceAssetId, to: assetId, startSec, durationSec, synthetic })
  )
  const failed = yield* outcomeOf(work, (asset) =>
    run(
      Effect.gen(function* () {
        yield* assets.save(asset)
        yield* clips.cut(id, durationSec, yield* Clock.currentTimeMillis)
      })
    )
  ).pipe(
    renewLease(leaseMs, (atMs) => clips.postpone(id, atMs + leaseMs)),
    Effect.onInterrupt(() => Effect.ignoreCause(clips.postpone(id, 0)))
  )
  if (failed === null) return true
  yield* Effect.logWarning(`replays: ${id} could not be cut`, failed.detail)
  yield* failed.again && tries < replayTriesMax
    ? clips.postpone(id, yield* later(tries))
    : clips.fail(id, failed.detail)
  return true
})
/** Takes what waits, one after the other, until nothing does. What a process that died had begun is taken up when its lease has ended. */
export const archiveRound = Effect.fn("ArchiveJobs.round")(function* () {
  while (yield* cutOne());
  while (yield* packOne());
})
/** A panel that was heard is published. Its recording is there before it can be heard. */
export const publishHeard = Effect.fn("Replays.publish")(function* ({ atMs, event }: Told) {
  if (event._tag !== "SegmentAired") return
  const record = yield* (yield* PublishedReplays).bySegment(event.segmentId)
  if (record === null) return
  const archivist = (yield* Archivist.client)((yield* StationFacts).slug)
  yield* archivist.Publish({
    replayId: record.replay.id,
    airedAtMs: event.airedAt === null ? atMs : Date.parse(event.airedAt)
  })
})
/** Follows the outbox, and makes what recordings need: woken by every clip, and looking by itself for what was left. */
export const ReplayWorkerLive = Layer.effectDiscard(
  Effect.gen(function* () {
    const { run } = yield* outboxReader("replays", publishHeard)
    yield* Effect.forkScoped(run)
    yield* work("ArchiveJobs", yield* ArchiveBell, replayTickSec, archiveRound())
  })
).pipe(Layer.provide(ArchiveBell.layer))
