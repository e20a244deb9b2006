import { Clock, Effect } from "effect"
import { Prepare } from "../../engine/ports/Prepare.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { hasRepertoire, nextNight, nightlyPrefix, nightlySongs } from "../../engine/rules/music/HouseCatalogue.ts"
import { houseLibraryMax, retiredSoundHours } from "../../engine/rules/music/limits.ts"
import { purgeRows } from "../../engine/rules/runtime/limits.ts"
import { HousePiecesWriter } from "../../engine/store/music/HousePieces.ts"
import { TracksWriter } from "../../engine/store/music/Tracks.ts"
import { dayMs, hourMs } from "../../schema/time/Units.ts"
import { periodicJob } from "../runtime/Jobs.ts"
import { makeHouseWork } from "./HouseWorks.ts"

const discardRetired = Effect.fnUntraced(function* (nowMs: number) {
  const pieces = yield* HousePiecesWriter
  const prepare = yield* Prepare
  for (const { assetId, name } of yield* pieces.listRetired(
    nightlyPrefix,
    nowMs - retiredSoundHours * hourMs,
    purgeRows
  )) {
    yield* prepare.discard(assetId)
    yield* pieces.forget(name)
  }
})

/**
 * Composes the night's pieces, so that a week isn't the founding repertoire over and over, and retires as many as are too many. Killed at any point, it
 * goes on with the pieces that are missing. With HOUSE_PROGRAMME=off it composes nothing.
 */
export const composeTonight = Effect.fnUntraced(function* () {
  const { houseProgramme, houseSeed } = yield* StationConfig
  const nowMs = yield* Clock.currentTimeMillis
  yield* discardRetired(nowMs)
  const made = yield* (yield* HousePiecesWriter).names
  if (houseProgramme === "off" || !hasRepertoire(made)) return
  for (const song of nightlySongs(houseSeed, Math.floor(nowMs / dayMs)))
    if (!made.has(song.name)) yield* makeHouseWork(song, houseSeed)
  yield* (yield* TracksWriter).retireHousePieces(
    nightlyPrefix,
    houseLibraryMax,
    "Newer pieces of the station took its place.",
    nowMs
  )
})

export const nightJobs = [periodicJob("music.compose_nightly", { next: nextNight, work: composeTonight() })] as const
