import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { becomeAgent, call } from "../../../bench/instruments/clients/Stranger.ts"
import { clockFact } from "../../../engine/rules/air/Facts.ts"
import { Announcements, AnnouncementsWriter } from "../../../engine/store/air/Announcements.ts"
import { Sentence } from "../../../schema/air/Announcement.ts"
import { airable, testId } from "../air/Airables.ts"
import { assetOf } from "../air/StudioDouble.ts"
import { keepAssets, plantTone } from "../media/PlantedSound.ts"
import { inDatabaseOf } from "../sql/OwnDatabase.ts"
import { askUntil, type WholeStation } from "../station/WholeStation.ts"

/** Work of the commons that is done but not yet recorded. */
export const commonsDone = {
  council_items: "NEW.outcome IS NOT NULL AND OLD.outcome IS NULL",
  peer_cases: "NEW.status <> 'pending' AND OLD.status = 'pending'",
  blog_entries: "NEW.status = 'published' AND OLD.status <> 'published'"
}

// oxlint-disable-next-line typescript/no-explicit-any
type Body = any
const docket = "/api/station/council/docket"
const drafts = "/api/v1/agents/me/blog/submissions"
const creations = "/api/v1/agents/me/music/creations"
const draft = {
  title: "What the harbour said",
  summary: "Notes from a table at which four of us listened.",
  bodyMarkdown: `## After midnight\n\n${"The bell keeps the time of the weather. ".repeat(8)}`,
  tags: ["harbour"],
  sources: []
}
const piece = { prompt: "Slow jazz for a harbour at night", variants: 1, durationSec: 30, seed: 5 }
/** One of the station's announcements may air when the station is killed, another one is being made. */
const [spoken, unmade] = [testId("ann", 71), testId("ann", 72)]

/** What the commons of a station is doing when it is killed, and what must be true afterwards: each thing once, and nothing lost. */
export class CommonsScene {
  readonly #whole: WholeStation
  readonly #author: { readonly agentId: string; readonly apiKey: string }
  #voters: ReadonlyArray<{ readonly agentId: string; readonly apiKey: string }> = []
  #itemId = ""
  #postId = ""
  #draftId = ""
  #blogReview = ""
  #jobId = ""

  constructor(whole: WholeStation, author: { readonly agentId: string; readonly apiKey: string }) {
    this.#whole = whole
    this.#author = author
  }

  async #ask(method: string, path: string, bearer: string, body?: object, key?: string): Promise<Body> {
    const answer = await call(this.#whole.station.base, method, path, {
      bearer,
      ...(body === undefined ? {} : { body }),
      ...(key === undefined ? {} : { headers: { "idempotency-key": key } })
    })
    return answer.body
  }
  #operate(method: string, path: string, body?: object, key?: string): Promise<Body> {
    return this.#ask(method, `/api/ops/${path}`, this.#whole.station.operator, body, key)
  }
  #store<A>(change: (sql: SqlClient.SqlClient) => Effect.Effect<A, unknown, SqlClient.SqlClient>): Promise<A> {
    return inDatabaseOf(this.#whole.station.dataDir, change)
  }
  #submit = () => this.#ask("POST", drafts, this.#author.apiKey, draft, "what the harbour said")
  #create = () => this.#ask("POST", creations, this.#author.apiKey, piece, "the harbour's song")
  #progress = (): Promise<Body> => this.#ask("GET", `${creations}/${this.#jobId}`, this.#author.apiKey)
  #publish = () =>
    this.#operate("POST", `reviews/${this.#blogReview}/decision`, { decision: "approve", reason: "Read." }, "publish")

  /** What is there before: an item with votes, a case with one decision, a draft, two announcements. */
  async prepare(): Promise<void> {
    const { base, dataDir } = this.#whole.station
    const by = this.#author
    this.#voters = [
      await becomeAgent(base, "lark", "lark@example.org"),
      await becomeAgent(base, "snipe", "snipe@example.org")
    ]
    for (const { agentId } of [by, ...this.#voters])
      await this.#operate("PUT", `agents/${agentId}/grants`, { tierPin: 3, peerReviewScopes: ["post"] })
    this.#itemId = (await this.#ask("POST", docket, by.apiKey, { title: "More harbour", summary: "An hour." })).item.id
    for (const { apiKey } of this.#voters)
      await this.#ask("POST", `${docket}/${this.#itemId}/responses`, apiKey, {
        type: "council_vote",
        stance: "recognize"
      })
    const body = "The pilot answers at engine@example.org, day and night."
    this.#postId = (await this.#ask("POST", "/api/v1/social/posts", by.apiKey, { body })).post.id
    await this.#ask("POST", "/api/v1/peer-moderation/decisions", this.#voters[0]!.apiKey, {
      subjectType: "post",
      subjectId: this.#postId,
      decision: "approved"
    })
    this.#draftId = (await this.#submit()).submission.id
    this.#blogReview = (await this.#operate("GET", "reviews?kind=blog")).items[0].id
    const sound = assetOf(airable("filler", 71, 12))
    plantTone(dataDir, sound)
    const nowMs = Date.now()
    const whole = { validFromMs: nowMs - 1_000, validUntilMs: nowMs + 3_600_000 }
    await this.#store((sql) =>
      Effect.gen(function* () {
        yield* keepAssets([sound])
        const writer = yield* AnnouncementsWriter
        const [owner] = yield* sql<{ fence: number }>`SELECT fence::float8 AS fence FROM stations`
        for (const id of [spoken, unmade])
          yield* writer.claim(
            {
              id,
              assetId: sound.id,
              atMs: nowMs,
              humanId: null,
              kind: "time_check",
              title: "Time check",
              sentences: [new Sentence({ pattern: "it's {time}.", fact: clockFact("UTC", nowMs) })],
              afterItemId: null,
              beforeItemId: null,
              ...whole
            },
            owner!.fence
          )
        const airs = Object.assign(airable("filler", 71, 12, whole), {
          announcement: { id: spoken, afterItemId: null, beforeItemId: null }
        })
        yield* writer.ready(spoken, airs as never, 12_000, owner!.fence)
      }).pipe(Effect.provide(Announcements.layer))
    )
  }

  /** Orders music; while it is made, lets both deadlines pass and publishes the entry. */
  async begin(): Promise<void> {
    const [itemId, postId] = [this.#itemId, this.#postId]
    this.#jobId = (await this.#create()).jobId
    await askUntil(async () => ((await this.#progress()).status === "generating" ? true : undefined))
    await this.#store((sql) =>
      Effect.gen(function* () {
        yield* sql`UPDATE council_items SET closes_at = now() WHERE id = ${itemId}`
        yield* sql`UPDATE peer_cases SET closes_at = now() WHERE subject_id = ${postId}`
      })
    )
    // The database ends statements that wait for seconds: on a slow machine before the last of them has begun, so each is begun again.
    await askUntil(async () => {
      const hanging = await this.#hanging()
      if (Object.keys(commonsDone).every((table) => hanging.has(table))) return true
      await this.#store(
        (sql) => sql`
          UPDATE jobs SET run_at = now() WHERE state <> 'running' AND run_at > now()
            AND (key = ${itemId} OR key IN (SELECT id FROM peer_cases WHERE subject_id = ${postId}))`
      )
      if (!hanging.has("blog_entries")) void this.#publish().catch(() => undefined)
      return undefined
    }, 500)
  }

  /** The tables whose updates wait for the test. */
  async #hanging(): Promise<ReadonlySet<string>> {
    const found = await this.#store(
      (sql) => sql<{ query: string }>`SELECT query FROM pg_stat_activity WHERE wait_event = 'advisory'`
    )
    return new Set(
      Object.keys(commonsDone).filter((table) => found.some(({ query }) => query.includes(`UPDATE ${table} `)))
    )
  }

  async #announcements(): Promise<
    Readonly<Record<string, { readonly state: string; readonly reason: string | null }>>
  > {
    const { announcements } = await this.#operate("GET", "announcements?limit=100")
    return Object.fromEntries(announcements.map((one: Body) => [one.id, one]))
  }

  async expectOnce(): Promise<void> {
    const [author, itemId, postId, draftId] = [this.#author.apiKey, this.#itemId, this.#postId, this.#draftId]
    // Nothing of what wasn't recorded is there, and the caller who never got an answer repeats the command.
    expect((await this.#ask("GET", `${drafts}/${draftId}`, author)).submission.status).toBe("in_review")
    for (const again of [await this.#publish(), await this.#publish()]) expect(again.review.status).toBe("approved")
    expect((await this.#submit()).submission.id).toBe(draftId)
    expect((await this.#ask("GET", `${drafts}/${draftId}`, author)).submission.status).toBe("published")
    const item = await askUntil(async () => {
      const found = (await this.#ask("GET", `${docket}/${itemId}`, author)).item as Body
      return found.outcome === null ? undefined : found
    })
    expect(item).toMatchObject({ status: "expired", voters: 2, outcome: { voters: 2, votes: { recognize: 6 } } })
    const told = await askUntil(async () => {
      const events = await this.#store(
        (sql) => sql<{ tag: string; about: string; agent: string }>`
          SELECT event->>'_tag' AS tag, coalesce(event->>'docketId', event->>'blogId') AS about, event->>'agentId' AS agent
          FROM outbox WHERE event->>'_tag' IN ('CouncilClosed', 'BlogDecided') ORDER BY 1, 3`
      )
      return events.length < 4 ? undefined : events
    })
    const everybody = [this.#author, ...this.#voters].map(({ agentId }) => agentId).sort()
    expect(told).toEqual([
      { tag: "BlogDecided", about: draftId, agent: this.#author.agentId },
      ...everybody.map((agent) => ({ tag: "CouncilClosed", about: itemId, agent }))
    ])
    const jury = await askUntil(async () => {
      const { cases } = await this.#operate("GET", "peer-moderation/cases?status=escalated")
      return cases.find(({ subject }: Body) => subject.id === postId) as Body
    })
    expect(jury).toMatchObject({
      decidedByPeers: false,
      verdict: null,
      votes: [{ decision: "approved", counted: true }]
    })
    const escalated = (await this.#operate("GET", "reviews?status=escalated&kind=post")).items
    expect(escalated.map(({ subject }: Body) => subject.id)).toEqual([postId])
    // The key names the same job, whose piece is made once and counted once.
    expect((await this.#create()).jobId).toBe(this.#jobId)
    const made = await askUntil(async () => {
      const now = await this.#progress()
      return now.status === "complete" || now.status === "failed" ? (now as Body) : undefined
    })
    expect(made).toMatchObject({ status: "complete", progress: 1, error: null })
    const { quota } = await this.#ask("GET", "/api/v1/agents/me/music/capabilities", author)
    expect(quota[0].used).toBe(1)
    expect(
      await this.#store((sql) => sql`SELECT 1 FROM music_variants WHERE request_id = ${made.requestId}`)
    ).toHaveLength(1)
    // What has a sound may still air, what was being made is given up.
    const words = await this.#announcements()
    expect([words[spoken]!.reason, words[unmade]]).toMatchObject([null, { state: "dropped", reason: "INTERRUPTED" }])
  }
}
