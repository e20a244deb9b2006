import { createRequire } from "node:module"
import { isQuantised, isUnfit, voiceModelIn } from "../models/VoiceModel.ts"
import { pitchOf } from "./Pitch.ts"
import { colour, roomTailMs, type TimbreRecipe } from "./Timbre.ts"

/**
 * A neural voice in its own process: the native library ends its process if a model is damaged, aborts in some of its ways to report
 * progress, and keeps memory for each new length. Only its plain `generate` is used, one sentence at a time.
 */
export interface NeuralTask {
  readonly modelDir: string
  readonly threads: number
}

/** One sentence for one speaker. `speed` 1 is the model's own tempo. */
export interface NeuralAsk {
  readonly text: string
  readonly speaker: number
  readonly speed: number
  /** Microphone and room of the voice; null leaves the sound as the model made it, and measures its pitch. */
  readonly timbre: TimbreRecipe | null
}

/** What a loaded model says of itself. */
export interface NeuralFacts {
  readonly kind: string
  readonly name: string
  readonly fingerprint: string
  readonly speakers: number
  readonly speakerNames: ReadonlyArray<string>
  readonly sampleRateHz: number
  /** How many sentences a process may speak: reused 8-bit Piper models crash (sherpa-onnx issue 3675). */
  readonly jobsMax: number | null
}

export type NeuralReport =
  | { readonly ready: NeuralFacts; readonly rssBytes: number }
  | { readonly unfit: string }
  | {
      readonly id: number
      readonly pcm: Float32Array
      readonly sampleRateHz: number
      /** Median pitch of the voiced parts of a sound without `timbre`; else 0. */
      readonly pitchHz: number
      readonly rssBytes: number
    }
  | { readonly id: number; readonly fault: string }

interface Sherpa {
  readonly OfflineTts: new (config: object) => {
    readonly numSpeakers: number
    readonly sampleRate: number
    readonly generate: (ask: object) => { readonly samples: Float32Array; readonly sampleRate: number }
  }
}

const { modelDir, threads } = JSON.parse(process.argv[2]!) as NeuralTask
const tell = (report: NeuralReport): void => {
  process.send?.(report)
}

const addRoom = (timbre: TimbreRecipe, pcm: Float32Array, sampleRateHz: number): Float32Array => {
  const whole = new Float32Array(pcm.length + Math.round((roomTailMs * sampleRateHz) / 1000))
  whole.set(pcm)
  colour(whole, sampleRateHz, timbre)
  return whole
}

const start = (): void => {
  const model = voiceModelIn(modelDir)
  if (isUnfit(model)) return tell(model)
  let sherpa: Sherpa
  try {
    sherpa = createRequire(import.meta.url)("sherpa-onnx-node") as Sherpa
  } catch (cause) {
    return tell({
      unfit: `sherpa-onnx-node is not installed, or has no build for ${process.platform} ${process.arch}: ${String(cause).slice(0, 200)}`
    })
  }
  const tts = new sherpa.OfflineTts({
    model: { ...model.config, numThreads: threads, provider: "cpu", debug: 0 },
    maxNumSentences: 1,
    ...(model.ruleFsts === "" ? {} : { ruleFsts: model.ruleFsts })
  })
  process.on("message", ({ ask, id }: { readonly id: number; readonly ask: NeuralAsk }) => {
    try {
      const { sampleRate, samples } = tts.generate({
        text: ask.text,
        // By default the library cuts the pauses of a sentence to a fifth.
        generationConfig: { sid: ask.speaker, speed: ask.speed, silenceScale: 1 },
        // The station's copy must not lie in memory that the library frees.
        enableExternalBuffer: false
      })
      const { timbre } = ask
      tell({
        id,
        pcm: timbre === null ? samples : addRoom(timbre, samples, sampleRate),
        sampleRateHz: sampleRate,
        pitchHz: timbre === null ? pitchOf(samples, sampleRate) : 0,
        rssBytes: process.memoryUsage.rss()
      })
    } catch (cause) {
      tell({ id, fault: cause instanceof Error ? cause.message : String(cause) })
    }
  })
  tell({
    ready: {
      kind: model.kind,
      name: model.name,
      fingerprint: model.fingerprint,
      speakers: Math.max(1, tts.numSpeakers),
      speakerNames: (model.metadata["speaker_names"] ?? "").split(",").filter((name) => name !== ""),
      sampleRateHz: tts.sampleRate,
      jobsMax: model.kind === "vits" && isQuantised(model) ? 1 : null
    },
    rssBytes: process.memoryUsage.rss()
  })
}
start()
