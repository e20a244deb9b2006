import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type Edge, type Graph, onnxModel } from "./OnnxGraph.ts"

/**
 * Models of a few kilobytes that the real sherpa-onnx loads and runs: each kind of voice speaks a tone for each of its tokens, and each kind
 * of recogniser finds the letters of those tones again. So text goes to sound and back through the real library.
 */

const rateHz = 16_000
/** Sounding and silent half of a letter: two and a bit frames of the recogniser each. */
const letterSamples = 2_880
const letters = " abcdefghijklmnopqrstuvwxyz'"

/** Middle of a band of the recogniser's 80 mel bands, in Hz. */
const bandHz = (band: number): number => {
  const mel = (hz: number) => 1_127 * Math.log(1 + hz / 700)
  const step = (mel(8_000) - mel(20)) / 81
  return 700 * (Math.exp((mel(20) + (band + 1) * step) / 1_127) - 1)
}
const bandOf = (letter: number) => 10 + 2 * letter

const write = (path: string, content: Buffer | string) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

interface EspeakFiles {
  readonly FS: {
    readonly readdir: (path: string) => ReadonlyArray<string>
    readonly stat: (path: string) => { readonly mode: number }
    readonly isDir: (mode: number) => boolean
    readonly readFile: (path: string) => Uint8Array
  }
}

/** Files of eSpeak's pronunciation data, taken once from the embedded engine: phonemes, the English dictionary, voices. */
let espeakFiles: Promise<ReadonlyMap<string, Buffer>> | null = null
const readEspeak = async () => {
  const name = "@echogarden/espeak-ng-emscripten"
  const { default: start } = (await import(name)) as { readonly default: (options: object) => Promise<EspeakFiles> }
  const { FS } = await start({ print: () => {}, printErr: () => {} })
  const files = new Map<string, Buffer>()
  const read = (from: string, to: string) => {
    for (const entry of FS.readdir(from)) {
      if (entry === "." || entry === ".." || (entry.endsWith("_dict") && entry !== "en_dict")) continue
      const path = `${from}/${entry}`
      if (FS.isDir(FS.stat(path).mode)) read(path, join(to, entry))
      else if (!to.startsWith("lang") || /gmw/.test(to)) files.set(join(to, entry), Buffer.from(FS.readFile(path)))
    }
  }
  read("/usr/share/espeak-ng-data", "")
  return files
}
export const writeEspeakData = async (dir: string): Promise<void> => {
  espeakFiles ??= readEspeak()
  for (const [path, bytes] of await espeakFiles) write(join(dir, path), bytes)
}

/** Phonemes of eSpeak's English, in a fixed order; the first six are framing and pauses. */
const phonemes = [..."_^$ .,!?;:-'\"()abcdefhijklmnopqrstuvwxyzæðŋɐɑɔəɚɛɜɡɪɹɾʃʊʌʒʔˈˌːθᵻ"].filter(
  (each, index, all) => all.indexOf(each) === index
)
const silentPhonemes = 15
const phonemeTokens = phonemes.map((phoneme, index) => `${phoneme} ${index}`).join("\n")
const phonemeHz = phonemes.map((_, index) => bandHz(8 + index))
const phonemeLoudness = phonemes.map((_, index) => (index === 0 ? 0.05 : index < silentPhonemes ? 0 : 0.4))

interface Tones {
  readonly hz: ReadonlyArray<number>
  readonly loudness: ReadonlyArray<number>
  readonly samplesEach: number
  readonly sampleRateHz: number
  /** Share of each token's time that sounds. */
  readonly share: number
}

/** A tone for each token. `length` scales the time of each; `shift` raises all tones. Answers [tokens, samples each]. */
const tones = (
  { constant, op }: Graph,
  tokens: Edge,
  length: Edge,
  shift: Edge,
  { hz, loudness, sampleRateHz, samplesEach, share }: Tones
): Edge => {
  const flat = op("Reshape", [tokens, constant("int64", [2], [-1, 1])])
  const pitch = op("Mul", [op("Gather", [constant("float", [hz.length], hz), flat]), shift])
  const level = op("Gather", [constant("float", [loudness.length], loudness), flat])
  const samples = op("Mul", [constant("float", [], [samplesEach]), length])
  const time = op("Range", [constant("float", [], [0]), samples, constant("float", [], [1])])
  const turns = op("Mul", [pitch, op("Mul", [time, constant("float", [], [(2 * Math.PI) / sampleRateHz])])])
  const sounding = op("Cast", [op("Less", [time, op("Mul", [samples, constant("float", [], [share])])])], { to: 1 })
  return op("Mul", [op("Mul", [op("Sin", [turns]), sounding]), level])
}

/** One of the values of a small vector, as a scalar. */
const gatherAt = ({ constant, op }: Graph, of: Edge, index: number) =>
  op("Gather", [of, constant("int64", [], [index])])
const inverse = ({ constant, op }: Graph, of: Edge) => op("Div", [constant("float", [], [1]), of])

const speech: Tones = {
  hz: phonemeHz,
  loudness: phonemeLoudness,
  samplesEach: 1_100,
  sampleRateHz: 22_050,
  share: 0.9
}

/** Speaker s of a tiny model: tones a tenth higher each. */
const speakerShift = (graph: Graph, sid: Edge) =>
  graph.op("Add", [
    graph.constant("float", [], [1]),
    graph.op("Mul", [graph.constant("float", [], [0.1]), graph.op("Cast", [sid], { to: 1 })])
  ])

/** A voice by Piper: phonemes of eSpeak, one file. */
export const writeTinyPiper = async (dir: string, name = "en_US-tiny-medium.onnx", speakers = 3): Promise<void> => {
  const metadata = {
    model_type: "vits",
    comment: "piper",
    language: "English",
    voice: "en-us",
    has_espeak: 1,
    n_speakers: speakers,
    sample_rate: 22_050
  }
  const model = onnxModel(metadata, (graph) => {
    const tokens = graph.input("input", "int64", [1, "L"])
    graph.input("input_lengths", "int64", [1])
    const scales = graph.input("scales", "float", [3])
    const sid = graph.input("sid", "int64", [1])
    const sound = tones(graph, tokens, gatherAt(graph, scales, 1), speakerShift(graph, gatherAt(graph, sid, 0)), speech)
    graph.output(
      "output",
      "float",
      [1, 1, 1, "N"],
      graph.op("Reshape", [sound, graph.constant("int64", [4], [1, 1, 1, -1])])
    )
  })
  write(join(dir, name), model)
  write(join(dir, "tokens.txt"), phonemeTokens)
  await writeEspeakData(join(dir, "espeak-ng-data"))
}

/** A VITS voice that reads letters: what it says can be written down again by the tiny recognisers. */
export const writeTinyLetterVoice = (dir: string): void => {
  const metadata = {
    model_type: "vits",
    comment: "letters",
    frontend: "characters",
    language: "English",
    n_speakers: 1,
    sample_rate: rateHz,
    add_blank: 0,
    use_eos_bos: 0
  }
  const model = onnxModel(metadata, (graph) => {
    const tokens = graph.input("x", "int64", [1, "L"])
    graph.input("x_length", "int64", [1])
    graph.input("noise_scale", "float", [1])
    const length = graph.input("length_scale", "float", [1])
    graph.input("noise_scale_w", "float", [1])
    const sound = tones(graph, tokens, gatherAt(graph, length, 0), graph.constant("float", [], [1]), {
      hz: [...letters].map((_, index) => bandHz(bandOf(index))).concat(100, 100, 100),
      // A space is a silence; a pause by punctuation too.
      loudness: [...letters].map((_, index) => (index === 0 ? 0 : 0.4)).concat(0, 0, 0),
      samplesEach: letterSamples,
      sampleRateHz: rateHz,
      share: 0.55
    })
    graph.output("y", "float", [1, 1, "N"], graph.op("Reshape", [sound, graph.constant("int64", [3], [1, 1, -1])]))
  })
  write(join(dir, "model.onnx"), model)
  write(join(dir, "tokens.txt"), [...letters, ".", ",", "?"].map((letter, index) => `${letter} ${index}`).join("\n"))
}

/** Kokoro, or Kitten, which is like it: phonemes, and a table of styles for each speaker. `version` 2 is the multilingual one, which wants a lexicon. */
export const writeTinyKokoro = async (
  dir: string,
  { kitten = false, speakers = 4, version = 1 } = {}
): Promise<void> => {
  // Kitten has one style for a speaker, Kokoro one for each length of a sentence.
  const [positions, width] = [kitten ? 1 : 510, 8]
  const metadata = {
    model_type: kitten ? "kitten-tts" : "kokoro",
    language: "English",
    has_espeak: 1,
    sample_rate: 24_000,
    version,
    voice: "en-us",
    style_dim: kitten ? `1,${width}` : `${positions},1,${width}`,
    n_speakers: speakers,
    speaker_names: Array.from({ length: speakers }, (_, index) => `tf_${index}`).join(",")
  }
  const model = onnxModel(metadata, (graph) => {
    const tokens = graph.input("tokens", "int64", [1, "L"])
    const style = graph.input("style", "float", [1, width])
    const speed = graph.input("speed", "float", [1])
    const shift = graph.op("ReduceMean", [style], { keepdims: 0 })
    const sound = tones(graph, tokens, inverse(graph, gatherAt(graph, speed, 0)), shift, {
      ...speech,
      sampleRateHz: 24_000
    })
    graph.output("audio", "float", ["N"], graph.op("Reshape", [sound, graph.constant("int64", [1], [-1])]))
  })
  write(join(dir, "model.onnx"), model)
  // Speaker s speaks a tenth higher than the one before: its whole style is that factor.
  const styles = new Float32Array(speakers * positions * width)
  for (let s = 0; s < speakers; s++) styles.fill(1 + s / 10, s * positions * width, (s + 1) * positions * width)
  write(join(dir, "voices.bin"), Buffer.from(styles.buffer))
  write(join(dir, "tokens.txt"), phonemeTokens)
  if (version >= 2) write(join(dir, "lexicon-us-en.txt"), "hello h ə l o ʊ\nworld w ɜ ɹ l d\n")
  await writeEspeakData(join(dir, "espeak-ng-data"))
}

/** Matcha: an acoustic model that draws one row of a spectrogram, and a vocoder that sings it. */
export const writeTinyMatcha = async (dir: string): Promise<void> => {
  const metadata = {
    model_type: "matcha-tts",
    language: "English",
    voice: "en-us",
    has_espeak: 1,
    jieba: 0,
    n_speakers: 1,
    sample_rate: 22_050,
    pad_id: 0,
    use_eos_bos: 1,
    version: 1
  }
  const framesEach = 4
  const acoustic = onnxModel(metadata, (graph) => {
    const { constant, op } = graph
    const tokens = graph.input("x", "int64", [1, "L"])
    graph.input("x_length", "int64", [1])
    graph.input("noise_scale", "float", [1])
    const length = graph.input("length_scale", "float", [1])
    const flat = op("Reshape", [tokens, constant("int64", [2], [-1, 1])])
    const frames = op("Ceil", [op("Mul", [constant("float", [], [framesEach]), gatherAt(graph, length, 0)])])
    const ones = op("Add", [
      op("Mul", [
        op("Range", [constant("float", [], [0]), frames, constant("float", [], [1])]),
        constant("float", [], [0])
      ]),
      constant("float", [], [1])
    ])
    const row = (values: ReadonlyArray<number>) =>
      op("Reshape", [
        op("Mul", [op("Gather", [constant("float", [values.length], values), flat]), ones]),
        constant("int64", [3], [1, 1, -1])
      ])
    graph.output("mel", "float", [1, 2, "T"], op("Concat", [row(phonemeHz), row(phonemeLoudness)], { axis: 1 }))
  })
  const vocoder = onnxModel({ model_type: "hifigan", sample_rate: 22_050 }, (graph) => {
    const { constant, op } = graph
    const mel = graph.input("mel", "float", [1, 2, "T"])
    const row = (index: number) =>
      op("Reshape", [op("Gather", [mel, constant("int64", [], [index])], { axis: 1 }), constant("int64", [2], [-1, 1])])
    const time = constant(
      "float",
      [256],
      Array.from({ length: 256 }, (_, index) => (2 * Math.PI * index) / 22_050)
    )
    const sound = op("Mul", [op("Sin", [op("Mul", [row(0), time])]), row(1)])
    graph.output("audio", "float", [1, "N"], op("Reshape", [sound, constant("int64", [2], [1, -1])]))
  })
  write(join(dir, "model-steps-3.onnx"), acoustic)
  write(join(dir, "hifigan_v2.onnx"), vocoder)
  write(join(dir, "tokens.txt"), phonemeTokens)
  await writeEspeakData(join(dir, "espeak-ng-data"))
}

/** Supertonic: characters, four files, a table of styles. */
export const writeTinySupertonic = (dir: string): void => {
  const [chunk, sampleRateHz, speakers] = [400, 24_000, 2]
  const duration = onnxModel({}, (graph) => {
    const { constant, op } = graph
    const ids = graph.input("text_ids", "int64", [1, "L"])
    graph.input("style_dp", "float", [1, 1, 2])
    graph.input("text_mask", "float", [1, 1, "L"])
    const count = op("Cast", [op("Shape", [op("Reshape", [ids, constant("int64", [1], [-1])])])], { to: 1 })
    graph.output("duration", "float", [1], op("Mul", [count, constant("float", [], [0.05])]))
  })
  const encoder = onnxModel({}, (graph) => {
    const { constant, op } = graph
    const ids = graph.input("text_ids", "int64", [1, "L"])
    graph.input("style_ttl", "float", [1, 1, 2])
    graph.input("text_mask", "float", [1, 1, "L"])
    const emb = op("Reshape", [op("Cast", [ids], { to: 1 }), constant("int64", [3], [1, 1, -1])])
    graph.output("text_emb", "float", [1, 1, "L"], emb)
  })
  // Each frame of the sound is given the letter that is spoken then: one over its frequency of zero is a silence.
  const estimator = onnxModel({}, (graph) => {
    const { constant, op } = graph
    const noisy = graph.input("noisy_latent", "float", [1, 2, "T"])
    const emb = graph.input("text_emb", "float", [1, 1, "L"])
    const style = graph.input("style_ttl", "float", [1, 1, 2])
    graph.input("latent_mask", "float", [1, 1, "T"])
    graph.input("text_mask", "float", [1, 1, "L"])
    graph.input("current_step", "float", [1])
    graph.input("total_step", "float", [1])
    const sizeOf = (edge: Edge) =>
      op("Cast", [op("Gather", [op("Shape", [edge]), constant("int64", [], [2])])], { to: 1 })
    const time = op("Range", [constant("float", [], [0]), sizeOf(noisy), constant("float", [], [1])])
    const place = op("Cast", [op("Floor", [op("Div", [op("Mul", [time, sizeOf(emb)]), sizeOf(noisy)])])], { to: 7 })
    const letter = op("Gather", [emb, place], { axis: 2 })
    const hz = op("Mul", [
      op("Add", [op("Mul", [letter, constant("float", [], [25])]), constant("float", [], [150])]),
      op("ReduceMean", [style], { keepdims: 0 })
    ])
    const level = op("Mul", [
      op("Cast", [op("Greater", [letter, constant("float", [], [4])])], { to: 1 }),
      constant("float", [], [0.4])
    ])
    graph.output("denoised_latent", "float", [1, 2, "T"], op("Concat", [hz, level], { axis: 1 }))
  })
  const vocoder = onnxModel({}, (graph) => {
    const { constant, op } = graph
    const latent = graph.input("latent", "float", [1, 2, "T"])
    const row = (index: number) =>
      op("Reshape", [
        op("Gather", [latent, constant("int64", [], [index])], { axis: 1 }),
        constant("int64", [2], [-1, 1])
      ])
    const time = constant(
      "float",
      [chunk],
      Array.from({ length: chunk }, (_, index) => (2 * Math.PI * index) / sampleRateHz)
    )
    const sound = op("Mul", [op("Sin", [op("Mul", [row(0), time])]), row(1)])
    graph.output("wav", "float", [1, "N"], op("Reshape", [sound, constant("int64", [2], [1, -1])]))
  })
  write(join(dir, "duration_predictor.onnx"), duration)
  write(join(dir, "text_encoder.onnx"), encoder)
  write(join(dir, "vector_estimator.onnx"), estimator)
  write(join(dir, "vocoder.onnx"), vocoder)
  write(
    join(dir, "tts.json"),
    JSON.stringify({
      ae: { sample_rate: sampleRateHz, base_chunk_size: chunk },
      ttl: { chunk_compress_factor: 1, latent_dim: 2 }
    })
  )
  // Spaces and punctuation 0 to 4, letters from 5 on.
  const indexer = Int32Array.from({ length: 256 }, (_, code) =>
    /[a-z]/i.test(String.fromCharCode(code)) ? 5 + ((code | 32) - 97) : code % 4
  )
  write(join(dir, "unicode_indexer.bin"), Buffer.from(indexer.buffer))
  const dims = BigInt64Array.from([speakers, 1, 2, speakers, 1, 2].map(BigInt))
  const styles = Float32Array.from([1, 1, 1.2, 1.2, 0, 0, 0, 0])
  write(join(dir, "voice.bin"), Buffer.concat([Buffer.from(dims.buffer), Buffer.from(styles.buffer)]))
}

/** Loudness of a band below which nothing sounds. */
const quiet = 12

/** Three frames without a tone are a space: between two letters of a word there are not so many. */
const addSpaces = ({ constant, op }: Graph, heard: Edge, frames: Edge, space: number, size: number): Edge => {
  const loudest = op("Reshape", [
    op("ReduceMax", [frames], { axes: [2], keepdims: 0 }),
    constant("int64", [3], [1, 1, -1])
  ])
  const near = op("MaxPool", [loudest], { kernel_shape: [3], pads: [1, 1], strides: [1] })
  const silence = op("Sub", [
    constant("float", [], [2 * quiet]),
    op("Reshape", [near, constant("int64", [3], [1, -1, 1])])
  ])
  const column = Array.from({ length: size }, (_, index) => (index === space ? 1 : 0))
  return op("Add", [heard, op("Mul", [silence, constant("float", [size], column)])])
}

/** What a recogniser makes of a frame: the letter whose band is loudest, or nothing. [.., 80] to [.., letters + 1]. */
const letterOf = (
  { constant, op }: Graph,
  frames: Edge,
  quiet: number,
  first: number,
  size: number,
  band: (letter: number) => number = bandOf
): Edge => {
  const weights = Array.from({ length: 80 * size }, () => 0)
  for (let index = 1; index < letters.length; index++) weights[band(index) * size + first + index] = 1
  const bias = Array.from({ length: size }, (_, index) =>
    index === 0 ? quiet : index >= first && index < first + letters.length ? 0 : -1e6
  )
  return op("Add", [op("MatMul", [frames, constant("float", [80, size], weights)]), constant("float", [size], bias)])
}

/** SenseVoice: letters by CTC. A silence as long as a letter is a space. */
export const writeTinySenseVoice = (dir: string): void => {
  const marks = ["<|en|>", "<|NEUTRAL|>", "<|Speech|>", "<|woitn|>"]
  const [size, space] = [1 + letters.length + marks.length, 1]
  const metadata = {
    model_type: "sense_voice_ctc",
    comment: "tiny",
    vocab_size: size,
    blank_id: 0,
    lfr_window_size: 7,
    lfr_window_shift: 6,
    normalize_samples: 0,
    with_itn: 14,
    without_itn: 15,
    lang_auto: 0,
    lang_zh: 3,
    lang_en: 4,
    lang_yue: 7,
    lang_ja: 11,
    lang_ko: 12,
    neg_mean: "0,".repeat(559) + "0",
    inv_stddev: "1,".repeat(559) + "1"
  }
  const model = onnxModel(metadata, (graph) => {
    const { constant, op } = graph
    const x = graph.input("x", "float", ["N", "T", 560])
    for (const name of ["x_length", "language", "text_norm"]) graph.input(name, "int32", ["N"])
    const middle = op("ReduceMean", [op("Reshape", [x, constant("int64", [4], [1, -1, 7, 80])])], {
      axes: [2],
      keepdims: 0
    })
    const heard = addSpaces(graph, letterOf(graph, middle, quiet, space, size), middle, space, size)
    // The library reads language, emotion, kind and style from the first four frames.
    const head = Array.from({ length: 4 * size }, (_, index) =>
      index % size === 1 + letters.length + Math.floor(index / size) ? 100 : 0
    )
    graph.output(
      "logits",
      "float",
      ["N", "T2", size],
      op("Concat", [constant("float", [1, 4, size], head), heard], { axis: 1 })
    )
  })
  write(join(dir, "model.int8.onnx"), model)
  write(
    join(dir, "tokens.txt"),
    ["<blk>", ...[...letters].map((letter) => (letter === " " ? "▁" : letter)), ...marks]
      .map((token, index) => `${token} ${index}`)
      .join("\n")
  )
}

/** Letters of the frames, and where one begins: in the second frame that has it, since the first is partly the silence before. */
const onsets = ({ constant, op }: Graph, heard: Edge) => {
  const best = op("Reshape", [op("ArgMax", [heard], { axis: 2, keepdims: 0 }), constant("int64", [1], [-1])])
  const shiftEarlier = (frames: number) =>
    op("Slice", [
      op(
        "Concat",
        [
          constant(
            "int64",
            [frames],
            Array.from({ length: frames }, () => 0)
          ),
          best
        ],
        { axis: 0 }
      ),
      constant("int64", [1], [0]),
      constant("int64", [1], [-frames])
    ])
  const isSecond = op("And", [op("Equal", [best, shiftEarlier(1)]), op("Not", [op("Equal", [best, shiftEarlier(2)])])])
  return { best, isOnset: op("And", [isSecond, op("Greater", [best, constant("int64", [], [0])])]) }
}

/** The band of a letter's tone among a transducer's: they end at 7.6 kHz. */
const transducerBandOf = (letter: number): number => {
  const mel = (hz: number) => 1_127 * Math.log(1 + hz / 700)
  return Math.round((81 * (mel(bandHz(bandOf(letter))) - mel(20))) / (mel(7_600) - mel(20)) - 1)
}

/** Transducer: the encoder hears letters, and shows each in the frame where it begins; the joiner reads them off. */
export const writeTinyTransducer = (dir: string): void => {
  const size = 1 + letters.length
  const encoder = onnxModel({ model_type: "zipformer2", version: "1" }, (graph) => {
    const { constant, op } = graph
    const x = graph.input("x", "float", ["N", "T", 80])
    const lengths = graph.input("x_lens", "int64", ["N"])
    const pooled = op("AveragePool", [op("Unsqueeze", [x, constant("int64", [1], [1])])], {
      kernel_shape: [4, 1],
      strides: [4, 1]
    })
    const frames = op("Reshape", [pooled, constant("int64", [3], [1, -1, 80])])
    // Samples lie between -1 and 1 here: all levels are lower by 20.8.
    const louder = op("Add", [frames, constant("float", [], [2 * Math.log(32_768)])])
    const heard = addSpaces(graph, letterOf(graph, louder, quiet, 1, size, transducerBandOf), louder, 1, size)
    const { best, isOnset } = onsets(graph, heard)
    const shown = op("Mul", [best, op("Cast", [isOnset], { to: 7 })])
    const oneHot = op("OneHot", [shown, constant("int64", [1], [size]), constant("float", [2], [0, 1])])
    graph.output(
      "encoder_out",
      "float",
      ["N", "T2", size],
      op("Reshape", [oneHot, constant("int64", [3], [1, -1, size])])
    )
    graph.output("encoder_out_lens", "int64", ["N"], op("Div", [lengths, constant("int64", [], [4])]))
  })
  const decoder = onnxModel({ vocab_size: size, context_size: 2 }, (graph) => {
    const { constant, op } = graph
    const y = graph.input("y", "int64", ["N", 2])
    const nothing = op("Mul", [
      op("Cast", [op("ReduceSum", [y], { keepdims: 1 })], { to: 1 }),
      constant(
        "float",
        [1, size],
        Array.from({ length: size }, () => 0)
      )
    ])
    graph.output("decoder_out", "float", ["N", size], nothing)
  })
  const joiner = onnxModel({ joiner_dim: size }, (graph) => {
    const heard = graph.input("encoder_out", "float", ["N", size])
    const before = graph.input("decoder_out", "float", ["N", size])
    graph.output("logit", "float", ["N", size], graph.op("Add", [heard, before]))
  })
  write(join(dir, "encoder-tiny.onnx"), encoder)
  write(join(dir, "decoder-tiny.onnx"), decoder)
  write(join(dir, "joiner-tiny.onnx"), joiner)
  write(
    join(dir, "tokens.txt"),
    ["<blk>", ...[...letters].map((letter) => (letter === " " ? "▁" : letter))]
      .map((token, index) => `${token} ${index}`)
      .join("\n")
  )
}

/** The band of a letter's tone among Whisper's: even below 1 kHz, logarithmic above (Slaney's scale). */
const whisperBandOf = (letter: number): number => {
  const scale = (hz: number) => (hz < 1_000 ? (3 * hz) / 200 : 15 + (27 * Math.log(hz / 1_000)) / Math.log(6.4))
  return Math.round((81 * scale(bandHz(bandOf(letter)))) / scale(8_000) - 1)
}

/** Whisper: the encoder writes down the letters, the decoder says them one after the other. */
export const writeTinyWhisper = (dir: string): void => {
  const [blank, space] = [0, 1]
  const size = 1 + letters.length
  const [sot, eot, other] = [size, size + 1, size + 2]
  const vocab = size + 8
  const metadata = {
    model_type: "whisper-tiny.en",
    n_mels: 80,
    n_text_layer: 1,
    n_text_ctx: 448,
    n_text_state: 1,
    n_vocab: vocab,
    sot,
    eot,
    blank_id: blank,
    translate: other,
    transcribe: other + 1,
    is_multilingual: 0,
    no_timestamps: other + 2,
    no_speech: other + 3,
    sot_sequence: String(sot)
  }
  const encoder = onnxModel(metadata, (graph) => {
    const { constant, op } = graph
    const mel = graph.input("mel", "float", [1, 80, "T"])
    const pooled = op("AveragePool", [mel], { kernel_shape: [4], strides: [4] })
    const frames = op("Transpose", [pooled], { perm: [0, 2, 1] })
    // Levels are relative to the loudest here, a quarter of their decimal logarithm, at most 2 below it.
    const loud = op("Sub", [frames, op("ReduceMax", [frames], { keepdims: 0 })])
    const level = op("Add", [op("Mul", [loud, constant("float", [], [12])]), constant("float", [], [quiet + 9])])
    const heard = addSpaces(graph, letterOf(graph, level, quiet, space, size, whisperBandOf), level, space, size)
    const { best, isOnset } = onsets(graph, heard)
    const places = op("Reshape", [op("NonZero", [op("Cast", [isOnset], { to: 7 })]), constant("int64", [1], [-1])])
    const said = op("Concat", [op("Gather", [best, places]), constant("int64", [2], [eot, eot])], { axis: 0 })
    const row = op("Reshape", [op("Cast", [said], { to: 1 }), constant("int64", [4], [1, 1, -1, 1])])
    graph.output("n_layer_cross_k", "float", [1, 1, "T2", 1], row)
    graph.output("n_layer_cross_v", "float", [1, 1, "T2", 1], op("Mul", [row, constant("float", [], [0])]))
  })
  const decoder = onnxModel({}, (graph) => {
    const { constant, op } = graph
    const tokens = graph.input("tokens", "int64", [1, "n"])
    const k = graph.input("in_n_layer_self_k_cache", "float", [1, 1, 448, 1])
    const v = graph.input("in_n_layer_self_v_cache", "float", [1, 1, 448, 1])
    const said = graph.input("n_layer_cross_k", "float", [1, 1, "T", 1])
    graph.input("n_layer_cross_v", "float", [1, 1, "T", 1])
    const offset = graph.input("offset", "int64", [1])
    const flat = op("Reshape", [said, constant("int64", [1], [-1])])
    // The first call brings two tokens, each later one a letter more.
    const at = op("Max", [
      op("Sub", [op("Cast", [offset], { to: 1 }), constant("float", [1], [1])]),
      constant("float", [1], [0])
    ])
    const last = op("Cast", [op("Sub", [op("Shape", [flat]), constant("int64", [1], [1])])], { to: 1 })
    const letter = op("Cast", [op("Gather", [flat, op("Cast", [op("Min", [at, last])], { to: 7 })])], { to: 7 })
    const oneHot = op("OneHot", [letter, constant("int64", [1], [vocab]), constant("float", [2], [0, 1])])
    const each = op("Mul", [op("Cast", [tokens], { to: 1 }), constant("float", [], [0])])
    const spread = op("Add", [
      op("Unsqueeze", [each, constant("int64", [1], [2])]),
      op("Reshape", [oneHot, constant("int64", [3], [1, 1, vocab])])
    ])
    graph.output("logits", "float", [1, "n", vocab], spread)
    graph.output("out_n_layer_self_k_cache", "float", [1, 1, 448, 1], k)
    graph.output("out_n_layer_self_v_cache", "float", [1, 1, 448, 1], v)
  })
  write(join(dir, "tiny.en-encoder.onnx"), encoder)
  write(join(dir, "tiny.en-decoder.onnx"), decoder)
  const token = (text: string) => Buffer.from(text).toString("base64")
  write(
    join(dir, "tiny.en-tokens.txt"),
    [...(" " + letters)].map((letter, index) => `${token(letter)} ${index}`).join("\n")
  )
}
