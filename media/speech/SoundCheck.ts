import { Effect } from "effect"
import { soundCheckTimeoutMs } from "../../engine/rules/voices/limits.ts"
import { SpeechFailed, type SpokenSound } from "../../engine/ports/Speech.ts"
import { WordTiming } from "../../schema/Sound.ts"
import { messageFrom, startOwnProcess } from "../chain/OwnProcess.ts"
import type { Aligned, AlignTask } from "./AlignWorker.ts"
import type { Script, SpeechEngine, SpokenPassage } from "./SpeechEngine.ts"
import { lineOf, type Sentence } from "./SpokenText.ts"
import { catalog, houseVoiceId } from "./VoiceCatalog.ts"
import { wordsFault } from "./WordCompare.ts"
import type { Reference } from "./WordTimes.ts"

/** Compares a sound with its script; answers it with better word times, or fails with `wrong_words`. */
export type SoundCheck = (
  script: Script,
  passages: ReadonlyArray<SpokenPassage>,
  sound: SpokenSound
) => Effect.Effect<SpokenSound, SpeechFailed>

/** Nine comparisons of longer speech would take too much of the deadline: one voice tells its times. */
const moreVoicesMaxSec = 90
const referenceNames = [houseVoiceId, "voice_tamsin", "voice_quarry"]

const wrongWords = (detail: string) => new SpeechFailed({ reason: "wrong_words", detail })

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

/** Starts of the words of sentences, or the first fault, from a process that ends afterwards. */
const alignAll = (tasks: ReadonlyArray<AlignTask>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => startOwnProcess(new URL("./AlignWorker.ts", import.meta.url), {}, 1_024)),
    (aligner) =>
      messageFrom<Aligned, string>(
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
  pieces: ReadonlyArray<{ readonly fromMs: number; readonly toMs: number; readonly startsMs: ReadonlyArray<number> }>
): SpokenSound => {
  const starts: Array<number> = []
  const limits: Array<number> = []
  for (const { fromMs, startsMs, toMs } of pieces)
    for (const startMs of startsMs) {
      starts.push(Math.round(Math.min(toMs, fromMs + startMs)))
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
          fromMs: first.startMs,
          toMs: last.endMs,
          task: {
            texts: heard === null ? reference.sentence.words.map(({ text }) => text) : null,
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
      const { fault, startsMs } = aligned.success
      if (fault !== null) return yield* wrongWords(`The sound doesn't hold its words: ${fault}.`)
      const pieces = parts.map((part, index) => ({ ...part, startsMs: startsMs[index]! }))
      return hasTimes ? sound : retimeWords(sound, pieces)
    })
