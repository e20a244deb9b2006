import { makeId, type ItemId, type PlanId, type TopicId } from "../../../schema/Ids.ts"
import type { PlanTransition } from "../../../schema/programmes/Plan.ts"
import type { Airable, Play, RundownItem } from "../../../schema/air/Rundown.ts"
import { CuePoints } from "../../../schema/Sound.ts"
import { musicHeardMinMs, planOverMaxSec } from "./limits.ts"
import { partStart, type Pause, pauseBefore, type Programme } from "./Programme.ts"
import { draw } from "./Rotation.ts"
import { msOf, msToSamples, sampleOf } from "../../../schema/time/Samples.ts"
import { type Cursor, lengthOf, stepOf } from "./ItemSequence.ts"

/** A plan with the parts that haven't begun. */
export interface Due extends Programme {
  readonly begun?: boolean
}
/** Segments of several agents about one topic. */
export interface TopicTalk {
  readonly topicId: TopicId
  readonly title: string
  readonly airables: ReadonlyArray<Airable>
}
/** One sound of a sequence. An item that an operator inserted has no part of the plan. */
export interface Line {
  readonly airable: Airable
  readonly item: RundownItem | null
  readonly transition: PlanTransition
  readonly pause?: Pause
  readonly part?: { readonly planId: PlanId; readonly itemId: ItemId }
}
/** Sounds that air back to back without idents or fillers between them: a plan from its start on, or a topic in an open speech slot. */
export interface Sequence {
  readonly name: string
  readonly planId: PlanId | null
  readonly topicId: TopicId | null
  readonly startSample: number
  readonly endSample: number
  /** No sound of the sequence plays beyond this sample. */
  readonly limitSample: number
  begun: boolean
  lines: ReadonlyArray<Line>
}
/** The id under which a part of a plan airs. Derived, so that every caller gets the same id. */
export const airIdOf = (planId: PlanId, itemId: ItemId): ItemId => {
  const bytes = new DataView(new ArrayBuffer(12))
  for (let i = 0; i < 3; i++) bytes.setUint32(i * 4, draw(i, 0, `${planId}/${itemId}`))
  return makeId("itm", 0, new Uint8Array(bytes.buffer, 0, 10)) as ItemId
}
const overMs = { trim: 0, defer: planOverMaxSec * 1_000, allow: Number.POSITIVE_INFINITY } as const
export const limitOf = ({ endMs, overrunPolicy }: Pick<Programme, "endMs" | "overrunPolicy">): number =>
  overrunPolicy === "allow" ? Number.POSITIVE_INFINITY : sampleOf(endMs + overMs[overrunPolicy])
/** Whether an operator put the item among the parts of a plan and locked it there. */
const isPut = (item: RundownItem): boolean =>
  item.locked && item.placement._tag === "Flow" && (item.plan === undefined || item.plan.free === true)
const isPartOf = (item: RundownItem, planId: PlanId): boolean => item.plan?.planId === planId && item.plan.free !== true
/**
 * Takes the items of sequences out of the kept items, in order, and adds new parts after the parts that their plan already has there. Items of
 * withdrawn plans are dropped.
 */
export const sequencesOf = (ask: {
  readonly programmes: ReadonlyArray<Due>
  readonly topics: ReadonlyArray<TopicTalk>
  readonly kept: ReadonlyArray<RundownItem>
  readonly cursor: Cursor
  /** Items that an operator removed or holds. */
  readonly omitted: ReadonlySet<ItemId>
}): { readonly sequences: ReadonlyArray<Sequence>; readonly kept: ReadonlyArray<RundownItem> } => {
  const { cursor, omitted } = ask
  let kept = ask.kept.filter(
    (item) =>
      item.plan === undefined ||
      item.plan.free === true ||
      ask.programmes.some(({ planId }) => planId === item.plan!.planId)
  )
  const remove = (taken: ReadonlyArray<RundownItem>) => {
    kept = kept.filter((item) => !taken.includes(item))
  }
  const plans = [...ask.programmes]
    .sort((a, b) => a.startMs - b.startMs)
    .map((programme): Sequence => {
      const { endMs, parts, planId, startMs, title } = programme
      const startSample = sampleOf(startMs)
      const begun = programme.begun === true || cursor.previous?.plan?.planId === planId
      const open = parts.filter(
        ({ itemId }) =>
          !omitted.has(airIdOf(planId, itemId)) &&
          !kept.some((item) => item.plan?.itemId === itemId && item.plan.planId === planId && item.plan.free === true)
      )
      const mine = kept.map((item) => isPartOf(item, planId))
      const first = begun ? 0 : mine.indexOf(true)
      const last = mine.lastIndexOf(true)
      const stood = kept.filter((item, i) => mine[i] || (i >= first && i <= last && isPut(item)))
      const lines: Array<Line> = stood.flatMap((item): ReadonlyArray<Line> => {
        if (!isPartOf(item, planId)) return [{ airable: item.airable, item, transition: "segue" }]
        const part = open.find(({ itemId }) => itemId === item.plan!.itemId)
        if (part !== undefined) return [{ ...part, item, part: { planId, itemId: part.itemId } }]
        // An operator's replacement stands in the part's place.
        return item.locked ? [{ airable: item.airable, item, transition: "segue" }] : []
      })
      open.forEach((part, i) => {
        if (lines.some((line) => line.part?.itemId === part.itemId)) return
        const before = i === 0 ? -1 : lines.findIndex((line) => line.part?.itemId === open[i - 1]!.itemId)
        lines.splice(before + 1, 0, { ...part, item: null, part: { planId, itemId: part.itemId } })
      })
      remove(stood)
      return {
        name: `plan: ${title} (${planId})`,
        planId,
        topicId: null,
        startSample,
        endSample: sampleOf(endMs),
        limitSample: limitOf(programme),
        begun,
        lines
      }
    })
  const ids = [
    ...new Set([
      ...kept.flatMap((item) => (item.topicId === undefined || item.locked ? [] : [item.topicId])),
      ...ask.topics.map(({ topicId }) => topicId)
    ])
  ]
  const topics = ids.map((topicId): Sequence => {
    const stood = kept.filter((item) => item.topicId === topicId && !item.locked)
    const fresh =
      ask.topics
        .find((topic) => topic.topicId === topicId)
        ?.airables.filter(({ segmentId }) => !stood.some((item) => item.airable.segmentId === segmentId)) ?? []
    remove(stood)
    return {
      name: "topic: contributions follow each other",
      planId: null,
      topicId,
      startSample: Number.POSITIVE_INFINITY,
      endSample: Number.POSITIVE_INFINITY,
      limitSample: Number.POSITIVE_INFINITY,
      begun: cursor.previous?.topicId === topicId,
      lines: [
        ...stood.map((item): Line => ({ airable: item.airable, item, transition: "segue" })),
        ...fresh.map((airable): Line => ({ airable, item: null, transition: "segue" }))
      ]
    }
  })
  return { sequences: [...plans, ...topics], kept }
}
export interface Entry {
  readonly line: Line
  readonly startSample: number
  readonly pauseSamples: number
  readonly trace: ReadonlyArray<string>
}
/** Cuts music at the end of its sequence, with a fade. */
const trim = (line: Line, startSample: number, limitSample: number): Line => {
  const { cue } = line.airable
  const segue = cue.cueIn + limitSample - startSample
  return {
    ...line,
    airable: {
      ...line.airable,
      cue: new CuePoints({ ...cue, segue, cueOut: Math.min(cue.cueOut, segue + msToSamples(2_000)) })
    }
  }
}
/**
 * The next item of a sequence and its start. Items without enough time are returned in `left`: speech that would overrun the end, music that would
 * fade at once. `startSample` applies to the first item if it has its own start.
 */
export const takeNextLine = (
  sequence: Sequence,
  cursor: Cursor,
  startSample: number | null,
  left: (line: Line, why: string) => void
): Entry | null => {
  for (let line = sequence.lines[0]; line !== undefined; line = sequence.lines[0]) {
    const at = startSample ?? partStart(cursor, line)
    const room = sequence.limitSample - at
    const fits =
      sequence.begun || at < sequence.endSample
        ? line.airable.speech
          ? lengthOf(line.airable) <= room
          : Math.min(stepOf(line.airable), msToSamples(musicHeardMinMs)) <= room
        : false
    if (fits) {
      const fades = !line.airable.speech && stepOf(line.airable) > room
      return {
        line: fades ? trim(line, at, sequence.limitSample) : line,
        startSample: at,
        pauseSamples: startSample === null && line.pause !== undefined ? pauseBefore(cursor, at) : 0,
        trace: [sequence.name, ...(fades ? ["plan: fades at the end of its time"] : [])]
      }
    }
    left(line, line.airable.speech ? "no time left: a voice is not cut" : "no time left")
    sequence.lines = sequence.lines.slice(1)
  }
  return null
}
/** The music of sequences as future plays, so that rotation keeps its separation from them. */
export const foreseePlays = (sequences: ReadonlyArray<Sequence>, cursor: Cursor): ReadonlyArray<Play> =>
  sequences.flatMap(({ lines, planId, startSample }) =>
    planId === null
      ? []
      : lines.flatMap(({ airable, item }): ReadonlyArray<Play> =>
          airable.role !== "music"
            ? []
            : [
                {
                  atMs: msOf(item?.startSample ?? Math.max(startSample, cursor.atSample)),
                  role: airable.role,
                  assetId: airable.assetId,
                  artist: airable.artist,
                  agentId: airable.agentId,
                  topic: airable.topic
                }
              ]
        )
  )
