import type { AssetId, SegmentId, SongRequestId } from "../../../schema/Ids.ts"
import { type Airable, Candidate, type Rundown, type RundownItem } from "../../../schema/air/Rundown.ts"
import {
  mixLeadMs,
  planAheadMs,
  playsRememberedMax,
  queuedForAirMax,
  rotationCandidatesMax,
  rundownAheadSec,
  rundownFrozenMs,
  rundownItemsMin,
  rundownMarginItems,
  rundownMarginMs,
  songRequestHardHours,
  songRequestHours,
  songRequestsAtOnceMax,
  stagedAheadMs,
  stagingMs,
  unairableForgivenMaxMs,
  unairableForgivenMs
} from "../air/limits.ts"
import { type AiringEvent, type Heard, applyEvent, offerAiring } from "../air/Airing.ts"
import { nextHourTop, runAt } from "../time/WeekSchedule.ts"
import { compose, playOf, type Pool } from "../air/Planner.ts"
import type { Aired, Asked, Happening, Programmed, SimulatedWeek, Stage, Stretch } from "./SimulationInput.ts"
import type { Requested } from "../air/RequestAdmission.ts"
import { emptyRundown, horizonOf, isDeep, isMakeshift, place, revise } from "../air/Rundown.ts"
import { type TopicTalk, type Due, airIdOf, limitOf } from "../air/Sequence.ts"
import { isActive, requestStatus } from "../music/SongRequest.ts"
import { msOf, msToSamples, sampleOf } from "../../../schema/time/Samples.ts"
import { endOf, lengthOf, stepOf } from "../air/ItemSequence.ts"

const hourMs = 3_600_000

/** The parts that haven't begun, as the scheduler computes them. A part skipped before one that has begun doesn't return. */
export const dueOf = (
  { begun, programme }: Programmed,
  rundown: Rundown,
  frozen: ReadonlyArray<RundownItem>,
  good: (airable: Airable) => boolean
): Due => {
  const { parts, planId } = programme
  const under = new Set([rundown.onAir, ...frozen].map((item) => item?.id))
  const standing = new Set(rundown.items.map(({ id }) => id))
  const hasBegun = (itemId: Programmed["programme"]["parts"][number]["itemId"]) =>
    begun.includes(itemId) || under.has(airIdOf(planId, itemId))
  const last = parts.findLastIndex(({ itemId }) => hasBegun(itemId))
  return {
    ...programme,
    begun: last >= 0,
    parts: parts.filter(
      ({ airable, itemId }, i) =>
        good(airable) && !hasBegun(itemId) && (i > last || standing.has(airIdOf(planId, itemId)))
    )
  }
}

/** No part of it can air any more. */
export const isOver = (programmed: Programmed, rundown: Rundown, nowMs: number): boolean => {
  const { begun, programme } = programmed
  if ([rundown.onAir, ...rundown.items].some((item) => item?.plan?.planId === programme.planId)) return false
  if (begun.length === 0) return nowMs >= programme.endMs
  const untilMs = programme.overrunPolicy === "allow" ? programme.endMs + hourMs : msOf(limitOf(programme))
  return nowMs >= untilMs || dueOf(programmed, rundown, [], () => true).parts.length === 0
}

const tickMs = 300_000
const compareRest = (a: Candidate, b: Candidate): number =>
  (a.lastPlayedMs ?? Number.NEGATIVE_INFINITY) - (b.lastPlayedMs ?? Number.NEGATIVE_INFINITY) ||
  (a.airable.trackId! < b.airable.trackId! ? -1 : 1)
/** Runs the airing rules from `fromMs` to `toMs`, in the steps of the scheduler, and returns the resulting airings. Deterministic. `progress` hears each percent of the time. */
export const simulate = (stage: Stage, progress: (percent: number) => void = () => {}): SimulatedWeek => {
  const { rules, zone } = stage
  const until = sampleOf(stage.toMs)
  const shelves = new Map(
    Object.keys(rules.shares).map((name) => [
      name,
      stage.tracks.filter(({ rotationClass }) => rotationClass === name).sort(compareRest)
    ])
  )
  const classOf = new Map(stage.tracks.map(({ airable, rotationClass }) => [airable.assetId, rotationClass]))
  const missing = new Map<AssetId, number>()
  const barred = new Map<AssetId, { readonly tries: number; readonly untilMs: number }>()
  const withdrawn = new Set<string>()
  const aired: Array<Aired> = []
  const gaps: Array<Stretch> = []
  const twoVoices: Array<number> = []
  const emergencies: Array<Stretch> = []
  const asked: Array<Asked> = []
  const placements: Array<SimulatedWeek["placed"][number]> = []
  const programmes: Array<Programmed> = []
  const holds: Array<Stretch> = []
  const cutOnce = new Set<SegmentId>()
  const coming = [...stage.happenings].sort((a, b) => a.atMs - b.atMs)
  let waiting: ReadonlyArray<Airable> = []
  let staged = new Set<AssetId>()
  let plays = stage.plays.slice(-playsRememberedMax)
  let renderedTo = sampleOf(stage.fromMs)
  // The item on air at the start isn't re-planned: the simulation begins like a restart.
  let rundown =
    stage.rundown === null
      ? emptyRundown("rehearsal")
      : revise(stage.rundown, { onAir: null, emergency: false, held: false })
  let pool: Pool = { ...stage.house, music: [] }
  let jumpMs = 0
  let skipped = 0
  let plans = 0
  // The item on air continues until the first planned item begins.
  let soundUntil = renderedTo + msToSamples(rundownFrozenMs + mixLeadMs)
  let voiceUntil = 0
  let emergencyFrom: number | null = null
  let heldFrom: number | null = null
  let talks: ReadonlyArray<TopicTalk> = []

  const nowMs = () => msOf(renderedTo)
  const isGood = (airable: Airable): boolean =>
    (barred.get(airable.assetId)?.untilMs ?? 0) <= nowMs() && !withdrawn.has(airable.segmentId ?? airable.trackId ?? "")
  const assetsOf = ({ beds, hourCalls, idents, music }: Pool) =>
    new Set(
      [...music, ...hourCalls]
        .map(({ airable }) => airable.assetId)
        .concat([...idents, ...beds].map(({ assetId }) => assetId))
    )
  const look = (): boolean => {
    const before = assetsOf(pool)
    const { beds, hourCalls, idents } = stage.house
    pool = {
      music: [...shelves.values()].flatMap((shelf) =>
        shelf.slice(0, rotationCandidatesMax).filter(({ airable }) => isGood(airable))
      ),
      idents: idents.filter(isGood),
      beds: beds.filter(isGood),
      hourCalls: hourCalls.filter(({ airable }) => isGood(airable))
    }
    return [...assetsOf(pool)].some((id) => !before.has(id))
  }
  const has = (id: SegmentId | null) =>
    [rundown.onAir, ...rundown.items].some((item) => item !== null && item.airable.segmentId === id)
  const idsIn = (items: ReadonlyArray<RundownItem | null>) =>
    new Set(items.flatMap((item) => item?.songRequestIds ?? []))

  const listRequested = (): ReadonlyArray<Requested> => {
    const known = idsIn([rundown.onAir, ...rundown.items])
    const songs = new Map<string, { readonly airable: Airable; readonly songRequestIds: Array<SongRequestId> }>()
    for (const one of asked) {
      if (!isActive(requestStatus[one.airing.state]) || known.has(one.id) || !isGood(one.airable)) continue
      const song = songs.get(one.airable.assetId)
      if (song === undefined) songs.set(one.airable.assetId, { airable: one.airable, songRequestIds: [one.id] })
      else song.songRequestIds.push(one.id)
    }
    return [...songs.values()].slice(0, songRequestsAtOnceMax)
  }
  const move = (one: Asked, event: AiringEvent) => {
    one.airing = applyEvent(one.airing, event) ?? one.airing
  }

  const plan = (from: "boundary" | "now", change: (rundown: Rundown) => Rundown = (same) => same) => {
    const before = idsIn(rundown.items)
    const current = change(rundown)
    const { cursor, frozen, open } = horizonOf(current, renderedTo, from, pool.music.length > 0)
    for (const each of programmes) each.over ||= isOver(each, current, nowMs())
    const { items, left, turn } = current.emergency
      ? { items: open, turn: current.turn, left: [] }
      : compose({
          nowMs: nowMs(),
          zone,
          week: stage.grid,
          rules,
          turn: current.turn,
          cursor,
          kept: open,
          held: current.held,
          pool,
          queued: waiting.filter((airable) => isGood(airable) && !has(airable.segmentId)).slice(0, queuedForAirMax),
          requested: listRequested(),
          programmes: programmes
            .filter(({ over, programme }) => !over && programme.startMs < nowMs() + planAheadMs)
            .map((each) => dueOf(each, current, frozen, isGood)),
          omitted: new Set([...(current.omitted ?? []), ...(current.heldItems ?? [])].map((item) => item.id)),
          topics: talks.map((talk) => ({
            ...talk,
            airables: talk.airables.filter((airable) => isGood(airable) && !has(airable.segmentId))
          })),
          plays: [...plays, ...frozen.map(playOf)].slice(-playsRememberedMax),
          untilSample: renderedTo + msToSamples(rundownAheadSec * 1_000 + 2 * rundownMarginMs),
          itemsMin: rundownItemsMin + 2 * rundownMarginItems
        })
    rundown = revise(current, { items: [...frozen, ...items], turn })
    for (const { itemId, planId, why } of left)
      programmes.find(({ programme }) => programme.planId === planId)?.left.set(itemId, why)
    plans++
    const after = idsIn(rundown.items)
    const atMs = nowMs()
    for (const { id, songRequestIds = [], startSample } of rundown.items)
      for (const one of asked)
        if (songRequestIds.includes(one.id))
          move(one, { _tag: "Place", placement: id, expectedAtMs: msOf(startSample), atMs })
    const lost = [...before].filter((id) => !after.has(id) && rundown.onAir?.songRequestIds?.includes(id) !== true)
    for (const one of asked) if (lost.includes(one.id)) move(one, { _tag: "Displace", reason: "DISPLACED", atMs })
  }
  const removeWhere = (gone: (item: RundownItem) => boolean) => (current: Rundown) =>
    revise(current, { items: current.items.filter((item) => !gone(item)) })

  /** Ends the item on air at this sample. */
  const close = (atSample: number, cut: boolean) => {
    const { onAir } = rundown
    if (onAir === null) return
    const { airable, songRequestIds = [], startSample } = onAir
    const endSample = cut ? Math.min(atSample, endOf(onAir)) : endOf(onAir)
    // Speech under the next song's intro is complete.
    const complete = (!cut && airable.speech) || atSample >= startSample + stepOf(airable)
    aired.push({ item: onAir, firstSample: startSample, endSample: complete ? endSample : atSample, complete })
    const heard: Heard = {
      sinceMs: msOf(startSample),
      endedAtMs: msOf(atSample),
      heardMs: (Math.min(atSample, endOf(onAir)) - startSample) / 48,
      lengthMs: lengthOf(airable) / 48,
      complete
    }
    const end: AiringEvent = { _tag: "End", heard, atMs: heard.endedAtMs }
    if (airable.segmentId !== null) {
      const before = offerAiring(airable.segmentId, "segment", 0)
      if (applyEvent({ ...before, state: "airing", cut: cutOnce.has(airable.segmentId) }, end)?.state === "waiting") {
        cutOnce.add(airable.segmentId)
        waiting = [airable, ...waiting]
      }
    }
    for (const one of asked)
      if (songRequestIds.includes(one.id)) {
        move(one, end)
        if (one.airing.state === "aired") one.heardAtMs = msOf(startSample)
      }
    const shelf = shelves.get(classOf.get(airable.assetId) ?? "")
    const at = shelf?.findIndex((each) => each.airable.assetId === airable.assetId) ?? -1
    if (shelf === undefined || at < 0) return
    const [played] = shelf.splice(at, 1)
    shelf.push(new Candidate({ ...played!, lastPlayedMs: msOf(startSample) }))
  }
  const begin = (item: RundownItem) => {
    renderedTo = item.startSample
    close(renderedTo, false)
    rundown = revise(rundown, { onAir: item, items: rundown.items.slice(1) })
    plays = [...plays, playOf(item)].slice(-playsRememberedMax)
    waiting = waiting.filter(({ segmentId }) => segmentId !== item.airable.segmentId || segmentId === null)
    const { plan: part, pauseSamples = 0, songRequestIds = [] } = item
    for (const one of asked)
      if (songRequestIds.includes(one.id)) move(one, { _tag: "Begin", atMs: msOf(item.startSample) })
    if (part !== undefined)
      for (const each of programmes)
        if (each.programme.planId === part.planId) each.begun = [...each.begun, part.itemId]
    talks = talks
      .map((talk) => ({ ...talk, airables: talk.airables.filter(({ assetId }) => assetId !== item.airable.assetId) }))
      .filter(({ airables }) => airables.length > 0)
    if (renderedTo - pauseSamples > soundUntil) gaps.push({ fromMs: msOf(soundUntil), toMs: nowMs() })
    soundUntil = Math.max(renderedTo, endOf(item))
    if (!item.airable.speech) return
    if (renderedTo < voiceUntil) twoVoices.push(nowMs())
    voiceUntil = endOf(item)
  }

  /**
   * Sounds are fetched minutes before they air. A missing sound is skipped and not retried for a while. If the programme has to begin now, the first
   * available item begins it.
   */
  const stageSounds = (from: "boundary" | "now") => {
    for (let tries = 0; tries < 64; tries++) {
      const near = rundown.items.filter((item) => item.startSample <= renderedTo + msToSamples(stagedAheadMs))
      const gone = near.find(
        ({ airable: { assetId } }) => !staged.has(assetId) && (missing.get(assetId) ?? 0) > nowMs()
      )
      if (gone === undefined) {
        staged = new Set(near.map(({ airable }) => airable.assetId))
        return
      }
      const { assetId } = gone.airable
      const before = barred.get(assetId)?.tries ?? 0
      barred.set(assetId, {
        tries: before + 1,
        untilMs: nowMs() + Math.min(unairableForgivenMaxMs, unairableForgivenMs * 2 ** before)
      })
      skipped++
      look()
      plan(
        from,
        removeWhere((item) => item.airable.assetId === assetId)
      )
    }
  }

  const happen = (news: Happening) => {
    if (news._tag === "Segment") waiting = [...waiting, news.airable]
    else if (news._tag === "Request")
      asked.push({
        id: news.id,
        airable: news.airable,
        askedAtMs: news.atMs,
        airing: offerAiring(news.id, "song_request", news.atMs),
        heardAtMs: null
      })
    else if (news._tag === "Missing") missing.set(news.assetId, news.untilMs)
    else if (news._tag === "ClockJump") jumpMs += news.byMs
    else if (news._tag === "Topic") talks = [...talks, news.talk]
    else if (news._tag === "Programme") {
      programmes.push({ programme: news.programme, knownAtMs: nowMs(), begun: [], over: false, left: new Map() })
      plan("boundary")
    } else if (news._tag === "Placed") {
      placements.push({ item: news.item, knownAtMs: nowMs() })
      plan("boundary", (current) => place(current, news.item, null)!)
    } else if (news._tag === "Withdrawn") {
      withdrawn.add(news.id)
      waiting = waiting.filter(({ segmentId }) => segmentId !== news.id)
      for (const one of asked)
        if (one.airable.trackId === news.id) move(one, { _tag: "Withdraw", reason: null, atMs: nowMs() })
      plan(
        "boundary",
        removeWhere(({ airable }) => (airable.segmentId ?? airable.trackId) === news.id)
      )
    } else if (news._tag === "Hold") {
      if (rundown.held === news.on) return
      if (news.on) heldFrom = nowMs()
      else holds.push({ fromMs: heldFrom!, toMs: nowMs() })
      plan("boundary", (current) => revise(current, { held: news.on }))
    } else if (news.on !== rundown.emergency) {
      if (news.on) {
        close(renderedTo, true)
        rundown = revise(rundown, { emergency: true, onAir: null })
        emergencyFrom = nowMs()
      } else {
        emergencies.push({ fromMs: emergencyFrom!, toMs: nowMs() })
        soundUntil = renderedTo + msToSamples(mixLeadMs)
        voiceUntil = 0
        plan("now", (current) => revise(current, { emergency: false }))
        stageSounds("now")
      }
    }
  }

  const tick = () => {
    // Requests carry the machine's clock, right or wrong.
    const wallMs = nowMs() + jumpMs
    for (const one of asked) {
      if (one.askedAtMs + songRequestHours * 3_600_000 <= wallMs) move(one, { _tag: "Expire", atMs: wallMs })
      if (one.askedAtMs + songRequestHardHours * 3_600_000 <= wallMs) move(one, { _tag: "Stop", atMs: wallMs })
    }
    const fresh = look()
    if (rundown.emergency) return
    const better = removeWhere(
      (item) => fresh && isMakeshift(item) && item.startSample > renderedTo + msToSamples(stagingMs)
    )
    const waits =
      (!rundown.held && waiting.some((airable) => isGood(airable) && !has(airable.segmentId))) ||
      listRequested().length > 0
    if (fresh || waits || !isDeep(rundown, renderedTo)) plan("boundary", better)
    stageSounds("boundary")
  }

  let boundary = renderedTo
  look()
  plan("boundary")
  tick()
  const begunAt = renderedTo
  let reached = 0
  for (let nextTick = renderedTo + msToSamples(tickMs); renderedTo < until;) {
    const percent = Math.floor((100 * (renderedTo - begunAt)) / (until - begunAt))
    if (percent > reached) progress((reached = percent))
    const item = rundown.emergency ? undefined : rundown.items[0]
    const news = coming[0]
    const newsAt = news === undefined ? Number.POSITIVE_INFINITY : Math.max(renderedTo, sampleOf(news.atMs))
    if (boundary <= renderedTo)
      boundary = sampleOf(
        Math.min(nextHourTop(zone, nowMs()).atMs, Math.max(nowMs() + 1, runAt(stage.grid, zone, nowMs()).endMs))
      )
    const stop = Math.min(newsAt, nextTick, boundary, until)
    if (item !== undefined && item.startSample <= stop) begin(item)
    else {
      renderedTo = stop
      if (newsAt <= stop) happen(coming.shift()!)
    }
    if (renderedTo >= nextTick) nextTick = renderedTo + msToSamples(tickMs)
    tick()
  }
  if (emergencyFrom !== null && rundown.emergency) emergencies.push({ fromMs: emergencyFrom, toMs: nowMs() })
  else if (soundUntil < until) gaps.push({ fromMs: msOf(soundUntil), toMs: stage.toMs })
  if (heldFrom !== null && rundown.held) holds.push({ fromMs: heldFrom, toMs: stage.toMs })
  close(until, false)
  return {
    aired,
    gaps,
    twoVoices,
    emergencies,
    holds,
    programmes,
    requests: asked,
    skipped,
    placed: placements,
    waiting,
    plans
  }
}
