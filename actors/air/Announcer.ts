import { Effect, Ref } from "effect"
import { createHash } from "node:crypto"
import { Prepare } from "../../engine/ports/Prepare.ts"
import { Speech } from "../../engine/ports/Speech.ts"
import { announce, type AnnouncementDraft, type Break, timeCheckUntilMs } from "../../engine/rules/air/Announcer.ts"
import { messageFact, requestFact } from "../../engine/rules/air/Facts.ts"
import { lengthOf } from "../../engine/rules/air/ItemSequence.ts"
import {
  announcementAheadMs,
  announcementLeadMs,
  announcementTimeoutMs,
  itemsRememberedMax
} from "../../engine/rules/air/limits.ts"
import { markOf } from "../../engine/rules/sound/Synthetic.ts"
import { AnnouncementFacts } from "../../engine/store/air/AnnouncementFacts.ts"
import { AnnouncementsWriter } from "../../engine/store/air/Announcements.ts"
import { HousePieces } from "../../engine/store/music/HousePieces.ts"
import { Assets } from "../../engine/store/sound/Assets.ts"
import { AnnouncementKind, textOf } from "../../schema/air/Announcement.ts"
import { Airable, type Rundown, type RundownItem } from "../../schema/air/Rundown.ts"
import { type AnnouncementId, type AssetId, makeId } from "../../schema/Ids.ts"
import { houseSpeaker } from "../music/HouseWorks.ts"

const kinds = AnnouncementKind.literals

/** The same break and words have the same id, so that a repeat after a crash makes them once. */
const idOf = ({ afterItemId, atMs }: Break, { kind }: AnnouncementDraft): AnnouncementId =>
  makeId(
    "ann",
    0,
    createHash("sha256")
      .update(`${kind}/${afterItemId}/${Math.floor(atMs / 60_000)}`)
      .digest()
      .subarray(0, 10)
  )

/**
 * Makes the station's own words for the next break of the rundown: chooses them from approved facts, reserves them, speaks them. The scheduler then
 * plans them where they are true.
 */
export const makeAnnouncer = Effect.fnUntraced(function* (options: {
  readonly fence: number
  readonly zone: string
  readonly seed: number
  readonly rundown: Effect.Effect<Rundown>
  /** Breaks of the last plan without words. */
  readonly breaks: Effect.Effect<ReadonlyArray<Break>>
  readonly nowMs: Effect.Effect<number>
  /** Called when an announcement may air. */
  readonly made: Effect.Effect<void>
}) {
  const { fence, seed, zone } = options
  const announcements = yield* AnnouncementsWriter
  const assets = yield* Assets
  const facts = yield* AnnouncementFacts
  const pieces = yield* HousePieces
  const prepare = yield* Prepare
  const speech = yield* Speech
  const tried = yield* Ref.make<ReadonlyArray<string>>([])

  const factsAt = Effect.fnUntraced(function* (rundown: Rundown, { afterItemId, beforeItemId }: Break, nowMs: number) {
    const items = [...(rundown.onAir === null ? [] : [rundown.onAir]), ...rundown.items]
    const of = (id: string | null): RundownItem | undefined => items.find((item) => item.id === id)
    const [after, before] = [of(afterItemId), of(beforeItemId)]
    // The log knows the song before the one on the air alone.
    const earlier = after !== undefined && rundown.onAir?.id === after.id ? yield* facts.playedLast : null
    const ids = [after?.airable.trackId ?? null, before?.airable.trackId ?? null, earlier]
    const tracks = yield* facts.tracks(ids.flatMap((id) => id ?? []))
    const [played, next, playedBefore] = ids.map((id) => tracks.find((fact) => fact.id === id) ?? null)
    const named = yield* facts.named(after?.songRequestIds ?? [])
    const messages = yield* facts.messages(nowMs)
    return {
      listeners: [...named, ...messages],
      facts: {
        played: played!,
        next: next!,
        playedBefore: playedBefore === played ? null : playedBefore!,
        requests: named.flatMap((request) => requestFact(request) ?? []),
        messages: messages.flatMap((message) => messageFact(message) ?? []),
        programmes: yield* facts.programmes(nowMs),
        news: yield* facts.news(nowMs),
        day: yield* facts.day(nowMs)
      }
    }
  })

  /** Speaks a reserved announcement. */
  const speak = Effect.fnUntraced(function* (draft: AnnouncementDraft, id: AnnouncementId, assetId: AssetId) {
    const voice = houseSpeaker(speech.voices, seed)
    const raw = yield* speech.speak({ text: textOf(draft.sentences), voiceId: voice.voiceId, role: "PRIMARY" })
    const asset = yield* prepare.prepare({
      id: assetId,
      kind: "speech",
      raw,
      role: "HOUSE",
      introEndMs: null,
      segueMs: null,
      synthetic: markOf({ _tag: "Spoken", by: raw.by, handle: null })
    })
    yield* assets.save(asset)
    const isLong = draft.kind === "station_news" || draft.kind === "daily_summary"
    const [bed] = isLong ? yield* pieces.listByRole("bed") : []
    const { afterItemId, beforeItemId, kind, title, validFromMs } = draft
    const airable = {
      role: "filler",
      assetId,
      cue: asset.cue,
      title,
      artist: null,
      speech: true,
      bedAssetId: bed?.airable.assetId ?? null,
      segmentId: null,
      trackId: null,
      agentId: null,
      topic: null,
      genre: null,
      validFromMs,
      validUntilMs: draft.validUntilMs,
      announcement: { id, afterItemId, beforeItemId }
    } as const
    const lengthMs = Math.round(lengthOf(new Airable(airable)) / 48)
    // A time check must end within its minute.
    const validUntilMs = kind === "time_check" ? timeCheckUntilMs(validFromMs, lengthMs) : draft.validUntilMs
    const ready = Object.assign(new Airable({ ...airable, validUntilMs }), { announcement: airable.announcement })
    if (yield* announcements.ready(id, ready, lengthMs, fence)) {
      yield* Effect.logInfo(`announcer: ${kind}: ${textOf(draft.sentences)}`)
      yield* options.made
    }
  })

  return Effect.gen(function* () {
    const nowMs = yield* options.nowMs
    yield* announcements.dropOld(nowMs, fence)
    const rundown = yield* options.rundown
    if (rundown.held || rundown.emergency) return
    const past = yield* Ref.get(tried)
    const next = (yield* options.breaks).find(
      ({ afterItemId, atMs, beforeItemId }) =>
        atMs - nowMs >= announcementLeadMs &&
        atMs - nowMs <= announcementAheadMs &&
        !past.includes(`${afterItemId}/${beforeItemId}`)
    )
    if (next === undefined) return
    yield* Ref.set(tried, [...past, `${next.afterItemId}/${next.beforeItemId}`].slice(-itemsRememberedMax))
    const known = yield* factsAt(rundown, next, nowMs)
    const off = yield* announcements.off
    const draft = announce({
      break: next,
      facts: known.facts,
      said: yield* announcements.said(next.atMs),
      spokenMs: yield* announcements.spokenMs(nowMs),
      on: new Set(kinds.filter((kind) => !off.has(kind))),
      zone,
      seed
    })
    if (draft === null) return
    const id = idOf(next, draft)
    const assetId: AssetId = `mas_${id.slice(4)}`
    const stated = new Set(draft.sentences.map(({ fact }) => fact.id))
    const humanId = known.listeners.find(({ id }) => stated.has(id))?.humanId ?? null
    if (!(yield* announcements.claim({ ...draft, id, assetId, atMs: next.atMs, humanId }, fence))) return
    yield* speak(draft, id, assetId).pipe(
      Effect.timeout(announcementTimeoutMs),
      Effect.tapCause(() => Effect.ignoreCause(announcements.drop([id], "NOT_SPOKEN", fence)))
    )
  }).pipe(Effect.catchCause((cause) => Effect.logWarning("announcer: nothing was made for this break", cause)))
})
