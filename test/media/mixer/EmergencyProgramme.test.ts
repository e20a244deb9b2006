import { describe, expect, it } from "vitest"
import type { StagedSound } from "../../../schema/air/Air.ts"
import { EmergencyProgramme } from "../../../media/mixer/EmergencyProgramme.ts"
import { cellFrames } from "../../../media/mixer/Limiter.ts"
import type { SoundReader } from "../../../media/mixer/StagedReader.ts"
import { level, makeSounds, rate, findSteepest } from "../../support/media/MixerWorld.ts"

const world = () => {
  const { files, read, sound } = makeSounds()
  const held: Array<string> = []
  const reader: SoundReader = {
    ...read,
    hold: (sounds) => held.splice(0, held.length, ...sounds.map(({ path }) => path))
  }
  const programme = new EmergencyProgramme(reader)
  let at = 0
  const run = (sec: number, gain: (cell: number) => number = () => 1) => {
    const cells = Math.round((sec * rate) / cellFrames)
    const pcm = new Float32Array(cells * cellFrames * 2)
    const heard: Array<string | null> = []
    for (let cell = 0; cell < cells; cell++, at += cellFrames) {
      programme.add(
        pcm.subarray(cell * cellFrames * 2, (cell + 1) * cellFrames * 2),
        at,
        gain(cell),
        gain(cell + 1),
        (sound: StagedSound | null) => {
          const name = sound?.assetId ?? null
          if (heard.at(-1) !== name) heard.push(name)
        }
      )
    }
    return { pcm, heard }
  }
  return { files, held, programme, run, sound }
}

const named = (heard: ReadonlyArray<string | null>) => heard.map((id) => (id === null ? "tone" : Number(id.slice(-2))))

describe("the emergency programme", () => {
  it("loops a single sound without tone or click between", () => {
    const { programme, run, sound } = world()
    programme.stock([sound(1, 20.1, { hz: 0, amplitude: 0.2 })])
    const { heard, pcm } = run(62)
    expect(named(heard)).toEqual([1])
    expect(findSteepest(pcm).step).toBeLessThan(0.001)
  })

  it("joins different sounds without a click", () => {
    const { programme, run, sound } = world()
    programme.stock([sound(1, 20.3, { hz: 0, amplitude: 0.2 }), sound(2, 21, { hz: 0, amplitude: -0.2 })])
    const { heard, pcm } = run(64)
    expect([...new Set(named(heard))]).toEqual([1, 2])
    expect(findSteepest(pcm).step).toBeLessThan(0.001)
  })

  it("continues at its position when it gets other sounds, and when it is started again", () => {
    const { programme, run, sound } = world()
    const sounds = [sound(1, 20, { hz: 11 }), sound(2, 30, { hz: 13 }), sound(3, 20, { hz: 17 })]
    programme.stock(sounds.slice(0, 2))
    run(27)
    // 9.25 s into the second one.
    programme.stock(sounds)
    const { heard } = run(25)
    expect([...new Set(named(heard))]).toEqual([2, 3])
    programme.stock([...sounds])
    expect(named(run(2, (cell) => Math.min(1, cell / 45)).heard)).toEqual([3])
  })

  it("continues after a broken sound with the next, and with the tone if nothing can be read", () => {
    const { files, programme, run, sound } = world()
    const short = sound(1, 25, { hz: 0, amplitude: 0.2, fileSec: 3.0011 })
    const second = sound(2, 25, { hz: 0, amplitude: 0.2 })
    programme.stock([short, second])
    const first = run(6)
    expect([...new Set(named(first.heard))]).toEqual([1, 2])
    expect(findSteepest(first.pcm).step).toBeLessThan(0.004)
    files.clear()
    const { heard, pcm } = run(2)
    expect(named(heard).at(-1)).toBe("tone")
    expect(level(pcm, 0.5, 2)).toBeGreaterThan(0.03)
  })

  it("plays the idents over the tone in turn, from memory alone, and lowers the tone for them", () => {
    const { held, programme, run, sound } = world()
    const idents = [sound(1, 3, { speech: true, gainDb: -6, hz: 440 }), sound(2, 2, { speech: true, hz: 550 })]
    programme.stock(idents)
    expect(held).toEqual(idents.map(({ path }) => path))
    const { heard, pcm } = run(34)
    expect([...new Set(named(heard.filter((id) => id !== null)))]).toEqual([1, 2])
    expect(level(pcm, 1, 2)).toBeGreaterThan(level(pcm, 10, 20))
    expect(findSteepest(pcm).step).toBeLessThan(0.03)
  })

  it("plays an ident as soon as it is available", () => {
    const { files, programme, run, sound } = world()
    const ident = sound(1, 3, { speech: true })
    const file = files.get(ident.path)!
    files.delete(ident.path)
    programme.stock([ident])
    expect(named(run(5).heard)).toEqual(["tone"])
    files.set(ident.path, file)
    expect(named(run(1).heard)).toContain(1)
  })

  it("keeps at least 20 s of bed between two idents, however short and late they are", () => {
    const { files, programme, run, sound } = world()
    const ident = sound(1, 0.954, { speech: true })
    const file = files.get(ident.path)!
    files.delete(ident.path)
    programme.stock([ident])
    run(27)
    // The file becomes readable three seconds before the half minute ends.
    files.set(ident.path, file)
    const begun: Array<number> = []
    let was = false
    for (let step = 0; step < 900; step++) {
      // The library is replaced now and then, as while the house makes its pieces; the programme leaves the air for moments.
      if (step % 97 === 0) programme.stock([ident])
      const is = run(0.1, () => (step % 150 < 2 ? 0 : 1)).heard.includes(ident.assetId)
      if (is && !was) begun.push(step / 10)
      was = is
    }
    expect(begun.length).toBeGreaterThan(2)
    for (let i = 1; i < begun.length; i++) expect(begun[i]! - begun[i - 1]!).toBeGreaterThan(20 + 0.954)
  })

  it("plays an ident now and then where a song begins, and lowers the song for it", () => {
    const { programme, run, sound } = world()
    const songs = [sound(1, 30, { hz: 0, amplitude: 0.2 }), sound(2, 30, { hz: 0, amplitude: 0.2 })]
    programme.stock([...songs, sound(3, 2, { speech: true, hz: 0, amplitude: 0.1 })])
    const { heard, pcm } = run(31.5)
    expect(named(heard.filter((id, i) => heard.indexOf(id) === i))).toEqual([1, 2, 3])
    expect(heard).not.toContain(null)
    expect(level(pcm, 30.5, 31.4)).toBeLessThan(0.19)
    expect(findSteepest(pcm).step).toBeLessThan(0.001)
    const later = named(run(270).heard)
    // Nine songs more, with one ident every four minutes.
    expect(later.filter((id, i) => id === 3 && !later.slice(Math.max(0, i - 3), i).includes(3))).toHaveLength(2)
  })
})
