import { Effect, Layer } from "effect"
import { AirMetadata } from "../../../engine/store/air/AirMetadata.ts"
import { type AiringEvent, applyEvent, offerAiring } from "../../../engine/rules/air/Airing.ts"
import { requestStatus } from "../../../engine/rules/music/SongRequest.ts"
import { Airings, AiringsWriter, type Moved } from "../../../engine/store/air/Airings.ts"
import { defaultRotationSettings, ownDefaults } from "../../../engine/rules/operations/Settings.ts"
import { Settings } from "../../../engine/store/operations/Settings.ts"
import { AnnouncementFacts } from "../../../engine/store/air/AnnouncementFacts.ts"
import { AnnouncementsWriter } from "../../../engine/store/air/Announcements.ts"
import { Candidates } from "../../../engine/store/air/Candidates.ts"
import { AsRun, AsRunWriter, type OpenItem } from "../../../engine/store/air/AsRun.ts"
import { Assets } from "../../../engine/store/sound/Assets.ts"
import { Fences, FencesWriter } from "../../../engine/store/air/Fences.ts"
import { WeekSchedules, WeekSchedulesWriter } from "../../../engine/store/programmes/WeekSchedules.ts"
import { type HousePiece, HousePieces, HousePiecesWriter } from "../../../engine/store/music/HousePieces.ts"
import { PlansForAir } from "../../../engine/store/air/PlansForAir.ts"
import { Rundowns, RundownsWriter } from "../../../engine/store/air/Rundowns.ts"
import { Topics, type TopicBlock } from "../../../engine/store/programmes/Topics.ts"
import { Tracks, TracksWriter } from "../../../engine/store/music/Tracks.ts"
import { msOf } from "../../../schema/time/Samples.ts"
import { noFacts } from "../../../schema/air/AirMetadata.ts"
import type { Airing, AiringState } from "../../../schema/air/Airing.ts"
import { AsRunBody, type AsRunEntry } from "../../../schema/air/AsRun.ts"
import { type Airable, Candidate, FenceLost, Play, type Rundown } from "../../../schema/air/Rundown.ts"
import type { Asset } from "../../../schema/Sound.ts"
import type { Track } from "../../../schema/music/Track.ts"
import { makePlanMemory } from "./PlanMemory.ts"
import { makeAnnouncementMemory } from "./AnnouncementMemory.ts"
import { makeRequestMemory } from "./RequestMemory.ts"
import { PlanAirings } from "../../../actors/programmes/inTransaction.ts"

export type SegmentState = "queued" | "scheduled" | "airing" | "aired" | "held" | "failed"
export interface SegmentMemory {
  readonly airable: Airable
  state: SegmentState
  cuts: number
  complete: boolean | null
  /** Part of a plan: it doesn't air alone. */
  bound?: boolean
  readonly moves: Array<string>
}
const configured = {
  openSignup: true,
  houseReads: true,
  musicAgentGeneration: true,
  speechMinutesPerDay: 1_200,
  ...ownDefaults
}
const stateOf: { readonly [State in SegmentState]?: AiringState } = {
  queued: "waiting",
  scheduled: "placed",
  airing: "airing",
  aired: "aired",
  failed: "failed"
}
/**
 * The tables of a station as plain maps. `down` makes every query die, as a lost database does; stored rows stay. With `slowMs`,
 * each query takes that long.
 */
export const makeMemoryStore = () => {
  const assets = new Map<string, Asset>()
  const tracks = new Map<string, Track>()
  const pieces = new Map<string, HousePiece>()
  const segments = new Map<string, SegmentMemory>()
  const asRun: Array<AsRunEntry & { readonly fence: number }> = []
  const store = {
    down: false,
    slowMs: 0,
    fence: 0,
    heldSince: null as number | null,
    rundown: null as Rundown | null,
    open: new Map<string, OpenItem & { fence: number }>(),
    assets,
    tracks,
    pieces,
    segments,
    asRun,
    files: new Map<string, string>()
  }
  const query = <A>(run: () => A): Effect.Effect<A> =>
    Effect.suspend(() =>
      store.down
        ? Effect.die(new Error("the database is away"))
        : store.slowMs > 0
          ? Effect.delay(Effect.sync(run), store.slowMs)
          : Effect.sync(run)
    )
  const runFenced = <A>(fence: number, run: () => A): Effect.Effect<A, FenceLost> =>
    Effect.flatMap(
      query(() => fence < store.fence),
      (stale) => (stale ? Effect.fail(new FenceLost({ fence })) : Effect.sync(run))
    )
  const airableOf = (track: Track): Airable => ({
    role: "music",
    assetId: track.assetId,
    cue: assets.get(track.assetId)!.cue,
    title: track.title,
    artist: track.artist,
    speech: false,
    bedAssetId: null,
    segmentId: null,
    trackId: track.id,
    agentId: track.agentId,
    topic: null,
    genre: track.genre,
    validFromMs: null,
    validUntilMs: null
  })
  const requests = makeRequestMemory(query, (id) => tracks.get(id)?.approvalStatus === "approved")
  const airingOf = (id: string): Airing | null => {
    const segment = segments.get(id)
    if (segment === undefined) return requests.rows.get(id)?.airing ?? null
    const state = stateOf[segment.state]
    return state === undefined
      ? null
      : { ...offerAiring(id, "segment", 0), state, cut: segment.cuts > 0, complete: segment.complete }
  }
  const move = (id: string, event: AiringEvent): ReadonlyArray<Moved> => {
    const before = airingOf(id)
    const after = before === null ? null : applyEvent(before, event)
    if (before === null || after === null) return []
    const segment = segments.get(id)
    const request = requests.rows.get(id)
    if (segment !== undefined) {
      const state = Object.entries(stateOf).find(([, one]) => one === after.state)![0] as SegmentState
      if (state !== segment.state) segment.moves.push(`${segment.state}>${state}`)
      if (after.cut && !before.cut) segment.cuts++
      Object.assign(segment, { state, complete: after.complete })
    } else if (request !== undefined) {
      request.airing = after
      const [from, to] = [requestStatus[before.state], requestStatus[after.state]]
      if (from !== to && event._tag !== "Reclaim") request.moves.push(to)
    }
    return [{ before, after }]
  }
  const plans = makePlanMemory(query, { segments, tracks, asRun, airableOf })
  const topics: Array<TopicBlock> = []
  const announcements = makeAnnouncementMemory(query, {
    fenceOf: () => store.fence,
    isLogged: (itemId) =>
      asRun.some((row) => row.itemId === itemId) || [...store.open.values()].some(({ item }) => item.id === itemId),
    playedLast: () => {
      const last = asRun.findLast(({ itemId, kind }) => itemId !== null && kind !== "station_id" && kind !== "filler")
      return last?.kind === "music" && last.outcome === "complete" ? last.trackId : null
    },
    requests: requests.rows,
    tracks
  })
  const layer = Layer.mergeAll(
    Layer.succeed(PlansForAir, plans.service),
    Layer.succeed(PlanAirings, plans.airings),
    Layer.mock(Settings, {
      configured,
      current: Effect.succeed(configured),
      rotation: Effect.sync(() => defaultRotationSettings(1))
    }),
    Layer.mock(AnnouncementsWriter, announcements.writer),
    Layer.succeed(AnnouncementFacts, announcements.facts),
    Layer.mock(Topics, {
      listFilledForAir: () =>
        query(() =>
          topics
            .map((topic) => ({
              ...topic,
              segmentIds: topic.segmentIds.filter((id) => segments.get(id)?.state === "queued")
            }))
            .filter(({ segmentIds }) => segmentIds.length > 0)
        )
    }),
    Layer.succeed(
      WeekSchedulesWriter,
      WeekSchedulesWriter.of({
        from: () => query(() => []),
        newest: query(() => null),
        version: query(() => 0),
        hold: Effect.void,
        listBooked: () => query(() => []),
        showsOf: () => query(() => new Map()),
        add: () => query(() => undefined)
      })
    ),
    Layer.succeed(
      FencesWriter,
      FencesWriter.of({
        stationId: query(() => "stn_test"),
        acquire: query(() => ++store.fence),
        heldSince: query(() => store.heldSince),
        current: query(() => store.fence)
      })
    ),
    Layer.mock(Assets, {
      save: (asset) => query(() => void assets.set(asset.id, asset)),
      find: (id) => query(() => assets.get(id) ?? null),
      findMany: (ids) => query(() => ids.flatMap((id) => assets.get(id) ?? []))
    }),
    Layer.succeed(
      TracksWriter,
      TracksWriter.of({
        // Beds aren't in rotation, and no user of this store reads them.
        save: (track) => query(() => void (track.category === "bed" || tracks.set(track.id, track))),
        find: (id) => query(() => tracks.get(id) ?? null),
        holdRemixes: () => Effect.succeed([]),
        releaseRemixes: () => Effect.void,
        withSound: () => query(() => null),
        countOf: () => query(() => 0),
        listRested: (classes, limit) =>
          query(() =>
            classes.flatMap((name) =>
              [...tracks.values()]
                .filter((track) => track.rotationClass === name && track.approvalStatus === "approved")
                .slice(0, limit)
                .map(
                  (track) =>
                    new Candidate({
                      airable: airableOf(track),
                      rotationClass: name,
                      weight: track.weight,
                      lastPlayedMs: track.lastPlayedAtMs
                    })
                )
            )
          ),
        list: () => query(() => null),
        findShown: () => query(() => null),
        findRotationFacts: () => query(() => null),
        retireHousePieces: () => query(() => 0),
        page: () => query(() => null),
        change: () => query(() => null),
        edit: () => query(() => null),
        setCover: () => query(() => null),
        findAirable: () => query(() => null),
        markPlayed: () => query(() => null),
        airables: (ids) => query(() => ids.flatMap((id) => tracks.get(id) ?? []).map(airableOf)),
        judge: () => query(() => null),
        retireOf: () => query(() => undefined),
        findRefused: (ids) => query(() => ids.filter((id) => tracks.get(id)?.approvalStatus !== "approved"))
      })
    ),
    Layer.succeed(
      HousePiecesWriter,
      HousePiecesWriter.of({
        save: (piece) => query(() => void pieces.set(piece.name, piece)),
        names: query(() => new Set(pieces.keys())),
        listRetired: () => query(() => []),
        forget: (name) => query(() => void pieces.delete(name)),
        listByRole: (role) => query(() => [...pieces.values()].filter((piece) => piece.airable.role === role))
      })
    ),
    Layer.succeed(
      RundownsWriter,
      RundownsWriter.of({
        load: () => query(() => store.rundown),
        save: (rundown, fence) =>
          runFenced(fence, () => {
            store.rundown = rundown
          })
      })
    ),
    Layer.succeed(AirMetadata, AirMetadata.of({ find: (heard) => query(() => heard.map(() => noFacts)) })),
    Layer.succeed(
      Candidates,
      Candidates.of({
        ...requests.candidates,
        figures: query(() => ({ pendingReview: 0, oldestQueuedAtMs: null })),
        listQueued: (_atMs, limit) =>
          query(() =>
            [...segments.values()]
              .filter((one) => one.state === "queued" && one.bound !== true)
              .slice(0, limit)
              .map((one) => one.airable)
          ),
        findAirable: (id) =>
          query(() =>
            ["queued", "scheduled"].includes(segments.get(id)?.state ?? "") ? segments.get(id)!.airable : null
          ),
        findRefused: (ids) =>
          query(() =>
            ids.filter((id) => !["queued", "scheduled", "airing"].includes(segments.get(id)?.state ?? "gone"))
          )
      })
    ),
    Layer.succeed(
      AiringsWriter,
      AiringsWriter.of({
        move: (ids, event) => query(() => ids.flatMap((id) => move(id, event))),
        reclaim: (keep, from, atMs) =>
          query(() =>
            [...segments.keys(), ...requests.rows.keys()].flatMap((id) =>
              keep.includes(id) || !from.includes(airingOf(id)?.state ?? "aired")
                ? []
                : move(id, { _tag: "Reclaim", atMs })
            )
          ),
        listOver: (ids) =>
          query(() => ids.filter((id) => !["waiting", "placed", "airing"].includes(airingOf(id)?.state ?? "aired")))
      })
    ),
    Layer.succeed(
      AsRunWriter,
      AsRunWriter.of({
        append: (_station, entries, { fence }) =>
          runFenced(fence, () => {
            const added: Array<AsRunBody> = []
            for (const entry of entries) {
              const last = asRun.at(-1)?.lastSample ?? null
              if (entry.itemId !== null) store.open.delete(entry.itemId)
              if (
                last !== null &&
                (entry.lastSample < last ||
                  asRun.some(
                    (row) =>
                      row.itemId === entry.itemId &&
                      row.firstSample === entry.firstSample &&
                      (row.itemId !== null || row.lastSample === entry.lastSample)
                  ))
              )
                continue
              added.push(new AsRunBody({ ...entry, seq: asRun.length + 1, stationId: "stn_test", fence }))
              const begins = Math.min(entry.firstSample, entry.stillSoundingFromSample ?? entry.firstSample)
              if (last !== null && begins > last + 1)
                asRun.push({
                  ...entry,
                  itemId: null,
                  outcome: "off_air",
                  firstSample: last + 1,
                  lastSample: begins - 1,
                  fence
                })
              asRun.push({ ...entry, fence })
            }
            return added
          }),
        seal: () => query(() => false),
        open: (_station, open, fence) => runFenced(fence, () => void store.open.set(open.item.id, { ...open, fence })),
        close: (_station, itemId, fence) => runFenced(fence, () => void store.open.delete(itemId)),
        listOpen: () => query(() => [...store.open.values()]),
        findLogged: (_station, ids) =>
          query(
            () => new Set(asRun.flatMap((row) => (row.itemId !== null && ids.includes(row.itemId) ? [row.itemId] : [])))
          ),
        history: () => query(() => []),
        listPlays: (_station, limit) =>
          query(() =>
            asRun
              .filter((row) => row.role !== null && row.assetId !== null)
              .toSorted((a, b) => a.firstSample - b.firstSample)
              .slice(-limit)
              .map(
                (row) =>
                  new Play({
                    atMs: msOf(row.firstSample),
                    role: row.role!,
                    assetId: row.assetId!,
                    artist: row.artist,
                    agentId: row.agentId,
                    topic: null,
                    ...(row.songRequestIds === undefined ? {} : { requested: true })
                  })
              )
          ),
        rows: () => query(() => []),
        receipts: () => query(() => []),
        roots: () => query(() => []),
        end: () =>
          query(() => ({
            last: { seq: asRun.length, hash: "", lastSample: asRun.at(-1)?.lastSample ?? null },
            signed: null
          })),
        runInSnapshot: (reading) => reading
      })
    )
  )
  const readers = Layer.mergeAll(
    Layer.effect(Airings, AiringsWriter),
    Layer.effect(AsRun, AsRunWriter),
    Layer.effect(Fences, FencesWriter),
    Layer.effect(WeekSchedules, WeekSchedulesWriter),
    Layer.effect(HousePieces, HousePiecesWriter),
    Layer.effect(Rundowns, RundownsWriter),
    Layer.effect(Tracks, TracksWriter)
  )
  const submit = (airable: Airable, asset: Asset) => {
    assets.set(asset.id, asset)
    segments.set(airable.segmentId!, { airable, state: "queued", cuts: 0, complete: null, moves: [] })
  }
  return Object.assign(store, {
    layer: readers.pipe(Layer.provideMerge(layer)),
    submit,
    announcements,
    requests: requests.rows,
    request: requests.ask,
    plans: plans.rows,
    planNotes: plans.notes,
    book: plans.book,
    topics
  })
}
export type MemoryStore = ReturnType<typeof makeMemoryStore>
