import { Clock, Effect, Layer, PubSub, Schedule, Schema, Stream } from "effect"
import { makeNoLive } from "./NoLive.ts"
import { Air } from "../../../engine/ports/Air.ts"
import { LeasedAir } from "../../../engine/ports/AirOwnership.ts"
import { airLeaseMs, followBehindMs, mixLeadMs } from "../../../engine/rules/air/limits.ts"
import { AirHost } from "../../../media/chain/AirHost.ts"
import { broadcastStart } from "../../../media/live/BroadcastStart.ts"
import { Mixer } from "../../../media/mixer/Mixer.ts"
import type { SoundReader } from "../../../media/mixer/StagedReader.ts"
import { StepQueue } from "../../../media/mixer/StepQueue.ts"
import { AirEvent, StalePlan } from "../../../schema/air/Air.ts"
import type { AirState, AirStep } from "../../../schema/air/AirStep.ts"
import { msToSamples } from "../../../schema/time/Samples.ts"

const silence = new Int16Array(2 * 4_096)
const read: SoundReader = {
  read: (_sound, _from, count) => silence.subarray(0, count * 2),
  expect: () => undefined,
  hold: () => undefined
}

/**
 * The air chain of one of several processes on the given clock: the real host, mixer and steps, with silence as sounds and without encoders. It leads,
 * or follows the chain of another process until it takes the air.
 */
export const makeProcessChain = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const nowMs = () => clock.currentTimeMillisUnsafe()
  const ownership = new LeasedAir(airLeaseMs, nowMs)
  const events = yield* PubSub.unbounded<AirEvent>()
  const followers = new Set<(step: AirStep, state: AirState) => void>()
  const quiet = () => undefined
  const host: AirHost = new AirHost(
    broadcastStart(null, { wallMs: nowMs, monoMs: nowMs }),
    "Longwave",
    {
      event: (event) => void PubSub.publishUnsafe(events, event),
      part: quiet,
      onCut: quiet,
      onMp3: quiet,
      onJournal: quiet,
      onStep: (step) => {
        for (const tell of followers) tell(step, host.state)
      }
    },
    ownership
  )
  let mixer = new Mixer({ startSample: host.ring.writtenTo, read, stationName: "Longwave" })
  let steps = new StepQueue()
  let emergency = false
  const hear = (told: ReadonlyArray<AirEvent>) => {
    for (const event of told) {
      if (event._tag === "EmergencyChanged") emergency = event.on
      host.receive({ _tag: "Event", event: Schema.encodeSync(AirEvent)(event) })
    }
  }
  const block = new Float32Array(4_800 * 2)
  const renderTo = (sample: number) => {
    while (host.ring.writtenTo < sample) {
      const frames = Math.min(4_800, sample - host.ring.writtenTo)
      const part = block.subarray(0, frames * 2)
      hear(mixer.render(part, frames))
      host.ring.write(part)
    }
    return host.ring.writtenTo
  }
  const apply = (step: AirStep) => {
    if (step._tag === "Planned") mixer.plan(step.plan)
    else if (step._tag === "Emergency") hear(mixer.emergency(step.on, step.reason))
  }
  const render = () => {
    const aheadMs = host.isFollowing ? -followBehindMs : mixLeadMs
    steps.renderTo(host.clock.nowSample() + msToSamples(aheadMs), renderTo, apply)
    const { anchor } = host.clock
    host.receive({ _tag: "Tick", anchor, driftMs: 0, emergency, outputs: [] })
    host.noteCaughtUp()
  }
  const air = Air.of({
    plan: (plan) =>
      Effect.suspend(() => {
        const answer = mixer.plan(plan)
        if (answer instanceof StalePlan) return Effect.fail(answer)
        host.setPlan(plan, answer)
        return Effect.succeed(answer)
      }),
    disclose: (disclosures) =>
      Effect.sync(() => {
        host.disclose(disclosures)
        mixer.disclose(disclosures.emergency)
      }),
    emergencyLibrary: (sounds) =>
      Effect.sync(() => {
        host.setLibrary(sounds)
        mixer.emergencyLibrary(sounds)
      }),
    emergency: (on, reason) =>
      Effect.sync(() => {
        host.setEmergency(on ? reason : null)
        hear(mixer.emergency(on, reason))
        render()
      }),
    status: Effect.sync(() => host.status),
    events: Stream.unwrap(
      Effect.map(PubSub.subscribe(events), (subscription) =>
        Stream.concat(Stream.fromIterable(host.takeUntold()), Stream.fromSubscription(subscription))
      )
    ),
    meters: Stream.never,
    live: makeNoLive()
  })
  yield* Effect.forkScoped(Effect.repeat(Effect.sync(render), Schedule.spaced(100)))
  return {
    layer: Layer.succeed(Air, air),
    followers,
    state: () => host.state,
    status: () => host.status,
    /** Begins as a standby of the process with this chain. */
    follow: (owner: { readonly state: () => AirState; readonly followers: typeof followers }) => {
      host.follow(host.nextFollowFrame, owner.state(), [])
      mixer = new Mixer({ startSample: host.ring.writtenTo, read, stationName: "Longwave" })
      steps = new StepQueue()
      const { emergency, library, plan } = host.state
      mixer.emergencyLibrary(library)
      if (plan !== null) mixer.plan(plan)
      if (emergency !== null) hear(mixer.emergency(true, emergency))
      owner.followers.add((step, state) => {
        steps.add([step], host.ring.writtenTo)
        host.adopt(state)
      })
      render()
    },
    /** Takes the air from an owner that had not renewed its lease for so long. It renders what is missing a moment later. */
    take: (formerSilentMs: number) => {
      ownership.note(true, null, { formerSilentMs })
      host.lead()
    }
  }
})
