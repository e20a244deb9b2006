import { path as ffprobePath } from "@ffprobe-installer/ffprobe"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { createFile, MP4BoxBuffer } from "mp4box"
import { type ITag, parseBuffer, parseFile } from "music-metadata"

const names = ["digitalSourceType", "generator", "disclosure"] as const
export type Marks = Partial<Record<(typeof names)[number], string>>

/** Only the marks, with normalised names: containers differ in the case of names, and an MP3 stream has them in its ICY headers. */
const marksOf = (tags: Readonly<Record<string, unknown>>): Marks => {
  const lower = new Map(Object.entries(tags).map(([name, value]) => [name.toLowerCase().replace(/^icy-/, ""), value]))
  return Object.fromEntries(
    names.flatMap((name) =>
      typeof lower.get(name.toLowerCase()) === "string" ? [[name, lower.get(name.toLowerCase()) as string]] : []
    )
  )
}

/** Tags that ffprobe reads from a file, a stream's address or a playlist. */
export const probeTags = async (input: string): Promise<Marks> => {
  const { stdout } = await promisify(execFile)(
    ffprobePath,
    ["-v", "error", "-show_entries", "format_tags:stream_tags", "-of", "json", input],
    { timeout: 300_000 }
  )
  const { format, streams = [] } = JSON.parse(stdout) as {
    readonly format?: { readonly tags?: Record<string, string> }
    readonly streams?: ReadonlyArray<{ readonly tags?: Record<string, string> }>
  }
  return marksOf({ ...streams[0]?.tags, ...format?.tags })
}

const read = (native: Readonly<Record<string, ReadonlyArray<ITag>>>): Marks =>
  marksOf(
    Object.fromEntries(
      Object.values(native)
        .flat()
        .map(({ id, value }) => [id.replace(/^TXXX:/, ""), value])
    )
  )

/** Tags that music-metadata reads from a file: ID3 of an MP3, Vorbis comments of a FLAC. */
export const parseTags = async (path: string): Promise<Marks> => read((await parseFile(path)).native)
export const parseTagsOfBytes = async (bytes: Uint8Array, mimeType: string): Promise<Marks> =>
  read((await parseBuffer(bytes, { mimeType })).native)

/** The timed ID3 tags of a recorded HLS stream, in order: mp4box finds the event messages, music-metadata reads them. */
export const readTimedTags = async (bytes: Uint8Array): Promise<ReadonlyArray<Marks & { readonly title: string }>> => {
  const file = createFile()
  file.appendBuffer(MP4BoxBuffer.fromArrayBuffer(Uint8Array.from(bytes).buffer, 0))
  file.flush()
  const messages = file.boxes.flatMap((box) =>
    box.type === "emsg" && "message_data" in box && box.message_data instanceof Uint8Array ? [box.message_data] : []
  )
  return Promise.all(
    messages.map(async (message) => {
      const { native } = await parseBuffer(message, { mimeType: "audio/mpeg" })
      return {
        title: String(
          Object.values(native)
            .flat()
            .find(({ id }) => id === "TIT2")?.value
        ),
        ...read(native)
      }
    })
  )
}
