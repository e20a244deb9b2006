import { Effect, Result } from "effect"
import { makeEmbedded } from "../media/speech/EmbeddedEngine.ts"
import { makeSoundCheck } from "../media/speech/SoundCheck.ts"
import type { SpokenPassage } from "../media/speech/SpeechEngine.ts"
import { joinLines } from "../media/speech/SpokenSound.ts"
import { lineOf, sentencesOf } from "../media/speech/SpokenText.ts"
import { catalog } from "../media/speech/VoiceCatalog.ts"
import { hash, quantile, type Report, type Row } from "./instruments/Report.ts"
import { seeded, unlike } from "./instruments/sounds/UnlikeSpeech.ts"

/** Every so many of the catalog's voices speaks one of the texts. */
const plans = { whole: { every: 3 }, small: { every: 24 } } as const

const texts = [
  "The ferry leaves the harbour at half past nine, if the fog lifts in time. Nobody knew why the lighthouse keeper kept a piano.",
  "Good evening from Longwave. It is 21 degrees in Reykjavik tonight, and the wind has turned to the north. Stay with us until the morning.",
  "Here is how to bake bread without a clock. You mix flour, water and salt in the evening. When you wake up, it has grown by half, and you fold it, and wait until the sun stands over the roof of the house on the other side.",
  "The council has talked about the old lighthouse for three hours. Some want it lit again, others want a library in it, and one member asked why it can't be both."
]

/** When each word begins in its line, as the engine tells. */
const startsOf = ({ line, sentence }: SpokenPassage): ReadonlyArray<number> => {
  const { starts } = lineOf(sentence.words)
  let last = 0
  return sentence.words.map(({ spoken }, k) => {
    const mark = line.marks.find(
      ({ atChar }) => atChar >= starts[k]! && atChar < starts[k]! + Math.max(1, spoken.length)
    )
    return (last = Math.max(last, mark?.startMs ?? last))
  })
}
/**
 * How far the words of captions are from the sound where a provider tells no times. The embedded engine's voices speak, as they are and made unlike
 * themselves; their own times are the truth, which the station's comparison with other voices doesn't have.
 */
export const run = async (size: "whole" | "small"): Promise<Report> =>
  Effect.gen(function* () {
    const embedded = yield* makeEmbedded
    const check = makeSoundCheck(embedded, null)
    const reference = catalog.find(({ voice }) => voice.name === "Marlow")!.voice
    const draw = seeded(12_345)
    const rows: Array<Row> = []
    const within: Array<number> = []
    for (const how of ["as spoken", "made unlike"] as const) {
      const errors: Array<number> = []
      const byLength: Array<number> = []
      let [refused, scripts, audioSec, tookMs] = [0, 0, 0, 0]
      for (const [v, { voice }] of catalog.entries()) {
        if (v % plans[size].every !== 0 || voice.voiceId === reference.voiceId) continue
        const sentences = sentencesOf(texts[v % texts.length]!)
        const spoken = yield* embedded.speak({ sentences, voice, role: "SPEED" })
        const truths = spoken.map((passage): SpokenPassage => {
          const startsMs = startsOf(passage)
          const { pcm, sampleRateHz } = passage.line
          const changed = how === "as spoken" ? { pcm, startsMs } : unlike(pcm, sampleRateHz, startsMs, draw)
          const { starts } = lineOf(passage.sentence.words)
          const marks = changed.startsMs.map((startMs, k) => ({ atChar: starts[k]!, startMs }))
          return { ...passage, line: { pcm: changed.pcm, sampleRateHz, marks } }
        })
        const truth = joinLines(truths).words
        const bare = truths.map((passage) => ({ ...passage, line: { ...passage.line, marks: [] } }))
        const sound = { ...joinLines(bare), by: { name: "another engine", trained: true } }
        const missOf = (startMs: number, k: number) => Math.abs(startMs - truth[k]!.startMs)
        byLength.push(...sound.words.map(({ startMs }, k) => missOf(startMs, k)))
        const before = performance.now()
        const checked = yield* Effect.result(check({ sentences, voice: reference, role: "SPEED" }, bare, sound))
        tookMs += performance.now() - before
        audioSec += sound.channels[0]!.length / sound.sampleRateHz
        scripts++
        if (Result.isFailure(checked)) refused++
        else errors.push(...checked.success.words.map(({ startMs }, k) => missOf(startMs, k)))
      }
      const row = (what: string, unit: string, value: number) =>
        rows.push({ what: `${how}: ${what}`, unit, values: [value] })
      row("words", "words", errors.length)
      row("by the words' lengths alone, median", "ms", quantile(byLength, 0.5))
      row("by the words' lengths alone, p80", "ms", quantile(byLength, 0.8))
      row("median", "ms", quantile(errors, 0.5))
      row("p80", "ms", quantile(errors, 0.8))
      row("p95", "ms", quantile(errors, 0.95))
      within.push((100 * errors.filter((error) => error <= 100).length) / Math.max(1, errors.length))
      row("within 100 ms", "%", within.at(-1)!)
      row("whole scripts refused", "%", (100 * refused) / scripts)
      row("comparison for a second of speech", "ms", tookMs / audioSec)
    }
    return {
      bench: "captions",
      rows,
      computed: hash(
        rows
          .filter(({ unit }) => unit !== "ms")
          .map(({ values, what }) => `${what} ${values[0]!.toFixed(1)}`)
          .join("\n")
      ),
      goals: [
        { name: "words within 100 ms, as spoken", direction: "at least", limit: 99, value: within[0]! },
        { name: "words within 100 ms, made unlike", direction: "at least", limit: 95, value: within[1]! }
      ]
    } satisfies Report
  }).pipe(Effect.scoped, Effect.runPromise)
