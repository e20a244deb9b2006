import { Effect } from "effect"
import { soundCheckTimeoutMs } from "../../engine/rules/voices/limits.ts"
import { SpeechFailed, type SpokenSound } from "../../engine/ports/Speech.ts"
import { WordTiming } from "../../schema/Sound.ts"
import { messageFrom, startOwnProcess } from "../chain/OwnProcess.ts"
import type { AlignTask } from "./AlignWorker.ts"
import type { Script, SpeechEngine, SpokenPassage } from "./SpeechEngine.ts"
import { lineOf, type Sentence } from "./SpokenText.ts"
import type { Alignment } from "./WordAligner.ts"
import { catalog, houseVoiceId } from "./VoiceCatalog.ts"
import { wordsFault } from "./WordCompare.ts"
import type { Reference } from "./WordTimes.ts"

/** Compares a sound with its script; answers it with better word times, or fails with `wrong_words`. */
export type SoundCheck = (
  script: Script,
  passages: ReadonlyArray<SpokenPassage>,
  sound: SpokenSound
) => Effect.Effect<SpokenSound, SpeechFailed>

/** A word that takes less in the reference is too easily taken for another, or swallowed by good speakers. */
const clearWordMs = 200
/** Sound of no word: less is breath. */
const strangeMaxMs = 400
/** Beyond it the sound is too unlike the reference to tell words apart; 95 of 100 pairs of the catalog's voices lie below 1.08. */
const distanceMax = 1.11
/** Tempos at which words can be told apart, and those at which anything is spoken at all. */
const [tempoMin, tempoMax] = [0.5, 2]
const [paceMin, paceMax] = [0.4, 2.8]

/** Nine comparisons of longer speech would take too much of the deadline: one voice tells its times. */
const moreVoicesMaxSec = 90
const referenceNames = [houseVoiceId, "voice_tamsin", "voice_quarry"]

const wrongWords = (detail: string) => new SpeechFailed({ reason: "wrong_words", detail })

/** What a sentence lacks or has too much; null if nothing. */
export const faultOf = (
  { words }: Sentence,
  startsMs: ReadonlyArray<number>,
  endMs: number,
  { distance, repeated, strangeMs, tempo, words: found }: Alignment
): string | null => {
  if (tempo < paceMin || tempo > paceMax)
    return `it takes ${tempo.toFixed(1)} times as long as its words: ${words
      .map(({ text }) => text)
      .join(" ")
      .slice(0, 80)}`
  if (distance > distanceMax || tempo < tempoMin || tempo > tempoMax) return null
  const isClear = (k: number) => (startsMs[k + 1] ?? endMs) - startsMs[k]! >= clearWordMs
  const quoteWords = (indexes: ReadonlyArray<number>) => indexes.map((k) => JSON.stringify(words[k]!.text)).join(", ")
  const missing = found.flatMap((word, k) => (word === null && isClear(k) ? [k] : []))
  if (missing.length > 0) return `it leaves out ${quoteWords(missing)}`
  const again = repeated.filter(isClear)
  if (again.length > 0) return `it says ${quoteWords(again)} twice`
  return strangeMs > strangeMaxMs ? `${Math.round(strangeMs)} ms of it belong to no word` : null
}

const startsOf = ({ line, sentence }: SpokenPassage): ReadonlyArray<number> => {
  const { starts } = lineOf(sentence.words)
  let last = 0
  return sentence.words.map(({ spoken }, index) => {
    const mark = line.marks.find(
      ({ atChar }) => atChar >= starts[index]! && atChar < starts[index]! + Math.max(1, spoken.length)
    )
    return (last = Math.max(last, mark?.startMs ?? last))
  })
}

/** Two more voices that speak for comparison, a man's and a woman's. */
const otherVoices = ({ voiceId }: Script["voice"]): ReadonlyArray<Script["voice"]> =>
  referenceNames
    .map((name) => catalog.find(({ voice }) => voice.voiceId === name)!.voice)
    .filter((voice) => voice.voiceId !== voiceId)
    .slice(0, 2)

/** Alignments of sentences, in a process that ends afterwards. */
const alignAll = (tasks: ReadonlyArray<AlignTask>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => startOwnProcess(new URL("./AlignWorker.ts", import.meta.url), {}, 1_024)),
    (aligner) =>
      messageFrom<ReadonlyArray<Alignment>, string>(
        aligner,
        () => true,
        (how) => `The comparison ended with ${how}`,
        () => aligner.child.send([...tasks])
      ),
    ({ end }) => end
  ).pipe(
    Effect.timeoutOrElse({ duration: soundCheckTimeoutMs, orElse: () => Effect.fail("The comparison took too long.") })
  )

/** Words of the script with the times that the alignments found, in order. */
const retimeWords = (
  sound: SpokenSound,
  pieces: ReadonlyArray<{ readonly fromMs: number; readonly toMs: number; readonly alignment: Alignment }>
): SpokenSound => {
  const starts: Array<number> = []
  const limits: Array<number> = []
  for (const { alignment, fromMs, toMs } of pieces)
    for (const word of alignment.words) {
      starts.push(Math.round(Math.min(toMs, fromMs + (word?.startMs ?? 0))))
      limits.push(toMs)
    }
  let before = 0
  const inOrder = starts.map((start) => (before = Math.max(before, start)))
  return {
    ...sound,
    words: sound.words.map(({ text }, k) => {
      const startMs = inOrder[k]!
      const endMs = Math.max(startMs, Math.min(limits[k]!, inOrder[k + 1] ?? limits[k]!))
      return new WordTiming({ text, startMs, endMs })
    })
  }
}

/**
 * Checks that a sound holds the words of its script, all and none besides. A recogniser on this machine decides, if there is one: its text
 * is compared with the script. Else the embedded engine speaks the same script, and the sound is laid over that, word by word. The embedded
 * engine itself is not checked: it says what it is given, and no engine comes after it.
 */
export const makeSoundCheck =
  (embedded: SpeechEngine, recognise: ((sound: SpokenSound) => Effect.Effect<string | null>) | null): SoundCheck =>
  (script, passages, sound) =>
    Effect.gen(function* () {
      if (sound.by === embedded.generator) return sound
      // A sound has times for the words that are heard in it: not for an emoji.
      const heardOf = (sentence: Sentence): Sentence => ({
        ...sentence,
        words: sentence.words.filter(({ spoken }) => spoken !== "")
      })
      const wordsOf = (all: ReadonlyArray<Sentence>) => all.flatMap((sentence) => heardOf(sentence).words)
      if (sound.words.length !== wordsOf(script.sentences).length)
        return yield* wrongWords(
          `The sound has ${sound.words.length} words, the script ${wordsOf(script.sentences).length}.`
        )
      const heard = recognise === null ? null : yield* recognise(sound)
      if (heard !== null) {
        const fault = wordsFault(
          wordsOf(script.sentences).map(({ spoken }) => spoken),
          heard
        )
        if (fault !== null) return yield* wrongWords(`What the recogniser heard isn't the script: ${fault}.`)
      }
      const hasTimes = passages.every(({ line }) => line.marks.length > 0)
      if (heard !== null && hasTimes) return sound

      // The passages of the sound, as they lie in it, beside the same sentences by voices of the embedded engine: one that tells what is
      // missing, more that tell when the words begin.
      const sentences = passages.map(({ sentence }) => heardOf(sentence))
      const isShort = sound.channels[0]!.length <= moreVoicesMaxSec * sound.sampleRateHz
      const voices = [script.voice, ...(hasTimes || !isShort ? [] : otherVoices(script.voice))]
      const spoken = yield* Effect.result(
        Effect.forEach(voices, (voice) => embedded.speak({ ...script, voice, sentences }))
      )
      if (spoken._tag === "Failure") return sound
      const pcm = sound.channels[0]!
      let at = 0
      const parts = spoken.success[0]!.map((reference, index) => {
        const [first, last] = [sound.words[at]!, sound.words[at + reference.sentence.words.length - 1]!]
        at += reference.sentence.words.length
        const sample = (ms: number) => Math.round((ms * sound.sampleRateHz) / 1_000)
        return {
          sentence: reference.sentence,
          fromMs: first.startMs,
          toMs: last.endMs,
          startsMs: startsOf(reference),
          endMs: (reference.line.pcm.length / reference.line.sampleRateHz) * 1_000,
          task: {
            references: spoken.success.map((all): Reference => {
              const passage = all[index]!
              return {
                pcm: passage.line.pcm,
                sampleRateHz: passage.line.sampleRateHz,
                startsMs: startsOf(passage)
              }
            }),
            sound: { pcm: pcm.slice(sample(first.startMs), sample(last.endMs)), sampleRateHz: sound.sampleRateHz }
          }
        }
      })
      const aligned = yield* Effect.result(alignAll(parts.map(({ task }) => task)))
      if (aligned._tag === "Failure") {
        // The check is not the engine's fault: its sound is taken as it is.
        yield* Effect.logWarning(`The words of a sound could not be compared. ${aligned.failure}`)
        return sound
      }
      const pieces = parts.map((part, index) => ({ ...part, alignment: aligned.success[index]! }))
      if (heard === null)
        for (const { alignment, endMs, sentence, startsMs } of pieces) {
          const fault = faultOf(sentence, startsMs, endMs, alignment)
          if (fault !== null) return yield* wrongWords(`The sound doesn't hold its words: ${fault}.`)
        }
      return hasTimes ? sound : retimeWords(sound, pieces)
    })
