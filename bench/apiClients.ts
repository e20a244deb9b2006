import autocannon from "autocannon"
import { quantile } from "./instruments/Report.ts"
import { newcomerHandle, seededAuthor, seededHandle, seededKey, seededPostId } from "./instruments/LargeStation.ts"

/**
 * One stretch of load: its requests, its clients, and its duration or number of requests. With `perSecond`, requests start at that rate,
 * whether or not earlier ones were answered; waiting time counts as response time.
 */
export interface Stretch {
  readonly of: ReadonlyArray<Kind>
  readonly clients: number
  readonly lasting: { readonly sec: number } | { readonly requests: number }
  readonly perSecond: number | null
}

export interface Answered {
  /** Good answers. */
  readonly perSecond: number
  readonly answers: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly good: number
  /** Refused, failed or unanswered requests. */
  readonly bad: Readonly<Record<string, number>>
}

const [port, agents, posts] = [Number(process.argv[2]), Number(process.argv[3]), Number(process.argv[4])]

let turn = 0
/** Round robin over all agents. */
const takeTurn = (): number => turn++
const nextAgent = (): number => (takeTurn() % agents) + 1
const nextPost = (): number => ((takeTurn() * 7_919) % posts) + 1
/** A public post that isn't a reply, and an agent other than its author. */
const nextPostOfAnother = () => {
  const index = Math.floor(nextPost() / 20) * 20 + 1
  return { postId: seededPostId(index), reader: (seededAuthor(index, agents) % agents) + 1 }
}

const authorizationOf = (index: number) => ({ authorization: `Bearer ${seededKey(index)}` })
const json = { "content-type": "application/json" }
const get = (path: string, headers: Record<string, string> = {}) => ({ method: "GET" as const, path, headers })
const post = (path: string, headers: Record<string, string>, body?: object) => ({
  method: "POST" as const,
  path,
  headers: body === undefined ? headers : { ...headers, ...json },
  ...(body === undefined ? {} : { body: JSON.stringify(body) })
})

const kinds = {
  nowPlaying: () => get("/api/station/now-playing"),
  feed: () => get("/api/v1/social/feed"),
  feedPage: () => get(`/api/v1/social/feed?limit=50&cursor=${seededPostId(nextPost())}`),
  agentPosts: () => get(`/api/v1/agents/${seededHandle(nextAgent())}/posts`),
  ownFeed: () => get("/api/v1/agents/me/feed", authorizationOf(nextAgent())),
  followers: () => get("/api/v1/agents/me/followers", authorizationOf(nextAgent())),
  profile: () => get(`/api/agents/${seededHandle(nextAgent())}`),
  home: () => get("/api/v1/home", authorizationOf(nextAgent())),
  register: () =>
    post(
      "/api/v1/agents/register",
      {},
      { type: "anonymous", agent: { handle: newcomerHandle(takeTurn()), displayName: "A newcomer" } }
    ),
  post: () =>
    post("/api/v1/social/posts", authorizationOf(nextAgent()), {
      body: `Low water, and nobody about but us. Reading ${takeTurn()} of ${process.pid}.`
    }),
  segment: () =>
    post("/api/segments", authorizationOf(nextAgent()), {
      stationSlug: "longwave",
      category: "news",
      title: "Tides",
      scriptText: `Good evening. Here are the tides, reading ${takeTurn()}. High water is at nine, and the night will be quiet along the whole of the coast.`
    }),
  follow: () => post(`/api/v1/agents/me/follow/${seededHandle(nextAgent())}`, authorizationOf(nextAgent())),
  engage: () => {
    const { postId, reader } = nextPostOfAnother()
    return post(`/api/v1/agents/me/engage/posts/${postId}`, authorizationOf(reader), { action: "like" })
  }
} as const
export type Kind = keyof typeof kinds

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const paceRequests = async ({ lasting, of }: Stretch, perSecond: number): Promise<Answered> => {
  const count = "sec" in lasting ? lasting.sec * perSecond : lasting.requests
  const beganMs = performance.now()
  const ask = async (kind: Kind, dueMs: number) => {
    const { body, headers, method, path } = kinds[kind]() as ReturnType<typeof post>
    const status = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body })
    }).then(
      async (response) => (await response.arrayBuffer(), String(response.status)),
      () => "unanswered"
    )
    return { status, ms: performance.now() - dueMs }
  }
  const asked: Array<ReturnType<typeof ask>> = []
  for (let turn = 0; turn < count; turn++) {
    const dueMs = beganMs + (turn * 1_000) / perSecond
    if (dueMs > performance.now()) await pause(dueMs - performance.now())
    asked.push(ask(of[turn % of.length]!, dueMs))
  }
  const answered = await Promise.all(asked)
  const good = answered.filter(({ status }) => status.startsWith("2"))
  const bad: Record<string, number> = {}
  for (const { status } of answered) if (!status.startsWith("2")) bad[status] = (bad[status] ?? 0) + 1
  const ms = answered.map(({ ms }) => ms)
  return {
    perSecond: (good.length / (performance.now() - beganMs)) * 1_000,
    answers: answered.length,
    p50Ms: quantile(ms, 0.5),
    p99Ms: quantile(ms, 0.99),
    good: good.length,
    bad
  }
}

const run = async (stretch: Stretch): Promise<Answered> => {
  const { clients, lasting, of, perSecond } = stretch
  if (perSecond !== null) return paceRequests(stretch, perSecond)
  const result = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections: clients,
    ...("sec" in lasting ? { duration: lasting.sec } : { amount: lasting.requests }),
    requests: of.map((kind) => ({ setupRequest: (request) => ({ ...request, ...kinds[kind]() }) }))
  })
  const statuses = (
    result as unknown as { readonly statusCodeStats: Readonly<Record<string, { readonly count: number }>> }
  ).statusCodeStats
  const bad = Object.fromEntries(
    Object.entries(statuses)
      .filter(([status]) => !status.startsWith("2"))
      .map(([status, { count }]) => [status, count])
  )
  return {
    perSecond: result["2xx"] / result.duration,
    answers: result.requests.total,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    good: result["2xx"],
    bad: { ...bad, ...(result.errors === 0 ? {} : { unanswered: result.errors }) }
  }
}

// The bench that started this process requests one stretch after the other.
process.on("message", (stretch: Stretch) => void run(stretch).then((answered) => process.send!(answered)))
