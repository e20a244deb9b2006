import { Clock, Effect, Layer, PubSub, Schedule, Stream } from "effect"
import { makeNoLive } from "./NoLive.ts"
import { mixLeadMs } from "../../../engine/rules/air/limits.ts"
import { Air } from "../../../engine/ports/Air.ts"
import { msToSamples, sampleOf } from "../../../schema/time/Samples.ts"
import { Mixer } from "../../../media/mixer/Mixer.ts"
import type { SoundReader } from "../../../media/mixer/StagedReader.ts"
import { type AirEvent, AirStatus, StalePlan } from "../../../schema/air/Air.ts"
import type { ItemId } from "../../../schema/Ids.ts"

const silence = new Int16Array(2 * 4_096)
/** The real mixer on the given clock, with silence as sounds; files in `gone` can't be read, those in `short` end after a second. */
export const makeMixerAir = Effect.gen(function* () {
  const events = yield* PubSub.unbounded<AirEvent>()
  const told: Array<AirEvent> = []
  const sounding = new Set<ItemId>()
  const gone = new Set<string>()
  const short = new Set<string>()
  const read: SoundReader = {
    read: ({ assetId }, from, count) =>
      gone.has(assetId) || (short.has(assetId) && from + count > 48_000) ? null : silence.subarray(0, count * 2),
    expect: () => undefined,
    hold: () => undefined
  }
  const clock = yield* Clock.Clock
  const dueSample = () => sampleOf(clock.currentTimeMillisUnsafe()) + msToSamples(mixLeadMs)
  const mixer = new Mixer({ startSample: dueSample(), read, stationName: "Longwave" })
  const tell = (event: AirEvent) => {
    told.push(event)
    if (event._tag === "Started" && event.itemId !== null) sounding.add(event.itemId)
    if (event._tag === "Spanned" && event.span.itemId !== null) sounding.delete(event.span.itemId)
    PubSub.publishUnsafe(events, event)
  }
  const block = new Float32Array(4_800 * 2)
  let emergency = false
  const catchUp = Effect.sync(() => {
    while (mixer.renderedTo < dueSample()) {
      const frames = Math.min(4_800, dueSample() - mixer.renderedTo)
      for (const event of mixer.render(block.subarray(0, frames * 2), frames)) tell(event)
    }
  })
  const air = Air.of({
    plan: (plan) =>
      Effect.suspend(() => {
        const answer = mixer.plan(plan)
        return answer instanceof StalePlan ? Effect.fail(answer) : Effect.succeed(answer)
      }),
    disclose: ({ emergency }) => Effect.sync(() => mixer.disclose(emergency)),
    emergencyLibrary: (sounds) => Effect.sync(() => mixer.emergencyLibrary(sounds)),
    emergency: (on, reason) =>
      Effect.andThen(
        Effect.sync(() => {
          emergency = on
          for (const event of mixer.emergency(on, reason)) tell(event)
        }),
        catchUp
      ),
    status: Effect.sync(
      () =>
        new AirStatus({
          renderedTo: mixer.renderedTo,
          nowSample: sampleOf(clock.currentTimeMillisUnsafe()),
          nowMs: clock.currentTimeMillisUnsafe(),
          driftMs: 0,
          emergency,
          onAir: told.findLast((event) => event._tag === "Started") ?? null,
          sounding: [...sounding],
          outputs: [],
          probe: { silent: false, loudnessLufs: -16, checkedAtMs: null }
        })
    ),
    events: Stream.fromPubSub(events),
    meters: Stream.never,
    live: makeNoLive()
  })
  yield* Effect.forkScoped(Effect.repeat(catchUp, Schedule.spaced(100)))
  return {
    told,
    gone,
    short,
    onAir: () => told.findLast((event) => event._tag === "Started") ?? null,
    layer: Layer.succeed(Air, air)
  }
})
