import { Clock, Context, Effect, type Fiber, Logger, References, Scheduler, Tracer } from "effect"
import { RpcClient } from "effect/rpc"
import { SqlClient } from "effect/sql"

/** What effect itself looks up while it begins, ends or logs something. */
const kept: ReadonlyArray<string> = [
  Clock.Clock,
  Logger.CurrentLoggers,
  References.CurrentLogAnnotations,
  References.CurrentLogSpans,
  References.MinimumLogLevel,
  References.TracerEnabled,
  References.TracerTimingEnabled,
  References.UnhandledLogLevel,
  RpcClient.CurrentHeaders,
  Scheduler.MaxOpsBeforeYield,
  Scheduler.Scheduler,
  SqlClient.BeginTransaction,
  Tracer.ParentSpan,
  Tracer.Tracer
].map(({ key }) => key)

const find = (context: Context.Context<never>, key: string): unknown =>
  Context.getOrUndefined(context as Context.Context<unknown>, { key } as never)

/** The few services of a fiber that effect needs without our own hundreds. */
export const fewServicesOf = (fiber: Fiber.Fiber<unknown, unknown>): Context.Context<never> => {
  const few = new Map<string, unknown>()
  for (const key of kept) {
    const value = find(fiber.context, key)
    if (value !== undefined) few.set(key, value)
  }
  return Context.makeUnsafe(few)
}

/** Runs the work with these services. Those of its fiber, such as the transaction, take precedence. */
export const inServices = <A, E, R, R2>(all: Context.Context<R>, work: Effect.Effect<A, E, R | R2>) =>
  Effect.withFiber<A, E, R2>((fiber) => {
    let context = all as Context.Context<R | R2>
    for (const [key, value] of fiber.context.mapUnsafe)
      if (find(all as Context.Context<never>, key) !== value) context = Context.addUnsafe(context, key, value)
    return Effect.setContext(work, context)
  })

/** Runs work that looks up none of our services without them. */
export const inFewServices = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => Effect.setContext(work as Effect.Effect<A, E>, fewServicesOf(fiber)))

/**
 * Runs the work with all services of its caller, but what `around` does before and after it with few: the client of the database copies all
 * services that it finds, three times for each transaction. What `around` adds, the work has, too.
 */
export const withFewServices = <A, E, R, E2>(
  work: Effect.Effect<A, E, R>,
  around: (work: Effect.Effect<A, E>) => Effect.Effect<A, E2>
): Effect.Effect<A, E2, R> =>
  Effect.withFiber<A, E2, R>((fiber) => {
    const inside = inServices<A, E, R, never>(fiber.context as Context.Context<R>, work)
    return Effect.setContext(around(inside), fewServicesOf(fiber))
  })
