import { Clock, Effect, Result } from "effect"
import { turnRetrySec, turnTickSec, turnTriesMax, turnsSettledAtOnce } from "../../engine/rules/panels/limits.ts"
import { advance } from "../../engine/rules/segments/Segment.ts"
import { turnEnd } from "../../engine/rules/panels/TurnSegment.ts"
import { PanelRecordings } from "../../engine/store/panels/PanelRecordings.ts"
import { PanelTurns } from "../../engine/store/panels/PanelTurns.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import { Voices } from "../../engine/store/voices/Voices.ts"
import type { SessionId } from "../../schema/Ids.ts"
import { Panel } from "./protocol/Panel.ts"
import { VoiceTurn } from "./protocol/Jobs.ts"
import { secondsOf } from "../segments/SegmentSpeech.ts"
import { backOff, repeatEvery, jobHandler, rescheduleAfter, periodicJob } from "../runtime/Jobs.ts"
import { logFailure } from "../runtime/Supervision.ts"
import { emitSegment } from "../runtime/emit.ts"
import { voice, VoicingBusy } from "../voices/SpokenAsset.ts"
import {
  endTurn,
  moveSegment,
  markSegmentRendering,
  addSegmentSound,
  markSegmentSoundless
} from "../segments/inTransaction.ts"
import type { SegmentRecord } from "../../schema/segments/Segment.ts"

/** Reports voiced and failed turns to their panels: of one session, or of all to catch up. */
const tellPanels = Effect.fnUntraced(function* (sessionId: SessionId | null) {
  const panel = yield* Panel.client
  yield* Effect.forEach(
    yield* (yield* PanelTurns).listUntold(sessionId, turnsSettledAtOnce),
    ({ durationSec, failing, sessionId, turnId }) =>
      logFailure(
        `panel: ${sessionId} was not told of ${turnId}`,
        failing === null
          ? panel(sessionId).TurnVoiced({ turnId, durationSec: durationSec ?? 0 })
          : panel(sessionId).TurnUnvoiced({ turnId, detail: failing })
      ),
    { discard: true }
  )
})

/** Voices a turn with its agent's voice, on PRIMARY at the station's cost, regardless of the agent's grants. */
const speak = Effect.fnUntraced(function* ({ agentId, handle, id, scriptText }: SegmentRecord) {
  const own = yield* (yield* Voices).findByAgent(agentId)
  if (own === null) return yield* new VoicingBusy({ detail: "The station has no voices yet." })
  const asset = yield* voice({ script: scriptText, speaker: own.voice, role: "PRIMARY", as: "PRIMARY", handle })
  yield* addSegmentSound(
    id,
    {
      assetId: asset.id,
      bedAssetId: null,
      durationSec: secondsOf(asset),
      engine: "PRIMARY",
      voiceId: own.voice.voiceId,
      bedStatus: "not_selected",
      bedTrackId: null,
      loudnessLufs: asset.loudness.integratedLufs
    },
    yield* Clock.currentTimeMillis
  )
})

const voiceTurn = jobHandler(VoiceTurn, {
  triesMax: turnTriesMax,
  restMs: backOff(turnRetrySec * 1_000, turnRetrySec * 64_000),
  work: Effect.fnUntraced(function* ({ segmentId, sessionId }) {
    const turn = yield* markSegmentRendering(segmentId, yield* Clock.currentTimeMillis)
    const waits =
      turn === null
        ? undefined
        : yield* speak(turn).pipe(
            Effect.tapError(() =>
              Effect.flatMap(Clock.currentTimeMillis, (atMs) =>
                markSegmentSoundless(segmentId, "none", "NO_AUDIO", atMs)
              )
            ),
            Effect.catchTags({
              VoicingBusy: ({ detail }) => rescheduleAfter(turnTickSec * 1_000, detail),
              Unvoiced: ({ detail }) => Effect.fail(new Error(detail))
            })
          )
    if (waits === undefined) yield* tellPanels(sessionId)
    return waits
  }),
  giveUp: Effect.fnUntraced(function* ({ segmentId, sessionId }) {
    const atMs = yield* Clock.currentTimeMillis
    yield* (yield* Transaction).run(
      Effect.gen(function* () {
        if ((yield* markSegmentRendering(segmentId, atMs)) === null) return
        yield* markSegmentSoundless(segmentId, "failed", "AUDIO_IMPOSSIBLE", atMs)
        const failed = yield* moveSegment(segmentId, {
          from: ["queued"],
          to: Result.getOrThrow(advance("queued", "Fail")),
          reason: "AUDIO_IMPOSSIBLE",
          atMs
        })
        if (failed !== null) yield* emitSegment(failed)
      })
    )
    yield* tellPanels(sessionId)
  })
})

/** Reports missed turns to panels and ends the turns of ended panels. */
export const settleTurns = Effect.fnUntraced(function* () {
  const turns = yield* PanelTurns
  yield* tellPanels(null)
  for (const heard of yield* turns.listEnded(turnsSettledAtOnce)) {
    const recording = yield* (yield* PanelRecordings).find(heard.sessionId)
    const atMs = yield* Clock.currentTimeMillis
    for (const { segmentId, turnId } of yield* turns.listUnended(heard.sessionId)) {
      const end = turnEnd(heard, recording?.turns.find((turn) => turn.turnId === turnId) ?? null, atMs)
      if (end !== null) yield* endTurn(segmentId, { ...end, atMs })
    }
  }
})

export const turnJobs = [
  voiceTurn,
  periodicJob("panels.settle_turns", { next: repeatEvery(turnTickSec * 1_000), work: settleTurns() })
] as const
