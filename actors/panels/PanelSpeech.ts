import { Clock, Context, Effect, Layer, Result, Schedule } from "effect"
import { turnLeaseSec, turnTickSec, turnTriesMax, turnsSettledAtOnce } from "../../engine/rules/panels/limits.ts"
import { advance } from "../../engine/rules/segments/Segment.ts"
import { turnEnd } from "../../engine/rules/panels/TurnSegment.ts"
import { PanelRecordings } from "../../engine/store/panels/PanelRecordings.ts"
import { PanelTurns, type SilentTurn } from "../../engine/store/panels/PanelTurns.ts"
import { Segments } from "../../engine/store/segments/Segments.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import { Voices } from "../../engine/store/voices/Voices.ts"
import type { SessionId } from "../../schema/Ids.ts"
import { makeWakeup, work } from "../runtime/Wakeup.ts"
import { Panel } from "./protocol/Panel.ts"
import { secondsOf } from "../segments/SegmentSpeech.ts"
import { quietly } from "../runtime/Supervision.ts"
import { emitSegment } from "../runtime/emit.ts"
import { voice, VoicingBusy } from "../voices/SpokenAsset.ts"

/** Calls whoever gives turns their voices, in this process; one that is called while it works looks once more. */
export class PanelSpeech extends Context.Service<
  PanelSpeech,
  {
    /** A turn of this session waits for its sound. Lost calls cost nothing but time: it looks by itself as well. */
    readonly ring: (sessionId: SessionId) => Effect.Effect<void>
    readonly heard: Effect.Effect<void>
  }
>()("longwave/actors/PanelSpeech") {
  static readonly layer = Layer.effect(
    PanelSpeech,
    Effect.map(makeWakeup, ({ heard, ring }) => PanelSpeech.of({ ring: () => ring, heard }))
  )
}

/** Speaks a turn in its agent's voice, on PRIMARY and at the station's cost, whatever its agent may do elsewhere. */
const spoken = Effect.fnUntraced(function* ({ agentId, handle, scriptText, segmentId }: SilentTurn) {
  const turns = yield* PanelTurns
  const own = yield* (yield* Voices).ofAgent(agentId)
  if (own === null) return yield* new VoicingBusy({ detail: "The station has no voices yet." })
  const holding = Effect.flatMap(Clock.currentTimeMillis, (nowMs) => turns.prolong(segmentId, nowMs)).pipe(
    Effect.ignoreCause,
    Effect.repeat(Schedule.spaced(`${turnLeaseSec / 3} seconds`)),
    Effect.andThen(Effect.never)
  )
  const asset = yield* Effect.raceFirst(
    voice({ script: scriptText, speaker: own.voice, role: "PRIMARY", as: "PRIMARY", handle }),
    holding
  )
  return { asset, voiceId: own.voice.voiceId }
})

/** One turn: its sound, which stays what it is once it is saved, or one try less. False where the station can't speak just now. */
const worked = Effect.fnUntraced(function* (turn: SilentTurn) {
  const turns = yield* PanelTurns
  const segments = yield* Segments
  const { segmentId, tries } = turn
  // Stopped in order, the next start need not wait for the lease to end.
  const left = Effect.flatMap(Clock.currentTimeMillis, (nowMs) => turns.release(segmentId, false, nowMs)).pipe(
    Effect.ignoreCause
  )
  const made = yield* Effect.result(spoken(turn)).pipe(Effect.onInterrupt(() => left))
  const atMs = yield* Clock.currentTimeMillis
  if (Result.isSuccess(made)) {
    const { asset, voiceId } = made.success
    yield* segments.sounded(
      segmentId,
      {
        assetId: asset.id,
        bedAssetId: null,
        durationSec: secondsOf(asset),
        engine: "PRIMARY",
        voiceId,
        bedStatus: "not_selected",
        bedTrackId: null,
        loudnessLufs: asset.loudness.integratedLufs
      },
      atMs
    )
    return true
  }
  if (made.failure._tag === "VoicingBusy") {
    yield* turns.release(segmentId, false, atMs)
    return false
  }
  if (tries < turnTriesMax) {
    yield* turns.release(segmentId, true, atMs)
    return true
  }
  yield* Effect.logWarning(`panel: turn ${segmentId} stays without sound`, made.failure.detail)
  yield* (yield* Transaction).run(
    Effect.gen(function* () {
      yield* segments.soundless(segmentId, "failed", "AUDIO_IMPOSSIBLE", atMs)
      const failed = yield* segments.move(segmentId, {
        from: ["queued"],
        to: Result.getOrThrow(advance("queued", "Fail")),
        reason: "AUDIO_IMPOSSIBLE",
        atMs
      })
      if (failed !== null) yield* emitSegment(failed)
    })
  )
  return true
})

/** Every panel learns of each of its turns whether it can be heard, as often as it takes. */
export const tellPanels = Effect.fn("PanelSpeech.tell")(function* () {
  const panel = yield* Panel.client
  const untold = yield* (yield* PanelTurns).untold(turnsSettledAtOnce)
  yield* Effect.forEach(
    untold,
    ({ durationSec, failing, sessionId, turnId }) =>
      quietly(
        `panel: ${sessionId} was not told of ${turnId}`,
        failing === null
          ? panel(sessionId).TurnVoiced({ turnId, durationSec: durationSec ?? 0 })
          : panel(sessionId).TurnUnvoiced({ turnId, detail: failing })
      ),
    { discard: true }
  )
})

/** What became of a panel has become of its turns. */
export const endTurns = Effect.fn("PanelSpeech.end")(function* () {
  const turns = yield* PanelTurns
  for (const heard of yield* turns.ended(turnsSettledAtOnce)) {
    const recording = yield* (yield* PanelRecordings).find(heard.sessionId)
    const atMs = yield* Clock.currentTimeMillis
    for (const { segmentId, turnId } of yield* turns.unended(heard.sessionId)) {
      const end = turnEnd(heard, recording?.turns.find((turn) => turn.turnId === turnId) ?? null, atMs)
      if (end !== null) yield* turns.end(segmentId, { ...end, atMs })
    }
  }
})

/** Takes what waits, one after the other, until nothing does. What a process that died had begun is taken up when its lease has ended. */
export const turnRound = Effect.fn("PanelSpeech.round")(function* () {
  const turns = yield* PanelTurns
  yield* tellPanels()
  for (;;) {
    const turn = yield* turns.lease(yield* Clock.currentTimeMillis)
    if (turn === null) break
    const isWell = yield* worked(turn)
    yield* tellPanels()
    if (!isWell) break
  }
  yield* endTurns()
})

/** The reader of panels: woken by every turn, and looking by itself for what was left. */
export const PanelSpeechLive = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* work("PanelSpeech", yield* PanelSpeech, turnTickSec, turnRound())
  })
).pipe(Layer.provide(PanelSpeech.layer))
