import { Cause, Clock, Effect, Layer, Ref, Semaphore, Stream } from "effect"
import type { StagedSound } from "../../schema/air/Air.ts"
import { ScriptLine } from "../../schema/air/AirScript.ts"
import type { AirStep } from "../../schema/air/AirStep.ts"
import type { AssetId } from "../../schema/Ids.ts"
import type { Asset } from "../../schema/Sound.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { CurrentAirOwnership } from "../../engine/ports/AirOwnership.ts"
import { AirStandby } from "../../engine/ports/AirStandby.ts"
import { Prepare } from "../../engine/ports/Prepare.ts"
import {
  airStateOf,
  airStepOf,
  assetsOf,
  beginningOf,
  continuesLine,
  listSoundsBetween,
  scriptStateOf,
  scriptStepOf
} from "../../engine/rules/air/AirScript.ts"
import { stageAheadSec, stageTimeoutMs, standbyLookMs, standbyRetryMs } from "../../engine/rules/air/limits.ts"
import type { ClusterSettings } from "../../engine/runtime/Config.ts"
import { AirStepsWriter } from "../../engine/store/air/AirSteps.ts"
import { Assets } from "../../engine/store/sound/Assets.ts"
import { EventBus } from "../runtime/EventBus.ts"

/** While this process has the air: writes each step of its mixer for the processes that follow. */
const makeWriter = Effect.fnUntraced(function* (name: string) {
  const ownership = yield* CurrentAirOwnership
  const standby = yield* AirStandby
  const steps = yield* AirStepsWriter
  // Above those of an earlier process of this name.
  const number = yield* Ref.make(yield* Clock.currentTimeMillis)
  /** The others have all steps up to now. */
  const isComplete = yield* Ref.make(false)
  /** One line at a time: the numbers must rise in the order of the table. */
  const turn = yield* Semaphore.make(1)
  const writeNow = (step: AirStep, state: Parameters<typeof scriptStateOf>[0]) =>
    Effect.flatMap(
      Ref.updateAndGet(number, (n) => n + 1),
      (n) =>
        steps.add(new ScriptLine({ owner: name, number: n, step: scriptStepOf(step), state: scriptStateOf(state) }))
    ).pipe(
      Effect.catchDefect((defect) =>
        Effect.as(Effect.logWarning("standby: a step can't be stored; the others begin anew afterwards", defect), false)
      ),
      Effect.flatMap((written) => Ref.set(isComplete, written))
    )
  const write = (...told: Parameters<typeof writeNow>) => turn.withPermits(1)(writeNow(...told))
  const take = turn.withPermits(1)(
    Effect.flatMap(standby.state, ({ atSample, state }) => writeNow({ _tag: "Taken", atSample }, state))
  )
  return Effect.raceFirst(
    Stream.runForEach(standby.steps, ({ state, step }) =>
      Effect.suspend(() => (ownership.holds() ? write(step, state) : Effect.void))
    ),
    // Where others can begin: after a takeover, and after an outage of the store.
    Effect.forever(
      Effect.gen(function* () {
        if (!ownership.holds()) yield* Ref.set(isComplete, false)
        else if (!(yield* Ref.get(isComplete))) yield* take
        yield* Effect.sleep(standbyRetryMs)
      })
    )
  )
})

/** While another process has the air: plays the same, from the same sounds on this disk. */
const makeFollower = Effect.fnUntraced(function* (name: string) {
  const ownership = yield* CurrentAirOwnership
  const assets = yield* Assets
  const prepare = yield* Prepare
  const standby = yield* AirStandby
  const steps = yield* AirStepsWriter
  const known = yield* Ref.make<ReadonlyMap<AssetId, Asset>>(new Map())
  /** Sounds that are on this disk, and those that could not be decoded. */
  const staged = yield* Ref.make<ReadonlyMap<AssetId, boolean>>(new Map())
  /** Sounds of the last step, those that are needed first in front. */
  const wanted = yield* Ref.make<ReadonlyArray<AssetId>>([])
  /** The last line that the chain has. */
  const last = yield* Ref.make<{ readonly seq: number; readonly line: ScriptLine } | null>(null)

  /** When the chain last began anew for a sound that had come late. */
  const repairedAtMs = yield* Ref.make(Number.NEGATIVE_INFINITY)

  const acquaint = Effect.fnUntraced(function* (lines: ReadonlyArray<ScriptLine>) {
    const ids = [...new Set(lines.flatMap(assetsOf))]
    const have = yield* Ref.get(known)
    const found = yield* assets.findMany(ids.filter((id) => !have.has(id)))
    const after = new Map([...have, ...found.map((asset) => [asset.id, asset] as const)])
    yield* Ref.set(known, after)
    const sounds = new Map<AssetId, StagedSound>()
    return (id: AssetId) => {
      const asset = after.get(id)
      if (asset === undefined) return undefined
      const sound = sounds.get(id) ?? prepare.stagedAs(asset)
      sounds.set(id, sound)
      return { sound, words: asset.words }
    }
  })

  /** Decodes the sounds that come next. One that can't be decoded is silence that the fallback fills, should this process take the air. */
  const staging = Effect.forever(
    Effect.gen(function* () {
      // The station of this process stages, and removes, what it needs itself.
      if (ownership.holds()) {
        yield* Ref.set(staged, new Map())
        return yield* Effect.sleep(standbyRetryMs)
      }
      const ids = yield* Ref.get(wanted)
      const have = yield* Ref.get(staged)
      const assets = yield* Ref.get(known)
      const next = ids.find((id) => !have.has(id) && assets.has(id))
      const asset = next === undefined ? undefined : assets.get(next)
      if (asset === undefined) return yield* Effect.sleep(standbyRetryMs)
      const isStaged = yield* prepare.stage(asset).pipe(
        Effect.timeout(stageTimeoutMs),
        Effect.as(true),
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.interrupt
            : Effect.as(Effect.logWarning(`standby: ${asset.id} can't be staged`, cause), false)
        )
      )
      // A step may have come meanwhile.
      const keep = new Set(yield* Ref.get(wanted))
      yield* Ref.update(
        staged,
        (before) => new Map([...before, [asset.id, isStaged] as const].filter(([id]) => keep.has(id)))
      )
      yield* Ref.update(known, (before) => new Map([...before].filter(([id]) => keep.has(id))))
      yield* prepare.purgeStaged(keep)
    })
  )

  /** Begins anew, once the sounds of the next minute are on this disk: a mixer that begins without one plays the fallback in its place. */
  const begin = Effect.gen(function* () {
    const stored = yield* steps.listAfter(0)
    const firstSample = yield* standby.nextSample
    const end = stored.at(-1)
    // Its own lines are from before it lost the air: the next owner has written none yet.
    if (end === undefined || end.line.owner === name) return false
    const found = beginningOf(
      stored.map(({ line }) => line),
      firstSample
    )
    if (found === null) {
      // A new owner's first line is in force some seconds later: enough to stage what it plays.
      yield* acquaint([end.line])
      yield* Ref.set(wanted, assetsOf(end.line))
      return false
    }
    const { line, rest } = found
    const lines = [line, ...rest]
    const find = yield* acquaint(lines)
    const soon = listSoundsBetween(lines, find, firstSample, firstSample + stageAheadSec * sampleRateHz)
    yield* Ref.set(wanted, [...new Set([...soon, ...assetsOf(end.line)])])
    const have = yield* Ref.get(staged)
    if (soon.some((id) => !have.has(id))) return yield* Effect.as(Effect.sleep(standbyRetryMs), false)
    yield* standby.begin({ state: airStateOf(line.state, find), steps: rest.map(({ step }) => airStepOf(step, find)) })
    if (rest.length > 0) yield* standby.follow([], airStateOf(end.line.state, find))
    yield* Ref.set(last, end)
    yield* Effect.logInfo(`This process follows ${line.owner}.`)
    return true
  })

  const follow = Effect.gen(function* () {
    if (ownership.holds()) return
    const before = yield* Ref.get(last)
    if (before === null || !(yield* standby.isFollowing)) return void (yield* begin)
    // A sound that came too late for its item: the standby begins anew inside of it, but not again and again.
    if (yield* standby.lacksSound) {
      const nowMs = yield* Clock.currentTimeMillis
      const isDue = nowMs - (yield* Ref.get(repairedAtMs)) > stageAheadSec * 1_000
      const [assets, have] = [yield* Ref.get(known), yield* Ref.get(staged)]
      const isWhole = (yield* Ref.get(wanted)).every((id) => !assets.has(id) || have.get(id) === true)
      if (isDue && isWhole) {
        yield* Effect.logInfo("standby: a sound could not be read in time, begins anew")
        if (yield* begin) return yield* Ref.set(repairedAtMs, nowMs)
      }
    }
    const stored = yield* steps.listAfter(before.seq)
    const end = stored.at(-1)
    if (end === undefined) return
    const lines = stored.map(({ line }) => line)
    const continues = lines.every((line, n) => continuesLine(n === 0 ? before.line : lines[n - 1]!, line))
    const find = yield* acquaint(lines)
    yield* Ref.set(wanted, assetsOf(end.line))
    const follows =
      continues &&
      (yield* standby.follow(
        lines.map(({ step }) => airStepOf(step, find)),
        airStateOf(end.line.state, find)
      ))
    if (ownership.holds()) return
    if (follows) return yield* Ref.set(last, end)
    yield* Effect.logInfo("standby: not in step, begins anew")
    yield* begin
  })

  /** The store answered the last look: each outage is told once. */
  const answers = yield* Ref.make(true)
  return Effect.raceFirst(
    staging,
    Effect.forever(
      Effect.andThen(
        Effect.matchCauseEffect(follow, {
          onSuccess: () => Ref.set(answers, true),
          onFailure: (cause) =>
            Effect.flatMap(Ref.getAndSet(answers, false), (did) =>
              did ? Effect.logWarning("standby: the owner's steps can't be read", cause) : Effect.void
            )
        }),
        Effect.sleep(standbyLookMs)
      )
    )
  )
})

/** Publishes how this process follows. */
const makeFigures = Effect.gen(function* () {
  const bus = yield* EventBus
  const ownership = yield* CurrentAirOwnership
  const standby = yield* AirStandby
  return Effect.forever(
    Effect.gen(function* () {
      yield* bus.put("standby", ownership.holds() ? null : yield* standby.figures)
      yield* Effect.sleep(standbyRetryMs)
    })
  )
})

/** One of several processes: keeps the steps of its mixer for the others, or follows those of the owner. */
export const standbyLive = (cluster: ClusterSettings) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      yield* Effect.forkScoped(yield* makeWriter(cluster.name))
      yield* Effect.forkScoped(yield* makeFollower(cluster.name))
      yield* Effect.forkScoped(yield* makeFigures)
    })
  )
