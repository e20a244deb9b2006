import { Effect, Exit, Fiber } from "effect"
import { describe, expect, it } from "@effect/vitest"
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { isUnfit, type VoiceModel, voiceModelIn } from "../../../media/models/VoiceModel.ts"
import { makeEmbedded } from "../../../media/speech/EmbeddedEngine.ts"
import { makeNeuralEngine } from "../../../media/speech/NeuralEngine.ts"
import { makeNeuralProcess } from "../../../media/speech/NeuralProcess.ts"
import { pitchOf } from "../../../media/speech/Pitch.ts"
import { makeSpeech } from "../../../media/speech/Speech.ts"
import type { Script } from "../../../media/speech/SpeechEngine.ts"
import { sentencesOf } from "../../../media/speech/SpokenText.ts"
import { catalog } from "../../../media/speech/VoiceCatalog.ts"
import {
  writeTinyKokoro,
  writeTinyLetterVoice,
  writeTinyMatcha,
  writeTinyPiper,
  writeTinySupertonic
} from "../../support/media/TinyModels.ts"

let folder = ""
const at = (...path: ReadonlyArray<string>) => join(folder, ...path)
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "neural-"))
  await writeTinyPiper(at("piper"))
  await writeTinyPiper(at("piper-int8"), "en_US-tiny-medium.int8.onnx", 1)
  await writeTinyKokoro(at("kokoro"))
  await writeTinyKokoro(at("kokoro-multi"), { version: 2 })
  await writeTinyKokoro(at("kitten"), { kitten: true })
  await writeTinyMatcha(at("matcha"))
  writeTinySupertonic(at("supertonic"))
  writeTinyLetterVoice(at("letters"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const fit = (name: string): VoiceModel => {
  const found = voiceModelIn(at(name))
  if (isUnfit(found)) throw new Error(found.unfit)
  return found
}
const script = (text: string, index = 0): Script => ({
  sentences: sentencesOf(text),
  voice: catalog[index]!.voice,
  role: "PRIMARY"
})
const engineOf = (name: string) => makeNeuralEngine({ model: fit(name), rememberIn: at(`${name}.json`) })
const processOf = (name: string, limits = {}) =>
  makeNeuralProcess(
    new URL("../../../media/speech/NeuralWorker.ts", import.meta.url),
    { modelDir: at(name), threads: 1 },
    limits
  )
const ask = { text: "Good evening.", speaker: 0, speed: 1, timbre: null }
const enoughMs = 60_000

describe("the real library on models that the test builds", () => {
  it.live.each([
    ["piper", "vits", 22_050, 3],
    ["letters", "vits", 16_000, 1],
    ["kokoro", "kokoro", 24_000, 4],
    ["kokoro-multi", "kokoro", 24_000, 4],
    ["kitten", "kitten", 24_000, 4],
    ["matcha", "matcha", 22_050, 1],
    ["supertonic", "supertonic", 24_000, 2]
  ] as const)("%s: loads and speaks a script through its child", ([name, kind, sampleRateHz, speakers]) =>
    Effect.gen(function* () {
      const child = yield* processOf(name)
      expect(yield* child.facts).toMatchObject({ kind, sampleRateHz, speakers })
      const short = yield* child.speak({ ...ask, text: "One two." }, enoughMs)
      const long = yield* child.speak({ ...ask, text: "One two three four five six seven eight." }, enoughMs)
      const slow = yield* child.speak({ ...ask, text: "One two.", speed: 0.5 }, enoughMs)
      expect(Math.max(...short.pcm)).toBeGreaterThan(0.2)
      expect(long.pcm.length).toBeGreaterThan(2 * short.pcm.length)
      expect(slow.pcm.length / short.pcm.length).toBeCloseTo(2, 0)
      const engine = yield* engineOf(name)
      const passages = yield* engine.speak(script("This is Longwave. Stay where you are."))
      expect(passages).toHaveLength(2)
      for (const { line } of passages) expect(line.pcm.length / line.sampleRateHz).toBeGreaterThan(0.5)
    }).pipe(Effect.scoped)
  )

  it.live("speaks with other speakers for other voices, the same one for the same voice, also after a restart", () =>
    Effect.gen(function* () {
      const pitches = (indexes: ReadonlyArray<number>) =>
        Effect.gen(function* () {
          const engine = yield* engineOf("kokoro")
          return yield* Effect.forEach(indexes, (index) =>
            Effect.map(engine.speak(script("The tide is high.", index)), ([one]) => one!.line.sampleRateHz)
          )
        }).pipe(Effect.scoped)
      const first = yield* pitches([0, 5, 6, 7])
      expect(new Set(first).size).toBe(4)
      expect(JSON.parse(readFileSync(at("kokoro.json"), "utf8"))).toEqual({
        [fit("kokoro").fingerprint]: {
          0: expect.any(Number),
          1: expect.any(Number),
          2: expect.any(Number),
          3: expect.any(Number)
        }
      })
      expect(yield* pitches([7, 6, 5, 0])).toEqual(first.toReversed())
    })
  )
})

describe("a child that fails", () => {
  it.live("aborts with a sentence in hand: a fresh one speaks it", () =>
    Effect.gen(function* () {
      const child = yield* processOf("letters")
      yield* child.facts
      const pid = child.pid()!
      process.kill(pid, "SIGSTOP")
      const spoken = yield* Effect.forkChild(child.speak(ask, enoughMs))
      yield* Effect.yieldNow
      // A stopped process takes the signal when it goes on, before it reads the sentence.
      process.kill(pid, "SIGABRT")
      process.kill(pid, "SIGCONT")
      expect((yield* Fiber.join(spoken)).pcm.length).toBeGreaterThan(0)
      expect(child.pid()).not.toBe(pid)
    }).pipe(Effect.scoped)
  )

  it.live("hangs: its deadline ends it, and the next sentence has a fresh one", () =>
    Effect.gen(function* () {
      const child = yield* processOf("letters")
      yield* child.facts
      const pid = child.pid()!
      process.kill(pid, "SIGSTOP")
      const failure = yield* Effect.flip(child.speak(ask, 50))
      expect(failure.reason).toBe("timeout")
      expect(() => process.kill(pid, 0)).toThrow()
      expect((yield* child.speak(ask, enoughMs)).pcm.length).toBeGreaterThan(0)
    }).pipe(Effect.scoped)
  )

  it.live(
    "is replaced after a number of sentences, once it has grown, and each time with a model that can't be reused",
    () =>
      Effect.gen(function* () {
        const pids = (name: string, limits = {}) =>
          Effect.gen(function* () {
            const child = yield* processOf(name, limits)
            const seen: Array<number> = []
            for (let i = 0; i < 3; i++) {
              yield* child.facts
              seen.push(child.pid()!)
              yield* child.speak(ask, enoughMs)
            }
            return new Set(seen).size
          }).pipe(Effect.scoped)
        expect(yield* pids("letters")).toBe(1)
        expect(yield* pids("letters", { jobsMax: 2 })).toBe(2)
        expect(yield* pids("letters", { growthMaxBytes: -1e12 })).toBe(3)
        expect(yield* pids("piper-int8")).toBe(3)
      })
  )

  it.live("dies twice with one sentence: the next engine of the chain speaks the script, and the mark says so", () =>
    Effect.gen(function* () {
      const dir = at("broken")
      writeTinyLetterVoice(dir)
      const model = fit("broken")
      // The graph names an operation that doesn't exist: the library ends its process over it.
      const bytes = readFileSync(join(dir, "model.onnx"))
      for (let i = bytes.indexOf("Sin"); i >= 0; i = bytes.indexOf("Sin", i)) bytes.write("Xin", i)
      writeFileSync(join(dir, "model.onnx"), bytes)
      const neural = yield* makeNeuralEngine({ model, rememberIn: at("broken.json") })
      const failure = yield* Effect.flip(neural.speak(script("Hello there.")))
      expect(failure.reason).toBe("crashed")
      const embedded = yield* makeEmbedded
      const speech = yield* makeSpeech({ PRIMARY: [neural, embedded], SPEED: [neural, embedded] })
      const sound = yield* speech.speak({ text: "Hello there.", voiceId: catalog[0]!.voice.voiceId, role: "PRIMARY" })
      expect(sound.by.name).toBe("eSpeak NG")
      expect((yield* speech.engines)[0]).toMatchObject({ state: "out", failures: 1 })
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["voices.bin of another model", "kokoro", "voices.bin", (path: string) => truncateSync(path, 400)],
    ["a tokens.txt of noise", "letters", "tokens.txt", (path: string) => writeFileSync(path, "no tokens here\n")],
    ["an empty pronunciation table", "piper", "espeak-ng-data/phontab", (path: string) => truncateSync(path, 0)]
  ] as const)("survives %s: the child dies, the station doesn't", ([, name, file, damage]) =>
    Effect.gen(function* () {
      const dir = at(`damaged-${name}`)
      if (name === "kokoro") yield* Effect.promise(() => writeTinyKokoro(dir))
      else if (name === "piper") yield* Effect.promise(() => writeTinyPiper(dir))
      else writeTinyLetterVoice(dir)
      damage(join(dir, file))
      const child = yield* processOf(`damaged-${name}`)
      const exit = yield* Effect.exit(child.speak(ask, enoughMs))
      expect(Exit.isFailure(exit)).toBe(true)
    }).pipe(Effect.scoped)
  )
})

describe("what lies in TTS_MODEL_DIR", () => {
  const unfitness = (name: string) => {
    const found = voiceModelIn(at(name))
    return isUnfit(found) ? found.unfit : null
  }

  it("is said exactly when it can't be used", async () => {
    expect(unfitness("nowhere")).toContain(`There is no folder ${at("nowhere")}`)
    await writeTinyKokoro(at("parts"))
    for (const [gone, said] of [
      ["espeak-ng-data/phontab", "a Kokoro model without espeak-ng-data/phontab"],
      ["espeak-ng-data", "a Kokoro model without espeak-ng-data"],
      ["tokens.txt", "without tokens.txt"],
      ["model.onnx", "holds no model"]
    ] as const) {
      rmSync(at("parts", gone), { recursive: true })
      expect(unfitness("parts")).toContain(said)
    }
    writeTinySupertonic(at("super-parts"))
    rmSync(at("super-parts", "tts.json"))
    rmSync(at("super-parts", "voice.bin"))
    expect(unfitness("super-parts")).toContain("a Supertonic model without ttsJson and voiceStyle")
    await writeTinyMatcha(at("matcha-parts"))
    rmSync(at("matcha-parts", "hifigan_v2.onnx"))
    expect(unfitness("matcha-parts")).toContain("a Matcha model without a vocoder")
  })

  it("is known as half a download before anything loads it", () => {
    writeTinyLetterVoice(at("half"))
    truncateSync(at("half", "model.onnx"), 400)
    expect(unfitness("half")).toContain("is damaged")
    writeFileSync(at("half", "model.onnx"), "<html>Not found</html>")
    expect(unfitness("half")).toContain("is damaged")
    writeFileSync(at("half", "model.onnx"), "")
    expect(unfitness("half")).toContain("is damaged")
  })

  it("may be the folder around the model's own", () => {
    writeTinyLetterVoice(at("outer", "inner"))
    expect(fit("outer").dir).toBe(at("outer", "inner"))
    expect(readdirSync(at("outer"))).toEqual(["inner"])
  })

  it("chooses full precision where both are there, and reads what the model says of itself", () => {
    const { fingerprint, mainFile, metadata } = fit("kokoro")
    expect(metadata).toMatchObject({ model_type: "kokoro", n_speakers: "4", speaker_names: "tf_0,tf_1,tf_2,tf_3" })
    expect(fingerprint).toContain("kokoro:model.onnx:")
    writeTinyLetterVoice(at("both"))
    writeFileSync(at("both", "model.int8.onnx"), readFileSync(at("both", "model.onnx")))
    expect(fit("both").mainFile).toBe(at("both", "model.onnx"))
    expect(mainFile).toBe(at("kokoro", "model.onnx"))
  })
})

describe("the pitch of a speaker", () => {
  it("is the tone of a steady sound, and none of noise", () => {
    const rate = 22_050
    const tone = Float32Array.from({ length: rate }, (_, i) => 0.3 * Math.sin((2 * Math.PI * 150 * i) / rate))
    expect(Math.abs(pitchOf(tone, rate) - 150)).toBeLessThan(3)
    expect(pitchOf(new Float32Array(rate), rate)).toBe(0)
  })
})
