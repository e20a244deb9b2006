import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { recogniserModelIn } from "../models/RecogniserModel.ts"

/**
 * Speech recognition in its own process: the native library ends its process if a model is damaged, and uses half a gigabyte. One request,
 * one answer, as the last line of stdout.
 */
export interface SherpaTask {
  readonly modelDir: string
  /** 16 kHz mono s16le, without a header. */
  readonly pcm: string
}

export type SherpaAnswer =
  | { readonly _tag: "Heard"; readonly text: string }
  | { readonly _tag: "Unfit"; readonly detail: string }

const require = createRequire(import.meta.url)
const { modelDir, pcm } = JSON.parse(process.argv[2]!) as SherpaTask
const tell = (answer: SherpaAnswer) => process.stdout.write(`\n${JSON.stringify(answer)}\n`)

const samplesOf = (path: string): Float32Array => {
  const bytes = readFileSync(path)
  return Float32Array.from({ length: bytes.length >> 1 }, (_, i) => bytes.readInt16LE(2 * i) / 32_768)
}

const transcribe = (): SherpaAnswer => {
  const model = recogniserModelIn(modelDir)
  if ("unfit" in model) return { _tag: "Unfit", detail: model.unfit }
  const sherpa = require("sherpa-onnx-node") as {
    readonly OfflineRecognizer: new (config: object) => {
      createStream: () => { acceptWaveform: (wave: object) => void }
      decode: (stream: object) => void
      getResult: (stream: object) => { readonly text: string }
    }
  }
  const recognizer = new sherpa.OfflineRecognizer({
    featConfig: { sampleRate: 16_000, featureDim: 80 },
    modelConfig: { ...model.config, numThreads: 1, provider: "cpu", debug: 0 }
  })
  const samples = samplesOf(pcm)
  // Whisper takes thirty seconds at a time; the others any length.
  const windowSamples = 28 * 16_000
  const texts: Array<string> = []
  for (let from = 0; from < samples.length; from += windowSamples) {
    const stream = recognizer.createStream()
    stream.acceptWaveform({ sampleRate: 16_000, samples: samples.slice(from, from + windowSamples) })
    recognizer.decode(stream)
    texts.push(recognizer.getResult(stream).text.trim())
  }
  return { _tag: "Heard", text: texts.filter((text) => text !== "").join(" ") }
}

tell(transcribe())
