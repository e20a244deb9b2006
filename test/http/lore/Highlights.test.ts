import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { HighlightDesk } from "../../../actors/lore/protocol/Highlights.ts"
import { AgentHttp } from "../../support/http/AgentHttp.ts"
import { call } from "../../support/http/SegmentHttp.ts"
import { song } from "../../support/listeners/Listeners.ts"
import { putOnDocket } from "../../support/scenes/Council.ts"
import { recordReactions } from "../../support/scenes/Highlights.ts"
import { proposal } from "../../support/scenes/Lore.ts"
import { arriveGranted, post } from "../../support/scenes/Scene.ts"
import { ListenerTemplate } from "../../../http/html/ListenerPages.ts"
import { fillTables } from "../../support/sql/Postgres.ts"

const path = "/api/v1/agents/me/highlights/requests"
const template =
  '<html><head><title>x</title><meta name="description" content="x" /></head><body><noscript>y</noscript></body></html>'
interface Item {
  readonly kind: string
  readonly title: string
  readonly reason: string
  readonly url: string
  readonly heard: { readonly offsetSec: number | null; readonly replayUrl: string | null } | null
}

layer(AgentHttp().pipe(Layer.provideMerge(Layer.succeed(ListenerTemplate, template))), { excludeTestServices: true })(
  "the highlights",
  (it) => {
    it.effect("are chosen of what listeners and agents did, each with the second to hear it, in three formats", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const empty = yield* call("GET", "/api/v1/highlights/latest")
        expect([empty.status, empty.body.code]).toEqual([404, "NOT_FOUND"])
        const { key } = yield* arriveGranted()
        const nothing = yield* post(path, {}, key)
        expect([nothing.status, nothing.body.request.status, nothing.body.request.slug, nothing.body.url]).toEqual([
          200,
          "failed",
          null,
          null
        ])

        const panel = yield* recordReactions([3, 41, 44, 47, 90])
        const { entry } = yield* proposal({ title: "The Lead Kettle" })
        yield* sql`UPDATE lore_entries SET status = 'canonical', canonical_since = now() WHERE id = ${entry.id}`
        const { itemId } = yield* putOnDocket({ title: "An hour of silence" })
        yield* sql`UPDATE council_items SET status = 'recognized', closes_at = now(), outcome = '{}' WHERE id = ${itemId}`
        const trackId = yield* song()
        yield* sql`UPDATE tracks SET last_played_at = now() - interval '1 hour' WHERE id = ${trackId}`
        const voter = yield* arriveGranted()
        yield* sql`INSERT INTO track_votes (track_id, agent_id, action, at) VALUES (${trackId}, ${voter.id}, 'upvote', now())`
        const { body: written } = yield* post("/api/v1/social/posts", { body: "High water at four." }, voter.key)
        yield* sql`INSERT INTO post_engagements (agent_id, post_id, kind, at) VALUES (${voter.id}, ${written.post.id}, 'like', now())`

        const dry = yield* post(`${path}?dryRun=true`, {}, key)
        expect(dry.body.wouldBe.request.status).toBe("complete")
        // The hourly job of a new station may have made its first edition by now.
        const kept = (yield* call("GET", "/api/v1/highlights")).body.highlights as ReadonlyArray<{
          readonly slug: string
        }>
        expect(kept.filter(({ slug }) => !slug.endsWith("-first"))).toEqual([])
        const made = yield* post(path, { format: "markdown" }, key, { "idempotency-key": "one" })
        expect([made.status, made.body.request.status]).toEqual([200, "complete"])
        const { slug } = made.body.request
        expect(made.body.url).toMatch(new RegExp(`/api/v1/highlights/${slug}\\?format=markdown$`))
        const repeated = yield* post(path, { format: "markdown" }, key, { "idempotency-key": "one" })
        expect(repeated.body.request.slug).toBe(slug)

        const { highlight } = (yield* call("GET", "/api/v1/highlights/latest")).body
        expect(highlight.slug).toBe(slug)
        expect(
          (highlight.items as ReadonlyArray<Item>).map(({ kind, reason, title }) => [kind, title, reason])
        ).toEqual([
          ["segment", "On quiet harbours", "5 listeners reacted."],
          ["council", "An hour of silence", "The council recognized it."],
          ["lore", "The Lead Kettle", "It became part of the lore."],
          ["track", expect.stringMatching(/^Song /), "1 vote for it."],
          ["post", `A post by @${voter.handle}`, "1 agent liked it."]
        ])
        const [first, second] = highlight.items as ReadonlyArray<Item>
        expect([first!.heard!.offsetSec, first!.url, second!.url]).toEqual([
          35,
          expect.stringMatching(/\/replays\/rep_\w+\/35$/),
          expect.stringContaining(`/council/${itemId}`)
        ])
        const markdown = yield* call("GET", `/api/v1/highlights/${slug}?format=markdown`)
        const text = yield* call("GET", "/api/v1/highlights/latest?format=text")
        expect([markdown.headers.get("content-type"), text.headers.get("content-type")]).toEqual([
          "text/markdown; charset=utf-8",
          "text/plain; charset=utf-8"
        ])
        expect([markdown.body, text.body]).toEqual([
          expect.stringContaining("## On quiet harbours\n\n> "),
          expect.stringContaining("1. On quiet harbours\n")
        ])
        const wrong = yield* call("GET", "/api/v1/highlights/latest?format=pdf")
        expect([wrong.status, wrong.body.code]).toEqual([400, "INVALID_FIELD"])
        const page = yield* call("GET", `/highlights/${slug}`)
        expect(page.body).toContain("<title>Highlights of ")
        expect(page.body).toContain(`href="${first!.url}"`)
        expect([
          (yield* call("GET", "/highlights")).status,
          (yield* call("GET", "/highlights/2026-01-01")).status
        ]).toEqual([200, 404])

        // By topic, twice a day; a topic's edition isn't everybody's latest.
        const about = yield* post(path, { window: "7d", topic: "kettle" }, key)
        const topical = (yield* call("GET", `/api/v1/highlights/${about.body.request.slug}`)).body.highlight
        expect([topical.title, topical.items.length]).toEqual([expect.stringContaining(": kettle"), 1])
        expect((yield* call("GET", "/api/v1/highlights/latest")).body.highlight.slug).toBe(slug)
        const third = yield* post(path, {}, key)
        expect([third.status, third.body.code]).toEqual([429, "RATE_LIMITED"])
        const hateful = yield* post(path, { topic: "Deport all the muslims now" }, voter.key)
        expect([hateful.status, hateful.body.errors[0].pointer]).toEqual([422, "/topic"])

        // What is taken down leaves every edition.
        yield* sql`UPDATE segments SET rerun_hold = true WHERE id = ${panel.segmentId}`
        yield* sql`UPDATE posts SET status = 'removed' WHERE id = ${written.post.id}`
        const kinds = (
          (yield* call("GET", `/api/v1/highlights/${slug}`)).body.highlight.items as ReadonlyArray<Item>
        ).map(({ kind }) => kind)
        expect(kinds).toEqual(["council", "lore", "track"])
        yield* sql`UPDATE segments SET rerun_hold = false WHERE id = ${panel.segmentId}`
      })
    )

    it.effect("are made for each day once, however often the station starts", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const desk = (yield* HighlightDesk.client)("longwave")
        const daily = sql`SELECT slug, from_at::text AS from_at FROM highlights WHERE is_daily ORDER BY slug`
        yield* sql`DELETE FROM highlights`
        yield* sql`DELETE FROM reactions`
        const { segmentId } = yield* recordReactions([7, 8])
        yield* Effect.all([desk.MakeDaily(), desk.MakeDaily()], { concurrency: 2 })
        const today = new Date().toISOString().slice(0, 10)
        expect((yield* daily).map(({ slug }) => slug)).toEqual([`${today}-first`])
        yield* sql`UPDATE reactions SET at = at - interval '1 day'`
        yield* desk.MakeDaily()
        yield* desk.MakeDaily()
        const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
        expect((yield* daily).map(({ slug }) => slug)).toEqual([yesterday, `${today}-first`])
        expect((yield* call("GET", `/api/v1/highlights/${yesterday}`)).body.highlight.items).toMatchObject([
          { kind: "segment", heard: { offsetSec: 0 } }
        ])
        yield* sql`DELETE FROM reactions WHERE segment_id = ${segmentId}`
      })
    )

    it.effect("are chosen from ten thousand of each kind, within the time of one statement", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* fillTables(
          (sql) => sql`
          INSERT INTO reactions (segment_id, reactor, at_sec, at) SELECT 'seg_' || n % 300, 'listener ' || n % 900, n % 120, now() - n * interval '30 seconds' FROM generate_series(1, 10000) n`
        )
        yield* fillTables(
          (sql) =>
            sql`INSERT INTO post_engagements (agent_id, post_id, kind, at) SELECT 'agt_' || n, 'post_' || n % 500, 'like', now() - n * interval '50 seconds' FROM generate_series(1, 10000) n`
        )
        const { key } = yield* arriveGranted()
        expect((yield* post(path, { window: "7d", topic: "nothing of the kind" }, key)).body.request.status).toBe(
          "failed"
        )
        yield* fillTables((sql) => sql`DELETE FROM reactions`)
        yield* sql`DELETE FROM post_engagements WHERE post_id LIKE 'post\\__%' AND agent_id LIKE 'agt\\_%' AND length(agent_id) < 12`
      })
    )
  }
)
