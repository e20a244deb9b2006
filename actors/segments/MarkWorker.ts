import { Effect } from "effect"
import { markRoundAssetsMax } from "../../engine/rules/segments/limits.ts"
import { Prepare } from "../../engine/ports/Prepare.ts"
import { Assets } from "../../engine/store/sound/Assets.ts"
import type { AssetId } from "../../schema/Ids.ts"
import { backOff, jobHandler } from "../runtime/Jobs.ts"
import { MarkFiles } from "./protocol/Jobs.ts"

/**
 * Writes the synthetic marks into files made before their mark was known: recordings declared later, and files of older versions. One at a
 * time. The job is retried when a file can't be written.
 */
const markFiles = Effect.fnUntraced(function* () {
  const assets = yield* Assets
  const prepare = yield* Prepare
  let after: AssetId | null = null
  let fault: string | null = null
  for (;;) {
    const page: ReadonlyArray<Parameters<typeof assets.setMarked>[0]> = yield* assets.listUnmarked(
      after,
      markRoundAssetsMax
    )
    for (const asset of page) {
      yield* Effect.matchEffect(prepare.mark(asset), {
        onFailure: ({ detail }) => Effect.sync(() => void (fault = `${asset.id}: ${detail}`)),
        onSuccess: () => assets.setMarked(asset)
      })
    }
    if (page.length < markRoundAssetsMax) break
    after = page.at(-1)!.id
  }
  if (fault !== null) yield* Effect.fail(new Error(fault))
})

export const markJobs = [jobHandler(MarkFiles, { restMs: backOff(10_000, 3_600_000), work: markFiles })] as const
