import { Effect, Queue, Ref, Semaphore, Stream } from "effect"
import {
  AirItem,
  AirLayer,
  AirPlan,
  type AirEvent,
  type AirSpan,
  ItemLabel,
  blamelessSkips,
  type StagedSound
} from "../../schema/air/Air.ts"
import { AsRunBody } from "../../schema/air/AsRun.ts"
import type { AssetId, ItemId } from "../../schema/Ids.ts"
import { FenceLost, type Rundown, type RundownItem } from "../../schema/air/Rundown.ts"
import type { Asset } from "../../schema/Sound.ts"
import { markOfMix, markOfStation } from "../../schema/Synthetic.ts"
import {
  airPlanItemsMax,
  asRunHeartbeatMs,
  itemsRememberedMax,
  stageAheadSec,
  stageTimeoutMs,
  stagedAheadMs
} from "../../engine/rules/air/limits.ts"
import { Air } from "../../engine/ports/Air.ts"
import { Prepare } from "../../engine/ports/Prepare.ts"
import { kindOf, artistLabelOf, shift } from "../../engine/rules/air/Rundown.ts"
import { msToSamples } from "../../schema/time/Samples.ts"
import { lengthOf } from "../../engine/rules/air/ItemSequence.ts"
import type { OpenItem } from "../../engine/store/air/AsRun.ts"
import { Assets } from "../../engine/store/sound/Assets.ts"
import type { FactWriter } from "./AsRunWriter.ts"

/** The item being heard, according to the mixer. */
export interface Heard {
  readonly item: RundownItem | null
  readonly label: ItemLabel
  readonly startSample: number
  readonly endSample: number | null
}
export interface TransmitterOptions {
  readonly stationId: string
  readonly fence: number
  readonly stationName: string
  readonly emergencyDisclosure: string
  readonly asRunWriter: FactWriter
  /** Last logged sample at the start of this incarnation, and the items sounding since before it. */
  readonly loggedTo: number
  /** First sample of this process's mixer, if it followed the former owner of the air and continues what listeners heard; otherwise null. */
  readonly continuesFrom: number | null
  readonly goOn: ReadonlyArray<OpenItem>
  /** Items of the saved rundown: those that began since the former owner of the air was heard of. */
  readonly planned: ReadonlyArray<RundownItem>
  /** Outlives this actor, so that revisions keep rising after its restart. */
  readonly revision: Ref.Ref<number>
  /** Sounds that stay staged without a place in the rundown. */
  readonly pinned: Effect.Effect<ReadonlySet<AssetId>>
  readonly onBegun: (itemId: ItemId, atSample: number) => Effect.Effect<unknown>
  /** Called for an item that did not air; `blamed` when its audio is the cause. */
  readonly onSkipped: (item: RundownItem, why: string, blamed: boolean) => Effect.Effect<unknown>
  /** Called for every mixer event; `ended` is the item of a span. */
  readonly onEvent: (event: AirEvent, heard: Heard, ended: RundownItem | null) => Effect.Effect<void>
}
const takenOver = "it began in another process, which had the air until then"
const marksOf = (sounds: ReadonlyArray<Asset | undefined>) =>
  markOfMix(sounds.flatMap((asset) => (asset === undefined ? [] : [asset.synthetic])))
/** An item that has begun and not ended: first unlogged sample, first sample, latest end. */
interface Sounding {
  readonly item: RundownItem
  readonly firstSample: number
  readonly sinceSample: number
  readonly endSample: number
  /** Set when the mixer's worker failed and the item has not resumed. */
  readonly fellAtSample: number | null
}
/** Stages sounds, sends the rundown to the mixer and writes mixer events to the as-run log. */
export const makeTransmitter = Effect.fnUntraced(function* (options: TransmitterOptions) {
  const { fence, asRunWriter, stationId } = options
  const air = yield* Air
  const assets = yield* Assets
  const prepare = yield* Prepare
  const rundown = yield* Ref.make<Rundown | null>(null)
  const known = yield* Ref.make<ReadonlyMap<AssetId, Asset>>(new Map())
  const staged = yield* Ref.make<ReadonlyMap<AssetId, StagedSound>>(new Map())
  /** Items that are planned or may have begun, and items that have begun. */
  const remembered = yield* Ref.make<ReadonlyMap<ItemId, RundownItem>>(
    new Map(options.planned.map((item) => [item.id, item]))
  )
  const started = yield* Ref.make<ReadonlyMap<ItemId, RundownItem>>(
    new Map(options.goOn.map(({ item }) => [item.id, item]))
  )
  const sounding = yield* Ref.make<ReadonlyMap<ItemId, Sounding>>(
    new Map(
      options.goOn.map(({ firstSample, item, sinceSample = firstSample }) => [
        item.id,
        { item, firstSample, sinceSample, endSample: sinceSample + lengthOf(item.airable), fellAtSample: null }
      ])
    )
  )
  // The mixer started before this actor and its first events were missed.
  const { nowSample, onAir } = yield* air.status
  const carried = options.goOn.find(({ item }) => item.id === onAir?.itemId)
  const heard = yield* Ref.make<Heard>({
    item: carried?.item ?? null,
    label:
      onAir?.label ??
      new ItemLabel({
        title: options.stationName,
        artist: null,
        kind: "filler",
        synthetic: markOfStation(options.emergencyDisclosure)
      }),
    startSample: carried?.sinceSample ?? carried?.firstSample ?? onAir?.atSample ?? nowSample,
    endSample: onAir?.endSample ?? null
  })
  const hasSent = yield* Ref.make(false)
  /** Items in the last plan sent to the mixer. */
  const sent = yield* Ref.make<ReadonlySet<ItemId>>(new Set())
  const wake = yield* Queue.sliding<void>(1)

  const soundsOf = ({ airable }: RundownItem): ReadonlyArray<AssetId> => [
    airable.assetId,
    ...(airable.bedAssetId === null ? [] : [airable.bedAssetId])
  ]

  /**
   * Reads these assets once and keeps them, so staging continues during a store outage. It drops none: a command and the staging ask at the same time, each
   * for its own items, and an asset that one of them dropped would be blamed by the other for being unknown.
   */
  const acquaint = Effect.fnUntraced(function* (items: ReadonlyArray<RundownItem>) {
    const have = yield* Ref.get(known)
    const missing = [...new Set(items.flatMap(soundsOf))].filter((id) => !have.has(id))
    if (missing.length === 0) return true
    const found = yield* Effect.catchDefect(assets.findMany(missing), () => Effect.succeed(null))
    if (found === null) return false
    yield* Ref.update(known, (assets) => new Map([...assets, ...found.map((asset) => [asset.id, asset] as const)]))
    return true
  })

  const airItem = (
    item: RundownItem,
    sounds: ReadonlyMap<AssetId, StagedSound>,
    told: ReadonlyMap<AssetId, Asset>
  ): AirItem | null => {
    const sound = sounds.get(item.airable.assetId)
    if (sound === undefined) return null
    const bed = item.airable.bedAssetId === null ? null : (sounds.get(item.airable.bedAssetId) ?? null)
    const asset = told.get(item.airable.assetId)
    return new AirItem({
      itemId: item.id,
      label: new ItemLabel({
        title: item.airable.title,
        artist: artistLabelOf(item.airable),
        kind: kindOf(item),
        synthetic: marksOf([asset, ...(bed === null ? [] : [told.get(bed.assetId)])])
      }),
      sound,
      startSample: item.startSample,
      speech: item.airable.speech,
      bed,
      words: asset?.words ?? [],
      ...(item.pauseSamples === undefined ? {} : { pauseSamples: item.pauseSamples }),
      trace:
        bed === null && item.airable.bedAssetId !== null ? [...item.trace, "bed: not staged, left out"] : item.trace
    })
  }

  /** Sends all staged items, up to the first that isn't. */
  const sendNow = Effect.fnUntraced(function* (entry: "boundary" | "now") {
    const now = yield* Ref.get(rundown)
    const sounds = yield* Ref.get(staged)
    const told = yield* Ref.get(known)
    const items: Array<AirItem> = []
    const { renderedTo } = yield* air.status
    const before = yield* Ref.get(sent)
    const hasBegun = (item: RundownItem) => item.startSample < renderedTo && before.has(item.id)
    if (now !== null && !now.emergency) {
      // The first item is sent even if it has begun: the mixer then knows which item must not be cut.
      const open = now.items.filter((item, at) => (entry === "now" && at === 0) || !hasBegun(item))
      for (const item of open.slice(0, airPlanItemsMax)) {
        const ready = airItem(item, sounds, told)
        if (ready !== null) items.push(ready)
        // An immediate start takes the first staged item.
        else if (entry === "boundary" || items.length > 0) break
      }
    }
    const revision = yield* Ref.updateAndGet(options.revision, (n) => n + 1)
    const applied = yield* air
      .plan(new AirPlan({ fence, revision, entry, items }))
      .pipe(Effect.catchTag("StalePlan", () => new FenceLost({ fence })))
    // Items sent after their start have not begun and are planned again. Begun items stay until the scheduler knows.
    const inTime = items.filter((item) => entry === "now" || item.startSample >= applied.renderedTo)
    yield* Ref.set(
      sent,
      new Set([...inTime.map((item) => item.itemId), ...(now?.items ?? []).filter(hasBegun).map((item) => item.id)])
    )
    if (now !== null && applied.shiftSamples !== 0) yield* Ref.set(rundown, shift(now, applied.shiftSamples))
    return applied
  })
  // One at a time: an older rundown must not be sent after a newer one.
  const sending = yield* Semaphore.make(1)
  const send = (entry: "boundary" | "now") => sending.withPermits(1)(sendNow(entry))

  const stage = Effect.fnUntraced(function* (id: AssetId) {
    if ((yield* Ref.get(staged)).has(id)) return null
    const asset = (yield* Ref.get(known)).get(id)
    if (asset === undefined) return "its asset is unknown"
    return yield* prepare.stage(asset).pipe(
      Effect.timeout(stageTimeoutMs),
      Effect.flatMap((sound) => Ref.update(staged, (sounds) => new Map(sounds).set(id, sound))),
      Effect.as(null),
      Effect.catchTag("NotStaged", (error) => Effect.succeed(error.reason)),
      Effect.catchTag("TimeoutError", () => Effect.succeed("staging took too long")),
      Effect.catchDefect(() => Effect.succeed("staging failed"))
    )
  })

  /** Sounds of items that are planned, may have begun or are still heard, including beds. */
  const needed = Effect.gen(function* () {
    const items = [
      ...((yield* Ref.get(rundown))?.items ?? []),
      ...(yield* Ref.get(remembered)).values(),
      ...(yield* Ref.get(started)).values()
    ]
    return new Set(items.flatMap(soundsOf))
  })

  /** Stages the items of the next minutes in order of start. Reports an item that can't be staged. */
  const stageAhead = Effect.gen(function* () {
    const now = yield* Ref.get(rundown)
    if (now === null) return
    const { renderedTo } = yield* air.status
    const near = now.items
      .slice(0, airPlanItemsMax)
      .filter((item, i) => i < 3 || item.startSample <= renderedTo + msToSamples(stagedAheadMs))
    const answered = yield* acquaint(now.items)
    let fresh = false
    let decoded = false
    for (const item of near) {
      if (!answered && !(yield* Ref.get(known)).has(item.airable.assetId)) break
      const before = (yield* Ref.get(staged)).has(item.airable.assetId)
      const why = yield* stage(item.airable.assetId)
      if (why !== null) {
        yield* options.onSkipped(item, why, true)
        return
      }
      if (item.airable.bedAssetId !== null) yield* stage(item.airable.bedAssetId)
      fresh ||= !before
      decoded ||= !before
      // An item due soon is sent without waiting for later ones.
      if (!before && item.startSample <= renderedTo + msToSamples(stageAheadSec * 1_000)) {
        yield* send("boundary")
        fresh = false
      }
    }
    if (fresh) yield* send("boundary")
    const keep = yield* needed
    yield* Ref.update(known, (assets) => new Map([...assets].filter(([id]) => keep.has(id))))
    yield* Ref.update(staged, (sounds) => new Map([...sounds].filter(([id]) => keep.has(id))))
    if (decoded) yield* prepare.purgeStaged(new Set([...keep, ...(yield* options.pinned)]))
  })

  const itemOf = (id: ItemId | null) =>
    Effect.zipWith(Ref.get(started), Ref.get(remembered), (begun, planned) =>
      id === null ? null : (begun.get(id) ?? planned.get(id) ?? null)
    )
  const forgetSounding = (itemId: ItemId) =>
    Ref.update(sounding, (items) => new Map([...items].filter(([id]) => id !== itemId)))

  /** Opens an item at this sample, for the first time or after a failure of the mixer. */
  const sounds = Effect.fnUntraced(function* (item: RundownItem, atSample: number, endSample: number | null) {
    const before = (yield* Ref.get(sounding)).get(item.id)
    const sinceSample = before?.sinceSample ?? atSample
    // A standby's mixer began in the middle of it, and the former owner opened it at its start.
    const firstSample = before !== undefined && before.fellAtSample === null ? before.firstSample : atSample
    const now: Sounding = {
      item,
      firstSample,
      sinceSample,
      endSample: before?.endSample ?? endSample ?? atSample + lengthOf(item.airable),
      fellAtSample: null
    }
    yield* Ref.update(sounding, (items) => new Map([...items, [item.id, now] as const].slice(-itemsRememberedMax)))
    yield* asRunWriter.note({
      _tag: "Opened",
      item,
      firstSample,
      asOfSample: atSample,
      ...(sinceSample === firstSample ? {} : { sinceSample })
    })
  })

  const isGoingOn = (id: ItemId | null) => options.goOn.some(({ item }) => item.id === id)
  /**
   * The stretch of a sound that no earlier incarnation has logged. Of a sound that a standby's mixer came into, it begins with what listeners heard
   * from the former owner.
   */
  const unloggedPartOf = Effect.fnUntraced(function* (span: AirSpan) {
    const items = yield* Ref.get(sounding)
    const since = span.itemId !== null && isGoingOn(span.itemId) ? items.get(span.itemId) : undefined
    const { continuesFrom, loggedTo } = options
    const isCarried = span.itemId === null && span.firstSample === continuesFrom && Number.isFinite(loggedTo)
    const firstSample = since?.firstSample ?? (isCarried ? loggedTo + 1 : Math.max(span.firstSample, loggedTo + 1))
    const older = [...items.values()].filter(
      (each) =>
        each.item.id !== span.itemId &&
        each.fellAtSample === null &&
        each.firstSample < firstSample &&
        isGoingOn(each.item.id)
    )
    const stillSoundingFrom = Math.min(
      span.stillSoundingFromSample ?? Number.POSITIVE_INFINITY,
      ...older.map((each) => each.firstSample)
    )
    return {
      firstSample,
      lastSample: span.lastSample,
      pcmSha256: firstSample === span.firstSample ? span.pcmSha256 : null,
      trace: firstSample < span.firstSample ? [...span.trace, takenOver] : span.trace,
      layers: span.layers
        .filter(({ lastSample }) => lastSample >= firstSample)
        .map((layer) => new AirLayer({ ...layer, firstSample: Math.max(layer.firstSample, firstSample) })),
      ...(stillSoundingFrom === Number.POSITIVE_INFINITY ? {} : { stillSoundingFromSample: stillSoundingFrom })
    }
  })

  const onEvent = Effect.fnUntraced(function* (event: AirEvent) {
    if (event._tag === "Started") {
      const item = yield* itemOf(event.itemId)
      const known = yield* Ref.get(sounding)
      const startSample = (item === null ? undefined : known.get(item.id))?.sinceSample ?? event.atSample
      yield* Ref.set(heard, { item, label: event.label, startSample, endSample: event.endSample })
      for (const [id, { fellAtSample, item: other, sinceSample }] of known) {
        if (fellAtSample === null || id === event.itemId) continue
        yield* forgetSounding(id)
        yield* asRunWriter.note({ _tag: "Ended", item: other, sinceSample, lastSample: fellAtSample - 1 })
      }
      if (item !== null) {
        yield* Ref.update(started, (items) =>
          items.has(item.id) ? items : new Map([...[...items].slice(1 - itemsRememberedMax), [item.id, item]])
        )
        yield* options.onBegun(item.id, startSample)
        yield* sounds(item, event.atSample, event.endSample)
      }
    } else if (event._tag === "Resumed") {
      const before = (yield* Ref.get(sounding)).get(event.itemId)
      if (before !== undefined) yield* sounds(before.item, event.atSample, before.endSample)
    } else if (event._tag === "Spanned") {
      const { goesOn = false, span } = event
      const item = yield* itemOf(span.itemId)
      const since = span.itemId === null ? undefined : (yield* Ref.get(sounding)).get(span.itemId)
      const sinceSample = since?.sinceSample ?? span.firstSample
      const heardOf = yield* unloggedPartOf(span)
      if (item !== null && goesOn && since !== undefined)
        yield* Ref.update(sounding, (items) =>
          new Map(items).set(item.id, { ...since, fellAtSample: span.lastSample + 1 })
        )
      else if (span.itemId !== null) yield* forgetSounding(span.itemId)
      if (heardOf.firstSample <= span.lastSample) {
        yield* asRunWriter.note({
          _tag: "Heard",
          item,
          sinceSample,
          goesOn,
          body: new AsRunBody({
            seq: 0,
            stationId,
            fence,
            itemId: span.itemId,
            kind: span.label.kind,
            role: item?.airable.role ?? null,
            title: span.label.title,
            artist: item === null ? span.label.artist : item.airable.artist,
            segmentId: item?.airable.segmentId ?? null,
            trackId: item?.airable.trackId ?? null,
            agentId: item?.airable.agentId ?? null,
            assetId: item?.airable.assetId ?? null,
            ...heardOf,
            outcome:
              span.complete || span.layers.some(({ layer }) => layer === "live")
                ? "complete"
                : span.itemId === null
                  ? "emergency"
                  : "cut",
            ...(item?.songRequestIds === undefined ? {} : { songRequestIds: item.songRequestIds })
          })
        })
      } else if (item !== null && !goesOn)
        yield* asRunWriter.note({ _tag: "Ended", item, sinceSample, lastSample: span.lastSample })
    } else if (event._tag === "Skipped") {
      const item = (yield* Ref.get(remembered)).get(event.itemId)
      const { emergency, late } = blamelessSkips
      const blamed = event.reason !== emergency && event.reason !== late
      yield* Ref.update(sent, (ids) => new Set([...ids].filter((id) => id !== event.itemId)))
      if (blamed)
        yield* Ref.update(staged, (sounds) => new Map([...sounds].filter(([id]) => id !== item?.airable.assetId)))
      // In an emergency planned items wait until it is over.
      if (item !== undefined && event.reason !== emergency) yield* options.onSkipped(item, event.reason, blamed)
    } else if (event._tag === "ChainRestarted") {
      for (const [id, { fellAtSample, firstSample, item }] of yield* Ref.get(sounding)) {
        if (fellAtSample !== null || firstSample < event.atSample) continue
        yield* forgetSounding(id)
        yield* asRunWriter.note({ _tag: "Unheard", item, atSample: firstSample })
      }
      // Replaces the plan the new worker took over.
      yield* send("boundary")
    }
    const about = event._tag === "Spanned" ? yield* itemOf(event.span.itemId) : null
    yield* options.onEvent(event, yield* Ref.get(heard), about)
  })

  return {
    heard: Ref.get(heard),
    rundown: Ref.get(rundown),
    sent: Ref.get(sent),
    /** Mark of a rundown item, as far as its assets are known. */
    mark: (item: RundownItem) =>
      Effect.map(Ref.get(known), (assets) => marksOf(soundsOf(item).map((id) => assets.get(id)))),
    /** True while an item other than the current one still sounds and is not logged. */
    overlaps: Effect.gen(function* () {
      const { item } = yield* Ref.get(heard)
      const { nowSample } = yield* air.status
      // A lost event must not block for longer than a heartbeat.
      return [...(yield* Ref.get(sounding)).values()].some(
        (each) => each.item.id !== item?.id && each.endSample + msToSamples(asRunHeartbeatMs) > nowSample
      )
    }),
    /** Applies a new rundown. With entry `now`, and for the first plan, which replaces that of an earlier incarnation, it stages the first item at once. */
    apply: (next: Rundown, entry: "boundary" | "now") =>
      Effect.gen(function* () {
        yield* Ref.set(rundown, next)
        const { renderedTo } = yield* air.status
        const told = yield* Ref.get(sent)
        yield* Ref.update(remembered, (items) => {
          const planned = new Map(next.items.map((item) => [item.id, item] as const))
          // Unplanned items are kept only if they may have begun.
          const begun = [...items].filter(
            ([id, item]) => !planned.has(id) && (told.has(id) || item.startSample < renderedTo)
          )
          return new Map([...begun.slice(-itemsRememberedMax), ...planned])
        })
        if (entry === "now" || !(yield* Ref.getAndSet(hasSent, true))) {
          const soon = next.items.slice(0, 3)
          yield* acquaint(soon)
          // One staged item is enough to begin.
          for (const item of soon) if ((yield* stage(item.airable.assetId)) === null) break
        }
        const applied = yield* send(entry)
        yield* Queue.offer(wake, undefined)
        return applied
      }),
    listen: Stream.runForEach(air.events, onEvent),
    staging: Effect.forever(
      Effect.gen(function* () {
        yield* stageAhead
        yield* Effect.raceFirst(Queue.take(wake), Effect.sleep(asRunHeartbeatMs))
      })
    ),
    heartbeat: Effect.forever(
      Effect.gen(function* () {
        yield* Effect.sleep(asRunHeartbeatMs)
        const { nowSample } = yield* air.status
        for (const { endSample, fellAtSample, firstSample, item, sinceSample } of (yield* Ref.get(sounding)).values()) {
          if (fellAtSample !== null) continue
          yield* asRunWriter.heartbeat({
            item,
            firstSample,
            asOfSample: Math.max(firstSample, Math.min(nowSample, endSample - 1)),
            ...(sinceSample === firstSample ? {} : { sinceSample })
          })
        }
      })
    )
  }
})
export type Transmitter = Effect.Success<ReturnType<typeof makeTransmitter>>
