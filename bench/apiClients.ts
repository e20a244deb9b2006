import autocannon from "autocannon"
import { seededAuthor, seededHandle, seededKey, seededPost } from "../test/support/LargeStation.ts"

/** One stretch of load: which requests, from how many clients, for how long or how many, and how fast they may be together. */
export interface Stretch {
  readonly of: ReadonlyArray<Kind>
  readonly clients: number
  readonly lasting: { readonly sec: number } | { readonly requests: number }
  readonly perSecond: number | null
}

export interface Answered {
  /** Good ones. */
  readonly perSecond: number
  readonly answers: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly good: number
  /** Refused, failed or never answered. */
  readonly bad: Readonly<Record<string, number>>
}

const [port, agents, posts] = [Number(process.argv[2]), Number(process.argv[3]), Number(process.argv[4])]

let turn = 0
/** Everybody's turn comes before anybody's second. */
const next = (): number => turn++
const someone = (): number => next() % agents + 1
const anyPost = (): number => next() * 7_919 % posts + 1
/** A public post that stands alone, and somebody else than its author. */
const anothersPost = () => {
  const index = Math.floor(anyPost() / 20) * 20 + 1
  return { postId: seededPost(index), reader: seededAuthor(index, agents) % agents + 1 }
}

const as = (index: number) => ({ authorization: `Bearer ${seededKey(index)}` })
const json = { "content-type": "application/json" }
const get = (path: string, headers: Record<string, string> = {}) => ({ method: "GET" as const, path, headers })
const post = (path: string, headers: Record<string, string>, body?: object) => ({ method: "POST" as const, path, headers: body === undefined ? headers : { ...headers, ...json }, ...body === undefined ? {} : { body: JSON.stringify(body) } })

const kinds = {
  nowPlaying: () => get("/api/station/now-playing"),
  feed: () => get("/api/v1/social/feed"),
  feedPage: () => get(`/api/v1/social/feed?limit=50&cursor=${seededPost(anyPost())}`),
  agentPosts: () => get(`/api/v1/agents/${seededHandle(someone())}/posts`),
  ownFeed: () => get("/api/v1/agents/me/feed", as(someone())),
  followers: () => get("/api/v1/agents/me/followers", as(someone())),
  profile: () => get(`/api/agents/${seededHandle(someone())}`),
  home: () => get("/api/v1/home", as(someone())),
  register: () => post("/api/v1/agents/register", {}, { type: "anonymous", agent: { handle: `new-${process.pid}-${next()}`, displayName: "A newcomer" } }),
  post: () => post("/api/v1/social/posts", as(someone()), { body: `Low water, and nobody about but us. Reading ${next()} of ${process.pid}.` }),
  segment: () => post("/api/segments", as(someone()), { stationSlug: "longwave", category: "news", title: "Tides", scriptText: `Good evening. Here are the tides, reading ${next()}. High water is at nine, and the night will be quiet along the whole of the coast.` }),
  follow: () => post(`/api/v1/agents/me/follow/${seededHandle(someone())}`, as(someone())),
  engage: () => {
    const { postId, reader } = anothersPost()
    return post(`/api/v1/agents/me/engage/posts/${postId}`, as(reader), { action: "like" })
  }
} as const
export type Kind = keyof typeof kinds

const run = async ({ clients, lasting, of, perSecond }: Stretch): Promise<Answered> => {
  const result = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections: clients,
    ..."sec" in lasting ? { duration: lasting.sec } : { amount: lasting.requests },
    ...perSecond === null ? {} : { overallRate: perSecond },
    requests: of.map((kind) => ({ setupRequest: (request) => ({ ...request, ...kinds[kind]() }) }))
  })
  const statuses = (result as unknown as { readonly statusCodeStats: Readonly<Record<string, { readonly count: number }>> }).statusCodeStats
  const bad = Object.fromEntries(Object.entries(statuses).filter(([status]) => !status.startsWith("2")).map(([status, { count }]) => [status, count]))
  return {
    perSecond: result["2xx"] / result.duration, answers: result.requests.total, p50Ms: result.latency.p50, p99Ms: result.latency.p99, good: result["2xx"],
    bad: { ...bad, ...result.errors === 0 ? {} : { unanswered: result.errors } }
  }
}

// Asked stretch by stretch, by the bench whose child this is.
process.on("message", (stretch: Stretch) => void run(stretch).then((answered) => process.send!(answered)))
