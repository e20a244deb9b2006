import { Effect } from "effect"
import { markRoundAssetsMax } from "../../engine/rules/segments/limits.ts"
import { Prepare } from "../../engine/ports/Prepare.ts"
import { Assets } from "../../engine/store/sound/Assets.ts"
import type { AssetId } from "../../schema/Ids.ts"
import { backOff, jobHandler } from "../runtime/Jobs.ts"
import { MarkFiles } from "./protocol/Jobs.ts"

/**
 * Marks the files of sounds that were made before their mark was known: recordings whose agents have declared them since, and all that an
 * older version of the station made. One after the other; where files can't be written now, the job is tried again.
 */
const markFiles = Effect.fn("Marks.write")(function* () {
  const assets = yield* Assets
  const prepare = yield* Prepare
  let after: AssetId | null = null
  let fault: string | null = null
  for (;;) {
    const page: ReadonlyArray<Parameters<typeof assets.marked>[0]> = yield* assets.unmarked(after, markRoundAssetsMax)
    for (const asset of page) {
      yield* Effect.matchEffect(prepare.mark(asset), {
        onFailure: ({ detail }) => Effect.sync(() => void (fault = `${asset.id}: ${detail}`)),
        onSuccess: () => assets.marked(asset)
      })
    }
    if (page.length < markRoundAssetsMax) break
    after = page.at(-1)!.id
  }
  if (fault !== null) yield* Effect.fail(new Error(fault))
})

export const markJobs = [jobHandler(MarkFiles, { restMs: backOff(10_000, 3_600_000), work: markFiles })] as const
