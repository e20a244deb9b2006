import { makeId, type ItemId, type PlanId, type TopicId } from "../../../schema/Ids.ts"
import type { PlanTransition } from "../../../schema/programmes/Plan.ts"
import type { Airable, Play, RundownItem } from "../../../schema/air/Rundown.ts"
import { CuePoints } from "../../../schema/Sound.ts"
import { musicHeardMinMs, planOverMaxSec } from "./limits.ts"
import { partStart, type Pause, pauseBefore, type Programme } from "./Programme.ts"
import { draw } from "./Rotation.ts"
import { msOf, msToSamples, sampleOf } from "../../../schema/time/Samples.ts"
import { type Cursor, lengthOf, stepOf } from "./Timing.ts"

/** A programme as far as it has come: its parts are those that haven't begun. */
export interface Due extends Programme {
  readonly begun?: boolean
}
/** What several agents said about one topic. */
export interface TopicTalk {
  readonly topicId: TopicId
  readonly title: string
  readonly airables: ReadonlyArray<Airable>
}
/** One sound of a sequence. What an operator put between two of them comes with its item alone. */
export interface Line {
  readonly airable: Airable
  readonly item: RundownItem | null
  readonly transition: PlanTransition
  readonly pause?: Pause
  readonly part?: { readonly planId: PlanId; readonly itemId: ItemId }
}
/** Sounds that air one after the other with nothing of the station's between them: a plan from its start on, or a topic where words have room. */
export interface Sequence {
  readonly name: string
  readonly planId: PlanId | null
  readonly topicId: TopicId | null
  readonly startSample: number
  readonly endSample: number
  /** Nothing of it is heard from here on. */
  readonly limitSample: number
  begun: boolean
  lines: ReadonlyArray<Line>
}
/** The item that a part of a plan airs as, wherever and how often that is asked. */
export const airIdOf = (planId: PlanId, itemId: ItemId): ItemId => {
  const bytes = new DataView(new ArrayBuffer(12))
  for (let i = 0; i < 3; i++) bytes.setUint32(i * 4, draw(i, 0, `${planId}/${itemId}`))
  return makeId("itm", 0, new Uint8Array(bytes.buffer, 0, 10)) as ItemId
}
const overMs = { trim: 0, defer: planOverMaxSec * 1_000, allow: Number.POSITIVE_INFINITY } as const
export const limitOf = ({ endMs, overrunPolicy }: Pick<Programme, "endMs" | "overrunPolicy">): number =>
  overrunPolicy === "allow" ? Number.POSITIVE_INFINITY : sampleOf(endMs + overMs[overrunPolicy])
/** Locked in its turn: where an operator put it among the parts of a plan, it airs among them. */
const isPut = (item: RundownItem): boolean =>
  item.locked && item.placement._tag === "Flow" && (item.plan === undefined || item.plan.free === true)
const isPartOf = (item: RundownItem, planId: PlanId): boolean => item.plan?.planId === planId && item.plan.free !== true
/**
 * Takes out of what is kept all that belongs to sequences, in its order, and puts what is new into its place: behind what a plan has
 * before it. What belongs to a plan that is no more is left out.
 */
export const sequencesOf = (ask: {
  readonly programmes: ReadonlyArray<Due>
  readonly topics: ReadonlyArray<TopicTalk>
  readonly kept: ReadonlyArray<RundownItem>
  readonly cursor: Cursor
  /** Items that an operator took out or holds. */
  readonly omitted: ReadonlySet<ItemId>
}): { readonly sequences: ReadonlyArray<Sequence>; readonly kept: ReadonlyArray<RundownItem> } => {
  const { cursor, omitted } = ask
  let kept = ask.kept.filter(
    (item) =>
      item.plan === undefined ||
      item.plan.free === true ||
      ask.programmes.some(({ planId }) => planId === item.plan!.planId)
  )
  const without = (taken: ReadonlyArray<RundownItem>) => {
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
        // What an operator put in the place of a part has it now.
        return item.locked ? [{ airable: item.airable, item, transition: "segue" }] : []
      })
      open.forEach((part, i) => {
        if (lines.some((line) => line.part?.itemId === part.itemId)) return
        const before = i === 0 ? -1 : lines.findIndex((line) => line.part?.itemId === open[i - 1]!.itemId)
        lines.splice(before + 1, 0, { ...part, item: null, part: { planId, itemId: part.itemId } })
      })
      without(stood)
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
    without(stood)
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
/** Music that would go on past where its sequence has to end fades there. */
const trimmed = (line: Line, startSample: number, limitSample: number): Line => {
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
 * The next of a sequence, and where it begins. What has no time left is left out, said in `left`: a voice that would speak past the
 * end, music that would have to fade before it is heard. `startSample` where the first one has its own.
 */
export const nextLine = (
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
        line: fades ? trimmed(line, at, sequence.limitSample) : line,
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
/** Its music as if it had been heard already, so that rotation keeps away from it. */
export const foreseen = (sequences: ReadonlyArray<Sequence>, cursor: Cursor): ReadonlyArray<Play> =>
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
