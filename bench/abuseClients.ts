import { randomBytes, randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { get } from "node:http"
import { connect, type Socket } from "node:net"
import { setPriority } from "node:os"
import { jsonBytesMax, jsonKeysMax } from "../engine/rules/http/limits.ts"
import { partSamples, partsPerSegment } from "../media/encode/PartPacker.ts"
import { broadcastDisclosure, callInRecordingNotice } from "../schema/listeners/Consent.ts"
import { epochMs, sampleRateHz } from "../schema/time/Samples.ts"
import { newcomerHandle, seededHandle, seededKey } from "./instruments/data/LargeStation.ts"
import { quantile } from "./instruments/Report.ts"
import { addressOf, ask, type Asked, countStatuses } from "./instruments/clients/Strangers.ts"

/** Results of the listeners since the last report. */
export interface Listened {
  readonly listening: number
  /** Delay of each part at each low-latency player. */
  readonly partsLateMs: ReadonlyArray<number>
  readonly segments: number
  readonly mp3Bytes: number
  /** Refused or broken requests, and listeners whose stream ended or was silent. */
  readonly dropped: Readonly<Record<string, number>>
}

/** Results of the honest callers since the last report. */
export interface Served {
  readonly answers: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly mostMs: number
  readonly bad: Readonly<Record<string, number>>
}

/** Result of an attack. */
export interface Attacked {
  readonly tried: number
  readonly answers: Readonly<Record<string, number>>
  readonly largestAnswerBytes: number
  readonly sentMiB: number
}

export interface Reconnected {
  readonly firstByteMs: ReadonlyArray<number>
  readonly refused: number
}

export interface Stalled {
  readonly opened: Readonly<Record<"mp3" | "playlists", number>>
  readonly closed: Readonly<Record<"mp3" | "playlists", number>>
}

export type AttackName = keyof typeof attacks

const [mode, port, count] = [process.argv[2]!, Number(process.argv[3]), Number(process.argv[4])]
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

const silentMs = 5_000

/** Half are low-latency players, a quarter play whole segments, a quarter MP3. */
const listen = (): void => {
  let partsLateMs: Array<number> = []
  let dropped: Array<string> = []
  let segments = 0
  let mp3Bytes = 0
  const listening = new Set<number>()
  const dueMs = (at: number) => epochMs + ((at + 1) * partSamples * 1_000) / sampleRateHz
  const fetchPath = async (address: string, path: string) => {
    const answer = await ask(port, address, { path: `/live/aac128/${path}` })
    if (answer.status === "200") return answer.body
    dropped.push(`${path.replaceAll(/\d+/g, "N")} ${answer.status}`)
    await pause(200)
    return null
  }
  const parts = async (index: number, address: string) => {
    const edge = async () => {
      const text = (await fetchPath(address, "index.m3u8"))?.toString() ?? ""
      const [, msn, part] = /PRELOAD-HINT:TYPE=PART,URI="p(\d+)\.(\d+)/.exec(text) ?? []
      return msn === undefined ? null : Number(msn) * partsPerSegment + Number(part)
    }
    for (let at = await edge(); ;) {
      if (at === null) {
        at = await edge()
        continue
      }
      const [msn, part] = [Math.floor(at / partsPerSegment), at % partsPerSegment]
      const [sound] = await Promise.all([
        fetchPath(address, `p${msn}.${part}.m4s`),
        fetchPath(address, `index.m3u8?_HLS_msn=${msn}&_HLS_part=${part}`)
      ])
      if (sound === null) {
        at = await edge()
        continue
      }
      listening.add(index)
      partsLateMs.push(Date.now() - dueMs(at))
      at += 1
    }
  }
  const fetchSegments = async (index: number, address: string) => {
    for (let next = 0; ; await pause(1_000)) {
      const text = (await fetchPath(address, "index.m3u8"))?.toString() ?? ""
      const listed = [...text.matchAll(/^s(\d+)\.m4s$/gm)].map(([, msn]) => Number(msn))
      if (listed.length === 0) continue
      if (next !== 0 && next < listed[0]!) dropped.push("a segment was gone before its download")
      next = Math.max(next, next === 0 ? listed.at(-1)! : listed[0]!)
      for (; next <= listed.at(-1)!; next += 1) {
        if ((await fetchPath(address, `s${next}.m4s`)) === null) break
        listening.add(index)
        segments += 1
      }
    }
  }
  const mp3 = (index: number, address: string) => {
    let heardMs = performance.now()
    let over = false
    const end = (why: string) => {
      if (!over) dropped.push(`MP3 ${why}`)
      over = true
      listening.delete(index)
    }
    const asked = get(
      { host: "127.0.0.1", port, localAddress: address, path: "/live.mp3", agent: false },
      (response) => {
        if (response.statusCode !== 200) return end(String(response.statusCode))
        response.on("data", (bytes: Buffer) => {
          heardMs = performance.now()
          mp3Bytes += bytes.length
          listening.add(index)
        })
        response.on("close", () => end("ended"))
        response.on("error", () => end("broke"))
      }
    )
    asked.on("error", () => end("broke"))
    setInterval(() => {
      if (over || performance.now() - heardMs < silentMs) return
      dropped.push("MP3 silent")
      heardMs = performance.now()
    }, 500)
  }
  const kinds = [parts, fetchSegments, parts, mp3]
  for (let index = 0; index < count; index++)
    setTimeout(() => void kinds[index % kinds.length]!(index, addressOf("listeners", index)), index * 10)
  process.on("message", () => {
    process.send!({
      listening: listening.size,
      partsLateMs,
      segments,
      mp3Bytes,
      dropped: countStatuses(dropped)
    } satisfies Listened)
    partsLateMs = []
    dropped = []
    segments = mp3Bytes = 0
  })
}

/** Every request starts on schedule, whether or not earlier ones were answered. Its waiting time counts as response time. */
const call = (perSecond: number): void => {
  const seeded = count
  const authorizationOf = (index: number) => ({ authorization: `Bearer ${seededKey(index)}` })
  const json = { "content-type": "application/json" }
  const kinds: ReadonlyArray<(turn: number, agent: number) => Asked> = [
    () => ({ path: "/api/station/now-playing" }),
    () => ({ path: "/api/v1/social/feed" }),
    (_, agent) => ({ path: `/api/agents/${seededHandle(agent)}` }),
    (_, agent) => ({ path: "/api/v1/home", headers: authorizationOf(agent) }),
    (_, agent) => ({ path: "/api/v1/agents/me/feed", headers: authorizationOf(agent) }),
    () => ({ path: "/llms.txt" }),
    (turn, agent) => ({
      method: "POST",
      path: `/api/v1/agents/me/follow/${seededHandle(((agent + turn) % seeded) + 1)}`,
      headers: { ...authorizationOf(agent), ...json, "idempotency-key": randomUUID() }
    }),
    (turn) => ({
      method: "POST",
      path: "/api/v1/agents/register",
      headers: json,
      body: JSON.stringify({
        type: "anonymous",
        agent: { handle: newcomerHandle(turn), displayName: "A newcomer" }
      })
    })
  ]
  let answered: Array<{ readonly status: string; readonly ms: number }> = []
  let turn = 0
  const beganMs = performance.now()
  setInterval(() => {
    for (; beganMs + (turn * 1_000) / perSecond <= performance.now(); turn += 1) {
      const dueMs = beganMs + (turn * 1_000) / perSecond
      const agent = (turn % seeded) + 1
      const kind = turn % kinds.length
      // Each kind of request from each address: registrations are limited for each.
      void ask(port, addressOf("callers", Math.floor(turn / kinds.length) % 400), kinds[kind]!(turn, agent)).then(
        ({ status }) =>
          answered.push({
            status: status.startsWith("2") ? "good" : `${kinds[kind]!(turn, agent).path.slice(0, 24)} ${status}`,
            ms: performance.now() - dueMs
          })
      )
    }
  }, 1)
  process.on("message", () => {
    const ms = answered.map(({ ms }) => ms)
    process.send!({
      answers: answered.length,
      p50Ms: quantile(ms, 0.5),
      p99Ms: quantile(ms, 0.99),
      mostMs: Math.max(...ms),
      bad: countStatuses(answered.flatMap(({ status }) => (status === "good" ? [] : [status])))
    } satisfies Served)
    answered = []
  })
}

const stop = new AbortController()
let tried = 0
let largestAnswerBytes = 0
let sentBytes = 0
const statuses: Array<string> = []

/** Requests over so many connections, each as soon as the previous answer arrives. */
const loops = async (connections: number, next: () => Promise<{ readonly status: string; readonly bytes: number }>) => {
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (!stop.signal.aborted) {
        tried += 1
        const { bytes, status } = await next()
        statuses.push(status)
        largestAnswerBytes = Math.max(largestAnswerBytes, bytes)
        // A caller that is refused before anything is read would only measure itself.
        if (status === "unanswered") await pause(10)
      }
    })
  )
}

let turn = 0
/** Strangers with an address each, so that no limit by address applies. Every second request comes from one shared address, which soon reaches its limit. */
const stranger = (): string => (turn++ % 2 === 0 ? addressOf("attacker", 0) : addressOf("attackers", turn % 20_000))
const askAsStranger = (asked: Asked) => {
  sentBytes += asked.body === undefined ? 0 : Buffer.byteLength(asked.body)
  return ask(port, stranger(), asked, false)
}
const json = { "content-type": "application/json" }
const makeText = () => randomBytes(12).toString("base64url")

const makeWrongElements = () => {
  const elementsOf = (bytes: number) => `[${"1,".repeat(bytes / 2)}1]`
  const [wrong, few] = [elementsOf(jsonBytesMax * 0.9), elementsOf(jsonKeysMax)]
  const bodies = [
    ["/api/v1/agents/claim/start", `{"agentId":"agt_01k6xq3v0e8b7w2m5n9r4t6yzs","requestedScopes":${wrong}}`],
    [
      "/api/v1/agents/register",
      `{"type":"anonymous","requestedCapabilities":${wrong},"agent":{"handle":"wrong","displayName":"Wrong","specialties":[]}}`
    ],
    [
      "/api/v1/agents/register",
      `{"type":"anonymous","agent":{"handle":"wrong","displayName":"Wrong","specialties":${wrong}}}`
    ],
    // As long as arrays may be: every element is checked.
    ["/api/v1/agents/claim/start", `{"agentId":"agt_01k6xq3v0e8b7w2m5n9r4t6yzs","requestedScopes":${few}}`]
  ] as const
  return loops(count, () => {
    const [path, body] = bodies[turn % bodies.length]!
    return askAsStranger({ method: "POST", path, body, headers: { ...json, "idempotency-key": randomUUID() } })
  })
}

/** Each connection is reopened as soon as the station closes it. */
const idleBodies = async () => {
  const open = new Set<Socket>()
  // One address may send thousands of the last kind a minute.
  const paths = ["/api/v1/agents/register", "/api/v1/auth/verify", "/api/mcp"]
  const begin = () => {
    const path = paths[tried++ % paths.length]!
    const socket = connect({ port, host: "127.0.0.1", localAddress: addressOf("attacker", 1) })
    open.add(socket)
    let answer = ""
    socket.on("connect", () =>
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 1000\r\nidempotency-key: ${randomUUID()}\r\n\r\n{`
      )
    )
    const drip = setInterval(() => (sentBytes += Number(socket.write(" "))), 1_000)
    socket.on("data", (bytes: Buffer) => (answer += bytes.toString("latin1")))
    socket.on("error", () => undefined)
    socket.on("close", () => {
      clearInterval(drip)
      open.delete(socket)
      statuses.push(/^HTTP\/1.1 (\d+)/.exec(answer)?.[1] ?? "unanswered")
      if (!stop.signal.aborted) setTimeout(begin, 20)
    })
  }
  for (let at = 0; at < count; at++) begin()
  while (!stop.signal.aborted) await pause(50)
  for (const socket of open) socket.destroy()
}

const leaveAnswersUnread = async () => {
  const open = new Set<Socket>()
  const paths = ["/live/aac128/index.m3u8", "/live/aac128/init.mp4", "/", "/api/station/now-playing"]
  const begin = (index: number) => {
    tried += 1
    const socket = connect({ port, host: "127.0.0.1", localAddress: addressOf("attacker", 2 + (index % 2)) })
    open.add(socket)
    const request = Buffer.from(`GET ${paths[index % paths.length]!} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`.repeat(500))
    const write = () => {
      while (!stop.signal.aborted && !socket.destroyed) {
        sentBytes += request.length
        if (!socket.write(request)) break
      }
    }
    socket.pause()
    socket.on("connect", write)
    socket.on("drain", write)
    socket.on("error", () => undefined)
    socket.on("close", () => {
      open.delete(socket)
      statuses.push("closed by the station")
      if (!stop.signal.aborted) setTimeout(() => begin(index), 20)
    })
  }
  for (let at = 0; at < count; at++) begin(at)
  while (!stop.signal.aborted) await pause(50)
  for (const socket of open) socket.removeAllListeners("close").destroy()
}

const randomNames = () => {
  const paths: ReadonlyArray<() => Asked> = [
    () => ({ path: `/claim/${makeText()}` }),
    () => ({ path: `/api/agents/${makeText()}` }),
    () => ({ path: `/api/v1/agents/${makeText()}/posts` }),
    () => ({ path: `/api/shows/${makeText()}` }),
    () => ({ path: `/${makeText()}` }),
    () => ({ path: `/live/${makeText()}/index.m3u8` }),
    () => ({
      method: "POST",
      path: "/api/v1/agents/claim/start",
      body: JSON.stringify({ agentId: `agt_${makeText()}` }),
      headers: json
    }),
    () => ({
      path: "/api/v1/home",
      headers: {
        authorization: `Bearer svc_agent_${randomBytes(6).toString("hex")}_${randomBytes(32).toString("base64url")}`
      }
    })
  ]
  return loops(count, () => askAsStranger(paths[turn % paths.length]!()))
}

const dryCalls = () => {
  const sound = readFileSync(process.argv[6]!)
  return loops(count, async () => {
    const form = new FormData()
    form.set("audio", new Blob([sound], { type: "audio/webm;codecs=opus" }), "call")
    form.set("source", "web")
    form.set(
      "consent",
      JSON.stringify({
        acknowledged: true,
        disclosureVersion: broadcastDisclosure.version,
        recordingNoticeVersion: callInRecordingNotice.version
      })
    )
    const encoded = new Response(form)
    return askAsStranger({
      method: "POST",
      path: "/api/station/call-in?dryRun=true",
      body: new Uint8Array(await encoded.arrayBuffer()),
      headers: { "content-type": encoded.headers.get("content-type")! }
    })
  })
}

const toolLists = () =>
  loops(count, () =>
    askAsStranger({
      method: "POST",
      path: "/api/mcp?toolset=all",
      body: `{"jsonrpc":"2.0","id":${turn},"method":"tools/list","params":{"_meta":{"progressToken":"${makeText()}"}}}`,
      headers: { ...json, accept: "application/json, text/event-stream" }
    })
  )

/** Control stretches without attackers: the station does its own work only. */
const idle = async () => {
  while (!stop.signal.aborted) await pause(50)
}

const attacks = {
  wrongElements: makeWrongElements,
  idleBodies,
  unreadAnswers: leaveAnswersUnread,
  randomNames,
  dryCalls,
  toolLists,
  nobody: idle
}

const attack = (name: AttackName): void => {
  // Attackers share a core with the measuring clients, which have priority, so that the station's time is measured.
  setPriority(10)
  const going = attacks[name]()
  process.send!("begun")
  process.on("message", () => {
    stop.abort()
    void Promise.race([going, pause(2_000)]).then(() =>
      process.send!({
        tried,
        answers: countStatuses(statuses),
        largestAnswerBytes,
        sentMiB: sentBytes / 1_048_576
      } satisfies Attacked)
    )
  })
}

/** Listeners who all lose their connections, as in a network failure, and all reconnect at the same moment. */
const reconnect = (): void => {
  const perAddress = 100
  let sockets: Array<Socket> = []
  const join = (index: number, firstByte: (ms: number | null) => void) => {
    const begunMs = performance.now()
    const socket = connect({
      port,
      host: "127.0.0.1",
      localAddress: addressOf("reconnecting", Math.floor(index / perAddress))
    })
    sockets.push(socket)
    let head = ""
    socket.on("connect", () => socket.write("GET /live.mp3 HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"))
    socket.on("error", () => firstByte(null))
    socket.on("close", () => firstByte(null))
    const readHead = (bytes: Buffer) => {
      head += bytes.toString("latin1", 0, 1_024)
      const end = head.indexOf("\r\n\r\n")
      if (end === -1 || head.length === end + 4) return
      firstByte(head.startsWith("HTTP/1.1 200") ? performance.now() - begunMs : null)
      socket.off("data", readHead)
      socket.on("data", () => undefined)
    }
    socket.on("data", readHead)
  }
  const callAll = async (perSecond: number) => {
    const firstByteMs: Array<number> = []
    let refused = 0
    await new Promise<void>((over) => {
      const told = new Set<number>()
      const noteFirstByte = (index: number) => (ms: number | null) => {
        if (told.has(index)) return
        told.add(index)
        if (ms === null) refused += 1
        else firstByteMs.push(ms)
        if (told.size === count) over()
      }
      let begun = 0
      const beganMs = performance.now()
      const dealing = setInterval(() => {
        const due = Math.min(count, ((performance.now() - beganMs) / 1_000) * perSecond)
        for (; begun < due; begun += 1) join(begun, noteFirstByte(begun))
        if (begun === count) clearInterval(dealing)
      }, 5)
      setTimeout(over, (count / perSecond) * 1_000 + 30_000)
    })
    return { firstByteMs, refused } satisfies Reconnected
  }
  process.on("message", (what: "join" | "again") => {
    const before = sockets
    sockets = []
    for (const socket of before) socket.removeAllListeners("close").destroy()
    void callAll(what === "join" ? 1_000 : Infinity).then((reconnected) => process.send!(reconnected))
  })
}

/** Readers who read the beginning of an answer and then stop: half of them MP3, half playlists in sequence. */
const stall = (): void => {
  const opened = { mp3: 0, playlists: 0 }
  const closed = { mp3: 0, playlists: 0 }
  const sockets: Array<Socket> = []
  for (let index = 0; index < count; index++) {
    const socket = connect({ port, host: "127.0.0.1", localAddress: addressOf("stalled", index) })
    sockets.push(socket)
    const kind = index % 2 === 0 ? "mp3" : "playlists"
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`
    socket.on("connect", () => {
      socket.write(kind === "mp3" ? get("/live.mp3") : get("/live/aac128/index.m3u8").repeat(20_000))
    })
    socket.once("data", () => {
      opened[kind] += 1
      socket.pause()
    })
    socket.on("error", () => undefined)
    socket.on("close", () => (closed[kind] += 1))
  }
  process.on("message", () => {
    // A socket that nobody reads reports no end: the bytes in the kernel are read first.
    for (const socket of sockets) socket.resume()
    setTimeout(() => process.send!({ opened, closed } satisfies Stalled), 3_000)
  })
}

process.on("disconnect", () => process.exit())
if (mode === "listen") listen()
else if (mode === "call") call(Number(process.argv[5]))
else if (mode === "reconnect") reconnect()
else if (mode === "stall") stall()
else attack(process.argv[5] as AttackName)
