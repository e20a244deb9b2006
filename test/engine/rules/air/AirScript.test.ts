import { expect, it } from "vitest"
import {
  airStateOf,
  airStepOf,
  assetsOf,
  beginningOf,
  continuesLine,
  scriptStateOf,
  scriptStepOf
} from "../../../../engine/rules/air/AirScript.ts"
import { AirItem } from "../../../../schema/air/Air.ts"
import { ScriptLine, ScriptState, type ScriptStep } from "../../../../schema/air/AirScript.ts"
import { AirState } from "../../../../schema/air/AirStep.ts"
import { item, makeSounds, plan } from "../../../support/media/MixerWorld.ts"

const nothing = new ScriptState({
  plan: null,
  library: [],
  emergency: null,
  live: null,
  current: null,
  discontinuities: { aac128: 0, aac64: 0 }
})
const line = (number: number, atSample: number, owner = "a", tag: "Emergency" | "Taken" = "Emergency") => {
  const step: ScriptStep =
    tag === "Taken"
      ? { _tag: "Taken", atSample }
      : { _tag: "Emergency", on: number % 2 === 0, reason: "A test.", atSample }
  return new ScriptLine({ owner, number, step, state: nothing })
}

it("gives other processes a step without its sounds, and finds them there again", () => {
  const { sound } = makeSounds()
  const sounds = [1, 2, 3].map((n) => sound(n, 3))
  const [song, bed, ident] = sounds as [(typeof sounds)[0], (typeof sounds)[0], (typeof sounds)[0]]
  const told = plan(
    1,
    [item(1, 480, song, { bed }), item(2, 9_600, bed)].map((one) => new AirItem({ ...one, words: [] }))
  )
  const step = { _tag: "Planned" as const, plan: told, atSample: 128 }
  const state = new AirState({ ...nothing, plan: told, library: [ident] })
  const script = { step: scriptStepOf(step), state: scriptStateOf(state) }
  const known = new Map(sounds.map((one) => [one.assetId, { sound: one, words: [] }]))
  expect(assetsOf(script)).toEqual([song.assetId, bed.assetId, ident.assetId])
  expect(airStepOf(script.step, (id) => known.get(id))).toEqual(step)
  expect(airStateOf(script.state, (id) => known.get(id))).toEqual(state)
  known.delete(song.assetId)
  expect(airStateOf(script.state, (id) => known.get(id)).plan?.items.map(({ itemId }) => itemId)).toEqual([
    told.items[1]!.itemId
  ])
})

it("goes on with the next number of the same owner only", () => {
  expect(
    [line(2, 10), line(3, 10), line(2, 10, "b"), line(2, 10, "a", "Taken")].map((next) =>
      continuesLine(line(1, 0), next)
    )
  ).toEqual([true, false, false, false])
})

it("begins with the last line in force, if those after it have no gap", () => {
  const lines = [line(1, 0), line(2, 100), line(3, 200)]
  expect(beginningOf(lines, 150)).toEqual({ line: lines[1], rest: [lines[2]] })
  expect(beginningOf(lines, 200)).toEqual({ line: lines[2], rest: [] })
  expect(beginningOf(lines, -1)).toBeNull()
  expect(beginningOf([lines[0]!, lines[2]!], 100)).toBeNull()
  expect(beginningOf([lines[0]!, line(9, 100, "b", "Taken")], 50)).toBeNull()
  expect(beginningOf([], 0)).toBeNull()
})
