import { connect, type Socket } from "node:net"
import { quantile } from "./instruments/Report.ts"
import { seededTrackId } from "./instruments/data/LargeLibrary.ts"
import { newcomerHandle, seededAuthor, seededHandle, seededKey, seededPostId } from "./instruments/data/LargeStation.ts"

/**
 * One stretch of load: its requests in turn, its clients, and its duration or number of requests. With `perSecond`, requests start at that
 * rate, whether or not earlier ones were answered; waiting for a client counts as response time.
 */
export interface Stretch {
  readonly of: ReadonlyArray<Kind>
  readonly clients: number
  readonly lasting: { readonly sec: number } | { readonly requests: number }
  readonly perSecond: number | null
}

/** Answers to one kind of request, or to all. */
export interface Answers {
  readonly answers: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly good: number
  /** Numbers of requests that were refused or unanswered, by what they were told. */
  readonly bad: Readonly<Record<string, number>>
}
export interface Answered extends Answers {
  /** Good answers. */
  readonly perSecond: number
  readonly byKind: Readonly<Partial<Record<Kind, Answers>>>
}

/**
 * The size of the station. `tracks`, and the time in ms that the as-run log goes back, are 0 where nobody asks for them. Of the agents, `active`
 * are looked at and send commands: all unless it is given.
 */
const [port = 0, agents = 0, posts = 0, tracks = 0, loggedMs = 0, active = agents] = process.argv.slice(2).map(Number)

const atWorkMax = 500

let turn = 0
const takeTurn = (): number => turn++
/** Round robin over all active agents, spread among the others: for what others look at, and for commands, of which each agent has a few an hour. */
const nextAgent = (): number => (takeTurn() % active) * Math.floor(agents / active) + 1
/** Round robin over the agents that are at work now: each reads several times a minute. */
const nextAtWork = (): number => (takeTurn() % Math.min(active, atWorkMax)) * Math.floor(agents / active) + 1
let submitted = 0
/** Agents submit one after the other, however many other requests they send: the station refuses a fourth submission while three wait for review. */
const nextSubmitter = (): number => (submitted++ % active) * Math.floor(agents / active) + 1
const nextPost = (): number => ((takeTurn() * 7_919) % posts) + 1
/** An approved track: one in fifty is held. */
const nextTrack = (): number => {
  const index = (takeTurn() * 7_919) % tracks
  return index % 50 === 49 ? index : index + 1
}
const isoInLog = (): string => new Date(Date.now() - ((takeTurn() * 7_919) % 1_000) * (loggedMs / 1_000)).toISOString()
/** A public post that isn't a reply, and an agent other than its author. */
const nextPostOfAnother = () => {
  const index = Math.floor((nextPost() - 1) / 20) * 20 + 1
  const [reader, another] = [nextAgent(), nextAgent()]
  return { postId: seededPostId(index), reader: reader === seededAuthor(index, agents) ? another : reader }
}

interface Ask {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly key?: string
  readonly body?: object
}
const get = (path: string, key?: string): Ask => ({ method: "GET", path, ...(key === undefined ? {} : { key }) })
const post = (path: string, key?: string, body?: object): Ask => ({
  method: "POST",
  path,
  ...(key === undefined ? {} : { key }),
  ...(body === undefined ? {} : { body })
})

const kinds = {
  page: () => get("/"),
  healthz: () => get("/healthz"),
  nowPlaying: () => get("/api/station/now-playing"),
  station: () => get("/api/station"),
  schedule: () => get("/api/station/schedule"),
  history: () => get("/api/station/history?limit=5"),
  feed: () => get("/api/v1/social/feed"),
  feedPage: () => get(`/api/v1/social/feed?limit=50&cursor=${seededPostId(nextPost())}`),
  agentPosts: () => get(`/api/v1/agents/${seededHandle(nextAgent())}/posts`),
  ownFeed: () => get("/api/v1/agents/me/feed", seededKey(nextAtWork())),
  followers: () => get("/api/v1/agents/me/followers", seededKey(nextAtWork())),
  profile: () => get(`/api/agents/${seededHandle(nextAgent())}`),
  me: () => get("/api/v1/agents/me", seededKey(nextAtWork())),
  home: () => get("/api/v1/home", seededKey(nextAtWork())),
  historyPage: () => get(`/api/station/history?limit=50&before=${isoInLog()}`),
  track: () => get(`/api/v1/tracks/${seededTrackId(nextTrack())}`),
  tracksPage: () => get(`/api/v1/tracks?limit=50&cursor=${seededTrackId(nextTrack())}`),
  search: () => get(`/api/station/music/catalog?limit=20&q=${nextTrack()}`),
  register: () =>
    post("/api/v1/agents/register", undefined, {
      type: "anonymous",
      agent: { handle: newcomerHandle(takeTurn()), displayName: "A newcomer" }
    }),
  post: () =>
    post("/api/v1/social/posts", seededKey(nextAgent()), {
      body: `Low water, and nobody about but us. Reading ${takeTurn()} of ${process.pid}.`
    }),
  segment: () =>
    post("/api/segments", seededKey(nextSubmitter()), {
      stationSlug: "longwave",
      category: "news",
      title: "Tides",
      scriptText: `Good evening. Here are the tides, reading ${takeTurn()}. High water is at nine, and the night will be quiet along the whole of the coast.`
    }),
  follow: () => post(`/api/v1/agents/me/follow/${seededHandle(nextAgent())}`, seededKey(nextAgent())),
  engage: () => {
    const { postId, reader } = nextPostOfAnother()
    return post(`/api/v1/agents/me/engage/posts/${postId}`, seededKey(reader), { action: "like" })
  }
} as const satisfies Readonly<Record<string, () => Ask>>
export type Kind = keyof typeof kinds

const wireOf = ({ body, key, method, path }: Ask): string => {
  const text = body === undefined ? "" : JSON.stringify(body)
  return `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${key === undefined ? "" : `authorization: Bearer ${key}\r\n`}${
    method === "GET"
      ? ""
      : `${body === undefined ? "" : "content-type: application/json\r\n"}content-length: ${Buffer.byteLength(text)}\r\n`
  }\r\n${text}`
}

/** A refusal in the report: its status, and code and detail of its problem document. */
const refusalOf = (status: number, answer: Buffer): string => {
  const body = answer.toString("utf8", answer.indexOf("\r\n\r\n"))
  const read = (field: string) => new RegExp(`"${field}": ?"([^"]*)"`).exec(body)?.[1]
  return [status, read("code"), read("detail")].filter((part) => part !== undefined).join(" ")
}

/** The length of an answer and its status, or null while its end hasn't arrived. */
const readAnswer = (bytes: Buffer): { readonly status: number; readonly length: number } | null => {
  const end = bytes.indexOf("\r\n\r\n")
  if (end === -1) return null
  const head = bytes.toString("latin1", 0, end)
  const status = Number(head.slice(9, 12))
  const given = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  if (given !== undefined || status === 204 || status === 304) {
    const length = end + 4 + Number(given ?? 0)
    return bytes.length < length ? null : { status, length }
  }
  const last = bytes.indexOf("0\r\n\r\n", end + 4)
  return last === -1 ? null : { status, length: last + 5 }
}

interface Pending {
  readonly kind: Kind
  readonly dueMs: number
}
/** One connection, with one request at a time. A parser of its own, so that the clients take a fraction of the station's CPU. */
class Line {
  readonly #onAnswer: (pending: Pending, refusal: string | null) => void
  #socket: Socket | null = null
  #pending: Pending | null = null
  #bytes = Buffer.alloc(0)

  /** `onAnswer` gets null for a good answer. */
  constructor(onAnswer: (pending: Pending, refusal: string | null) => void) {
    this.#onAnswer = onAnswer
  }

  send(kind: Kind, dueMs: number): void {
    this.#pending = { kind, dueMs }
    this.#socket ??= this.#open()
    this.#socket.write(wireOf(kinds[kind]()))
  }

  close(): void {
    this.#pending = null
    this.#socket?.destroy()
  }

  #open(): Socket {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true })
    socket.on("data", (bytes) => {
      this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes])
      const answer = readAnswer(this.#bytes)
      if (answer === null) return
      const { length, status } = answer
      const refusal = status >= 200 && status < 300 ? null : refusalOf(status, this.#bytes.subarray(0, length))
      this.#bytes = this.#bytes.subarray(length)
      this.#end(refusal)
    })
    socket.on("error", () => socket.destroy())
    socket.on("close", () => {
      this.#socket = null
      this.#bytes = Buffer.alloc(0)
      this.#end("unanswered")
    })
    return socket
  }

  #end(refusal: string | null): void {
    const pending = this.#pending
    if (pending === null) return
    this.#pending = null
    this.#onAnswer(pending, refusal)
  }
}

interface Seen extends Pending {
  readonly refusal: string | null
  readonly ms: number
}
const summarise = (seen: ReadonlyArray<Seen>): Answers => {
  const bad: Record<string, number> = {}
  for (const { refusal } of seen) if (refusal !== null) bad[refusal] = (bad[refusal] ?? 0) + 1
  const ms = seen.map((one) => one.ms)
  return {
    answers: seen.length,
    p50Ms: quantile(ms, 0.5),
    p99Ms: quantile(ms, 0.99),
    good: seen.length - Object.values(bad).reduce((sum, count) => sum + count, 0),
    bad
  }
}

const run = ({ clients, lasting, of, perSecond }: Stretch): Promise<Answered> =>
  new Promise((resolve) => {
    const seen: Array<Seen> = []
    const beganMs = performance.now()
    const endMs = "sec" in lasting ? beganMs + lasting.sec * 1_000 : Infinity
    const count =
      "requests" in lasting ? lasting.requests : perSecond === null ? Infinity : Math.round(lasting.sec * perSecond)
    let sent = 0
    let asked = 0
    /** Requests that wait for a client, and clients that wait for a request. */
    const waiting: Array<Pending> = []
    const idle: Array<Line> = []
    const next = (): Kind => of[asked++ % of.length]!
    const finish = () => {
      for (const line of lines) line.close()
      const byKind = Object.fromEntries(
        [...new Set(of)].flatMap((kind) => {
          const mine = seen.filter((one) => one.kind === kind)
          return mine.length === 0 ? [] : [[kind, summarise(mine)] as const]
        })
      )
      const all = summarise(seen)
      resolve({ ...all, perSecond: (all.good / (performance.now() - beganMs)) * 1_000, byKind })
    }
    const proceed = (line: Line) => {
      if (perSecond !== null) {
        const due = waiting.shift()
        if (due === undefined) idle.push(line)
        else line.send(due.kind, due.dueMs)
        return
      }
      if (sent === count || performance.now() >= endMs) return
      sent++
      line.send(next(), performance.now())
    }
    let open = 0
    const lines = Array.from({ length: clients }, () => {
      const line: Line = new Line((pending, refusal) => {
        seen.push({ ...pending, refusal, ms: performance.now() - pending.dueMs })
        open--
        begin(line)
        if (open === 0 && (sent === count || performance.now() >= endMs)) finish()
      })
      return line
    })
    const begin = (line: Line) => {
      const before = sent
      proceed(line)
      if (perSecond === null) open += sent - before
    }
    if (perSecond === null) for (const line of lines) begin(line)
    else {
      idle.push(...lines)
      const pace = setInterval(() => {
        const due = Math.min(count, Math.floor(((performance.now() - beganMs) * perSecond) / 1_000) + 1)
        for (; sent < due; sent++) {
          const pending = { kind: next(), dueMs: beganMs + (sent * 1_000) / perSecond }
          const line = idle.pop()
          open++
          if (line === undefined) waiting.push(pending)
          else line.send(pending.kind, pending.dueMs)
        }
        if (sent === count) clearInterval(pace)
      }, 1)
    }
  })

// The bench that started this process requests one stretch after the other.
process.on("message", (stretch: Stretch) => void run(stretch).then((answered) => process.send!(answered)))
process.on("disconnect", () => process.exit())
