import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { Ffmpeg, ffmpegLayer } from "../../../media/ffmpeg/Ffmpeg.ts"
import { from, newAddress } from "./Listeners.ts"
import { type Answer, call } from "../http/SegmentHttp.ts"

const run = promisify(execFile)

export const consent = {
  acknowledged: true,
  disclosureVersion: "2026-09-25.v1",
  recordingNoticeVersion: "2026-09-25.v1"
}

/** From the page, with every required field. */
export const fromPage = { source: "web", consent: { acknowledged: true, disclosureVersion: consent.disclosureVersion } }

/** A guest with a distinct address, unless other headers are given. */
export const writeIn = (
  body: object,
  headers: Record<string, string> = from(newAddress()),
  path = "/api/station/write-in"
) => call("POST", path, { body, headers })

const kinds = {
  webm: { type: "audio/webm;codecs=opus", args: ["-c:a", "libopus", "-f", "webm"] },
  ogg: { type: "audio/ogg", args: ["-c:a", "libopus", "-f", "ogg"] },
  mp4: { type: "audio/mp4", args: ["-c:a", "aac", "-f", "mp4"] },
  mp3: { type: "audio/mpeg", args: ["-c:a", "libmp3lame", "-f", "mp3"] },
  wav: { type: "audio/wav", args: ["-c:a", "pcm_s16le", "-f", "wav"] }
} as const
export type SoundKind = keyof typeof kinds

/** A recording of this length, encoded as a recorder does. `args` are ffmpeg's own. */
export const makeRecording = Effect.fnUntraced(function* (
  kind: SoundKind,
  sec: number,
  args: ReadonlyArray<string> = []
) {
  const { ffmpeg } = yield* Effect.provide(Ffmpeg, ffmpegLayer(null))
  return yield* Effect.promise(async () => {
    const folder = await mkdtemp(join(tmpdir(), "longwave-call-"))
    const file = join(folder, "call")
    await run(ffmpeg, [
      "-v",
      "error",
      "-f",
      "lavfi",
      "-i",
      `sine=frequency=220:sample_rate=16000:duration=${sec}`,
      "-ac",
      "1",
      ...kinds[kind].args,
      ...args,
      file
    ])
    const bytes = await readFile(file)
    await rm(folder, { recursive: true })
    return { bytes, type: kinds[kind].type as string }
  })
})

interface Form {
  readonly audio?: { readonly bytes: Uint8Array; readonly type: string } | string
  readonly parts?: Record<string, unknown>
  readonly headers?: Record<string, string>
  readonly path?: string
}

/** A form as a page sends it: parts other than texts are JSON. */
export const callIn = Effect.fnUntraced(function* ({
  audio,
  headers = from(newAddress()),
  parts = { source: "web", consent },
  path = "/api/station/call-in"
}: Form) {
  const { address } = yield* HttpServer.HttpServer
  if (!("port" in address)) return yield* Effect.die("no port")
  return yield* Effect.promise(async (): Promise<Answer> => {
    const form = new FormData()
    if (typeof audio === "string") form.set("audio", audio)
    else if (audio !== undefined)
      form.set("audio", new Blob([new Uint8Array(audio.bytes)], { type: audio.type }), "call")
    for (const [name, value] of Object.entries(parts))
      form.set(name, typeof value === "string" ? value : JSON.stringify(value))
    const response = await fetch(`http://127.0.0.1:${address.port}${path}`, { method: "POST", headers, body: form })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text.startsWith("{") ? JSON.parse(text) : text }
  })
})

/** The open review about a message. */
export const reviewOf = (key: string, kind: "write_in" | "call_in" | "lore" | "blog", id: string) =>
  Effect.map(call("GET", `/api/ops/reviews?kind=${kind}&limit=100`, { key }), ({ body }) =>
    (
      body.items as ReadonlyArray<{
        readonly id: string
        readonly subject: { readonly id: string }
        readonly [field: string]: unknown
      }>
    ).find(({ subject }) => subject.id === id)
  )

/** An operator's decision on a message. */
export const decideMessage = Effect.fnUntraced(function* (
  key: string,
  kind: "write_in" | "call_in",
  id: string,
  decision: string,
  reason = "as it should be"
) {
  const review = yield* reviewOf(key, kind, id)
  return yield* call("POST", `/api/ops/reviews/${review!.id}/decision`, { key, body: { decision, reason } })
})

export const messageOf = (key: string, id: string) =>
  Effect.map(call("GET", "/api/ops/messages?limit=100", { key }), ({ body }) =>
    // oxlint-disable-next-line typescript/no-explicit-any
    (body.messages as ReadonlyArray<any>).find((message) => message.id === id)
  )
