import { Clock, Effect, Ref, Stream } from "effect"
import type { StagedSound } from "../../schema/air/Air.ts"
import type { AssetId } from "../../schema/Ids.ts"
import type { Asset } from "../../schema/Sound.ts"
import { emergencySoundsMax, houseRetryMs, houseTriesMax } from "../../engine/rules/music/limits.ts"
import { Air } from "../../engine/ports/Air.ts"
import { Prepare } from "../../engine/ports/Prepare.ts"
import { wallOf } from "../../engine/rules/time/WeekSchedule.ts"
import { essentialWorks, houseId, type HouseWork, houseWorks } from "../../engine/rules/music/HouseCatalogue.ts"
import { Assets } from "../../engine/store/sound/Assets.ts"
import { houseTrack, makeHouseWork } from "./HouseWorks.ts"
import { HousePiecesWriter } from "../../engine/store/music/HousePieces.ts"
import { TracksWriter } from "../../engine/store/music/Tracks.ts"

export interface HouseOptions {
  readonly stationName: string
  readonly zone: string
  readonly seed: number
  /** Off: only the essential works are made. */
  readonly programme: "on" | "off"
  /** Sets the sounds that must stay staged for the emergency library. */
  readonly pin: (ids: ReadonlySet<AssetId>) => Effect.Effect<void>
  /** Called for each finished piece. */
  readonly onMade: (progress: {
    readonly name: string
    readonly done: number
    readonly total: number
  }) => Effect.Effect<void>
}

/**
 * Makes the station's beds, idents, hour calls, fillers and basic rotation, one at a time in the background. Continues after a restart;
 * failed pieces are retried later and block no others.
 */
export const houseProgrammer = Effect.fnUntraced(function* (options: HouseOptions) {
  const { seed, stationName, zone } = options
  const air = yield* Air
  const assets = yield* Assets
  const pieces = yield* HousePiecesWriter
  const prepare = yield* Prepare

  const emergency = yield* Ref.make<ReadonlyArray<StagedSound>>([])

  /** Adds one of the first pieces to the emergency library. */
  const keepForEmergency = Effect.fnUntraced(function* (asset: Asset) {
    const sounds = yield* Ref.get(emergency)
    if (sounds.length >= emergencySoundsMax || sounds.some((sound) => sound.assetId === asset.id)) return
    yield* prepare.stage(asset).pipe(
      Effect.flatMap((sound) => Ref.updateAndGet(emergency, (all) => [...all, sound])),
      Effect.tap((all) => options.pin(new Set(all.map(({ assetId }) => assetId)))),
      Effect.flatMap(air.emergencyLibrary),
      Effect.catchTag("NotStaged", (error) =>
        Effect.logWarning(`house: ${asset.id} can't be kept for emergencies: ${error.reason}`)
      )
    )
  })

  yield* air.events.pipe(
    Stream.filter(({ _tag }) => _tag === "ChainRestarted"),
    Stream.runForEach(() => Effect.flatMap(Ref.get(emergency), air.emergencyLibrary)),
    Effect.forkScoped
  )

  const make = Effect.fnUntraced(function* (work: HouseWork) {
    const asset = yield* makeHouseWork(work, seed)
    if (work._tag === "Say" ? work.role === "ident" : work.form !== "sting") yield* keepForEmergency(asset)
  })

  const hour = Math.floor(wallOf(zone, yield* Clock.currentTimeMillis) / 3_600_000) % 24
  const catalogue = houseWorks(seed, stationName, hour)
  const works = options.programme === "on" ? catalogue : essentialWorks(catalogue)
  const made = yield* pieces.names
  const before = catalogue.filter((work) => made.has(work.name))
  for (const asset of yield* assets.findMany(
    before
      .filter((work) => (work._tag === "Say" ? work.role === "ident" : work.form !== "sting"))
      .slice(0, emergencySoundsMax)
      .map((work) => houseId("mas", seed, work.name))
  ))
    yield* keepForEmergency(asset)

  // Beds that an earlier version made have no track yet.
  const beds = new Map((yield* pieces.listByRole("bed")).map(({ airable, name }) => [name, airable] as const))
  for (const work of before) {
    const piece = beds.get(work.name)
    if (work._tag === "Say" || piece === undefined) continue
    const [asset] = yield* assets.findMany([piece.assetId])
    const described = { title: piece.title, bpm: null, musicalKey: null }
    if (asset !== undefined)
      yield* (yield* TracksWriter).save(houseTrack(seed, work, asset, described, yield* Clock.currentTimeMillis))
  }

  let done = before.length
  let open = works.filter((work) => !made.has(work.name))
  const total = before.length + open.length
  if (open.length > 0) yield* Effect.logInfo(`house: ${open.length} of ${total} pieces to make`)
  for (let tries = 1; open.length > 0 && tries <= houseTriesMax; tries++) {
    const failed: Array<HouseWork> = []
    for (const work of open) {
      const exit = yield* Effect.exit(make(work))
      if (exit._tag === "Failure") {
        if (exit.cause.reasons.some((reason) => reason._tag === "Interrupt")) return yield* Effect.interrupt
        failed.push(work)
        yield* Effect.logWarning(`house: ${work.name} failed, to be tried again`, exit.cause)
        continue
      }
      done++
      yield* Effect.logInfo(`house: made ${work.name} (${done} of ${total})`)
      yield* options.onMade({ name: work.name, done, total })
    }
    open = failed
    if (open.length > 0) yield* Effect.sleep(houseRetryMs * tries)
  }
  return { made: done, failed: open.map((work) => work.name) }
})
