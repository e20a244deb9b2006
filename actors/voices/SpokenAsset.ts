import { Data, Effect, Schedule } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { speechTriesMax } from "../../engine/rules/segments/limits.ts"
import { speechTimeoutSec } from "../../engine/rules/voices/limits.ts"
import { Prepare } from "../../engine/ports/Prepare.ts"
import { Speech, SpeechFailed, type SpeechRole, type SpokenSound } from "../../engine/ports/Speech.ts"
import { displayText } from "../../engine/rules/segments/Script.ts"
import { markOf } from "../../engine/rules/sound/Synthetic.ts"
import { Assets } from "../../engine/store/sound/Assets.ts"
import type { AssetId } from "../../schema/Ids.ts"
import type { Asset } from "../../schema/Sound.ts"
import type { Voice } from "../../schema/voices/Voice.ts"

/** No usable audio after all tries. Nothing was stored. */
export class Unvoiced extends Data.TaggedError("Unvoiced")<{ readonly detail: string }> {}

/** The engines are busy or storage failed. The same request may succeed later. */
export class VoicingBusy extends Data.TaggedError("VoicingBusy")<{ readonly detail: string }> {}

/** True when a retry may help. */
const isTemporary = (reason: string) => reason !== "unknown_voice" && reason !== "unreadable"

/** Masters a sound that a provider spoke, and saves the asset. */
export const keepSpoken = Effect.fnUntraced(function* (
  raw: SpokenSound,
  handle: string
): Effect.fn.Return<Asset, Unvoiced | VoicingBusy, Prepare | Assets | IdSource> {
  const asset = yield* (yield* Prepare)
    .prepare({
      id: (yield* (yield* IdSource).make("mas")) as AssetId,
      kind: "speech",
      raw,
      role: "PRIMARY",
      introEndMs: null,
      segueMs: null,
      synthetic: markOf({ _tag: "Spoken", by: raw.by, handle })
    })
    .pipe(
      Effect.tapError((error) => Effect.logWarning("speech failed", error)),
      Effect.catchTags({
        MediaStoreUnavailable: () => Effect.fail(new VoicingBusy({ detail: "The station can't store audio now." })),
        Unairable: ({ code }) => Effect.fail(new Unvoiced({ detail: `The provider made no usable audio (${code}).` }))
      })
    )
  yield* (yield* Assets).save(asset)
  return asset
})

/** Voices a script and saves the mastered asset. A failing or silent engine is tried `speechTriesMax` times. */
export const voice = Effect.fnUntraced(function* (ask: {
  readonly script: string
  readonly speaker: Voice
  readonly role: SpeechRole
  readonly as: SpeechRole | "HOUSE"
  /** By a provider that is paid; the engines of the role when it fails. */
  readonly isPaid?: boolean
  /** The script's agent; null for the station's own. */
  readonly handle: string | null
}): Effect.fn.Return<Asset, Unvoiced | VoicingBusy, Speech | Prepare | Assets | IdSource> {
  const speech = yield* Speech
  const prepare = yield* Prepare
  const ids = yield* IdSource

  const once = Effect.gen(function* () {
    const raw = yield* speech
      .speak({
        text: displayText(ask.script),
        voiceId: ask.speaker.voiceId,
        role: ask.role,
        made: ask.speaker,
        ...(ask.isPaid === true ? { isPaid: true } : {})
      })
      .pipe(
        Effect.timeoutOrElse({
          duration: `${speechTimeoutSec} seconds`,
          orElse: () =>
            Effect.fail(new SpeechFailed({ reason: "timeout", detail: "The speech engine gave no answer." }))
        })
      )
    const id = (yield* ids.make("mas")) as AssetId
    return yield* prepare.prepare({
      id,
      kind: "speech",
      raw,
      role: ask.as,
      introEndMs: null,
      segueMs: null,
      synthetic: markOf({ _tag: "Spoken", by: raw.by, handle: ask.handle })
    })
  }).pipe(
    Effect.catchDefect((defect) => Effect.fail(new SpeechFailed({ reason: "crashed", detail: String(defect) }))),
    Effect.tapError((error) => Effect.logWarning("speech failed", error))
  )

  const asset = yield* Effect.retry(once, {
    schedule: Schedule.spaced("200 millis"),
    times: speechTriesMax - 1,
    while: (error) =>
      error._tag === "Unairable" ||
      (error._tag === "SpeechFailed" && error.reason !== "busy" && isTemporary(error.reason))
  }).pipe(
    Effect.catchTags({
      // The error names directories: it is logged and not answered.
      MediaStoreUnavailable: () => Effect.fail(new VoicingBusy({ detail: "The station can't store audio now." })),
      SpeechFailed: (error) =>
        error.reason === "busy"
          ? Effect.fail(new VoicingBusy({ detail: "The speech engines are busy." }))
          : Effect.fail(new Unvoiced({ detail: `The speech engine failed (${error.reason}).` })),
      Unairable: (error) =>
        Effect.fail(new Unvoiced({ detail: `The speech engine made no usable audio (${error.code}).` }))
    })
  )
  yield* (yield* Assets).save(asset)
  return asset
})
