import { Context, Effect, Fiber, FiberMap, Layer, Option, Queue } from "effect"
import {
  introWordsMax,
  panelIntroBedSec,
  panelIntroMaxSec,
  panelOutroBedSec,
  panelStingSec
} from "../../engine/rules/panels/limits.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { Music } from "../../engine/ports/Music.ts"
import { Prepare } from "../../engine/ports/Prepare.ts"
import { Speech } from "../../engine/ports/Speech.ts"
import { Stitch } from "../../engine/ports/Stitch.ts"
import { houseId } from "../../engine/rules/music/HouseCatalogue.ts"
import { introductions, panelTimeline } from "../../engine/rules/panels/PanelTimeline.ts"
import { draw } from "../../engine/rules/air/Rotation.ts"
import { displayText, wordCount } from "../../engine/rules/segments/Script.ts"
import { markOf } from "../../engine/rules/sound/Synthetic.ts"
import { Assets } from "../../engine/store/sound/Assets.ts"
import { PanelRecordingsWriter } from "../../engine/store/panels/PanelRecordings.ts"
import { PanelTurns } from "../../engine/store/panels/PanelTurns.ts"
import { Shows } from "../../engine/store/programmes/Shows.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { AssetId, SegmentId, SessionId } from "../../schema/Ids.ts"
import type { PanelSession } from "../../schema/panels/Panel.ts"
import { Recording } from "../../schema/panels/Replay.ts"
import type { Show } from "../../schema/programmes/Show.ts"
import type { Asset } from "../../schema/Sound.ts"
import { enterPanel, castOf, idOfSession } from "./PanelEntry.ts"
import { secondsOf } from "../segments/SegmentSpeech.ts"
import { Unvoiced, voice, VoicingBusy } from "../voices/SpokenAsset.ts"

/** The recording of a panel. */
export type Produced = Recording
const warnNotStored =
  (what: string) =>
  ({ detail }: { readonly detail: string }) =>
    Effect.andThen(
      Effect.logWarning(`panel: ${what} could not be stored`, detail),
      Effect.fail(new VoicingBusy({ detail: "The station can't store audio now." }))
    )
const warnWithoutMusic = ({ detail }: { readonly detail: string }) =>
  Effect.as(Effect.logWarning("panel: no music could be made", detail), null)
const heardSamplesOf = ({ cue }: Asset) => cue.cueOut - cue.cueIn
/** The turns with audio, once each has audio or failed; `news` signals changes. Turns taken down meanwhile are excluded. */
const awaitSounds = Effect.fnUntraced(function* (session: PanelSession, news: Effect.Effect<void>) {
  const turns = yield* PanelTurns
  let sounds = yield* turns.listBySession(session.id)
  while (sounds.some(({ waits }) => waits)) {
    yield* news
    sounds = yield* turns.listBySession(session.id)
  }
  const assets = new Map(
    (yield* (yield* Assets).findMany(
      sounds.flatMap(({ airs, assetId }) => (airs && assetId !== null ? [assetId] : []))
    )).map((asset) => [asset.id, asset])
  )
  const assetOf = new Map(
    sounds.flatMap(({ assetId, segmentId }) =>
      assetId !== null && assets.has(assetId) ? [[segmentId, assets.get(assetId)!] as const] : []
    )
  )
  return session.turns.flatMap((turn) =>
    turn.status === "submitted" && turn.segmentId !== null && assetOf.has(turn.segmentId)
      ? [{ ...turn, asset: assetOf.get(turn.segmentId)! }]
      : []
  )
})
/** A show's sting and bed, composed once from the show's seed. Null when no music can be made. */
const theme = Effect.fnUntraced(
  function* (showId: string, show: Show | null) {
    const assets = yield* Assets
    const music = yield* Music
    const genre = show?.genres.find((one) => music.genres.includes(one)) ?? "ambient"
    const piece = Effect.fnUntraced(function* (form: "sting" | "bed", durationSec: number) {
      const id = houseId("mas", 0, `${form}:${showId}`)
      const made = yield* assets.find(id)
      if (made !== null) return made
      const { introEndMs, segueMs, ...raw } = yield* music.composeWhole({
        genre,
        mood: null,
        form,
        durationSec,
        seed: draw(0, 0, `${form}:${showId}`),
        bpm: null
      })
      const asset = yield* (yield* Prepare).prepare({
        id,
        kind: form,
        raw,
        role: "HOUSE",
        introEndMs,
        segueMs,
        synthetic: markOf({ _tag: "Composed" })
      })
      yield* assets.save(asset)
      return asset
    })
    return yield* Effect.all({
      sting: piece("sting", panelStingSec),
      bed: piece("bed", panelIntroBedSec + panelOutroBedSec + 2)
    })
  },
  Effect.catchTags({
    MusicFailed: warnWithoutMusic,
    Unairable: warnWithoutMusic,
    MediaStoreUnavailable: warnNotStored("its music")
  })
)
/** The station's introduction with the title and as many names as fit. */
const speakIntroduction = Effect.fnUntraced(function* (session: PanelSession, names: ReadonlyArray<string>) {
  const { voices } = yield* Speech
  const house = voices.filter(({ reserved }) => reserved)
  const speaker = (house.length > 0 ? house : voices)[
    draw(0, 0, session.showId) % Math.max(1, house.length || voices.length)
  ]
  if (speaker === undefined) return yield* new VoicingBusy({ detail: "The station has no voices yet." })
  const texts = introductions(session.title, names)
  for (const [index, script] of texts.entries()) {
    const isLast = index === texts.length - 1
    if (wordCount(script) > introWordsMax && !isLast) continue
    const said = voice({ script, speaker, role: "PRIMARY", as: "HOUSE", handle: null })
    // A text that can't be voiced, such as a title of symbols, is skipped.
    const asset = yield* isLast ? said : Effect.catchTag(said, "Unvoiced", () => Effect.succeed(null))
    if (asset !== null && (isLast || secondsOf(asset) <= panelIntroMaxSec)) return asset
  }
  return yield* Effect.die(new Error("a panel has an introduction"))
})
/** Stitches the turns into one recording and saves it with the position of each turn. */
const make = Effect.fnUntraced(function* (session: PanelSession, news: Effect.Effect<void>) {
  const recordings = yield* PanelRecordingsWriter
  const before = yield* recordings.find(session.id)
  if (before !== null) return before
  const turns = yield* awaitSounds(session, news)
  if (turns.length === 0) return yield* new Unvoiced({ detail: "None of its turns has sound." })
  const cast = yield* castOf(session, turns)
  const music = yield* theme(session.showId, yield* (yield* Shows).findById(session.showId))
  const intro = yield* speakIntroduction(
    session,
    cast.map(({ displayName }) => displayName)
  )
  const timeline = panelTimeline({
    sting: music === null ? null : { samples: heardSamplesOf(music.sting) },
    bed: music === null ? null : { samples: heardSamplesOf(music.bed) },
    intro: { samples: heardSamplesOf(intro), lufs: intro.loudness.integratedLufs },
    turns: turns.map(({ asset, participantId, turnId }) => ({
      turnId,
      participantId,
      samples: heardSamplesOf(asset),
      lufs: asset.loudness.integratedLufs
    }))
  })
  const assetOf = new Map<string, Asset>([
    ...turns.map(({ asset, turnId }) => [turnId, asset] as const),
    ["intro", intro],
    ...(music === null
      ? []
      : [["sting", music.sting] as const, ["bed", music.bed] as const, ["outro", music.bed] as const])
  ])
  const pieces = timeline.parts.map((part) => {
    const asset = assetOf.get(part.turnId ?? part.what)!
    return {
      asset,
      atSample: part.atSample,
      fromSample: asset.cue.cueIn + part.fromSample,
      samples: part.samples,
      gains: part.gains
    }
  })
  const asset = yield* (yield* Stitch)
    .stitch({ id: idOfSession<AssetId>("mas", session.id), samples: timeline.samples, pieces })
    .pipe(
      Effect.catchTags({
        MediaStoreUnavailable: warnNotStored(session.id),
        Unairable: ({ detail }) => Effect.fail(new Unvoiced({ detail }))
      })
    )
  const sec = (samples: number) => Math.round((samples * 1_000) / sampleRateHz) / 1_000
  const spoken = new Map(
    timeline.parts.map(({ atSample, samples, turnId }) => [
      turnId,
      { startSec: sec(atSample), durationSec: sec(samples) }
    ])
  )
  const recording = Recording.make({
    assetId: asset.id,
    durationSec: sec(asset.lengthSamples),
    loudnessLufs: asset.loudness.integratedLufs,
    bedStatus: music === null ? "source_unavailable" : "used",
    turns: turns.map(({ participantId, scriptText, turnId, turnIndex }) => ({
      turnId,
      turnIndex,
      participantId,
      handle: cast.find((one) => one.participantId === participantId)!.handle,
      scriptText: displayText(scriptText ?? ""),
      ...spoken.get(turnId)!
    }))
  })
  return yield* (yield* Transaction).run(
    Effect.andThen((yield* Assets).save(asset), recordings.save(session.id, recording))
  )
})
/** Produces panels. */
export class PanelProduction extends Context.Service<
  PanelProduction,
  {
    /**
     * Makes the recording of a session once all its turns have audio. Every call for a session answers the same recording, also after a
     * restart. Interrupting a caller doesn't stop the work.
     */
    readonly produce: (session: PanelSession) => Effect.Effect<Produced, VoicingBusy | Unvoiced>
    /** Signals that a turn's audio changed, for a production waiting in this process. */
    readonly lookAgain: (sessionId: SessionId) => Effect.Effect<void>
    /** Stores the panel's segment, replay and lore in the caller's transaction. A repeat changes nothing. */
    readonly enter: (session: PanelSession, produced: Produced) => Effect.Effect<SegmentId>
  }
>()("longwave/actors/PanelProduction") {
  static readonly layer = Layer.effect(
    PanelProduction,
    Effect.gen(function* () {
      const running = yield* FiberMap.make<SessionId, Recording, VoicingBusy | Unvoiced>()
      const news = new Map<SessionId, Queue.Queue<void>>()
      const lookAgain = (id: SessionId) =>
        Effect.suspend(() => (news.has(id) ? Effect.asVoid(Queue.offer(news.get(id)!, undefined)) : Effect.void))
      const services = yield* Effect.context<
        Effect.Services<ReturnType<typeof make>> | Effect.Services<ReturnType<typeof enterPanel>>
      >()
      return PanelProduction.of({
        produce: Effect.fnUntraced(function* (session) {
          const { id } = session
          const begun = FiberMap.getUnsafe(running, id)
          // A waiting production may have missed signals sent while the panel ran in another process.
          yield* lookAgain(id)
          const fiber = Option.isSome(begun)
            ? begun.value
            : yield* FiberMap.run(
                running,
                id,
                Effect.gen(function* () {
                  const calls = yield* Queue.sliding<void>(1)
                  news.set(id, calls)
                  return yield* make(session, Queue.take(calls))
                }).pipe(
                  Effect.tapError(({ detail }) => Effect.logWarning(`panel: ${id} was not produced`, detail)),
                  Effect.ensuring(Effect.sync(() => news.delete(id))),
                  Effect.provideContext(services)
                )
              )
          return yield* Fiber.join(fiber)
        }),
        lookAgain,
        enter: (session, produced) => Effect.provideContext(enterPanel(session, produced), services)
      })
    })
  )
}
