import { airGainDb } from "../../../schema/Sound.ts"
import type { RundownItem } from "../../../schema/air/Rundown.ts"
import type { SongRequestStatus } from "../../../schema/music/SongRequest.ts"
import { hardStartToleranceMs } from "../air/limits.ts"
import { requestStatus } from "../music/SongRequest.ts"
import { musicLufs, programmeLuTolerance, programmeStepMaxLu, speechLufs } from "../sound/limits.ts"
import { runAt, runsOf, wallOf } from "../time/WeekSchedule.ts"
import type { Aired, Asked, SimulatedWeek, Stage, Stretch } from "./SimulationInput.ts"
import { msOf, sampleOf } from "../../../schema/time/Samples.ts"
import { lengthOf } from "../air/ItemSequence.ts"

type Rule = "track" | "artist" | "agent" | "topic"
export interface Start {
  readonly id: string
  readonly title: string
  readonly atMs: number
  readonly lateMs: number | null
  readonly why: string
}
export interface SeparationFigures {
  readonly rule: Rule
  /** Airings checked by the rule, and those too close to an earlier one. */
  readonly judged: number
  readonly near: number
  /** Those of them that were requested or planned, or whose trace lists the rule as relaxed. */
  readonly said: number
}
export interface DayFigures {
  readonly day: string
  readonly items: number
  readonly musicSec: number
  readonly speechSec: number
  readonly segments: number
  readonly idents: number
  readonly hourCalls: number
  readonly relaxed: number
  readonly requests: number
  readonly gaps: number
}
const dayMs = 86_400_000
/** An item known later than this before its start can't be kept: the next minute is already with the mixer. */
const knownLateMs = 60_000
const silent = "it did not air"
const secOf = ({ endSample, firstSample }: Aired): number => (endSample - firstSample) / 48_000
const median = (values: ReadonlyArray<number>, share = 0.5): number | null =>
  values.length === 0
    ? null
    : [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!
/** Gini coefficient: 0 if all values are equal, near 1 if one value is everything. */
export const gini = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const sum = sorted.reduce((all, value) => all + value, 0)
  if (sum === 0) return 0
  return sorted.reduce((all, value, i) => all + (2 * (i + 1) - sorted.length - 1) * value, 0) / (sorted.length * sum)
}
const separations = (stage: Stage, aired: ReadonlyArray<Aired>): ReadonlyArray<SeparationFigures> => {
  const { agentMs, artistMs, topicMs, trackMs } = stage.rules.separation
  const rule = (name: Rule, distanceMs: number, key: (item: RundownItem) => string | null): SeparationFigures => {
    const last = new Map<string, number>()
    let [judged, near, said] = [0, 0, 0]
    for (const { item, firstSample } of aired) {
      const same = key(item)
      if (same === null) continue
      const atMs = msOf(firstSample)
      const before = last.get(same)
      last.set(same, atMs)
      if (item.airable.role !== "music") continue
      judged++
      if (before === undefined || atMs - before >= distanceMs) continue
      near++
      if (
        item.locked ||
        item.plan !== undefined ||
        (item.songRequestIds?.length ?? 0) > 0 ||
        item.trace.some((line) => line.startsWith(`relaxed: ${name} `))
      )
        said++
    }
    return { rule: name, judged, near, said }
  }
  return [
    rule("track", trackMs, ({ airable }) => (airable.role === "music" ? airable.assetId : null)),
    rule("artist", artistMs, ({ airable }) => airable.artist),
    rule("agent", agentMs, ({ airable }) => airable.agentId),
    rule("topic", topicMs, ({ airable }) => airable.topic)
  ]
}
/** External cause of a late start, not the planner's fault; null if there is none. */
const excuse = ({ emergencies, holds }: SimulatedWeek, atMs: number, knownAtMs: number): string | null => {
  const isNear = ({ fromMs, toMs }: Stretch) =>
    fromMs <= atMs + knownLateMs && toMs + knownLateMs >= Math.min(knownAtMs, atMs)
  return emergencies.some(
    ({ fromMs, toMs }) => isNear({ fromMs, toMs: Math.min(toMs, atMs) }) && toMs + knownLateMs >= atMs
  )
    ? "an emergency was on"
    : holds.some(isNear)
      ? "contributions were held"
      : knownAtMs > atMs - knownLateMs
        ? "known too late"
        : null
}
const startOf = (
  simulated: SimulatedWeek,
  asked: Pick<Start, "id" | "title" | "atMs"> & {
    readonly knownAtMs: number
    readonly marginMs: number
    readonly hard: boolean
  },
  at: number,
  absent: string
): Start & { readonly broken: boolean } => {
  const { atMs, hard, knownAtMs, marginMs, ...names } = asked
  const one = simulated.aired[at]
  const excused = excuse(simulated, atMs, knownAtMs)
  if (one === undefined)
    return {
      ...names,
      atMs,
      lateMs: null,
      why: excused ?? absent,
      broken: hard && excused === null && absent === silent
    }
  const lateMs = (one.firstSample - sampleOf(atMs)) / 48
  if (hard ? Math.abs(lateMs) <= marginMs : lateMs <= marginMs)
    return { ...names, atMs, lateMs, why: "on time", broken: false }
  const before = simulated.aired[at - 1]
  const voice = before !== undefined && before.item.airable.speech && lateMs > 0 && before.endSample >= one.firstSample
  const other = before?.item.plan !== undefined && before.item.plan.planId !== one.item.plan?.planId
  const why = voice
    ? "a voice is not cut"
    : (excused ?? (other ? "the plan before went on" : (one.item.trace.at(-1) ?? "")))
  return { ...names, atMs, lateMs, why, broken: hard && !voice && !other && excused === null }
}
const placedStarts = (stage: Stage, simulated: SimulatedWeek, tag: "Hard" | "Soft") =>
  simulated.placed.flatMap(({ item, knownAtMs }) => {
    const { placement } = item
    if (placement._tag !== tag || placement.atMs >= stage.toMs) return []
    const marginMs = placement._tag === "Soft" ? placement.maxLateMs : hardStartToleranceMs
    const at = simulated.aired.findIndex((each) => each.item.id === item.id)
    return [
      startOf(
        simulated,
        { id: item.id, title: item.airable.title, atMs: placement.atMs, knownAtMs, marginMs, hard: tag === "Hard" },
        at,
        silent
      )
    ]
  })
const programmesOf = (stage: Stage, simulated: SimulatedWeek) => {
  const starts = simulated.programmes
    .filter(({ programme }) => programme.startMs < stage.toMs)
    .map(({ begun, knownAtMs, left, programme }) => {
      const at = simulated.aired.findIndex(({ item }) => item.plan?.planId === programme.planId)
      const start = startOf(
        simulated,
        {
          id: programme.planId,
          title: programme.title,
          atMs: programme.startMs,
          knownAtMs,
          marginMs: hardStartToleranceMs,
          hard: true
        },
        at,
        programme.parts.length === 0 ? "nothing of it can be heard" : silent
      )
      return { ...start, parts: programme.parts.length, aired: begun.length, left: [...left.values()] }
    })
  const runs = runsOf(stage.grid, stage.zone, stage.fromMs, stage.toMs).filter(
    ({ block, startMs }) => block.bookable && startMs >= stage.fromMs && startMs < stage.toMs
  )
  return {
    starts,
    bookable: runs.length,
    unplanned: runs.filter(
      ({ endMs, startMs }) =>
        !simulated.programmes.some(({ programme }) => programme.startMs >= startMs && programme.startMs < endMs)
    ).length
  }
}
/** Deviation of each sound from its loudness, with its gain on the air. A step is the difference of two neighbours' deviations. */
const loudnessOf = ({ loudness }: Stage, aired: ReadonlyArray<Aired>) => {
  const heard = aired.map(
    ({
      firstSample,
      item: {
        airable: { assetId, speech, title }
      }
    }) => {
      const aimLufs = speech ? speechLufs : musicLufs
      const stored = loudness.get(assetId) ?? null
      return {
        atMs: msOf(firstSample),
        assetId,
        title,
        aimLufs,
        lufs: stored === null ? null : stored + airGainDb(stored, aimLufs, programmeLuTolerance)
      }
    }
  )
  const measured = heard.flatMap(({ lufs, ...one }) => (lufs === null ? [] : [{ ...one, lufs }]))
  const off = measured.filter(
    ({ aimLufs, assetId, lufs }, i) =>
      Math.abs(lufs - aimLufs) > programmeLuTolerance && measured.findIndex((one) => one.assetId === assetId) === i
  )
  const missOf = (one: (typeof heard)[number] | undefined) =>
    one === undefined || one.lufs === null ? null : one.lufs - one.aimLufs
  const steps = heard.flatMap((one, i) => {
    const { atMs, title } = one
    const miss = missOf(one)
    const stepLu = miss === null ? null : miss - (missOf(heard[i - 1]) ?? miss)
    return stepLu !== null && Math.abs(stepLu) > programmeStepMaxLu ? [{ atMs, title, stepLu }] : []
  })
  return { measured: measured.length, off, steps }
}
const requestsOf = (requests: ReadonlyArray<Asked>) => {
  const waits = requests.flatMap(({ askedAtMs, heardAtMs }) =>
    heardAtMs === null ? [] : [(heardAtMs - askedAtMs) / 60_000]
  )
  const count = (status: SongRequestStatus) =>
    requests.filter(({ airing }) => requestStatus[airing.state] === status).length
  return {
    asked: requests.length,
    heard: count("fulfilled"),
    expired: count("expired"),
    cancelled: count("cancelled"),
    waiting: count("pending") + count("scheduled"),
    medianMin: median(waits),
    p90Min: median(waits, 0.9)
  }
}
/** Figures of a simulation; `broken` lists the violated guarantees. */
export const figuresOf = (stage: Stage, simulated: SimulatedWeek) => {
  const { aired } = simulated
  const sumBy = (key: (one: Aired) => string | null) =>
    aired.reduce((sums, one) => {
      const name = key(one)
      return name === null ? sums : sums.set(name, (sums.get(name) ?? 0) + secOf(one))
    }, new Map<string, number>())
  const music = aired.filter(({ item }) => item.airable.role === "music")
  const classes = new Map(stage.tracks.map(({ airable, rotationClass }) => [airable.assetId, rotationClass]))
  const shares = Object.entries(stage.rules.shares)
  const goals = shares.reduce((sum, [, share]) => sum + share, 0)
  const picked = music.filter(({ item }) => item.trace.some((line) => line.startsWith("rotation: ")))
  const contributors = new Set(stage.tracks.flatMap(({ airable }) => airable.agentId ?? []))
  const airtime = sumBy(({ item }) => item.airable.agentId)
  const musicOf = new Map(
    [...contributors].map((agentId) => [
      agentId,
      music.filter(({ item }) => item.airable.agentId === agentId).reduce((sum, one) => sum + secOf(one), 0)
    ])
  )
  const plays = [
    ...music
      .reduce(
        (counts, { item }) => counts.set(item.airable.assetId, (counts.get(item.airable.assetId) ?? 0) + 1),
        new Map<string, number>()
      )
      .values()
  ]
  const hard = placedStarts(stage, simulated, "Hard")
  const soft = placedStarts(stage, simulated, "Soft")
  const programmes = programmesOf(stage, simulated)
  const separation = separations(stage, aired)
  const loudness = loudnessOf(stage, aired)
  const firstDay = Math.floor(wallOf(stage.zone, stage.fromMs) / dayMs)
  const dayOf = (atMs: number) => Math.floor(wallOf(stage.zone, atMs) / dayMs) - firstDay
  const spans = Array.from({ length: dayOf(stage.toMs - 1) + 1 }, (_, day) =>
    aired.filter(({ firstSample }) => dayOf(msOf(firstSample)) === day)
  )
  const sum = (some: ReadonlyArray<Aired>) => some.reduce((all, one) => all + secOf(one), 0)
  const days = spans.map((some, day): DayFigures => ({
    day: new Date((firstDay + day) * dayMs).toISOString().slice(0, 10),
    items: some.length,
    musicSec: sum(some.filter(({ item }) => !item.airable.speech)),
    speechSec: sum(some.filter(({ item }) => item.airable.speech)),
    segments: some.filter(({ item }) => item.airable.role === "segment").length,
    idents: some.filter(({ item }) => item.airable.role === "ident").length,
    hourCalls: some.filter(({ item }) => item.airable.role === "hour_call").length,
    relaxed: some.filter(({ item }) => item.trace.some((line) => line.startsWith("relaxed: "))).length,
    requests: some.filter(({ item }) => (item.songRequestIds?.length ?? 0) > 0).length,
    gaps: simulated.gaps.filter(({ fromMs }) => dayOf(fromMs) === day).length
  }))
  const blocks = aired.reduce((sums, one) => {
    const { block } = runAt(stage.grid, stage.zone, msOf(one.firstSample))
    return sums.set(block.kind, (sums.get(block.kind) ?? 0) + secOf(one))
  }, new Map<string, number>())
  const speechSec = sum(aired.filter(({ item }) => item.airable.speech))
  const broken = [
    ...simulated.gaps.map(
      ({ fromMs, toMs }) => `nothing to hear for ${toMs - fromMs} ms at ${new Date(fromMs).toISOString()}`
    ),
    ...simulated.twoVoices.map((atMs) => `two voices at ${new Date(atMs).toISOString()}`),
    ...[...hard, ...programmes.starts]
      .filter((start) => start.broken)
      .map(
        ({ atMs, lateMs, title, why }) =>
          `${title} was to begin at ${new Date(atMs).toISOString()} and ${lateMs === null ? "did not air" : `was ${Math.round(lateMs)} ms late`}: ${why}`
      ),
    ...loudness.off.map(({ aimLufs, lufs, title }) => `${title} has ${lufs.toFixed(1)} LUFS, not ${aimLufs}`)
  ]
  return {
    fromMs: stage.fromMs,
    toMs: stage.toMs,
    zone: stage.zone,
    items: aired.length,
    plans: simulated.plans,
    broken,
    gaps: simulated.gaps,
    twoVoices: simulated.twoVoices.length,
    emergencies: simulated.emergencies,
    holds: simulated.holds,
    skipped: simulated.skipped,
    hard,
    soft,
    programmes,
    separation,
    loudness,
    days,
    fairness: {
      classes: shares.map(([name, share]) => ({
        name,
        goal: share / goals,
        picks:
          picked.filter(({ item }) => classes.get(item.airable.assetId) === name).length / Math.max(1, picked.length),
        airtime: sum(music.filter(({ item }) => classes.get(item.airable.assetId) === name)) / Math.max(1, sum(music))
      })),
      contributors: contributors.size,
      unheard: [...musicOf.values()].filter((sec) => sec === 0).length,
      gini: gini([...musicOf.values()]),
      most: [...airtime]
        .sort((a, b) => b[1] - a[1])
        .slice(0, 5)
        .map(([agentId, sec]) => ({ agentId, sec }))
    },
    repeats: {
      tracks: plays.length,
      once: plays.filter((count) => count === 1).length,
      most: Math.max(0, ...plays),
      medianPlays: median(plays)
    },
    requests: requestsOf(simulated.requests),
    speech: {
      share: speechSec / Math.max(1, sum(aired)),
      segments: aired.filter(({ item }) => item.airable.role === "segment").length,
      cut: aired.filter(({ complete, item }) => !complete && lengthOf(item.airable) > 0).length,
      waiting: simulated.waiting.length
    },
    kinds: [...blocks].map(([kind, sec]) => ({ kind, sec }))
  }
}
export type Figures = ReturnType<typeof figuresOf>
