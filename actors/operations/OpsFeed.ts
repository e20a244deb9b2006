import { Clock, Effect, Layer, Queue, Stream } from "effect"
import { EventBus } from "../runtime/EventBus.ts"
import { logFailure, superviseForEver } from "../runtime/Supervision.ts"
import { opsCountsEverySec, opsFeedListMax, opsFeedSampleMs } from "../../engine/rules/operations/limits.ts"
import { type RundownShown, rundownDifferences } from "../../engine/rules/air/RundownVersions.ts"
import { Reviews } from "../../engine/store/moderation/Reviews.ts"
import { Jobs } from "../../engine/store/sql/Jobs.ts"
import type { ActorNode } from "../../schema/ActorTree.ts"
import type { StationEvent } from "../../schema/Events.ts"
import { operatorRank, type OperatorRole } from "../../schema/operations/Operator.ts"
import type { JobCounts, OpsState, PlayoutState, ReviewCounts } from "../../schema/OpsEvents.ts"

type Arrived = { readonly id: string; readonly kind: string }
type Closed = Arrived & { readonly status: string; readonly by: string | null }

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
const isTroubled = ({ restarts, state }: ActorNode) => restarts > 0 || state !== "running"

/** Event names of the operators' stream, with the role that an event needs. */
const roles: Readonly<Record<string, OperatorRole | undefined>> = { reviews: "reviewer" }

/**
 * Turns the station's published state into the operators' event stream. Only the counts of reviews and jobs come from the store: while it
 * doesn't answer, the stream goes on with the last known ones.
 */
const feed = Effect.gen(function* () {
  const bus = yield* EventBus
  const reviews = yield* Reviews
  const jobs = yield* Jobs
  let state: OpsState = { onAir: null, rundown: null, playout: null, listeners: 0, actors: [], jobs: null, alerts: [] }
  let rundown: RundownShown | null = null
  let reviewCounts: ReviewCounts | null = null
  let boards = new Map<boolean, OpsState>()
  let arrived: Array<Arrived> = []
  let closed: Array<Closed> = []
  let left = 0
  const wakeups = yield* Queue.sliding<void>(1)

  const change = (next: Partial<OpsState>) => {
    state = { ...state, ...next }
    boards = new Map()
  }
  const tell = (name: string, data: unknown) =>
    Effect.map(Clock.currentTimeMillis, (nowMs) => void bus.logs.ops.append(name, data, nowMs, roles[name] ?? null))
  yield* bus.put("opsBoard", (role) => {
    const isReviewer = operatorRank[role] >= operatorRank.reviewer
    const known = boards.get(isReviewer)
    if (known !== undefined) return known
    const board: OpsState = isReviewer ? { ...state, reviews: reviewCounts } : state
    boards.set(isReviewer, board)
    return board
  })

  const onAir = Effect.gen(function* () {
    const now = yield* bus.get("nowPlaying")
    if (now === null) return
    const isNew = now.item.id !== state.onAir?.item.id || now.item.airSample !== state.onAir?.item.airSample
    if (state.onAir !== now) change({ onAir: now })
    if (isNew) yield* tell("on-air", now)
  })
  const plan = Effect.gen(function* () {
    const now = yield* bus.get("rundown")
    if (now === null || now.revision === rundown?.revision) return
    const changes = rundown === null ? [] : rundownDifferences(rundown, now)
    const isNew = rundown === null || changes.length > 0
    rundown = now
    const told = {
      version: String(now.revision),
      items: now.items.length,
      held: now.held,
      emergency: now.emergency
    }
    change({ rundown: told })
    if (isNew) yield* tell("rundown", { ...told, changes: changes.slice(0, opsFeedListMax) })
  })
  const playout = Effect.gen(function* () {
    const status = yield* bus.get("airStatus")
    if (status === null) return
    const now: PlayoutState = {
      emergency: status.emergency,
      held: rundown?.held ?? false,
      fallback: !status.emergency && status.live !== true && status.onAir !== null && status.onAir.itemId === null,
      silent: status.probe.silent,
      live: status.live === true
    }
    if (isSame(now, state.playout)) return
    change({ playout: now })
    yield* tell("playout", now)
  })
  const actors = Effect.gen(function* () {
    const now = ((yield* bus.get("actors")) ?? []).filter(isTroubled).slice(0, opsFeedListMax)
    if (isSame(now, state.actors)) return
    const before = new Map(state.actors.map((node) => [node.name, node]))
    change({ actors: now })
    for (const node of now) if (!isSame(node, before.get(node.name))) yield* tell("actor", node)
  })
  const listeners = Effect.gen(function* () {
    const { total } = (yield* bus.get("listeners")) ?? { total: 0 }
    if (total === state.listeners) return
    change({ listeners: total })
    yield* tell("listeners", { total })
  })
  const sample = Effect.all([onAir, plan, playout, actors, listeners], { discard: true })

  const setJobs = (now: JobCounts) => {
    if (!isSame(now, state.jobs)) change({ jobs: now })
  }
  /** Counts again, and tells what has arrived and was closed since. Waiting changes collapse into one count. */
  const counted = Effect.gen(function* () {
    const total = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((sum, n) => sum + n, 0)
    const counts = yield* Effect.catchDefect(reviews.counts, () => Effect.succeed(null))
    const now = counts === null ? reviewCounts : { total: total(counts), counts }
    const news = arrived.length > 0 || closed.length > 0 || left > 0 || !isSame(now, reviewCounts)
    const told = { ...now, arrived, decided: closed, more: left }
    ;[arrived, closed, left] = [[], [], 0]
    reviewCounts = now
    if (news) {
      change({})
      yield* tell("reviews", told)
    }
    const nowMs = yield* Clock.currentTimeMillis
    const jobCounts = yield* Effect.catchDefect(jobs.count(nowMs), () => Effect.succeed(null))
    if (jobCounts !== null) setJobs(jobCounts)
  })
  const note = (event: StationEvent) =>
    Effect.gen(function* () {
      switch (event._tag) {
        case "ReviewOpened":
          if (arrived.length < opsFeedListMax) arrived.push({ id: event.reviewId, kind: event.kind })
          else left++
          return yield* Queue.offer(wakeups, undefined)
        case "ReviewClosed":
          if (closed.length < opsFeedListMax)
            closed.push({ id: event.reviewId, kind: event.kind, status: event.status, by: event.by })
          else left++
          return yield* Queue.offer(wakeups, undefined)
        case "AlertChanged": {
          const { alert, change: how } = event
          change({ alerts: (yield* bus.get("alerts")) ?? [] })
          return yield* tell("alert", { change: how, alert })
        }
        case "JobFailed": {
          const { _tag, ...job } = event
          yield* tell("job", job)
          return yield* Queue.offer(wakeups, undefined)
        }
        default:
          return
      }
    })
  const repeatEvery = <A, E, R>(ms: number, step: Effect.Effect<A, E, R>) =>
    Effect.forever(Effect.andThen(step, Effect.sleep(ms)))
  change({ alerts: (yield* bus.get("alerts")) ?? [] })
  const rounds = Effect.forever(
    Effect.andThen(
      // After a pause, so that a hundred reviews opened in a second are not counted a hundred times.
      Effect.andThen(logFailure("operators' events: the counts are unknown", counted), Effect.sleep(opsFeedSampleMs)),
      Effect.raceFirst(Queue.take(wakeups), Effect.sleep(`${opsCountsEverySec} seconds`))
    )
  )
  return Effect.all(
    [repeatEvery(opsFeedSampleMs, sample), Stream.runForEach(bus.events, ({ event }) => note(event)), rounds],
    {
      concurrency: "unbounded",
      discard: true
    }
  )
})

export const OpsFeedLive = Layer.effectDiscard(
  Effect.forkScoped(superviseForEver("OpsFeed", opsCountsEverySec * 1_000, Effect.flatten(feed)))
)
