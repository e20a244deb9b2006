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
import { enterPanel, castOf, ofSession } from "./PanelEntry.ts"
import { secondsOf } from "../segments/SegmentSpeech.ts"
import { Unvoiced, voice, VoicingBusy } from "../voices/SpokenAsset.ts"

/** What `produce` has made of a panel. */
export type Produced = Recording
const notStored =
  (what: string) =>
  ({ detail }: { readonly detail: string }) =>
    Effect.andThen(
      Effect.logWarning(`panel: ${what} can't be stored`, detail),
      Effect.fail(new VoicingBusy({ detail: "The station can't store sound at the moment." }))
    )
const noMusic = ({ detail }: { readonly detail: string }) =>
  Effect.as(Effect.logWarning("panel: there is no music for it", detail), null)
const heard = ({ cue }: Asset) => cue.cueOut - cue.cueIn
/** Its turns with their sounds, as soon as each has one or won't have any, of which `news` tells; what was taken down meanwhile is left out. */
const soundingTurns = Effect.fnUntraced(function* (session: PanelSession, news: Effect.Effect<void>) {
  const turns = yield* PanelTurns
  let sounds = yield* turns.ofSession(session.id)
  while (sounds.some(({ waits }) => waits)) {
    yield* news
    sounds = yield* turns.ofSession(session.id)
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
/** A show sounds like itself: its sting and its bed are composed once, from its own seed. Null where there is no music to be had. */
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
  Effect.catchTags({ MusicFailed: noMusic, Unairable: noMusic, MediaStoreUnavailable: notStored("its music") })
)
/** The house says title and names, as many of them as it has time for. */
const introduction = Effect.fnUntraced(function* (session: PanelSession, names: ReadonlyArray<string>) {
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
    // What can't be read aloud, a title of signs for example, is left out.
    const asset = yield* isLast ? said : Effect.catchTag(said, "Unvoiced", () => Effect.succeed(null))
    if (asset !== null && (isLast || secondsOf(asset) <= panelIntroMaxSec)) return asset
  }
  return yield* Effect.die(new Error("a panel has an introduction"))
})
/** From turns that have their sounds to the one sound, saved with where each of them lies in it. */
const make = Effect.fn("PanelProduction.make")(function* (session: PanelSession, news: Effect.Effect<void>) {
  const recordings = yield* PanelRecordingsWriter
  const before = yield* recordings.find(session.id)
  if (before !== null) return before
  const turns = yield* soundingTurns(session, news)
  if (turns.length === 0) return yield* new Unvoiced({ detail: "None of its turns can be heard." })
  const cast = yield* castOf(session, turns)
  const music = yield* theme(session.showId, yield* (yield* Shows).byId(session.showId))
  const intro = yield* introduction(
    session,
    cast.map(({ displayName }) => displayName)
  )
  const timeline = panelTimeline({
    sting: music === null ? null : { samples: heard(music.sting) },
    bed: music === null ? null : { samples: heard(music.bed) },
    intro: { samples: heard(intro), lufs: intro.loudness.integratedLufs },
    turns: turns.map(({ asset, participantId, turnId }) => ({
      turnId,
      participantId,
      samples: heard(asset),
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
    .stitch({ id: ofSession<AssetId>("mas", session.id), samples: timeline.samples, pieces })
    .pipe(
      Effect.catchTags({
        MediaStoreUnavailable: notStored(session.id),
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
/** From the turns of a panel to one piece for the air. */
export class PanelProduction extends Context.Service<
  PanelProduction,
  {
    /**
     * Makes the one sound of a session, once its turns have theirs, which it waits for. The same session gives the same recording, whoever asks
     * and however often, also after the process ended in the middle. Whoever loses patience does not stop it: asking again finds it further on.
     */
    readonly produce: (session: PanelSession) => Effect.Effect<Produced, VoicingBusy | Unvoiced>
    /** A turn of this session has its sound, or won't have one: what waits for that in this process looks again. */
    readonly lookAgain: (sessionId: SessionId) => Effect.Effect<void>
    /** Writes the segment of a panel, its replay and what it adds to the lore, within the caller's transaction. Done again, it changes nothing. */
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
        produce: Effect.fn("PanelProduction.produce")(function* (session) {
          const { id } = session
          const begun = FiberMap.getUnsafe(running, id)
          // The one that waits may have been told elsewhere: a panel can move to another process and back.
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
