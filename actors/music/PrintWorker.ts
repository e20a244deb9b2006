import { Effect } from "effect"
import { UploadSound } from "../../engine/ports/UploadSound.ts"
import { printsAtOnce, printsTakenMinutes } from "../../engine/rules/music/limits.ts"
import { SoundPrints } from "../../engine/store/sound/SoundPrints.ts"
import { repeatEvery, periodicJob } from "../runtime/Jobs.ts"

/**
 * Takes the fingerprints of music that the station made: house pieces and pieces for agents, by which a copy that somebody uploads is found. A few at a
 * time, in the background; older libraries are caught up with. A full disk is no fault of the sound: the next run tries again.
 */
export const printSounds = Effect.fnUntraced(function* () {
  const prints = yield* SoundPrints
  const sound = yield* UploadSound
  for (const id of yield* prints.listMissing(printsAtOnce)) yield* prints.keep(id, yield* sound.fingerprint(id))
})

export const printJobs = [
  periodicJob("music.print_sounds", { next: repeatEvery(printsTakenMinutes * 60_000), work: printSounds() })
] as const
