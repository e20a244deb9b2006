import { Clock, Data, Effect, Schema } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { Jobs } from "../../engine/store/sql/Jobs.ts"
import type { JobKind } from "./protocol.ts"

/**
 * Adds background work, in the caller's transaction where there is one: it is asked for if and only if what makes it necessary is stored.
 * `key` says what it is about; there is one job for a kind and a key, however often it is added. It is done at least once.
 */
export const addJob = Effect.fnUntraced(function* <Payload>(
  kind: JobKind<Payload>,
  { key, payload, runAtMs }: { readonly key: string; readonly payload: Payload; readonly runAtMs?: number }
) {
  const nowMs = yield* Clock.currentTimeMillis
  yield* (yield* Jobs).add({
    id: yield* (yield* IdSource).make("wrk"),
    kind: kind.name,
    key,
    payload: yield* Effect.orDie(Schema.encodeEffect(kind.payload)(payload)),
    runAtMs: runAtMs ?? nowMs,
    createdAtMs: nowMs
  })
})

/** What a handler answers that has to come again. */
export class Later extends Data.Class<{
  readonly runAtMs: number
  /** Why, for operators; null where nothing is wrong. */
  readonly reason: string | null
}> {}

/** Comes again after so long. It counts as no try: nothing is wrong with the job. */
export const later = (afterMs: number, reason: string | null = null) =>
  Effect.map(Clock.currentTimeMillis, (nowMs) => new Later({ runAtMs: nowMs + afterMs, reason }))

/** A job that is being worked at. */
export interface Attempt {
  readonly key: string
  /** This one counted. */
  readonly tries: number
}

/** How one kind of background work is done. */
export interface JobHandler<out R> {
  readonly name: string
  /** How many of a kind one process works at, at the same time. */
  readonly atOnce: number
  /** After so many failures it is given up; null for what is tried for ever. */
  readonly triesMax: number | null
  /** How long a job rests after its n-th failure. */
  readonly restMs: (tries: number) => number
  /** When it comes again by itself, for work that nobody has to ask for. */
  readonly next: ((nowMs: number) => number) | null
  readonly work: (payload: unknown, attempt: Attempt) => Effect.Effect<Later | void, unknown, R>
  /** What it means to the subject that nobody will try it again: after too many failures, or because an operator ended it. */
  readonly givenUp: (payload: unknown, why: string) => Effect.Effect<void, unknown, R>
}

/** Doubles from one to the other. */
export const backOff =
  (firstMs: number, mostMs: number) =>
  (tries: number): number =>
    Math.min(mostMs, firstMs * 2 ** Math.min(tries - 1, 30))

/** Declares how the jobs of a kind are done. A handler is idempotent: a process may die between its work and its settlement. */
export const jobHandler = <Payload, E1, R1, E2 = never, R2 = never>(
  kind: JobKind<Payload>,
  {
    atOnce = 1,
    givenUp,
    restMs,
    triesMax = null,
    work
  }: {
    readonly atOnce?: number
    readonly triesMax?: number | null
    readonly restMs: (tries: number) => number
    readonly work: (payload: Payload, attempt: Attempt) => Effect.Effect<Later | void, E1, R1>
    readonly givenUp?: (payload: Payload, why: string) => Effect.Effect<void, E2, R2>
  }
): JobHandler<R1 | R2> => {
  const decode = Schema.decodeUnknownEffect(kind.payload)
  return {
    name: kind.name,
    atOnce,
    triesMax,
    restMs,
    next: null,
    work: (payload, attempt) => Effect.flatMap(Effect.orDie(decode(payload)), (known) => work(known, attempt)),
    givenUp: (payload, why) =>
      givenUp === undefined
        ? Effect.void
        : Effect.flatMap(Effect.orDie(decode(payload)), (known) => givenUp(known, why))
  }
}

/** Declares what the station does by itself at its times, in one process at a time: at the first start at once. A failure is tried again before the next time. */
export const periodicJob = <E, R>(
  name: string,
  { next, work }: { readonly next: (nowMs: number) => number; readonly work: Effect.Effect<unknown, E, R> }
): JobHandler<R> => ({
  name,
  atOnce: 1,
  triesMax: null,
  restMs: backOff(1_000, 60_000),
  next,
  work: () => Effect.asVoid(work),
  givenUp: () => Effect.void
})

/** For `next`: so long after the end of the last one. */
export const every = (ms: number) => (nowMs: number) => nowMs + ms
