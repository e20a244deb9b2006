import { closeSync, fstatSync, openSync, readSync } from "node:fs"

/** Longest text of a key or value that is read; Kokoro's list of speakers is 3 KB. */
const textMaxBytes = 65_536
const entriesMax = 200
const [lengthDelimited, metadataField] = [2, 14]

/**
 * `metadata_props` of an ONNX file: what sherpa-onnx reads of a model beside its graph. The graph itself, up to hundreds of megabytes, is
 * skipped. Null if the file is not one. Protocol buffer fields as in https://github.com/onnx/onnx/blob/main/onnx/onnx.proto.
 */
export const onnxMetadata = (path: string): Readonly<Record<string, string>> | null => {
  const file = openSync(path, "r")
  try {
    const { size } = fstatSync(file)
    const bytesAt = (at: number, length: number): Buffer => {
      const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - at)))
      readSync(file, bytes, 0, bytes.length, at)
      return bytes
    }
    const found: Record<string, string> = {}
    let fields = 0
    for (let at = 0; at < size;) {
      const head = bytesAt(at, 24)
      const tag = varint(head, 0)
      if (tag === null) return null
      const [field, wire] = [Math.floor(tag.value / 8), tag.value % 8]
      const value = wire === 0 || wire === lengthDelimited ? varint(head, tag.next) : null
      // ONNX files hold numbers and blocks only.
      if (field === 0 || field > 25 || value === null) return null
      at += value.next
      if (wire === 0) continue
      if (at + value.value > size) return null
      if (field === metadataField && value.value <= 2 * textMaxBytes && fields++ < entriesMax) {
        const entry = entryOf(bytesAt(at, value.value))
        if (entry !== null) found[entry.key] = entry.value
      }
      at += value.value
    }
    return size === 0 ? null : found
  } finally {
    closeSync(file)
  }
}

const varint = (bytes: Buffer, from: number): { readonly value: number; readonly next: number } | null => {
  let value = 0
  for (let i = from; i < bytes.length && i < from + 8; i++) {
    value += (bytes[i]! & 0x7f) * 2 ** (7 * (i - from))
    if (bytes[i]! < 0x80) return { value, next: i + 1 }
  }
  return null
}

const entryOf = (bytes: Buffer): { readonly key: string; readonly value: string } | null => {
  const texts: Record<number, string> = {}
  for (let at = 0; at < bytes.length;) {
    const tag = varint(bytes, at)
    const length = tag === null ? null : varint(bytes, tag.next)
    if (tag === null || length === null || tag.value % 8 !== lengthDelimited) return null
    texts[Math.floor(tag.value / 8)] = bytes.toString("utf8", length.next, length.next + length.value)
    at = length.next + length.value
  }
  return texts[1] === undefined ? null : { key: texts[1], value: texts[2] ?? "" }
}
