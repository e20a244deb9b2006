/** A file of a model, at its publisher. */
export interface ModelFile {
  readonly url: string
  /** Where the publisher states it; null if it doesn't: then the first download is recorded, and later ones are compared with it. */
  readonly sha256: string | null
}

export interface CatalogModel {
  readonly name: string
  readonly kind: "voice" | "recogniser"
  readonly what: string
  readonly languages: string
  readonly licence: string
  /** The publisher's page about the model. */
  readonly page: string
  /** Size as that page states it; null if it states none. */
  readonly statedSize: string | null
  /** An archive (.tar.bz2), then single files that belong beside its content. */
  readonly files: ReadonlyArray<ModelFile>
}

const release = "https://github.com/k2-fsa/sherpa-onnx/releases/download"
const file = (path: string): ModelFile => ({ url: `${release}/${path}`, sha256: null })
const pages = "https://k2-fsa.github.io/sherpa/onnx"

/**
 * Good free models that sherpa-onnx loads, best first: of several that are there, the station takes the first. English voices only, since
 * the station's scripts are English.
 */
export const modelCatalog: ReadonlyArray<CatalogModel> = [
  {
    name: "kokoro-multi-lang-v1_0",
    kind: "voice",
    what: "Kokoro 1.0, 53 speakers, 28 of them English; the most natural",
    languages: "English, Chinese",
    licence: "Apache-2.0",
    page: `${pages}/tts/pretrained_models/kokoro.html`,
    statedSize: null,
    files: [file("tts-models/kokoro-multi-lang-v1_0.tar.bz2")]
  },
  {
    name: "kokoro-en-v0_19",
    kind: "voice",
    what: "Kokoro 0.19, 11 speakers",
    languages: "English",
    licence: "Apache-2.0",
    page: `${pages}/tts/pretrained_models/kokoro.html`,
    statedSize: null,
    files: [file("tts-models/kokoro-en-v0_19.tar.bz2")]
  },
  {
    name: "sherpa-onnx-supertonic-3-tts-int8-2026-05-11",
    kind: "voice",
    what: "Supertonic 3, 10 speakers, very fast",
    languages: "English and 30 others",
    licence: "OpenRAIL-M (with restrictions of use)",
    page: `${pages}/tts/supertonic.html`,
    statedSize: null,
    files: [file("tts-models/sherpa-onnx-supertonic-3-tts-int8-2026-05-11.tar.bz2")]
  },
  {
    name: "vits-piper-en_US-libritts_r-medium",
    kind: "voice",
    what: "Piper, 904 speakers, fast",
    languages: "English (American)",
    licence: "MIT; recordings CC BY 4.0",
    page: "https://huggingface.co/rhasspy/piper-voices/tree/main/en/en_US/libritts_r/medium",
    statedSize: "model 78.6 MB",
    files: [file("tts-models/vits-piper-en_US-libritts_r-medium.tar.bz2")]
  },
  {
    name: "vits-piper-en_GB-cori-medium",
    kind: "voice",
    what: "Piper, 1 speaker, fast",
    languages: "English (British)",
    licence: "MIT; recordings in the public domain",
    page: "https://huggingface.co/rhasspy/piper-voices/tree/main/en/en_GB/cori",
    statedSize: null,
    files: [file("tts-models/vits-piper-en_GB-cori-medium.tar.bz2")]
  },
  {
    name: "matcha-icefall-en_US-ljspeech",
    kind: "voice",
    what: "Matcha, 1 speaker, with its vocoder",
    languages: "English (American)",
    licence: "Apache-2.0; recordings in the public domain",
    page: `${pages}/tts/pretrained_models/matcha.html`,
    statedSize: "model 71 MB, vocoder 51 MB",
    files: [file("tts-models/matcha-icefall-en_US-ljspeech.tar.bz2"), file("vocoder-models/vocos-22khz-univ.onnx")]
  },
  {
    name: "sherpa-onnx-zipformer-gigaspeech-2023-12-12",
    kind: "recogniser",
    what: "Zipformer transducer, fast and exact",
    languages: "English",
    licence: "Apache-2.0",
    page: "https://huggingface.co/k2-fsa/sherpa-onnx-zipformer-gigaspeech-2023-12-12",
    statedSize: "8-bit files 71.6 MB, whole 336 MB",
    files: [file("asr-models/sherpa-onnx-zipformer-gigaspeech-2023-12-12.tar.bz2")]
  },
  {
    name: "sherpa-onnx-whisper-tiny.en",
    kind: "recogniser",
    what: "Whisper tiny, the smallest",
    languages: "English",
    licence: "MIT",
    page: "https://huggingface.co/csukuangfj/sherpa-onnx-whisper-tiny.en",
    statedSize: "8-bit files 102.8 MB, whole 255 MB",
    files: [file("asr-models/sherpa-onnx-whisper-tiny.en.tar.bz2")]
  },
  {
    name: "sherpa-onnx-whisper-base.en",
    kind: "recogniser",
    what: "Whisper base, with capitals and punctuation",
    languages: "English",
    licence: "MIT",
    page: "https://huggingface.co/csukuangfj/sherpa-onnx-whisper-base.en",
    statedSize: "8-bit files 160 MB, whole 452 MB",
    files: [file("asr-models/sherpa-onnx-whisper-base.en.tar.bz2")]
  }
]
