import type { GridRevision, HourClock } from "../../../schema/programmes/Block.ts"
import { type AnnouncementId, type ItemId, makeId, type PlanId } from "../../../schema/Ids.ts"
import { type Airable, type Candidate, type Placement, type Play, RundownItem } from "../../../schema/air/Rundown.ts"
import { backtimeQuietMs, hourCallLateMaxMs, rundownFrozenMs, rundownItemsMax, talkOverMaxMs } from "./limits.ts"
import type { Break } from "./Announcer.ts"
import { findFixedStart, selectLanding, canStillBegin } from "./Backtime.ts"
import { isFillerDue, findDueHourCall, isIdentDue, type Past, isSpeechOpen, wheelOf } from "./Clockwheel.ts"
import { nextHourTop, type Occurrence, runsOf } from "../time/WeekSchedule.ts"
import {
  admissionRefusal,
  listAwaitedArtists,
  isCrowding,
  forRequest,
  isPunctual,
  isRequested,
  isRotation,
  joinRequests,
  type Requested
} from "./RequestAdmission.ts"
import { draw, hasSlipped, pick, type RotationRules } from "./Rotation.ts"
import { noMusic } from "./Rundown.ts"
import {
  airIdOf,
  type Due,
  type Entry,
  foreseePlays,
  type Line,
  takeNextLine,
  type Sequence,
  sequencesOf,
  type TopicTalk
} from "./Sequence.ts"
import { msOf, msToSamples, sampleOf } from "../../../schema/time/Samples.ts"
import { type Cursor, cursorAfter, earliestStart, endOf, lengthOf, stepOf } from "./ItemSequence.ts"

/** An announcement that may air. */
export type Announced = Airable & { readonly announcement: NonNullable<Airable["announcement"]> }
/** The item as which an announcement airs. Derived, so that it airs once, whoever plans it. */
export const announcedItemId = (id: AnnouncementId): ItemId => `itm_${id.slice(4)}`
const promisedBy = (item: RundownItem | null): ItemId | null => item?.airable.announcement?.beforeItemId ?? null
/** Candidates of the planner: bounded lists, best first. */
export interface Pool {
  readonly music: ReadonlyArray<Candidate>
  readonly idents: ReadonlyArray<Airable>
  readonly hourCalls: ReadonlyArray<{ readonly hour: number; readonly airable: Airable }>
  /** The station's own words, oldest first. */
  readonly announcements?: ReadonlyArray<Announced>
  readonly beds: ReadonlyArray<Airable>
}
export interface PlanAsk {
  readonly nowMs: number
  readonly zone: string
  /** The week schedule with its revisions within the planned time. */
  readonly week: ReadonlyArray<GridRevision>
  readonly rules: RotationRules
  readonly turn: number
  readonly cursor: Cursor
  /** Planned items that haven't begun, in order. */
  readonly kept: ReadonlyArray<RundownItem>
  /** Queued segments, and requested songs without a place, each in order of arrival. */
  readonly queued: ReadonlyArray<Airable>
  readonly requested?: ReadonlyArray<Requested>
  /** Agents' plans for the next hours that haven't begun, without items that an operator removed or holds. */
  readonly programmes?: ReadonlyArray<Due>
  readonly omitted?: ReadonlySet<ItemId>
  /** Topics with enough contributions. */
  readonly topics?: ReadonlyArray<TopicTalk>
  readonly pool: Pool
  readonly plays: ReadonlyArray<Play>
  /** While held, contributions wait and only house material airs. */
  readonly held: boolean
  readonly untilSample: number
  readonly itemsMin: number
  readonly itemsMax?: number
}
export interface Plan extends Pick<PlanAsk, "turn"> {
  readonly items: ReadonlyArray<RundownItem>
  /** Items of plans that were left out for lack of time. */
  readonly left: ReadonlyArray<{ readonly planId: PlanId; readonly itemId: ItemId; readonly why: string }>
  /** Boundaries where an announcement is due and none fits. */
  readonly breaks: ReadonlyArray<Break>
}
const isValid = (airable: Airable, atMs: number): boolean =>
  (airable.validFromMs === null || airable.validFromMs <= atMs) &&
  (airable.validUntilMs === null || atMs < airable.validUntilMs)
/** Chosen anew by each plan. What surrounds an announcement makes it true, so nobody can lock its place. */
const isClockMade = (item: RundownItem): boolean => item.airable.announcement !== undefined || isOfWheel(item)
const isOfWheel = (item: RundownItem): boolean =>
  !item.locked &&
  item.plan === undefined &&
  item.placement._tag === "Flow" &&
  item.airable.role !== "music" &&
  item.airable.role !== "segment"
interface Choice {
  readonly airable: Airable
  readonly item: RundownItem | null
  readonly placement: Placement
  readonly startSample: number | null
  readonly trace: ReadonlyArray<string>
  readonly songRequestIds?: RundownItem["songRequestIds"]
  /** The sequence that this is the next item of. */
  readonly entry?: Entry & { readonly sequence: Sequence }
}
const flow: Placement = { _tag: "Flow" }
/**
 * Plans the rundown from the cursor on. Kept items stay in order, segments take the next open speech slot, the clock places idents and hour calls,
 * requests replace songs that rotation chose, and rotation fills the rest. Without music, beds and fillers continue. An agent's plan begins at its
 * own sample, and the planner inserts nothing into it, not even an hour call. Deterministic: equal input gives an equal plan.
 */
export const compose = (ask: PlanAsk): Plan => {
  // A preview is true if its item follows. Where something else had to follow, the plan is made without it.
  let announcements = ask.pool.announcements ?? []
  for (;;) {
    const plan = composed({ ...ask, pool: { ...ask.pool, announcements } })
    const broken = plan.items.filter(
      (item, i) => promisedBy(item) !== null && plan.items[i + 1]?.id !== promisedBy(item)
    )
    if (broken.length === 0) return plan
    announcements = announcements.filter(({ assetId }) => !broken.some(({ airable }) => airable.assetId === assetId))
  }
}
const composed = (ask: PlanAsk): Plan => {
  const { held, pool, rules, week, zone } = ask
  const items: Array<RundownItem> = []
  const left: Array<Plan["left"][number]> = []
  const breaks: Array<Break> = []
  /** A break at the boundary that is being filled; it ends with the next item. */
  let due: Omit<Break, "beforeItemId"> | null = null
  const spares = ask.kept.filter(isClockMade)
  const join = joinRequests(ask.kept, held ? [] : (ask.requested ?? []))
  let asked = join.left
  const { kept: flowing, sequences } = sequencesOf({
    programmes: held ? [] : (ask.programmes ?? []),
    topics: held ? [] : (ask.topics ?? []),
    omitted: ask.omitted ?? new Set(),
    cursor: ask.cursor,
    kept: ask.kept
      .map((item, i) => (join.ids.has(i) ? new RundownItem({ ...item, songRequestIds: join.ids.get(i)! }) : item))
      .filter((item) => !isClockMade(item) && !(held && item.airable.role === "segment"))
  })
  let kept = flowing
  let waiting: ReadonlyArray<Choice> = held
    ? []
    : [
        ...kept
          .filter((item) => item.airable.role === "segment" && !item.locked && item.placement._tag === "Flow")
          .map((item): Choice => ({
            airable: item.airable,
            item,
            placement: item.placement,
            startSample: null,
            trace: item.trace
          })),
        ...ask.queued.map((airable): Choice => ({
          airable,
          item: null,
          placement: flow,
          startSample: null,
          trace: ["queued segment: next open speech slot"]
        }))
      ]
  kept = kept.filter((item) => !waiting.some((choice) => choice.item === item))
  const plays = [...ask.plays]
  const past: Array<Past[number]> = ask.plays.map((play) => ({ role: play.role, startMs: play.atMs }))
  const runs = runsOf(week, zone, ask.nowMs, Math.max(msOf(ask.untilSample), ask.nowMs) + 4 * 3_600_000)
  const reachable = sampleOf(ask.nowMs) + msToSamples(rundownFrozenMs)
  const runAt = (atMs: number) => runs.findLast((one) => one.startMs <= atMs) ?? runs[0]!
  let { cursor, turn } = ask
  const announcements = [...(held ? [] : (pool.announcements ?? []))]
  /** The item that the announcement before it promised. */
  let promised = promisedBy(cursor.previous)

  const keep = (item: RundownItem, trace: ReadonlyArray<string>, startSample: number | null): Choice => {
    kept = kept.filter((other) => other !== item)
    return { airable: item.airable, item, placement: item.placement, startSample, trace }
  }
  /** The candidate of this kind that aired longest ago. */
  const pickFreshest = (
    airables: ReadonlyArray<Airable>,
    why: string,
    fits: (airable: Airable) => boolean
  ): Choice | null => {
    const rated = airables
      .filter(fits)
      .map((airable) => ({
        airable,
        last: plays.findLast((play) => play.assetId === airable.assetId)?.atMs ?? Number.NEGATIVE_INFINITY,
        chance: draw(rules.seed, 0, airable.assetId)
      }))
      .sort((a, b) => (a.last === b.last ? a.chance - b.chance : a.last - b.last))
    const [best] = rated
    if (best === undefined) return null
    const spare = spares.findIndex((item) => item.airable.assetId === best.airable.assetId)
    return {
      airable: best.airable,
      item: spare < 0 ? null : spares.splice(spare, 1)[0]!,
      placement: flow,
      startSample: null,
      trace: [why]
    }
  }
  const listFixed = () =>
    kept.filter((item) => item.placement._tag === "Hard").sort((a, b) => hardMs(a) - hardMs(b))[0] ?? null

  const leave = (line: Line, why: string): void => {
    if (line.part !== undefined) left.push({ ...line.part, why })
    else if (line.item !== null) kept = [line.item, ...kept]
  }
  const take = (sequence: Sequence, startSample: number | null): Choice | null => {
    const entry = takeNextLine(sequence, cursor, startSample, leave)
    return entry === null
      ? null
      : {
          airable: entry.line.airable,
          item: entry.line.item,
          startSample: entry.startSample,
          entry: { ...entry, sequence },
          placement: startSample === null ? flow : { _tag: "Hard", atMs: msOf(sequence.startSample) },
          trace: [
            ...(entry.line.item?.trace ?? []).filter(
              (line) => entry.line.part === undefined || line.includes("by an operator")
            ),
            ...entry.trace,
            ...(startSample === null
              ? []
              : [
                  startSample === sequence.startSample
                    ? "hard: exact"
                    : "hard: late, a voice is not cut or its time had come"
                ])
          ]
        }
  }
  /** First sample of the next plan: its start, or the end of a plan that may overrun. A late plan fades the current sound. */
  const startOf = ({ planId, startSample }: Sequence): number => {
    const before = cursor.previous?.plan
    const goesOn =
      before !== undefined &&
      before.planId !== planId &&
      ask.programmes?.some((one) => one.planId === before.planId && one.overrunPolicy !== "trim") === true
    return Math.max(startSample, goesOn ? cursor.atSample : 0, startSample < reachable ? reachable : 0)
  }

  const choose = (run: Occurrence, wheel: HourClock): Choice | null => {
    const atMs = msOf(cursor.atSample)
    const hard = listFixed()
    const ordered = hard === null ? Number.POSITIVE_INFINITY : sampleOf(hardMs(hard))
    const under = sequences.filter((one) => one.begun && one.lines.length > 0)
    const upcoming = sequences.find((one) => !one.begun && one.planId !== null && one.lines.length > 0) ?? null
    const goesOn =
      upcoming !== null &&
      under.some(({ limitSample, planId }) => planId !== null && limitSample > upcoming.startSample)
    const planSample = upcoming === null || goesOn ? Number.POSITIVE_INFINITY : startOf(upcoming)
    const hardSample = Math.min(ordered, planSample)
    const canEndBefore = (airable: Airable, sample: number): boolean =>
      !airable.speech || earliestStart(cursor, airable) + lengthOf(airable) <= sample
    const isAllowed = (airable: Airable): boolean => isValid(airable, atMs) && canEndBefore(airable, hardSample)
    if (hard !== null && ordered <= planSample) {
      const start = findFixedStart(cursor, hard.airable, ordered)
      if (start !== null)
        return keep(hard, [...hard.trace, start === ordered ? "hard: exact" : "hard: late, a voice is not cut"], start)
    }
    if (upcoming !== null && !goesOn) {
      const { airable } = upcoming.lines[0]!
      const start = findFixedStart(cursor, airable, planSample)
      if (start !== null && (!airable.speech || start >= ordered || start + lengthOf(airable) <= ordered))
        return take(upcoming, start) ?? choose(run, wheel)
    }
    for (const sequence of under) {
      const next = take(sequence, null)
      const until = sequence.planId === null ? hardSample : ordered
      if (
        next !== null &&
        (next.airable.speech
          ? next.startSample! + lengthOf(next.airable) <= until
          : canStillBegin(next.airable, cursor, until))
      )
        return next
    }
    if (goesOn && under.every(({ lines }) => lines.length === 0)) return choose(run, wheel)
    const announcedNext = promised === null ? undefined : kept.find(({ id }) => id === promised)
    if (
      announcedNext !== undefined &&
      isAllowed(announcedNext.airable) &&
      canStillBegin(announcedNext.airable, cursor, hardSample)
    )
      return keep(announcedNext, announcedNext.trace, null)
    const head = kept[0]
    if (
      head !== undefined &&
      head.locked &&
      head.placement._tag === "Flow" &&
      isAllowed(head.airable) &&
      canStillBegin(head.airable, cursor, hardSample)
    ) {
      return keep(head, head.trace, null)
    }
    const timed =
      kept.find((item) => item.placement._tag === "Soft" && item.placement.atMs <= atMs) ??
      kept.find(
        (item) =>
          item.placement._tag === "By" &&
          (isSpeechOpen(wheel, past) || item.placement.beforeMs - atMs < hourCallLateMaxMs)
      )
    if (timed !== undefined && isAllowed(timed.airable)) {
      const late =
        timed.placement._tag === "Soft" && atMs - timed.placement.atMs > timed.placement.maxLateMs
          ? ", later than its margin"
          : ""
      return keep(timed, [...timed.trace, `${timed.placement._tag.toLowerCase()}: at the first boundary${late}`], null)
    }

    /** The song that ends here: nothing has been said since. */
    const song = cursor.previous?.airable.role === "music" ? cursor.previous : null
    /** Where an announcement would begin: when the song before it is over, so that it was heard whole. */
    const announcedAt = (one: Announced): number =>
      Math.max(earliestStart(cursor, one), song === null ? 0 : endOf(song))
    const fits = (one: Announced, next: Airable | null): boolean => {
      const startSample = announcedAt(one)
      const { afterItemId, beforeItemId } = one.announcement
      return (
        (afterItemId === null || afterItemId === song?.id) &&
        (beforeItemId === null || next !== null) &&
        isValid(one, msOf(startSample)) &&
        startSample + lengthOf(one) + (next === null ? 0 : stepOf(next)) <= hardSample
      )
    }
    const announcing = (one: Announced): Choice => {
      announcements.splice(announcements.indexOf(one), 1)
      const id = announcedItemId(one.announcement.id)
      const spare = spares.findIndex((item) => item.id === id)
      return {
        airable: one,
        item: spare < 0 ? null : spares.splice(spare, 1)[0]!,
        placement: flow,
        startSample: announcedAt(one),
        trace: [`clock: ${one.title.toLowerCase()}`]
      }
    }
    let isBreak = false

    const call = findDueHourCall(wheel, zone, atMs, past)
    if (call !== null) {
      const said = pickFreshest(
        pool.hourCalls.filter(({ hour }) => hour === call.hour).map(({ airable }) => airable),
        `clock: hour call of ${call.hour}:00`,
        isAllowed
      )
      if (said !== null) return said
    }
    // Just before a fixed start every second is accounted for: the ident follows after it.
    const counting = hardSample - cursor.atSample < msToSamples(backtimeQuietMs)
    if (!counting && isIdentDue(wheel, zone, atMs, past)) {
      const said = pickFreshest(pool.idents, "clock: ident", isAllowed)
      if (said !== null) return said
    }
    if (isSpeechOpen(wheel, past)) {
      const talk = sequences.find(
        ({ lines, topicId }) =>
          topicId !== null &&
          lines.length > 0 &&
          lines.every(({ airable }) => isValid(airable, atMs)) &&
          earliestStart(cursor, lines[0]!.airable) + lines.reduce((sum, { airable }) => sum + lengthOf(airable), 0) <=
            hardSample
      )
      if (talk !== undefined) return take(talk, null)
      const bound = ({ airable }: Choice): boolean => airable.showId !== undefined
      const open = waiting
        .filter(
          (choice) =>
            isAllowed(choice.airable) &&
            (!bound(choice) ||
              (choice.airable.showId === run.block.showId && canEndBefore(choice.airable, sampleOf(run.endMs))))
        )
        .sort((a, b) => Number(bound(b)) - Number(bound(a)))
      const lastAgent = plays.findLast((play) => play.role === "segment")?.agentId ?? null
      const next = open.find((choice) => lastAgent === null || choice.airable.agentId !== lastAgent) ?? open[0]
      if (next !== undefined) {
        waiting = waiting.filter((choice) => choice !== next)
        return next
      }
      if (!counting && isFillerDue(wheel, past)) {
        const next = announcements.find((one) => one.announcement.beforeItemId === null && fits(one, null))
        if (next !== undefined) return announcing(next)
        isBreak = song !== null
      }
    }
    // A song may begin under a voice: separation is measured from the earliest possible start.
    const soonestMs = cursor.previous?.airable.speech === true ? atMs - talkOverMaxMs : atMs
    const planned = kept.find(
      (item) =>
        item.placement._tag === "Flow" &&
        isAllowed(item.airable) &&
        isPunctual(item, soonestMs, plays) &&
        (item.airable.role !== "segment" || item.locked || isSpeechOpen(wheel, past))
    )
    const softSample = sampleOf(nextHourTop(zone, atMs).atMs + hourCallLateMaxMs)
    const reserved = listAwaitedArtists(asked)
    const coming = foreseePlays(sequences, cursor)
    const airings = [
      ...plays,
      ...coming,
      ...kept.filter((item) => item.airable.role === "music" && !isRotation(item)).map(playOf)
    ]
    const wishes = airings.filter((play) => play.requested === true)
    const isSpoiling = (airable: Airable): boolean => reserved.has(airable.artist) || isCrowding(airable, atMs, wishes)
    const free = pool.music.filter(({ airable }) => isAllowed(airable))
    const others = free.filter(({ airable }) => !isSpoiling(airable))
    const isUnfit = (item: RundownItem): boolean =>
      isRotation(item) && (isSpoiling(item.airable) || hasSlipped(rules, [...plays, ...coming], soonestMs, item))
    const inTurn = planned !== undefined && others.length > 0 && isUnfit(planned) ? undefined : planned
    if (inTurn === undefined) kept = kept.filter((item) => item !== planned)
    if (!counting && asked.length > 0 && (inTurn === undefined || isRotation(inTurn))) {
      const wanted = asked.find(
        ({ airable }) =>
          isAllowed(airable) &&
          canStillBegin(airable, cursor, hardSample) &&
          cursor.atSample + stepOf(airable) <= softSample &&
          admissionRefusal(airable, soonestMs, airings) === null
      )
      if (wanted !== undefined) {
        asked = asked.filter((other) => other !== wanted)
        kept = kept.filter((item) => item !== inTurn)
        return {
          airable: wanted.airable,
          item: null,
          placement: flow,
          startSample: null,
          trace: [forRequest],
          songRequestIds: wanted.songRequestIds
        }
      }
    }
    if (inTurn !== undefined && canStillBegin(inTurn.airable, cursor, hardSample)) {
      const preview = isBreak
        ? announcements.find((one) => one.announcement.beforeItemId === inTurn.id && fits(one, inTurn.airable))
        : undefined
      if (preview !== undefined) return announcing(preview)
      if (isBreak) due = { atMs, afterItemId: song!.id }
      return keep(inTurn, inTurn.trace, null)
    }
    if (isBreak) due = { atMs, afterItemId: song!.id }

    const { candidates, trace } = selectLanding(others.length > 0 ? others : free, cursor, hardSample, softSample)
    // Later items that are already planned keep their separation too, else rotation would pick the same song right before one.
    const settled = [...plays, ...coming, ...kept.filter((item) => item.airable.role === "music").map(playOf)]
    const picked = pick({ rules, turn, atMs: soonestMs, candidates, plays: settled, genres: run.block.genres })
    if (picked !== null) {
      const { airable } = picked.candidate
      const wished = asked.find((one) => one.airable.trackId === airable.trackId)
      asked = asked.filter((one) => one !== wished)
      return {
        airable,
        item: null,
        placement: flow,
        startSample: null,
        trace: [...trace, ...picked.trace],
        ...(wished === undefined ? {} : { songRequestIds: wished.songRequestIds })
      }
    }
    const previous = past.at(-1)?.role
    // Idents alone don't carry the station: the mixer's own fallback sounds better than a repeated name.
    const carry =
      previous === "bed" ? [pool.idents, pool.beds] : previous === "ident" ? [pool.beds] : [pool.beds, pool.idents]
    for (const airables of carry) {
      const said = pickFreshest(airables, noMusic, isAllowed)
      if (said !== null) return said
    }
    if (hard !== null)
      return keep(hard, [...hard.trace, "hard: early, nothing left to fill with"], earliestStart(cursor, hard.airable))
    // With no material at all, the mixer's last fallback plays until then.
    return upcoming === null || goesOn || planSample >= ask.untilSample
      ? null
      : take(upcoming, Math.max(planSample, earliestStart(cursor, upcoming.lines[0]!.airable)))
  }

  while (
    items.length < (ask.itemsMax ?? rundownItemsMax) &&
    (items.length < ask.itemsMin ||
      cursor.atSample < ask.untilSample ||
      kept.some((item) => item.locked || isRequested(item)))
  ) {
    const run = runAt(msOf(cursor.atSample))
    due = null
    const choice = choose(run, wheelOf(run.block))
    if (choice === null) break
    const { entry } = choice
    const songRequestIds = choice.item?.songRequestIds ?? choice.songRequestIds
    const plan = entry?.line.part ?? choice.item?.plan
    const topicId = entry?.sequence.topicId ?? choice.item?.topicId
    const startSample = choice.startSample ?? earliestStart(cursor, choice.airable)
    const { block } = entry === undefined ? run : runAt(msOf(startSample))
    const item = new RundownItem({
      id:
        choice.item?.id ??
        (choice.airable.announcement === undefined ? undefined : announcedItemId(choice.airable.announcement.id)) ??
        (entry?.line.part === undefined
          ? makeId("itm", ask.nowMs, entropy(rules.seed, turn))
          : airIdOf(entry.line.part.planId, entry.line.part.itemId)),
      airable: choice.airable,
      placement: choice.placement,
      startSample,
      locked: choice.item?.locked ?? false,
      trace: [...new Set([`block: ${block.title}`, ...choice.trace])],
      ...(songRequestIds === undefined ? {} : { songRequestIds }),
      ...(plan === undefined ? {} : { plan }),
      ...(topicId == null ? {} : { topicId }),
      ...(entry === undefined || entry.pauseSamples === 0 ? {} : { pauseSamples: entry.pauseSamples })
    })
    if (choice.item === null && choice.airable.announcement === undefined && entry?.line.part === undefined) turn++
    if (due !== null)
      breaks.push({
        ...(due as Omit<Break, "beforeItemId">),
        beforeItemId: item.airable.role === "music" ? item.id : null
      })
    promised = promisedBy(item)
    if (entry !== undefined) Object.assign(entry.sequence, { begun: true, lines: entry.sequence.lines.slice(1) })
    cursor = cursorAfter(cursor, item)
    items.push(item)
    plays.push(playOf(item))
    past.push({ role: item.airable.role, startMs: msOf(item.startSample) })
  }
  return { items, turn, left, breaks }
}
const hardMs = (item: RundownItem): number =>
  item.placement._tag === "Hard" ? item.placement.atMs : Number.POSITIVE_INFINITY
export const playOf = ({ airable, songRequestIds, startSample }: RundownItem): Play => ({
  atMs: msOf(startSample),
  role: airable.role,
  assetId: airable.assetId,
  artist: airable.artist,
  agentId: airable.agentId,
  topic: airable.topic,
  ...((songRequestIds?.length ?? 0) === 0 ? {} : { requested: true })
})
const entropy = (seed: number, turn: number): Uint8Array => {
  const bytes = new DataView(new ArrayBuffer(12))
  bytes.setUint32(0, draw(seed, turn, "id"))
  bytes.setUint32(4, draw(seed, turn, "entropy"))
  bytes.setUint32(8, turn >>> 0)
  return new Uint8Array(bytes.buffer, 2, 10)
}
