import { Effect, Layer } from "effect"
import { playsRememberedMax, rotationCandidatesMax, songRequestsAtOnceMax } from "../../engine/rules/air/limits.ts"
import { runAt, weekFrom } from "../../engine/rules/time/WeekSchedule.ts"
import { partsOf } from "../../engine/rules/air/Programme.ts"
import type { Happening, Stage } from "../../engine/rules/simulation/SimulationInput.ts"
import { defaultRotation } from "../../engine/rules/air/Rotation.ts"
import { Candidates } from "../../engine/store/air/Candidates.ts"
import { AsRun } from "../../engine/store/air/AsRun.ts"
import { Assets } from "../../engine/store/sound/Assets.ts"
import { Fences } from "../../engine/store/air/Fences.ts"
import { WeekSchedules } from "../../engine/store/programmes/WeekSchedules.ts"
import { HousePieces } from "../../engine/store/music/HousePieces.ts"
import { PlansForAir } from "../../engine/store/air/PlansForAir.ts"
import { Rundowns } from "../../engine/store/air/Rundowns.ts"
import { Topics } from "../../engine/store/programmes/Topics.ts"
import { Tracks } from "../../engine/store/music/Tracks.ts"
import { madeAtMs } from "../../schema/Ids.ts"
import type { Airable } from "../../schema/air/Rundown.ts"

/** All inputs of the scheduler. */
export const SimulationStores = Layer.mergeAll(
  AsRun.layer,
  Assets.layer,
  Candidates.layer,
  Fences.layer,
  WeekSchedules.layer,
  HousePieces.layer,
  PlansForAir.layer,
  Rundowns.layer,
  Topics.layer,
  Tracks.layer
)

/** Upper bound of songs per hour: more than a week needs never air, however large the library is. */
const songsPerHourMax = 40,
  segmentsMax = 5_000,
  topicsMax = 100

const soundsOf = (news: Happening): ReadonlyArray<Airable> =>
  news._tag === "Programme"
    ? news.programme.parts.map(({ airable }) => airable)
    : news._tag === "Topic"
      ? news.talk.airables
      : news._tag === "Segment" || news._tag === "Request"
        ? [news.airable]
        : []

/** The station's stored state at the start of the simulation; read-only. */
export const stageOf = Effect.fnUntraced(function* (ask: {
  readonly fromMs: number
  readonly toMs: number
  readonly zone: string
  readonly seed: number
}) {
  const { fromMs, seed, toMs, zone } = ask
  const pieces = yield* HousePieces
  const plans = yield* PlansForAir
  const candidates = yield* Candidates
  const topics = yield* Topics
  const tracks = yield* Tracks
  const stationId = yield* (yield* Fences).stationId
  const rules = defaultRotation(seed)
  const grid = weekFrom(yield* (yield* WeekSchedules).from(fromMs), fromMs)
  const readPieces = (role: Parameters<typeof pieces.listByRole>[0]) =>
    Effect.map(pieces.listByRole(role), (all) => all.map(({ airable }) => airable))
  const house = {
    idents: yield* readPieces("ident"),
    beds: yield* readPieces("bed"),
    hourCalls: (yield* pieces.listByRole("hour_call")).flatMap(({ airable, hour }) =>
      hour === null ? [] : [{ hour, airable }]
    )
  }
  const programmes = (yield* plans.listUpcoming(toMs)).map((plan): Happening => {
    const { endMs, id: planId, items, sounds, startMs, title } = plan
    const { block } = runAt(grid, zone, startMs)
    const { parts } = partsOf(items, {
      soundOf: (item) => sounds.get(item.id) ?? null,
      idents: house.idents,
      beds: house.beds
    })
    return {
      _tag: "Programme",
      atMs: fromMs,
      programme: {
        planId,
        title,
        startMs,
        endMs,
        overrunPolicy: block.id === plan.blockId ? block.overrunPolicy : "trim",
        parts
      }
    }
  })
  const songs = yield* candidates.songs(songRequestsAtOnceMax)
  const wanted = yield* tracks.airables(songs.map(({ trackId }) => trackId))
  const talks = yield* Effect.forEach(
    yield* topics.listFilledForAir(fromMs, topicsMax),
    ({ segmentIds, title, topicId }) =>
      Effect.map(Effect.forEach(segmentIds, candidates.findAirable), (found): Happening => ({
        _tag: "Topic",
        atMs: fromMs,
        talk: { topicId, title, airables: found.filter((airable) => airable !== null) }
      }))
  )
  const happenings: ReadonlyArray<Happening> = [
    ...programmes,
    ...talks,
    ...(yield* candidates.listQueued(toMs, segmentsMax)).map((airable): Happening => ({
      _tag: "Segment",
      atMs: fromMs,
      airable
    })),
    ...songs.flatMap(({ songRequestIds, trackId }) =>
      wanted
        .filter((airable) => airable.trackId === trackId)
        .flatMap((airable) =>
          songRequestIds.map((id): Happening => ({ _tag: "Request", atMs: madeAtMs(id), id, airable }))
        )
    )
  ]
  const rundown = yield* (yield* Rundowns).load(stationId)
  const rested = yield* tracks.listRested(
    Object.keys(rules.shares),
    rotationCandidatesMax + Math.ceil((toMs - fromMs) / 3_600_000) * songsPerHourMax,
    fromMs
  )
  const sounds = [
    ...[...rested, ...house.hourCalls, ...(rundown?.items ?? [])].map(({ airable }) => airable),
    ...house.idents,
    ...house.beds,
    ...happenings.flatMap(soundsOf)
  ]
  const stage: Stage = {
    fromMs,
    toMs,
    zone,
    grid,
    rules,
    house,
    happenings,
    rundown,
    plays: yield* (yield* AsRun).listPlays(stationId, playsRememberedMax),
    tracks: rested,
    loudness: yield* (yield* Assets).loudness(sounds.map(({ assetId }) => assetId))
  }
  return stage
})
