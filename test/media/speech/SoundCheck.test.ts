import { Effect, Layer, Result } from "effect"
import { describe, expect, it } from "@effect/vitest"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import * as fc from "fast-check"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { Ffmpeg, FfmpegLive } from "../../../media/ffmpeg/Ffmpeg.ts"
import { isUnfit, voiceModelIn } from "../../../media/models/VoiceModel.ts"
import { makeEmbedded } from "../../../media/speech/EmbeddedEngine.ts"
import { makeNeuralEngine } from "../../../media/speech/NeuralEngine.ts"
import { sherpaListener } from "../../../media/speech/SherpaTranscriber.ts"
import { makeSoundCheck } from "../../../media/speech/SoundCheck.ts"
import { makeSpeech } from "../../../media/speech/Speech.ts"
import type { Script, SpeechEngine, SpokenLine, SpokenPassage } from "../../../media/speech/SpeechEngine.ts"
import { joinLines } from "../../../media/speech/SpokenSound.ts"
import { lineOf, sentencesOf } from "../../../media/speech/SpokenText.ts"
import { catalog } from "../../../media/speech/VoiceCatalog.ts"
import { wordsFault } from "../../../media/speech/WordCompare.ts"
import { startsIn } from "../../../media/speech/WordTimes.ts"
import { writeTinyLetterVoice, writeTinySenseVoice } from "../../support/media/TinyModels.ts"

const text =
  "The ferry leaves the harbour at half past nine, if the fog lifts in time. Nobody knew why the lighthouse keeper kept a piano."
const voiceNamed = (name: string) => catalog.find(({ voice }) => voice.name === name)!.voice
const script = (name: string, words = text): Script => ({
  sentences: sentencesOf(words),
  voice: voiceNamed(name),
  role: "SPEED"
})
const other = { name: "another engine", trained: true }

const startsOf = ({ line, sentence }: SpokenPassage) => {
  const { starts } = lineOf(sentence.words)
  return sentence.words.map(
    ({ spoken }, k) =>
      line.marks.find(({ atChar }) => atChar >= starts[k]! && atChar < starts[k]! + Math.max(1, spoken.length))
        ?.startMs ?? 0
  )
}
type Edit = (line: SpokenLine, at: (k: number) => number) => ReadonlyArray<Float32Array>
/** The sound of a voice as by an engine that gives no times, after a cut in its first sentence. */
const edited = (passages: ReadonlyArray<SpokenPassage>, edit: Edit): ReadonlyArray<SpokenPassage> =>
  passages.map((passage, index) => {
    const starts = startsOf(passage)
    const at = (k: number) => Math.round(((starts[k] ?? Infinity) * passage.line.sampleRateHz) / 1_000)
    const parts = index > 0 ? [passage.line.pcm] : edit(passage.line, at)
    const pcm = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0))
    let to = 0
    for (const part of parts) {
      pcm.set(part, to)
      to += part.length
    }
    return { sentence: passage.sentence, line: { ...passage.line, pcm, marks: [] } }
  })
const whole: Edit = ({ pcm }) => [pcm]
const cut =
  (from: number, to: number): Edit =>
  ({ pcm }, at) => [pcm.subarray(0, at(from)), pcm.subarray(at(to))]
const doubled =
  (from: number, to: number): Edit =>
  ({ pcm }, at) => [pcm.subarray(0, at(to)), pcm.subarray(at(from))]

const soundOf = (passages: ReadonlyArray<SpokenPassage>) => ({ ...joinLines(passages), by: other })

describe("the words of a sound", () => {
  it("are those that are heard in it: what is only written isn't among them", () => {
    const [sentence] = sentencesOf("Good 🎉 evening & [sighs] welcome.")
    const line = { pcm: new Float32Array(1_000).fill(0.5), sampleRateHz: 1_000, marks: [] }
    expect(joinLines([{ sentence: sentence!, line }]).words.map((word) => word.text)).toEqual([
      "Good",
      "evening",
      "&",
      "welcome."
    ])
  })

  it("begin between their neighbours, as in the reference, where no voice finds them", () => {
    const startsOfFound = (found: ReadonlyArray<number | null>, startsMs: ReadonlyArray<number>) =>
      startsIn(
        {
          words: found.map((startMs) => (startMs === null ? null : { startMs, endMs: startMs + 50 })),
          repeated: [],
          strangeMs: 0,
          distance: 1,
          tempo: 1
        },
        { startsMs, endMs: 800 },
        1_000
      )
    expect(startsOfFound([0, null, 500], [0, 300, 400])).toEqual([0, 375, 500])
    expect(startsOfFound([100, null, null, 500], [0, 100, 300, 400])).toEqual([100, 200, 400, 500])
    expect(startsOfFound([null, 500], [0, 400])).toEqual([0, 500])
    expect(startsOfFound([600, null], [400, 600])).toEqual([600, 800])
    // Short words that the reference's engine joins with the next.
    expect(startsOfFound([0, null, 500], [0, 400, 400])).toEqual([0, 500, 500])
  })
})

describe("without a recogniser: the embedded engine speaks beside it", () => {
  // The reference is Marlow's; the sounds are of voices that differ in pitch, vocal tract, accent and tempo.
  it.live.each(["Garnet", "Umber"])(
    "%s: finds what was cut out or doubled, and lets the whole sound through with the times of its words",
    (name) =>
      Effect.gen(function* () {
        const embedded = yield* makeEmbedded
        const check = makeSoundCheck(embedded, null)
        const passages = yield* embedded.speak(script(name))
        const result = (edit: Edit) =>
          Effect.gen(function* () {
            const changed = edited(passages, edit)
            return yield* Effect.result(check(script("Marlow"), changed, soundOf(changed)))
          })
        const good = yield* result(whole)
        if (Result.isFailure(good)) throw new Error(good.failure.detail)
        // The engine's own times, which the check didn't have.
        const truth = joinLines(passages).words
        const errors = good.success.words
          .map(({ startMs }, k) => Math.abs(startMs - truth[k]!.startMs))
          .toSorted((one, another) => one - another)
        expect(errors[Math.floor(errors.length * 0.5)]).toBeLessThan(20)
        expect(errors.at(-1)).toBeLessThanOrEqual(100)
        expect(good.success.words.map((word) => word.text)).toEqual(truth.map((word) => word.text))

        const edits = {
          cut48: cut(4, 8),
          cut15: cut(1, 5),

          twice15: doubled(1, 5),
          twice49: doubled(4, 9)
        }
        for (const [edit, how] of Object.entries(edits)) {
          const bad = yield* result(how)
          expect([edit, Result.isFailure(bad) ? bad.failure.reason : "let through"]).toEqual([edit, "wrong_words"])
        }
        // The rest of the script is gone, or another text comes after it.
        const half = yield* result(cut(3, 99))
        expect(Result.isFailure(half) ? half.failure.detail : "let through").toContain(
          "The sound doesn't hold its words"
        )
        const alien = yield* embedded.speak(
          script(name, "Buy now, while it lasts, and tell all of your friends about it.")
        )
        const longer = yield* result(({ pcm }) => [pcm, alien[0]!.line.pcm])
        expect(Result.isFailure(longer) ? longer.failure.reason : "let through").toBe("wrong_words")
      }).pipe(Effect.scoped)
  )

  it.live("passes a script whose sound skips words on to the next engine, whose name the mark has", () =>
    Effect.gen(function* () {
      const embedded = yield* makeEmbedded
      const skipping: SpeechEngine = {
        ...embedded,
        name: "skipping",
        generator: other,
        speak: (asked) => Effect.map(embedded.speak(asked), (passages) => edited(passages, cut(4, 9)))
      }
      const speech = yield* makeSpeech(
        { PRIMARY: [skipping, embedded], SPEED: [skipping, embedded] },
        makeSoundCheck(embedded, null)
      )
      const sound = yield* speech.speak({ text, voiceId: voiceNamed("Garnet").voiceId, role: "PRIMARY" })
      expect(sound.by).toBe(embedded.generator)
      expect((yield* speech.engines)[0]).toMatchObject({
        name: "skipping",
        failures: 1,
        lastFailure: { reason: "wrong_words", detail: expect.stringContaining("The sound doesn't hold its words") }
      })
    }).pipe(Effect.scoped)
  )
})

describe("with a recogniser", () => {
  let folder = ""
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "recogniser-"))
    writeTinyLetterVoice(join(folder, "voice"))
    writeTinySenseVoice(join(folder, "ear"))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.live("hears with the real library what the real library has spoken, and misses what was cut out", () =>
    Effect.gen(function* () {
      const model = voiceModelIn(join(folder, "voice"))
      if (isUnfit(model)) throw new Error(model.unfit)
      const neural = yield* makeNeuralEngine({ model, rememberIn: join(folder, "auditions.json") })
      const listen = sherpaListener({
        modelDir: join(folder, "ear"),
        tools: yield* Ffmpeg,
        workDir: join(folder, "work")
      })
      const words = "nobody knew why the painter kept a piano."
      // Marlow is spoken at another pitch: the tiny recogniser knows the tones of one.
      const passages = (yield* neural.speak(script("Marlow", words))).map(({ line, sentence }) => ({
        sentence,
        line: { ...line, sampleRateHz: 16_000 }
      }))
      expect((yield* listen(joinLines(passages)))?.trim()).toBe("nobody knew why the painter kept a piano")
      expect(readdirSync(join(folder, "work"))).toEqual([])

      const embedded = yield* makeEmbedded
      const check = makeSoundCheck(embedded, listen)
      expect((yield* check(script("Marlow", words), passages, soundOf(passages))).words).toHaveLength(8)
      const { pcm } = passages[0]!.line
      const gone = [
        { ...passages[0]!, line: { ...passages[0]!.line, pcm: pcm.subarray(0, Math.round(pcm.length * 0.6)) } }
      ]
      const failure = yield* Effect.flip(check(script("Marlow", words), gone, soundOf(gone)))
      expect(failure).toMatchObject({ reason: "wrong_words", detail: expect.stringContaining("it leaves out") })
      // A recogniser that can't hear is not the sound's fault: the comparison with the embedded engine decides.
      expect(
        yield* sherpaListener({
          modelDir: join(folder, "nowhere"),
          tools: yield* Ffmpeg,
          workDir: join(folder, "work")
        })(joinLines(passages))
      ).toBeNull()
    }).pipe(Effect.scoped, Effect.provide(Layer.provide(FfmpegLive, StationConfig.fromEnvironment({}))))
  )

  it("explains misspelt names, joined and divided words, numbers and case, but no lost or added words", () => {
    const said = "Good evening from Longwave, it is 21 degrees in Reykjavik tonight.".split(" ")
    expect(wordsFault(said, "good evening from long wave it is twenty one degrees in rekyavik tonight")).toBeNull()
    expect(wordsFault(said, "GOOD EVENING FROM LONGWAVE IT IS 21 DEGREES IN REYKJAVIK TO NIGHT")).toBeNull()
    expect(wordsFault(said, "good evening from longwave it is 21 in reykjavik tonight")).toContain("leaves out degrees")
    expect(wordsFault(said, "good evening evening from longwave it is 21 degrees in reykjavik tonight")).toContain(
      "adds evening"
    )
    expect(wordsFault(said, "good evening from longwave it is 21 degrees in")).toContain("leaves out reykjavik tonight")
    expect(wordsFault(said, "")).toContain("leaves out")
    expect(wordsFault(["—", "…"], "")).toBeNull()
  })

  it("finds every clear word that is lost or doubled in a text, whatever the text", () => {
    const word = fc.stringMatching(/^[bcdfghklmnprstvw][aeiou][bcdfghklmnprstvw][aeiou][bcdfghklmnprstvw]$/)
    fc.assert(
      fc.property(fc.uniqueArray(word, { minLength: 3, maxLength: 30 }), fc.nat(), (words, seed) => {
        const k = seed % words.length
        expect(wordsFault(words, words.join(" "))).toBeNull()
        expect(wordsFault(words, words.toSpliced(k, 1).join(" "))).not.toBeNull()
        expect(wordsFault(words, words.toSpliced(k, 0, words[k]!).join(" "))).not.toBeNull()
      })
    )
  })
})
