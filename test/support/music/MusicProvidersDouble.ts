import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** What the double does with an order, with a look at it, or with the link of the finished piece. */
export type MusicFault =
  | "none"
  | "refuses_key"
  | "refuses_order"
  | "limits"
  | "fails"
  | "hangs"
  | "wrong_json"
  | "wrong_types"
  | "lying_type"
  | "endless"
  | "link_redirects"
  | "link_elsewhere"
  | "link_expired"
  | "link_endless"
  | "link_hangs"
  | "forgets"
  | "task_fails"
  | "leaves_out_lyrics"

export interface MusicAsked {
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

/** A music-like WAV of 31 s: a chord that changes with the seed, at 44.1 kHz. */
export const wavOf = (seed: number, seconds = 31): Buffer => {
  const rateHz = 44_100
  const pcm = new Int16Array(seconds * rateHz * 2)
  for (let i = 0; i < seconds * rateHz; i++) {
    const beat = Math.floor(i / (rateHz / 2))
    const root = 110 * 2 ** (((seed * 7 + ((beat * (seed % 5) + beat) % 8) * 2) % 24) / 12)
    const decay = 1 - 0.7 * ((i % (rateHz / 2)) / (rateHz / 2))
    const waveAt = (hz: number) => Math.sin((2 * Math.PI * hz * i) / rateHz)
    const sample = Math.round(4_500 * decay * (waveAt(root) + 0.6 * waveAt(root * 1.25) + 0.5 * waveAt(root * 1.5)))
    pcm[2 * i] = sample
    pcm[2 * i + 1] = sample
  }
  const head = Buffer.alloc(44)
  head.write("RIFF", 0)
  head.writeUInt32LE(36 + pcm.byteLength, 4)
  head.write("WAVEfmt ", 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(2, 22)
  head.writeUInt32LE(rateHz, 24)
  head.writeUInt32LE(rateHz * 4, 28)
  head.writeUInt16LE(4, 32)
  head.writeUInt16LE(16, 34)
  head.write("data", 36)
  head.writeUInt32LE(pcm.byteLength, 40)
  return Buffer.concat([head, Buffer.from(pcm.buffer)])
}

/**
 * The APIs of the providers of music on one local port: ACE-Step 1.5, MiniMax, and OpenAI's way. Ships with the adapters: each of them is tested against
 * it. `sound` is what they make; MiniMax and the endpoint give a link to it.
 */
export const musicProvidersDouble = async (
  sound: (seed: number) => Buffer = () => Buffer.from("ID3 a short piece")
) => {
  const asked: Array<MusicAsked> = []
  const state = {
    fault: "none" as MusicFault,
    /** Looks at a task before it is finished. */
    looksUntilDone: 0,
    /** Where links of `link_elsewhere` lead. */
    elsewhere: "http://127.0.0.2:9/piece.mp3",
    /** Gives MiniMax's and the endpoint's pieces in the answer instead of as a link. */
    inAnswer: false,
    onAsked: (_path: string) => {}
  }
  const tasks = new Map<string, { looks: number; readonly seed: number }>()
  const held = new Set<ServerResponse>()
  let orders = 0

  const half = (response: ServerResponse, type: string, whole: Buffer) => {
    response.writeHead(200, { "content-type": type, "content-length": whole.length + 1 })
    response.write(whole.subarray(0, Math.ceil(whole.length / 2)))
    held.add(response)
  }
  const endless = (response: ServerResponse, type: string) => {
    response.writeHead(200, { "content-type": type })
    const chunk = Buffer.alloc(1_048_576, "ID3")
    const writeMore = () => {
      while (!response.destroyed && response.write(chunk));
      if (!response.destroyed) response.once("drain", writeMore)
    }
    held.add(response)
    writeMore()
  }
  const json = (response: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}) => {
    response.writeHead(status, { "content-type": "application/json", ...headers })
    response.end(JSON.stringify(body))
  }

  const serve = (path: string, query: URLSearchParams, body: string, response: ServerResponse) => {
    const { fault } = state
    const seed = Number(
      query.get("seed") ?? (body === "" ? 0 : ((JSON.parse(body) as { seed?: number }).seed ?? orders))
    )
    if (path === "/v1/audio" || path === "/piece") {
      if (fault === "link_expired") return json(response, { detail: "gone" }, path === "/piece" ? 403 : 404)
      if (fault === "link_redirects") {
        response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data" })
        return response.end()
      }
      if (fault === "link_endless") return endless(response, "audio/mpeg")
      if (fault === "link_hangs") return half(response, "audio/mpeg", sound(seed))
      const found = fault === "lying_type" ? Buffer.from("<h1>Sign in to the network</h1>") : sound(seed)
      response.writeHead(200, { "content-type": "audio/mpeg", "content-length": found.length })
      return response.end(found)
    }
    if (fault === "refuses_key") return json(response, { error: "Invalid API key sk-music-secret" }, 401)
    if (fault === "limits") return json(response, { detail: "slow down" }, 429, { "retry-after": "120" })
    if (fault === "fails") return json(response, { detail: "Traceback" }, 500)
    if (fault === "hangs") return half(response, "application/json", Buffer.from('{"data": {"task_id": "never-ends'))
    if (fault === "endless") return endless(response, "application/json")
    if (fault === "wrong_json") return json(response, { hello: "world" })
    const link = fault === "link_elsewhere" ? state.elsewhere : `${url}/piece?seed=${seed}&signature=${"s".repeat(40)}`
    switch (path) {
      case "/release_task": {
        if (fault === "refuses_order") return json(response, { detail: "bad lyrics" }, 400)
        const task = `task-${++orders}`
        if (fault !== "forgets") tasks.set(task, { looks: 0, seed })
        const data = { task_id: fault === "wrong_types" ? 7 : task, status: "queued", queue_position: 1 }
        return json(response, { data, code: 200, error: null, timestamp: 1, extra: null })
      }
      case "/query_result": {
        const { task_id_list } = JSON.parse(body) as { readonly task_id_list: ReadonlyArray<string> }
        const data = task_id_list.map((task_id) => {
          const task = tasks.get(task_id)
          // The real server knows no other state for a task that it has never heard of.
          if (task === undefined) return { task_id, result: "[]", status: 0 }
          if (fault === "task_fails") return { task_id, result: JSON.stringify([{ file: "", status: 2 }]), status: 2 }
          const isDone = ++task.looks > state.looksUntilDone
          const file =
            fault === "link_elsewhere" ? state.elsewhere : `/v1/audio?path=%2Ftmp%2F${task_id}.mp3&seed=${task.seed}`
          const lyrics = fault === "leaves_out_lyrics" ? "[inst]" : "Low water"
          const result = [{ file: isDone ? file : "", wave: "", status: isDone ? 1 : 0, lyrics, metas: { bpm: 92 } }]
          return { task_id, result: JSON.stringify(result), status: isDone ? 1 : 0, progress_text: "" }
        })
        return json(response, { data, code: 200, error: null, timestamp: 1, extra: null })
      }
      case "/v1/music_generation": {
        orders++
        if (fault === "refuses_order")
          return json(response, { base_resp: { status_code: 1026, status_msg: "sensitive" } })
        const audio = state.inAnswer ? sound(seed).toString("hex") : link
        return json(response, {
          data: { audio: fault === "wrong_types" ? [audio] : audio, status: 2 },
          trace_id: "04ede0",
          extra_info: { music_duration: 25_364 },
          base_resp: { status_code: 0, status_msg: "success" }
        })
      }
      case "/v1/audio/generations": {
        orders++
        if (fault === "refuses_order") return json(response, { error: { message: "'lyrics' must be a string" } }, 400)
        if (fault === "wrong_types") return json(response, { data: [{ url: 7 }] })
        if (!state.inAnswer) return json(response, { created: 1, data: [{ url: link }] })
        if (fault === "lying_type") {
          response.writeHead(200, { "content-type": "audio/mpeg" })
          return response.end("<h1>Sign in to the network</h1>")
        }
        response.writeHead(200, { "content-type": "audio/wav" })
        return response.end(sound(seed))
      }
      default:
        return json(response, {}, 404)
    }
  }

  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://double")
      const body = Buffer.concat(chunks).toString("utf8")
      asked.push({ path: request.url ?? "", headers: request.headers, body })
      serve(pathname, searchParams, body, response)
      state.onAsked(pathname)
    })
  })
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    asked,
    state,
    orders: () => orders,
    /** As if the provider's server had been started anew. */
    forget: () => tasks.clear(),
    end: () =>
      new Promise<void>((done) => {
        for (const response of held) response.destroy()
        server.close(() => done())
        server.closeAllConnections()
      })
  }
}
export type MusicProvidersDouble = Awaited<ReturnType<typeof musicProvidersDouble>>
