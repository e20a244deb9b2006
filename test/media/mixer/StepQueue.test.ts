import * as fc from "fast-check"
import { createHash } from "node:crypto"
import { expect, it } from "vitest"
import { Mixer } from "../../../media/mixer/Mixer.ts"
import { StepQueue } from "../../../media/mixer/StepQueue.ts"
import { StalePlan } from "../../../schema/air/Air.ts"
import type { AirStep } from "../../../schema/air/AirStep.ts"
import { bytesOf, item, makeSounds, plan, rate, start } from "../../support/media/MixerWorld.ts"

const { read, sound } = makeSounds()
const songs = [1, 2, 3, 4, 5, 6].map((n) =>
  sound(n, 2 + n * 0.31, { noise: true, amplitude: 0.9, segueSec: 1.5 + n * 0.3, speech: n % 3 === 0 })
)
const blockMax = 4_800

/** A mixer whose output is hashed. */
const open = () => {
  const mixer = new Mixer({ startSample: start, read, stationName: "Longwave" })
  const hash = createHash("sha256")
  const renderTo = (sample: number) => {
    while (mixer.renderedTo < sample) {
      const block = new Float32Array(Math.min(blockMax, sample - mixer.renderedTo) * 2)
      mixer.render(block, block.length / 2)
      hash.update(bytesOf(block))
    }
    return mixer.renderedTo
  }
  return { mixer, renderTo, digest: () => hash.digest("hex") }
}

const command = fc.record({
  waitMs: fc.integer({ min: 1, max: 1_500 }),
  what: fc.oneof(
    fc.constantFrom("emergency" as const, "clear" as const),
    fc.record({
      entry: fc.constantFrom("boundary" as const, "now" as const),
      items: fc.array(fc.record({ song: fc.nat(songs.length - 1), gapMs: fc.integer({ min: -400, max: 400 }) }), {
        maxLength: 4
      })
    })
  )
})

it("makes the same sound from the steps of another mixer, however far behind and in whatever blocks", () => {
  fc.assert(
    fc.property(
      fc.array(command, { minLength: 1, maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 30_000 }), { minLength: 1, maxLength: 20 }),
      (commands, blocks) => {
        const owner = open()
        const follower = open()
        const steps: Array<AirStep> = []
        let sample = start + 1_000
        let n = 0
        for (const [revision, { waitMs, what }] of commands.entries()) {
          owner.renderTo(sample)
          if (typeof what === "string") {
            for (const event of owner.mixer.emergency(what === "emergency", "A test."))
              if (event._tag === "EmergencyChanged")
                steps.push({ _tag: "Emergency", on: event.on, reason: event.reason, atSample: event.atSample })
          } else {
            let at = owner.mixer.renderedTo + rate / 10
            const told = plan(
              revision + 1,
              what.items.map(({ gapMs, song }) => {
                const startSample = at + gapMs * 48
                at = startSample + songs[song]!.cue.segue
                return { ...item(++n, 0, songs[song]!), startSample }
              }),
              what.entry
            )
            const applied = owner.mixer.plan(told)
            if (applied instanceof StalePlan) throw new Error("stale")
            steps.push({ _tag: "Planned", plan: told, atSample: applied.renderedTo })
          }
          sample += waitMs * 48
        }
        owner.renderTo(sample)

        const queue = new StepQueue()
        const apply = (step: AirStep) => {
          if (step._tag === "Planned") follower.mixer.plan(step.plan)
          if (step._tag === "Emergency") follower.mixer.emergency(step.on, step.reason)
        }
        expect(queue.add(steps, follower.mixer.renderedTo)).toBe(true)
        for (let turn = 0; follower.mixer.renderedTo < sample; turn++) {
          const to = Math.min(sample, follower.mixer.renderedTo + blocks[turn % blocks.length]!)
          queue.renderTo(to, follower.renderTo, apply)
        }
        expect(follower.digest()).toBe(owner.digest())
        expect(queue.add(steps, follower.mixer.renderedTo)).toBe(steps.length === 0)
      }
    ),
    { numRuns: 30 }
  )
})
