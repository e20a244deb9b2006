import { expect, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Schema, Scope, Stream } from "effect"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Air } from "../../../engine/ports/Air.ts"
import { renderStepMaxSec } from "../../../engine/rules/air/limits.ts"
import { CurrentAirOwnership, LeasedAir } from "../../../engine/ports/AirOwnership.ts"
import { AirStandby } from "../../../engine/ports/AirStandby.ts"
import { Live } from "../../../engine/ports/Live.ts"
import { airLayer } from "../../../media/chain/Air.ts"
import { partSamples, partsPerSegment } from "../../../media/encode/PartPacker.ts"
import { ffmpegLayer } from "../../../media/ffmpeg/Ffmpeg.ts"
import { type AirEvent, AirItem, ItemLabel, StagedSound } from "../../../schema/air/Air.ts"
import { AirState, AirStep } from "../../../schema/air/AirStep.ts"
import { item, makeSounds, plan, rate } from "../../support/media/MixerWorld.ts"
import { decodeParts, findLiveEdge, type RecordedPart, recordParts } from "../../support/media/PartRecorder.ts"
import { bundledFfmpeg, fidelity, sweep } from "../../support/media/Sound.ts"
import { askUntil } from "../../support/station/WholeStation.ts"

const stepJson = Schema.fromJsonString(AirStep)
const stateJson = Schema.fromJsonString(AirState)
/** As another process would get it. */
const sent = ({ state, step }: { readonly state: AirState; readonly step: AirStep }) => ({
  step: Schema.decodeSync(stepJson)(Schema.encodeSync(stepJson)(step)),
  state: Schema.decodeSync(stateJson)(Schema.encodeSync(stateJson)(state))
})

const openChain = Effect.gen(function* () {
  const ownership = new LeasedAir(60_000, () => performance.now())
  const scope = yield* Scope.make()
  yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
  const context = yield* Layer.build(
    airLayer({ stationName: "Longwave", journalPath: null }).pipe(Layer.provide(ffmpegLayer(bundledFfmpeg)))
  ).pipe(Scope.provide(scope), Effect.provideService(CurrentAirOwnership, ownership))
  const live = Context.get(context, Live)
  return {
    air: Context.get(context, Air),
    standby: Context.get(context, AirStandby),
    live,
    /** Takes the air, and answers how long it took until listeners have it. */
    lead: (fence: number) =>
      Effect.gen(function* () {
        const began = performance.now()
        ownership.note(true, fence)
        expect(yield* live.awaitAir).toBe(true)
        return performance.now() - began
      }),
    end: Scope.close(scope, Exit.void)
  }
})

/** Songs one after the other, each as a file. */
const makeSongs = Effect.fnUntraced(function* (count: number, sec: number) {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "longwave-standby-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true }))
  )
  const { sound } = makeSounds()
  return yield* Effect.forEach(
    Array.from({ length: count }, (_, n) => n + 1),
    (n) =>
      Effect.gen(function* () {
        const wave = sweep((n - 1) * sec * rate, n * sec * rate)
        const path = join(folder, `${n}.pcm`)
        yield* Effect.promise(() =>
          writeFile(
            path,
            Int16Array.from(wave, (value) => Math.round(value * 32_767))
          )
        )
        return new StagedSound({ ...sound(n, sec), path })
      })
  )
})

it.live(
  "a standby goes on where the owner stopped: the same numbers, and every sample at its position",
  () =>
    Effect.gen(function* () {
      const songSec = 10
      const songs = yield* makeSongs(20, songSec)
      const owner = yield* openChain
      yield* owner.lead(1)
      const told: Array<ReturnType<typeof sent>> = []
      yield* Effect.forkScoped(
        Stream.runForEach(owner.standby.steps, (one) => Effect.sync(() => told.push(sent(one)))),
        { startImmediately: true }
      )
      const items = songs.map((song, n) => item(n + 1, n * songSec * rate, song))
      const { shiftSamples } = yield* owner.air.plan(plan(1, items, "now"))
      const firstSample = items[0]!.startSample + shiftSamples
      const first = yield* Effect.promise(() => askUntil(async () => told[0]))

      const standby = yield* openChain
      yield* Effect.promise(() =>
        askUntil(async () =>
          (await Effect.runPromise(standby.standby.nextSample)) >= first.step.atSample ? true : undefined
        )
      )
      const begin = (state: AirState) =>
        Effect.andThen(
          standby.standby.begin({ state, steps: [] }),
          Effect.promise(() =>
            askUntil(async () => {
              const { nowSample, renderedTo } = await Effect.runPromise(standby.air.status)
              return nowSample - renderedTo < rate ? true : undefined
            })
          )
        )
      yield* begin(first.state)
      // A later plan arrives while it follows.
      const next = plan(
        2,
        items.map((one) => new AirItem({ ...one, startSample: one.startSample + shiftSamples }))
      )
      yield* owner.air.plan(next)
      const second = yield* Effect.promise(() => askUntil(async () => told[1]))
      const isInTime = yield* standby.standby.follow([second.step], second.state)
      if (!isInTime) yield* begin(second.state)

      const isWrong = (value: number) => !(value > 15)
      /** How well parts in a row are the programme, for each frame. */
      const compare = (parts: ReadonlyArray<RecordedPart>) => {
        const pcm = decodeParts(parts)
        const at = (parts[0]!.msn * partsPerSegment + parts[0]!.part) * partSamples
        return { pcm, db: fidelity(sweep(at - firstSample, at - firstSample + pcm.length / 2), pcm, 0) }
      }
      let before = yield* recordParts(owner.live, "aac128", 6)
      // A busy machine may replace a worker: the owner then needs a moment, and the standby begins anew, as the follower of a station does.
      while (!(yield* standby.standby.isFollowing) || compare(before).db.slice(2, -2).some(isWrong)) {
        if (!(yield* standby.standby.isFollowing)) yield* begin(second.state)
        before = yield* recordParts(owner.live, "aac128", 6)
      }
      yield* owner.end
      yield* standby.lead(2)
      const after: Array<RecordedPart> = []
      const last = before.at(-1)!
      for (let n = last.msn * partsPerSegment + last.part + 1; after.length < 9; n++) {
        const answer = yield* standby.live.part("aac128", Math.floor(n / partsPerSegment), n % partsPerSegment)
        if (answer._tag !== "Found") throw new Error(`part ${n}: ${answer._tag}`)
        after.push({
          msn: Math.floor(n / partsPerSegment),
          part: n % partsPerSegment,
          bytes: answer.object.body,
          lateMs: 0
        })
      }
      const { db, pcm } = compare([...before, ...after])
      expect(pcm.length / 2).toBeGreaterThanOrEqual((before.length + after.length) * partSamples - 1024)
      expect(db.slice(2, -2).filter(isWrong)).toEqual([])
      expect((yield* findLiveEdge(standby.live, "aac128")).msn).toBeGreaterThan(0)
    }).pipe(Effect.scoped),
  300_000
)

it.live(
  "a standby that takes the air from live sound goes on with the programme: that sound came to the other process",
  () =>
    Effect.gen(function* () {
      const songs = yield* makeSongs(2, 30)
      const standby = yield* openChain
      const firstSample = yield* standby.standby.nextSample
      expect(yield* standby.standby.figures).toEqual({ lagMs: null, isReady: false })
      const told: Array<AirEvent> = []
      yield* Effect.forkScoped(
        Stream.runForEach(standby.air.events, (event) => Effect.sync(() => told.push(event))),
        { startImmediately: true }
      )
      const items = songs.map((song, n) => item(n + 1, firstSample + n * 30 * rate, song))
      const label = new ItemLabel({ title: "From the harbour", artist: null, kind: "other", synthetic: null })
      yield* standby.standby.begin({
        state: new AirState({
          plan: plan(1, items),
          library: [],
          emergency: null,
          live: { label, reason: "taken by ada" },
          current: null,
          discontinuities: { aac128: 0, aac64: 0 }
        }),
        steps: []
      })
      yield* Effect.promise(() =>
        askUntil(async () => ((await Effect.runPromise(standby.standby.figures)).isReady ? true : undefined))
      )
      yield* standby.lead(2)
      yield* Effect.promise(() =>
        askUntil(async () =>
          told.some((event) => event._tag === "Started" && event.itemId !== null) ? true : undefined
        )
      )
      expect(told.filter(({ _tag }) => _tag === "LiveChanged").at(-1)).toMatchObject({ on: false })
      expect((yield* standby.air.status).live).toBeUndefined()
      expect((yield* standby.standby.figures).isReady).toBe(false)
    }).pipe(Effect.scoped),
  300_000
)

it.live(
  "a standby that begins seconds behind has read the sound of all of them, and skips nothing",
  () =>
    Effect.gen(function* () {
      const songs = yield* makeSongs(2, 60)
      const { air, standby } = yield* openChain
      const firstSample = yield* standby.nextSample
      const { nowSample } = yield* air.status
      // More than one tick renders.
      expect((nowSample - firstSample) / rate).toBeGreaterThan(renderStepMaxSec)
      const skipped: Array<AirEvent> = []
      yield* Effect.forkScoped(
        Stream.runForEach(air.events, (event) =>
          Effect.sync(() => void (event._tag === "Skipped" && skipped.push(event)))
        ),
        { startImmediately: true }
      )
      yield* standby.begin({
        state: new AirState({
          plan: plan(
            1,
            songs.map((song, n) => item(n + 1, firstSample + (60 * n - 20) * rate, song))
          ),
          library: [],
          emergency: null,
          live: null,
          current: null,
          discontinuities: { aac128: 0, aac64: 0 }
        }),
        steps: []
      })
      yield* Effect.promise(() =>
        askUntil(async () => {
          const status = await Effect.runPromise(air.status)
          return status.nowSample - status.renderedTo < rate ? true : undefined
        })
      )
      expect(skipped).toEqual([])
      expect(yield* standby.lacksSound).toBe(false)
    }).pipe(Effect.scoped),
  300_000
)
