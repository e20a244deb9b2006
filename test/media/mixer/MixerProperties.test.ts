import { createHash } from "node:crypto"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import type { AirEvent, AirItem } from "../../../schema/air/Air.ts"
import { Mixer } from "../../../media/mixer/Mixer.ts"
import { checkAccounted } from "../../support/air/Accounted.ts"
import {
  bytesOf,
  hash,
  item,
  joinParts,
  makeSounds,
  skipsOf,
  plan,
  rate,
  spans,
  start,
  startsOf
} from "../../support/media/MixerWorld.ts"

const amplitude = 0.15
/** Two sounds that end and begin at once, a millisecond each; a jump of gain is larger. */
const stepMax = ((2 * amplitude * Math.PI) / 2 / 48) * 1.1
const silenceMaxSec = 0.2
const pauseMaxSec = 0.5
/** Distance between mixing and sending, and a fade until it counts as sound. */
const toldLateSec = 0.03

const { read, sound } = makeSounds()

/** Constant sounds, so that every jump comes from a gain: songs, voices, missing files, and files that end too soon. */
const kinds = ["song", "song", "voice", "missing", "truncated"] as const
const sounds = kinds.map((kind, n) =>
  [1, 2, 3].map((sec) =>
    sound(n * 10 + sec, sec + n * 0.0137, {
      hz: 0,
      amplitude: n === 1 ? -amplitude : amplitude,
      segueSec: sec * 0.75,
      speech: kind === "voice",
      voiced: (at) => at > 0.1 && at < sec - 0.1,
      ...(kind === "missing" ? { fileSec: 0 } : kind === "truncated" ? { fileSec: sec * 0.6137 } : {})
    })
  )
)

const beds = [null, 0, 0.7, 2.3].map((fileSec, n) =>
  fileSec === null ? null : sound(80 + n, 2.3, { hz: 0, amplitude, fileSec })
)

const step = fc.record({
  waitMs: fc.integer({ min: 1, max: 3_000 }),
  entry: fc.constantFrom("boundary" as const, "now" as const, null),
  items: fc.array(
    fc.record({
      gapMs: fc.integer({ min: -900, max: 900 }),
      length: fc.nat(2),
      kind: fc.nat(kinds.length - 1),
      bed: fc.constantFrom(...beds)
    }),
    { maxLength: 5 }
  ),
  emergency: fc.constantFrom(true, false, null, null)
})
type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

const run = (steps: ReadonlyArray<Step>, blocks: () => number) => {
  const mixer = new Mixer({ startSample: start, read, stationName: "Longwave" })
  mixer.emergencyLibrary([sound(90, 25, { hz: 0, amplitude: 0.1 }), sound(91, 21.3, { hz: 0, amplitude: 0.1 })])
  const events: Array<AirEvent> = []
  const parts: Array<Float32Array> = []
  const planned = new Map<string, { readonly item: AirItem; readonly kind: (typeof kinds)[number] }>()
  const toldAt: Array<number> = []
  let last: ReadonlyArray<AirItem> = []
  let id = 0
  const advance = (frames: number) => {
    for (let done = 0; done < frames;) {
      const take = Math.min(frames - done, blocks())
      const pcm = new Float32Array(take * 2)
      events.push(...mixer.render(pcm, take))
      parts.push(pcm)
      done += take
    }
  }
  for (const [revision, { emergency, entry, items, waitMs }] of steps.entries()) {
    let at = mixer.renderedTo + rate / 10
    toldAt.push(mixer.renderedTo - start)
    if (entry !== null) {
      last = items.map(({ bed, gapMs, kind, length }) => {
        const of = sounds[kind]![length]!
        const next = item(++id, at + gapMs * 48, of, {
          speech: kinds[kind] === "voice",
          ...(bed === null ? {} : { bed })
        })
        planned.set(next.itemId, { item: next, kind: kinds[kind]! })
        at = next.startSample + of.lengthSamples
        return next
      })
      mixer.plan(plan(revision, last, entry))
    }
    if (emergency !== null) events.push(...mixer.emergency(emergency, "test"))
    advance(waitMs * 48)
  }
  events.push(...mixer.emergency(false, "the end"))
  advance(20 * rate)
  // The next item closes an open row.
  mixer.plan(plan(steps.length, [item(0, start, sound(99, 5, { hz: 0, amplitude }))], "now"))
  advance(rate)
  return { events, pcm: joinParts(parts), planned, last, toldAt }
}

it("every sample is accounted for, nothing jumps and nothing is silent, under any plans, skips and faults", () => {
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 1, maxLength: 5 }),
      fc.array(fc.integer({ min: 5, max: 9_000 }), { minLength: 1, maxLength: 9 }),
      (steps, sizes) => {
        let block = 0
        const { events, last, pcm, planned, toldAt } = run(steps, () => sizes[block++ % sizes.length]!)
        const again = run(steps, () => 4_800)
        expect(hash(pcm)).toBe(hash(again.pcm))

        const log = spans(events)
        expect(log).toEqual(spans(again.events))
        expect(
          checkAccounted(
            [{ firstSample: start, lastSample: start }, ...log].toSorted((a, b) => a.lastSample - b.lastSample)
          )
        ).toBeGreaterThanOrEqual(Math.max(...startsOf(events).map(({ atSample }) => atSample)))
        for (const { firstSample, lastSample, layers, pcmSha256 } of log) {
          expect(
            createHash("sha256")
              .update(bytesOf(pcm.subarray((firstSample - start) * 2, (lastSample + 1 - start) * 2)))
              .digest("hex")
          ).toBe(pcmSha256)
          expect(layers.every((layer) => layer.firstSample >= firstSample && layer.lastSample <= lastSample)).toBe(true)
        }
        // Every beginning is reported once, where its row begins; pauses aren't reported.
        const begins = new Map(startsOf(events).map((event) => [event.atSample, event]))
        expect(
          log
            .filter(
              ({ firstSample, itemId, label }) => label.title !== "Pause" && begins.get(firstSample)?.itemId !== itemId
            )
            .every(({ trace }) => trace.includes("goes on"))
        ).toBe(true)

        const counted = (ids: ReadonlyArray<string | null>, id: string) => ids.filter((each) => each === id).length
        const on = startsOf(events).map(({ itemId }) => itemId)
        const over = skipsOf(events).map(({ itemId }) => itemId)
        for (const [id, { kind }] of planned) {
          expect(counted(on, id)).toBeLessThanOrEqual(1)
          expect(counted(over, id)).toBeLessThanOrEqual(1)
          // Only an interrupted sound is both.
          if (counted(on, id) + counted(over, id) > 1) expect(kind).toBe("truncated")
          if (kind === "missing") expect(counted(on, id)).toBe(0)
        }
        for (const { itemId } of last) expect(counted(on, itemId) + counted(over, itemId)).toBeGreaterThan(0)
        for (const { complete, itemId } of log) if (complete && itemId !== null) expect(over).not.toContain(itemId)
        // One row each, unless it ended before one of its samples was sent.
        for (const id of planned.keys())
          if (counted(on, id) > 0)
            expect(
              counted(
                log.map(({ itemId }) => itemId),
                id
              )
            ).toBe(1)

        let quiet = 0
        const begun = startsOf(events)
          .filter(({ itemId }) => itemId !== null)
          .map(({ atSample }) => atSample - start)
        // A pause is intended: an item ends it, or the mixer got another plan during it.
        const isPause = (sec: number, to: number) =>
          sec <= pauseMaxSec + 0.01 &&
          (begun.some((at) => Math.abs(at - to) < 200) || toldAt.some((at) => to >= at && to < at + toldLateSec * rate))
        for (let frame = 1; frame * 2 < pcm.length; frame++) {
          const value = pcm[frame * 2]!
          if (Math.abs(value - pcm[frame * 2 - 2]!) > stepMax)
            expect.fail(`jumps at ${frame / rate} s by ${value - pcm[frame * 2 - 2]!}`)
          if (Math.abs(value) < 0.001) {
            quiet += 1
            continue
          }
          const sec = quiet / rate
          if (sec > silenceMaxSec && !isPause(sec, frame)) expect.fail(`silent for ${sec} s before ${frame / rate} s`)
          quiet = 0
        }
      }
    ),
    {
      numRuns: 12,
      // Shrinking a failing case takes minutes: its printed seed and path are enough.
      endOnFailure: true
    }
  )
}, 300_000)
