import { readdirSync } from "node:fs"
import { join } from "node:path"

/** A recogniser of sherpa-onnx, as found in a folder: `config` is the `modelConfig` of its configuration, without threads. */
export interface RecogniserModel {
  readonly kind: "transducer" | "whisper" | "senseVoice"
  readonly dir: string
  readonly config: object
}

const wanted =
  "It holds no model that is known: tokens.txt with encoder, decoder and joiner, with encoder and decoder, or with model.onnx."

/** The recogniser in a folder, by its files. */
export const recogniserModelIn = (given: string): RecogniserModel | { readonly unfit: string } => {
  const list = (dir: string) => {
    try {
      return readdirSync(dir)
    } catch {
      return null
    }
  }
  const outer = list(given)
  if (outer === null) return { unfit: "There is no such folder." }
  // Archives hold one folder, which holds the files.
  const visible = outer.filter((entry) => !entry.startsWith("."))
  const inner = visible.length === 1 ? list(join(given, visible[0]!)) : null
  const [dir, files] = inner === null ? [given, outer] : [join(given, visible[0]!), inner]
  const findOne = (pattern: RegExp) => {
    const found = files.filter((file) => pattern.test(file)).toSorted()
    // The quantised one is as good on speech, at half the work.
    const chosen = found.find((file) => file.includes("int8")) ?? found[0]
    return chosen === undefined ? null : join(dir, chosen)
  }
  const tokens = findOne(/tokens\.txt$/)
  const [encoder, decoder, joiner, single] = [
    findOne(/encoder.*\.onnx$/),
    findOne(/decoder.*\.onnx$/),
    findOne(/joiner.*\.onnx$/),
    findOne(/^model.*\.onnx$/)
  ]
  if (tokens === null) return { unfit: wanted }
  if (encoder !== null && decoder !== null && joiner !== null)
    return { kind: "transducer", dir, config: { transducer: { encoder, decoder, joiner }, tokens } }
  if (encoder !== null && decoder !== null)
    return { kind: "whisper", dir, config: { whisper: { encoder, decoder }, tokens } }
  return single === null || files.includes("voices.bin")
    ? { unfit: wanted }
    : { kind: "senseVoice", dir, config: { senseVoice: { model: single, useInverseTextNormalization: 1 }, tokens } }
}
