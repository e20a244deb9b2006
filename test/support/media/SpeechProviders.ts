import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** What the double does with a request. */
export type ProviderFault =
  | "none"
  | "refuses"
  | "unknown_voice"
  | "limits"
  | "fails"
  | "fails_once"
  | "hangs"
  | "cuts"
  | "garbage"
  | "page"
  | "silent"
  | "endless"
  | "redirects"

export interface ProviderAsked {
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

const rateHz = 24_000

/** A word of so many ms for each word of the text, with gaps between them. */
const sound = (text: string, silent: boolean, seconds: number | null): Int16Array => {
  const words = text.split(/\s+/).filter((word) => word !== "")
  const perWord = Math.round(rateHz * 0.3)
  const pcm = new Int16Array(seconds === null ? words.length * perWord : seconds * rateHz)
  if (!silent)
    for (let i = 0; i < pcm.length; i++)
      if (i % perWord < perWord * 0.8) pcm[i] = Math.round(9_000 * Math.sin((i * 2 * Math.PI * 220) / rateHz))
  return pcm
}

const wavOf = (pcm: Int16Array): Buffer => {
  const head = Buffer.alloc(44)
  head.write("RIFF", 0)
  head.writeUInt32LE(36 + pcm.byteLength, 4)
  head.write("WAVEfmt ", 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rateHz, 24)
  head.writeUInt32LE(rateHz * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write("data", 36)
  head.writeUInt32LE(pcm.byteLength, 40)
  return Buffer.concat([head, Buffer.from(pcm.buffer)])
}

/** Cartesia's rate, by repeating samples. */
const at44k = (pcm: Int16Array): Int16Array =>
  Int16Array.from(
    { length: Math.floor((pcm.length * 44_100) / rateHz) },
    (_, i) => pcm[Math.floor((i * rateHz) / 44_100)]!
  )

const secondsOfWords = (text: string) => text.split(/\s+/).map((word, index) => ({ word, start: index * 0.3 }))

/** Answers in the shape of the API that the path belongs to. */
const answerOf = (
  path: string,
  body: string,
  fault: ProviderFault,
  spoken: ReadonlyMap<string, Int16Array>
): readonly [type: string, body: Buffer] => {
  const fieldOfRequest = (name: string): string => String((JSON.parse(body) as Record<string, unknown>)[name])
  const seconds = fault === "endless" ? (path.endsWith("/speech") ? 600 : 60) : null
  const silent = fault === "silent"
  if (path.startsWith("/v1/text-to-speech/")) {
    const text = fieldOfRequest("text")
    const starts = secondsOfWords(text).flatMap(({ start, word }) => [...`${word} `].map((_, i) => start + i * 0.01))
    return [
      "application/json",
      Buffer.from(
        JSON.stringify({
          audio_base64: Buffer.from((spoken.get(text) ?? sound(text, silent, seconds)).buffer).toString("base64"),
          alignment: {
            characters: [...text],
            character_start_times_seconds: starts.slice(0, text.length),
            character_end_times_seconds: starts.slice(0, text.length)
          },
          normalized_alignment: null
        })
      )
    ]
  }
  if (path === "/tts/sse") {
    const text = fieldOfRequest("transcript")
    const pcm = Buffer.from(at44k(spoken.get(text) ?? sound(text, silent, seconds)).buffer)
    const half = Math.floor(pcm.length / 8) * 4
    const words = secondsOfWords(text)
    const events = [
      { type: "chunk", data: pcm.subarray(0, half).toString("base64"), done: false, status_code: 206 },
      {
        type: "timestamps",
        done: false,
        word_timestamps: {
          words: words.map(({ word }) => word),
          start: words.map(({ start }) => start),
          end: words.map(({ start }) => start + 0.24)
        }
      },
      { type: "chunk", data: pcm.subarray(half).toString("base64"), done: false, status_code: 206 },
      { type: "done", done: true, status_code: 200 }
    ]
    return [
      "text/event-stream",
      Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""))
    ]
  }
  const text = path === "/cognitiveservices/v1" ? body.replace(/<[^>]*>/g, "") : fieldOfRequest("input")
  return ["audio/wav", wavOf(spoken.get(text) ?? sound(text, silent, seconds))]
}

/**
 * The APIs of the providers of speech on one local port. `spoken` replaces the tones by real speech. Ships with the adapters: each of them is tested
 * against it.
 */
export const speechProviders = async () => {
  const asked: Array<ProviderAsked> = []
  /** Real speech at 24 kHz, by its text. */
  const spoken = new Map<string, Int16Array>()
  const state = { fault: "none" as ProviderFault, onAsked: () => {} }
  const held = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const path = (request.url ?? "").split("?")[0]!
      const body = Buffer.concat(chunks).toString("utf8")
      asked.push({ path: request.url ?? "", headers: request.headers, body })
      const { fault } = state
      if (fault === "fails_once") state.fault = "none"
      const status = { refuses: 401, unknown_voice: 404, limits: 429, fails: 503, fails_once: 503, redirects: 307 }[
        fault as string
      ]
      if (status !== undefined) {
        response.writeHead(status, {
          "content-type": "application/json",
          ...(fault === "limits" ? { "retry-after": "120" } : {}),
          ...(fault === "redirects" ? { location: "/elsewhere" } : {})
        })
        // Providers repeat keys in their errors.
        response.end(JSON.stringify({ error: `Incorrect API key provided: ${JSON.stringify(request.headers)}` }))
        return state.onAsked()
      }
      const [type, whole] =
        fault === "garbage"
          ? (["application/octet-stream", Buffer.from("ICY 200 OK ".repeat(400))] as const)
          : fault === "page"
            ? (["text/html", Buffer.from("<h1>Sign in to the network</h1>")] as const)
            : answerOf(path, body, fault, spoken)
      if (fault === "hangs" || fault === "cuts") {
        response.writeHead(200, { "content-type": type, "content-length": whole.length })
        response.write(whole.subarray(0, Math.floor(whole.length / 2)), () => {
          if (fault === "cuts") response.destroy()
          else held.add(response)
          state.onAsked()
        })
        return undefined
      }
      response.writeHead(200, { "content-type": type })
      response.end(whole)
      return state.onAsked()
    })
  })
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    asked,
    spoken,
    state,
    end: () =>
      new Promise<void>((done) => {
        for (const response of held) response.destroy()
        server.close(() => done())
        server.closeAllConnections()
      })
  }
}
export type SpeechProviders = Awaited<ReturnType<typeof speechProviders>>
