// Not from the package root: that would load Redis and undici, 200 ms, into this thread.
import * as NodeWorkerRunner from "@effect/platform-node/NodeWorkerRunner"
import { Effect, Layer, Schema } from "effect"
import { RpcServer } from "effect/rpc"
import { type MessagePort, workerData } from "node:worker_threads"
import { AirEvent, AirPlan, ItemLabel, type OutputId, StagedSound, StalePlan } from "../../schema/air/Air.ts"
import {
  followBehindMs,
  followReadyMs,
  mixLeadMs,
  mixTickMs,
  planReadyMs,
  renderStepMaxSec
} from "../../engine/rules/air/limits.ts"
import { AirStep } from "../../schema/air/AirStep.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { AirChain, labelId } from "./AirChain.ts"
import { AirCommands, type AirStart, type Break, type FromAir, type OutputState } from "./AirProtocol.ts"
import { join } from "../encode/Fmp4.ts"
import { Meter } from "./Meter.ts"
import { Journal } from "../live/Journal.ts"
import { PcmRing } from "../encode/PcmRing.ts"
import { readOwnThread } from "../clock/Pulse.ts"
import { renditions } from "../encode/Rendition.ts"
import { StationClock, systemTime } from "../clock/StationClock.ts"
import { LiveRing } from "../mixer/LiveRing.ts"
import { Mixer, outputBefore } from "../mixer/Mixer.ts"
import { StepQueue } from "../mixer/StepQueue.ts"
import { beginsOf, StagedReader } from "../mixer/StagedReader.ts"
import { wakeEvery } from "../clock/Ticker.ts"

const { port, start } = workerData as { readonly start: AirStart; readonly port: MessagePort }

const tell = (message: FromAir, bytes?: Uint8Array<ArrayBuffer>) =>
  port.postMessage(message, bytes === undefined ? [] : [bytes.buffer])

const clock = new StationClock(systemTime, start.anchor)
const ring = new PcmRing(start.memory)
ring.setWriter(readOwnThread())
const reader = new StagedReader()
const source = new Mixer({
  startSample: ring.writtenTo,
  read: reader,
  stationName: start.stationName,
  live: new LiveRing(start.liveMemory)
})
source.disclose(start.emergencyDisclosure)
const meter = new Meter(ring.writtenTo, (reading) => tell({ _tag: "Metered", reading }))
const lastPartAtMs = new Map<OutputId, number>()
let emergency = false

const onEvent = (event: AirEvent) => {
  if (event._tag === "Started") {
    journal?.item({
      id: labelId(event.atSample),
      atSample: event.atSample,
      title: event.label.title,
      artist: event.label.artist,
      kind: event.label.kind,
      synthetic: event.label.synthetic,
      plannedEndSample: event.endSample,
      endSample: null
    })
  }
  if (event._tag === "Started") meter.begin()
  if (event._tag === "EmergencyChanged") emergency = event.on
  tell({ _tag: "Event", event })
}

const journal =
  start.journalPath === null
    ? null
    : new Journal({
        path: start.journalPath,
        monoMs: systemTime.monoMs,
        onStopped: (stopped) => tell({ _tag: "Journal", stopped })
      })

const chain = new AirChain({
  source,
  ring,
  ffmpeg: start.ffmpeg,
  monoMs: systemTime.monoMs,
  nextAacFrame: start.nextAacFrame,
  nextMp3Frame: start.nextMp3Frame,
  sinks: {
    onPart: (part) => {
      // Writes the copy on disk first: the transfer takes the bytes away from this thread.
      journal?.part(part)
      lastPartAtMs.set(part.variant, clock.readMs())
      tell({ _tag: "Part", part }, part.bytes)
    },
    onMp3: (firstFrame, frames) => {
      lastPartAtMs.set("mp3", clock.readMs())
      const bytes = join(frames)
      tell({ _tag: "Mp3", firstFrame, frames: frames.length, bytes }, bytes)
    },
    onEvent,
    onPcm: (block) => meter.push(block)
  }
})

const command = (events: ReadonlyArray<AirEvent> | void) => {
  for (const event of events ?? []) onEvent(event)
}

if (start.current !== null) {
  const current = Schema.decodeSync(AirEvent)(start.current)
  if (current._tag === "Started") chain.label(current)
}
/** How far the mixer runs ahead of the clock; behind it while it follows another process. */
let leadMs = start.follow === null ? mixLeadMs : -followBehindMs
const countMissingSamples = () => Math.max(0, clock.nowSample() + (leadMs * sampleRateHz) / 1_000 - ring.writtenTo)
/** Upper bound of one tick's mixing: seconds, after another worker hung. */
const countDueSamples = () => Math.min(countMissingSamples(), renderStepMaxSec * sampleRateHz)

/**
 * Reads the beginning of a plan before it takes effect, and all that is missing until now, which the next ticks mix: the mixer never waits for a
 * disk. Bounded in time.
 */
const take = async (plan: AirPlan, patienceMs = planReadyMs) => {
  await reader.awaitReady(beginsOf(plan, source.renderedTo, countMissingSamples()), patienceMs)
  return source.plan(plan)
}

const apply = (step: AirStep) => {
  if (step._tag === "Planned") source.plan(step.plan)
  else if (step._tag === "Emergency") command(source.emergency(step.on, step.reason))
  else if (step._tag === "Live") command(source.live(step.label, step.reason))
}

const steps = new StepQueue()
const renderTo = (sample: number) =>
  steps.renderTo(
    sample,
    (to) => {
      chain.renderTo(to)
      return ring.writtenTo
    },
    apply
  )

/** Adds steps that are still to come. False if one is too late. */
const follow = async (told: ReadonlyArray<AirStep>): Promise<boolean> => {
  for (const step of told)
    if (step._tag === "Planned")
      await reader.awaitReady(beginsOf(step.plan, outputBefore(step.atSample), countMissingSamples()), planReadyMs)
  return steps.add(told, ring.writtenTo)
}

source.emergencyLibrary(Schema.decodeSync(Schema.Array(StagedSound))(start.library))
// Nobody hears a chain that follows: it can wait for a slow disk.
if (start.plan !== null)
  await take(Schema.decodeSync(AirPlan)(start.plan), start.follow === null ? planReadyMs : followReadyMs)
if (start.live !== null) command(source.live(Schema.decodeSync(ItemLabel)(start.live.label), start.live.reason))
if (start.emergency !== null) command(source.emergency(true, start.emergency))
if (start.follow !== null) await follow(Schema.decodeSync(Schema.Array(AirStep))(start.follow))

const outputs = (): Array<OutputState> =>
  [...chain.encoders].map(([id, encoder]) => ({
    id,
    running: encoder.running,
    bitrateKbps: renditions[id].bitrateKbps,
    lastPartAtMs: Math.round(lastPartAtMs.get(id) ?? 0) || null,
    lagMs: Math.round(((clock.nowSample() - encoder.nextFrame * renditions[id].frameSamples) * 1000) / sampleRateHz),
    restarts: encoder.restarts,
    startedAtMs: Math.round(clock.readMs() - (systemTime.monoMs() - encoder.spawnedAtMs))
  }))

/** Further behind the clock than this, the expected sound is read between two ticks: they would follow each other without time for it. */
const catchUpSamples = sampleRateHz
let isReading = false

/** Computes the amount due from the clock at every wake-up; wake-ups are never counted. */
const tick = () => {
  clock.observe()
  ring.beat(systemTime.monoMs())
  if (!isReading) {
    renderTo(ring.writtenTo + Math.round(countDueSamples()))
    if (countMissingSamples() > catchUpSamples) {
      isReading = true
      void reader.awaitExpected(planReadyMs).finally(() => {
        isReading = false
      })
    }
  }
  ring.beat(systemTime.monoMs())
  tell({ _tag: "Tick", anchor: clock.anchor, driftMs: clock.driftMs(), emergency, outputs: outputs() })
}

tick()
wakeEvery(mixTickMs, tick)

if (start.breakable) {
  port.on("message", ({ how }: Break) => {
    if (how === "throw") throw new Error("broken on demand")
    if (how === "exit") process.exit(3)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })
}

const Handlers = AirCommands.toLayer({
  Plan: ({ plan }) =>
    Effect.flatMap(
      Effect.promise(() => take(plan)),
      (answer) => (answer instanceof StalePlan ? Effect.fail(answer) : Effect.succeed(answer))
    ),
  Follow: ({ steps: told }) => Effect.promise(() => follow(told)),
  Lead: () =>
    Effect.sync(() => {
      leadMs = mixLeadMs
      tick()
    }),
  Disclose: ({ emergency: text }) => Effect.sync(() => source.disclose(text)),
  EmergencyLibrary: ({ sounds }) => Effect.sync(() => source.emergencyLibrary(sounds)),
  Live: ({ label, reason }) =>
    Effect.sync(() => {
      command(source.live(label, reason))
      tick()
    }),
  Emergency: ({ on, reason }) =>
    Effect.sync(() => {
      command(source.emergency(on, reason))
      // The next sample mixed must already be the emergency programme's, and its event must not wait for a tick.
      tick()
    })
})

// An unhandled rejection ends the worker and the supervisor starts the next: there is never sound without a command handler.
void RpcServer.layer(AirCommands).pipe(
  Layer.provide(Handlers),
  Layer.provide(RpcServer.layerProtocolWorkerRunner),
  Layer.provide(NodeWorkerRunner.layer),
  Layer.launch,
  Effect.runPromise
)
