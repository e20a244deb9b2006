import { AirItem, AirPlan, type StagedSound } from "../../../schema/air/Air.ts"
import { ScriptItem, type ScriptLine, ScriptPlan, ScriptState, type ScriptStep } from "../../../schema/air/AirScript.ts"
import { AirState, type AirStep } from "../../../schema/air/AirStep.ts"
import type { AssetId } from "../../../schema/Ids.ts"

const scriptPlanOf = (plan: AirPlan): ScriptPlan =>
  new ScriptPlan({
    ...plan,
    // Words stay with their sounds.
    items: plan.items.map(
      ({ bed, itemId, label, pauseSamples, sound, speech, startSample, trace }) =>
        new ScriptItem({
          itemId,
          label,
          assetId: sound.assetId,
          bedAssetId: bed?.assetId ?? null,
          startSample,
          speech,
          trace,
          ...(pauseSamples === undefined ? {} : { pauseSamples })
        })
    )
  })

/** A state for other processes: sounds by their ids. */
export const scriptStateOf = (state: AirState): ScriptState =>
  new ScriptState({
    ...state,
    plan: state.plan === null ? null : scriptPlanOf(state.plan),
    library: state.library.map(({ assetId }) => assetId)
  })

/** A step for other processes. */
export const scriptStepOf = (step: AirStep): ScriptStep =>
  step._tag === "Planned" ? { ...step, plan: scriptPlanOf(step.plan) } : step

const assetsOfPlan = (plan: ScriptPlan | null): ReadonlyArray<AssetId> =>
  (plan?.items ?? []).flatMap(({ assetId, bedAssetId }) => [assetId, ...(bedAssetId === null ? [] : [bedAssetId])])

/** All sounds that a step or the state after it names, those that are needed first in front. */
export const assetsOf = ({ state, step }: Pick<ScriptLine, "state" | "step">): ReadonlyArray<AssetId> => [
  ...new Set([
    ...assetsOfPlan(state.plan),
    ...(step._tag === "Planned" ? assetsOfPlan(step.plan) : []),
    ...state.library
  ])
]

/** Sounds of the items that are heard between two samples, by the plans of these lines, the earliest first. Those that are unknown here are left out. */
export const listSoundsBetween = (
  lines: ReadonlyArray<ScriptLine>,
  find: FindSound,
  fromSample: number,
  toSample: number
): ReadonlyArray<AssetId> => {
  const endOf = ({ assetId, startSample }: ScriptItem) => {
    const cue = find(assetId)?.sound.cue
    return cue === undefined ? Number.NEGATIVE_INFINITY : startSample + cue.cueOut - cue.cueIn
  }
  const items = lines
    .flatMap(({ state, step }) => [state.plan, step._tag === "Planned" ? step.plan : null])
    .flatMap((plan) => plan?.items ?? [])
    .filter((item) => item.startSample < toSample && endOf(item) > fromSample)
    .toSorted((a, b) => a.startSample - b.startSample)
  const ids = items.flatMap(({ assetId, bedAssetId }) => [assetId, bedAssetId])
  return [...new Set(ids.filter((id) => id !== null))].filter((id) => find(id) !== undefined)
}

/** Finds a sound on this process's disk, with its words. */
export type FindSound = (
  assetId: AssetId
) => { readonly sound: StagedSound; readonly words: NonNullable<AirItem["words"]> } | undefined

/** An item whose sound is unknown here is left out. */
const airPlanOf = (plan: ScriptPlan, find: FindSound): AirPlan =>
  new AirPlan({
    ...plan,
    items: plan.items.flatMap(({ assetId, bedAssetId, ...item }) => {
      const found = find(assetId)
      const bed = bedAssetId === null ? null : (find(bedAssetId)?.sound ?? null)
      return found === undefined ? [] : [new AirItem({ ...item, ...found, bed })]
    })
  })

export const airStateOf = (state: ScriptState, find: FindSound): AirState =>
  new AirState({
    ...state,
    plan: state.plan === null ? null : airPlanOf(state.plan, find),
    library: state.library.flatMap((assetId) => find(assetId)?.sound ?? [])
  })

export const airStepOf = (step: ScriptStep, find: FindSound): AirStep =>
  step._tag === "Planned" ? { ...step, plan: airPlanOf(step.plan, find) } : step

/** Whether a line continues the one before: then a follower applies it and goes on. */
export const continuesLine = (before: ScriptLine, line: ScriptLine): boolean =>
  line.owner === before.owner && line.number === before.number + 1 && line.step._tag !== "Taken"

/**
 * Where a chain may begin whose first sample is `firstSample`: with the state after the last line that was in force by then, and the steps after it.
 * Null if the lines begin later, or have a gap.
 */
export const beginningOf = (
  lines: ReadonlyArray<ScriptLine>,
  firstSample: number
): { readonly line: ScriptLine; readonly rest: ReadonlyArray<ScriptLine> } | null => {
  const at = lines.findLastIndex(({ step }) => step.atSample <= firstSample)
  const line = lines[at]
  if (line === undefined) return null
  const rest = lines.slice(at + 1)
  return rest.every((each, n) => continuesLine(n === 0 ? line : rest[n - 1]!, each)) ? { line, rest } : null
}
