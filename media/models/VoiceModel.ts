import { readdirSync, readFileSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import { onnxMetadata } from "./OnnxMetadata.ts"

export type VoiceModelKind = "kokoro" | "kitten" | "vits" | "matcha" | "supertonic"

/** A voice model of sherpa-onnx, as found in a folder. */
export interface VoiceModel {
  readonly kind: VoiceModelKind
  readonly dir: string
  readonly name: string
  /** The `model` of sherpa-onnx's configuration, without threads. */
  readonly config: object
  /** Rules that write out numbers and dates before the model reads them. */
  readonly ruleFsts: string
  readonly metadata: Readonly<Record<string, string>>
  /** The file whose weights decide how it sounds. */
  readonly mainFile: string
  /** Changes when the model does, but not when its folder moves. */
  readonly fingerprint: string
}

/** Why a folder can't be used, and what it should hold. */
export interface UnfitModel {
  readonly unfit: string
}

export const isUnfit = (found: VoiceModel | UnfitModel): found is UnfitModel => "unfit" in found

const wanted =
  "Expected are the files of one model as sherpa-onnx publishes them: Kokoro or Kitten (model.onnx, voices.bin, tokens.txt, espeak-ng-data), " +
  "VITS or Piper (one .onnx file, tokens.txt, and espeak-ng-data or lexicon.txt), Matcha (model-steps-N.onnx, a vocoder such as " +
  "vocos-22khz-univ.onnx, tokens.txt, espeak-ng-data) or Supertonic (duration_predictor, text_encoder, vector_estimator and vocoder .onnx, " +
  "tts.json, unicode_indexer.bin, voice.bin)."

/** eSpeak's files that sherpa-onnx looks for; without one it ends its process. */
const espeakFiles = ["phontab", "phonindex", "phondata", "intonations"]

const entriesOf = (dir: string): ReadonlyArray<string> | null => {
  try {
    return readdirSync(dir)
  } catch {
    return null
  }
}
const isFolder = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

/** The model's own folder: archives hold one folder, which holds the files. */
const innerFolder = (dir: string): string => {
  const entries = (entriesOf(dir) ?? []).filter((entry) => !entry.startsWith("."))
  const only = entries.length === 1 ? join(dir, entries[0]!) : null
  return only !== null && isFolder(only) && basename(only) !== "espeak-ng-data" ? only : dir
}

/** Kind and configuration of the voice model in a folder, by its files and what they say of themselves. */
export const voiceModelIn = (given: string): VoiceModel | UnfitModel => {
  const dir = innerFolder(given)
  const files = entriesOf(dir)
  if (files === null) return { unfit: `There is no folder ${given}.` }
  const pick = (pattern: RegExp, but?: RegExp): string | null => {
    const found = files.filter((file) => pattern.test(file) && but?.test(file) !== true).toSorted()
    // Full precision where both are there: quantised voices sound rougher, and reused ones crash the library.
    const chosen = found.find((file) => !file.includes("int8")) ?? found[0]
    return chosen === undefined ? null : join(dir, chosen)
  }
  const missingFiles = (kind: string, names: ReadonlyArray<string>): UnfitModel => ({
    unfit: `${dir} holds a ${kind} model without ${names.join(" and ")}. ${wanted}`
  })
  const read = (file: string) => {
    try {
      return onnxMetadata(file)
    } catch {
      return null
    }
  }
  const damagedFile = (file: string): UnfitModel => ({
    unfit: `${file} is damaged: it is not an ONNX file, or only its beginning. Download the model again.`
  })
  const makeModel = (
    kind: VoiceModelKind,
    mainFile: string,
    metadata: Readonly<Record<string, string>>,
    config: object
  ): VoiceModel => ({
    kind,
    dir,
    name: basename(dir),
    config,
    ruleFsts: files
      .filter((file) => file.endsWith(".fst"))
      .toSorted()
      .map((file) => join(dir, file))
      .join(","),
    metadata,
    mainFile,
    fingerprint: `${kind}:${basename(mainFile)}:${statSync(mainFile).size}:${metadata["n_speakers"] ?? ""}`
  })

  const tokens = pick(/^tokens\.txt$/)
  const lexicons = files.filter((file) => /^lexicon.*\.txt$/.test(file)).toSorted()
  // The station speaks English: of a multilingual model's English lexicons one is enough, American before British.
  const english = lexicons.find((file) => file.includes("us-en")) ?? lexicons.find((file) => file.includes("en"))
  const lexicon = [english, ...lexicons.filter((file) => !file.includes("-en"))]
    .filter((file) => file !== undefined)
    .map((file) => join(dir, file))
    .join(",")
  const data = files.includes("espeak-ng-data") ? join(dir, "espeak-ng-data") : null
  const dataEntries = data === null ? null : (entriesOf(data) ?? [])
  const dataLacks =
    dataEntries === null
      ? ["espeak-ng-data"]
      : espeakFiles.filter((file) => !dataEntries.includes(file)).map((file) => `espeak-ng-data/${file}`)

  const estimator = pick(/^vector_estimator.*\.onnx$/)
  if (estimator !== null) {
    const parts = {
      durationPredictor: pick(/^duration_predictor.*\.onnx$/),
      textEncoder: pick(/^text_encoder.*\.onnx$/),
      vectorEstimator: estimator,
      vocoder: pick(/^vocoder.*\.onnx$/),
      ttsJson: pick(/^tts\.json$/),
      unicodeIndexer: pick(/^unicode_indexer\.bin$/),
      voiceStyle: pick(/^voice.*\.bin$/)
    }
    const lacks = Object.entries(parts).flatMap(([name, path]) => (path === null ? [name] : []))
    if (lacks.length > 0) return missingFiles("Supertonic", lacks)
    const metadata = read(estimator)
    return metadata === null
      ? damagedFile(estimator)
      : makeModel("supertonic", estimator, metadata, { supertonic: parts })
  }

  const vocoder = pick(/(vocos|hifigan|vocoder).*\.onnx$/)
  const voices = pick(/^voices\.bin$/)
  const main = pick(/\.onnx$/, /(vocos|hifigan|vocoder).*\.onnx$/)
  if (main === null) return { unfit: `${dir} holds no model. ${wanted}` }
  const metadata = read(main)
  if (metadata === null) return damagedFile(main)
  if (tokens === null) return missingFiles("voice", ["tokens.txt"])

  if (voices !== null) {
    const kind = (metadata["model_type"] ?? "").startsWith("kitten") ? "kitten" : "kokoro"
    if (dataLacks.length > 0) return missingFiles(kind === "kokoro" ? "Kokoro" : "Kitten", dataLacks)
    const config = { model: main, voices, tokens, dataDir: data }
    if (kind === "kitten") return makeModel(kind, main, metadata, { kitten: config })
    const multilingual = Number(metadata["version"] ?? "1") >= 2
    return makeModel(kind, main, metadata, {
      kokoro: !multilingual ? config : lexicon === "" ? { ...config, lang: "en-us" } : { ...config, lexicon }
    })
  }
  if (/matcha/i.test(metadata["model_type"] ?? "") || basename(main).startsWith("model-steps")) {
    if (vocoder === null) return missingFiles("Matcha", ["a vocoder"])
    if (metadata["has_espeak"] === "1" && dataLacks.length > 0) return missingFiles("Matcha", dataLacks)
    return makeModel("matcha", main, metadata, {
      matcha: {
        acousticModel: main,
        vocoder,
        tokens,
        ...(data === null ? {} : { dataDir: data }),
        ...(lexicon === "" ? {} : { lexicon })
      }
    })
  }
  if (data === null && lexicon === "" && metadata["frontend"] !== "characters")
    return missingFiles(metadata["comment"] === "piper" ? "Piper" : "VITS", ["espeak-ng-data or lexicon.txt"])
  if (data !== null && dataLacks.length > 0) return missingFiles("Piper", dataLacks)
  return makeModel("vits", main, metadata, {
    vits: { model: main, tokens, ...(data === null ? {} : { dataDir: data }), ...(lexicon === "" ? {} : { lexicon }) }
  })
}

/** Whether a model's weights are 8-bit: by its name, or by the operations in its graph. */
export const isQuantised = ({ mainFile }: VoiceModel): boolean =>
  mainFile.includes("int8") ||
  ["DynamicQuantizeLinear", "ConvInteger"].some((operation) => readFileSync(mainFile).includes(operation))
