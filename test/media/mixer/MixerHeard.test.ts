import { Schema } from "effect"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { AirHost } from "../../../media/chain/AirHost.ts"
import { broadcastStart } from "../../../media/live/BroadcastStart.ts"
import { Mixer } from "../../../media/mixer/Mixer.ts"
import { addTone } from "../../../media/mixer/Tone.ts"
import { AirEvent, type AirItem, AirPlan, StalePlan } from "../../../schema/air/Air.ts"
import { checkAccounted } from "../../support/air/Accounted.ts"
import { locateSounds, type Known } from "../../support/media/HeardWhere.ts"
import { item, joinParts, makeSounds, plan, rate, spans } from "../../support/media/MixerWorld.ts"

const toleranceSec = 0.02
/** A third of the level that an unlogged sound would leave. */
const restMax = 0.008
/** Distance between mixing and sending. */
const cellFrames = 128

const { files, read, sound } = makeSounds()
const kinds = ["song", "song", "voice", "voice", "truncated", "missing"] as const
const lengthsSec = [0.05, 0.7, 1.3, 2.1]
const fileSecOf = (kind: (typeof kinds)[number], sec: number) =>
  kind === "missing" ? 0 : kind === "truncated" ? sec * 0.6137 : sec

const planned = fc.record({
  kind: fc.nat(kinds.length - 1),
  length: fc.nat(lengthsSec.length - 1),
  /** How the next item follows: as planned, at the same sample, too early for the previous one, or after a pause. */
  join: fc.constantFrom(
    "meant" as const,
    "meant" as const,
    "meant" as const,
    "same" as const,
    "early" as const,
    "pause" as const
  )
})
const step = fc.record({
  waitMs: fc.integer({ min: 5, max: 1_700 }),
  what: fc.constantFrom(
    "emergency" as const,
    "clear" as const,
    "skip" as const,
    "replan" as const,
    "crash" as const,
    "crash" as const
  ),
  items: fc.array(planned, { minLength: 1, maxLength: 4 })
})
type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

/** A host and its workers, one after the other, as fast as possible. */
const run = (first: Step["items"], steps: ReadonlyArray<Step>) => {
  const events: Array<AirEvent> = []
  const silent = () => undefined
  const host = new AirHost(broadcastStart(null), "Longwave", {
    event: (event) => events.push(event),
    part: silent,
    onCut: silent,
    onMp3: silent,
    onJournal: silent
  })
  const start = host.ring.writtenTo
  const parts: Array<Float32Array> = []
  const items = new Map<string, AirItem>()
  const tell = (told: ReadonlyArray<AirEvent>) => {
    for (const event of told) host.receive({ _tag: "Event", event: Schema.encodeSync(AirEvent)(event) })
  }
  const worker = () => {
    const { emergency, plan: goesOn } = host.start("ffmpeg", null, false)
    const next = new Mixer({ startSample: host.ring.writtenTo, read, stationName: "Longwave" })
    if (goesOn !== null) next.plan(Schema.decodeSync(AirPlan)(goesOn))
    if (emergency !== null) tell(next.emergency(true, emergency))
    return next
  }
  let mixer = worker()
  const advance = (frames: number) => {
    for (let done = 0; done < frames;) {
      const take = Math.min(frames - done, 4_800)
      const pcm = new Float32Array(take * 2)
      tell(mixer.render(pcm, take))
      host.ring.write(pcm)
      parts.push(pcm)
      done += take
    }
  }
  let revision = 0
  let id = 0
  const told = (which: Step["items"], entry: "boundary" | "now", from: number) => {
    let before: AirItem | null = null
    let voiceFree = from
    const next = which.map(({ join, kind, length }) => {
      const name = kinds[kind]!
      const sec = lengthsSec[length]!
      const of = sound(++id, sec, {
        noise: true,
        amplitude: 0.04,
        segueSec: sec * 0.7,
        speech: name === "voice",
        fileSec: fileSecOf(name, sec)
      })
      let at = from
      if (before !== null) {
        const meant =
          before.startSample +
          (before.speech && (name === "voice" || join === "pause")
            ? before.sound.cue.cueOut
            : before.speech
              ? Math.round(before.sound.cue.cueOut * 0.5)
              : before.sound.cue.segue)
        at =
          join === "same"
            ? before.startSample
            : join === "early"
              ? Math.round((before.startSample + meant) / 2)
              : join === "pause"
                ? before.startSample + before.sound.cue.cueOut + 0.2 * rate
                : meant
      }
      if (name === "voice") at = Math.max(at, voiceFree)
      const made = item(id, Math.round(at), of, { speech: name === "voice" })
      if (name === "voice") voiceFree = made.startSample + of.cue.cueOut
      items.set(made.itemId, made)
      before = made
      return made
    })
    revision += 1
    const asked = plan(revision, next, entry)
    const applied = mixer.plan(asked)
    if (applied instanceof StalePlan) throw new Error("stale")
    host.setPlan(asked, applied)
  }
  told(first, "boundary", start + rate / 10)
  for (const { items: next, waitMs, what } of steps) {
    advance(waitMs * 48)
    if (what === "emergency" || what === "clear") {
      host.setEmergency(what === "emergency" ? "a test" : null)
      tell(mixer.emergency(what === "emergency", "a test"))
      if (what === "clear") told(next, "now", mixer.renderedTo)
    } else if (what === "skip") told(next, "now", mixer.renderedTo)
    else if (what === "replan") told(next, "boundary", mixer.renderedTo + rate / 10)
    else {
      host.logRestart("a test")
      mixer = worker()
    }
  }
  advance(4 * rate)
  // The next item closes an open row.
  host.setEmergency(null)
  tell(mixer.emergency(false, "the end"))
  revision += 1
  mixer.plan(plan(revision, [item(0, 0, sound(99, 5, { amplitude: 0 }))], "now"))
  const to = host.ring.writtenTo
  advance(rate)
  return { events, items, pcm: joinParts(parts), start, to }
}

const toneOf = (start: number, frames: number): Float32Array => {
  const out = new Float32Array((frames + 2 * cellFrames) * 2)
  const skew = start % cellFrames
  for (let at = 0; at < frames + cellFrames; at += cellFrames)
    addTone(out.subarray(at * 2, (at + cellFrames) * 2), start - skew + at, 1, 1)
  return Float32Array.from({ length: frames }, (_, frame) => out[(frame + skew) * 2]!)
}

it("the log matches the heard sound to 20 ms through overlaps, cuts, skips, breaks and takeovers, and complete sounds were heard to their own end", () => {
  fc.assert(
    fc.property(
      fc.array(planned, { minLength: 2, maxLength: 4 }),
      fc.array(step, { minLength: 1, maxLength: 4 }),
      (first, steps) => {
        const { events, items, pcm, start, to } = run(first, steps)
        const log = spans(events).filter(({ itemId }) => itemId === null || items.has(itemId))
        const left = Float32Array.from({ length: to - start }, (_, frame) => pcm[frame * 2]!)

        expect(Math.min(...log.map(({ firstSample }) => firstSample))).toBe(start)
        expect(checkAccounted(log)).toBeGreaterThanOrEqual(to)

        const rowsOf = (id: string | null) => log.filter(({ itemId }) => itemId === id)
        const known: Array<Known> = [...items.values()].flatMap((each) => {
          const rows = rowsOf(each.itemId)
          if (rows.length === 0) return []
          const frames = files.get(each.sound.path)!
          return [
            {
              name: each.itemId,
              from: rows[0]!.firstSample - start,
              sound: Float32Array.from({ length: frames.length / 2 }, (_, frame) => frames[frame * 2]! / 32_768)
            }
          ]
        })
        const isBorder = (rows: typeof log, atSec: number, withinSec: number) =>
          rows.some(
            ({ firstSample, lastSample }) =>
              Math.min(
                Math.abs((firstSample - start) / rate - atSec),
                Math.abs((lastSample + 1 - start) / rate - atSec)
              ) < withinSec
          )
        /** At the start or end of any sound, a window has two levels of it: then no other sound can be measured. */
        const isClear = (atSec: number) => !isBorder(log, atSec, heard.windowSec)
        const heard = locateSounds(left, [...known, { name: "tone", from: 0, sound: toneOf(start, to - start) }])
        for (const { gains, name } of heard.sounds) {
          const rows = name === "tone" ? rowsOf(null).filter(({ label }) => label.title !== "Pause") : rowsOf(name)
          for (const [window, gain] of gains) {
            const atSec = (window + 0.5) * heard.windowSec
            const claimed = rows.some(
              ({ firstSample, lastSample }) =>
                (firstSample - start) / rate <= atSec && (lastSample + 1 - start) / rate > atSec
            )
            if (
              isClear(atSec) &&
              !isBorder(rows, atSec, toleranceSec) &&
              (claimed ? gain < heard.silent : gain > heard.audible)
            )
              expect.fail(
                `${name} at ${atSec.toFixed(3)} s: ${claimed ? "logged and not heard" : "heard and not logged"}, gain ${gain}`
              )
          }
        }
        // Only logged sound is heard.
        for (const [window, rest] of heard.rests.entries()) {
          const atSec = (window + 0.5) * heard.windowSec
          if (rest > restMax && isClear(atSec))
            expect.fail(`something is heard at ${atSec.toFixed(3)} s that isn't logged: ${rest}`)
        }

        for (const each of items.values()) {
          const rows = rowsOf(each.itemId)
          const last = rows.at(-1)
          if (last === undefined) continue
          expect(rows.slice(0, -1).every(({ complete }) => !complete)).toBe(true)
          for (const [i, row] of rows.entries()) if (i > 0) expect(row.firstSample).toBe(rows[i - 1]!.lastSample + 1)
          const gains = heard.sounds.find(({ name }) => name === each.itemId)!.gains
          const full = each.speech && last.lastSample + 1 - rows[0]!.firstSample === each.sound.cue.cueOut
          const end = gains
            .filter(([window]) => (window + 1) * heard.windowSec <= (last.lastSample + 1 - start) / rate - 0.001)
            .at(-1)
          if (each.speech && last.lastSample + 1 < to)
            expect([each.itemId, last.complete]).toEqual([each.itemId, full && (end === undefined || end[1] > 0.97)])
          if (last.complete)
            expect(last.lastSample + 1 - rows[0]!.firstSample).toBeGreaterThanOrEqual(each.sound.cue.segue - 1)
        }
      }
    ),
    { numRuns: 50, endOnFailure: true }
  )
}, 300_000)
