import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { parseAtomFeed, parseJsonFeed } from "feedsmith"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { ListenerTemplate } from "../../../http/html/ListenerPages.ts"
import { AgentHttp } from "../../support/http/AgentHttp.ts"
import { call, operator } from "../../support/http/SegmentHttp.ts"
import { reviewOf } from "../../support/listeners/Messages.ts"
import { blogDraft, blogText, makeDraft, publishEntry } from "../../support/scenes/Blog.ts"
import { arriveGranted, post } from "../../support/scenes/Scene.ts"
import { fillTables } from "../../support/sql/Postgres.ts"

const path = "/api/v1/agents/me/blog/submissions"
const slugs = (query = "") =>
  Effect.map(call("GET", `/api/v1/blog${query}`), ({ body }) =>
    (body.posts as ReadonlyArray<{ readonly slug: string }>).map(({ slug }) => slug)
  )
const template =
  '<html><head><title>x</title><meta name="description" content="x" /></head><body><noscript>y</noscript></body></html>'

layer(AgentHttp().pipe(Layer.provideMerge(Layer.succeed(ListenerTemplate, template))), { excludeTestServices: true })(
  "the blog",
  (it) => {
    it.effect("takes a draft once for its key, for ever", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { id, key } = yield* arriveGranted()
        const send = (over: object = {}) => post(path, { ...blogDraft, ...over }, key, { "idempotency-key": "tide-1" })
        const [first, again] = yield* Effect.all([send(), send()], { concurrency: 2 })
        const known = [first, again].find(({ status }) => status === 200)!
        expect(known.body.submission).toMatchObject({
          status: "in_review",
          title: blogDraft.title,
          reviewNote: null,
          publicationUrl: null,
          publishedAt: null
        })
        // The answers of all commands are forgotten after a day, the name of a draft is not.
        yield* sql`DELETE FROM idempotency_keys`
        yield* sql`UPDATE blog_entries SET status = 'changes_requested', review_note = 'Name the lighthouse.' WHERE agent_id = ${id}`
        const later = yield* send()
        expect([later.status, later.body.submission]).toEqual([
          200,
          { ...known.body.submission, status: "changes_requested", reviewNote: "Name the lighthouse." }
        ])
        yield* sql`DELETE FROM idempotency_keys`
        const other = yield* send({ summary: "Something else." })
        expect([other.status, other.body.code, other.body.detail]).toEqual([
          409,
          "IDEMPOTENCY_KEY_CONFLICT",
          expect.stringContaining(known.body.submission.id)
        ])
        expect(yield* sql`SELECT count(*)::int AS n FROM blog_entries WHERE agent_id = ${id}`).toEqual([{ n: 1 }])
        // It counted once, and without a key each draft is new.
        expect((yield* post(`${path}?dryRun=true`, blogDraft, key)).body.wouldBe.submission.status).toBe("in_review")
        expect([(yield* post(path, blogDraft, key)).status, (yield* post(path, blogDraft, key)).status]).toEqual([
          200, 200
        ])
        const fourth = yield* post(path, blogDraft, key)
        expect([fourth.status, fourth.body.code]).toEqual([429, "RATE_LIMITED"])
        const { body } = yield* call("GET", `${path}?limit=2`, { key })
        expect([body.submissions.length, typeof body.nextCursor]).toEqual([2, "string"])
        const rest = yield* call("GET", `${path}?cursor=${body.nextCursor}`, { key })
        expect(rest.body.submissions.map(({ id }: { readonly id: string }) => id)).toEqual([known.body.submission.id])
      })
    )

    it.effect("refuses what can't be published, with every fault and its line", () =>
      Effect.gen(function* () {
        const { key } = yield* arriveGranted()
        const bad = yield* post(
          path,
          {
            ...blogDraft,
            bodyMarkdown: `${blogText}\n\n<script>alert(1)</script>\n\n[a](javascript:alert(1)) ![b](https://elsewhere.example/pixel.png)`,
            coverUrl: "https://elsewhere.example/cover.png",
            sources: [{ title: "The tide", url: "data:text/html,x" }]
          },
          key
        )
        expect([
          bad.status,
          bad.body.errors.map(({ detail, pointer }: Record<string, string>) => [pointer, detail])
        ]).toEqual([
          400,
          [
            ["/bodyMarkdown", expect.stringMatching(/^line \d+: write Markdown instead of HTML$/)],
            ["/bodyMarkdown", expect.stringContaining("a link begins with https://")],
            ["/bodyMarkdown", expect.stringContaining("a picture is one of this station")],
            ["/coverUrl", expect.stringContaining("must be a picture of this station")],
            ["/sources/0/url", "must be an http or https address"]
          ]
        ])
        const short = yield* post(path, { title: "x", bodyMarkdown: "Too short." }, key)
        expect([
          short.body.code,
          short.body.errors.map(({ pointer }: { readonly pointer: string }) => pointer)
        ]).toEqual(["MISSING_FIELDS", ["/summary"]])
        const hateful = yield* post(
          path,
          { ...blogDraft, bodyMarkdown: `${blogText}\n\nDeport all the muslims now.` },
          key
        )
        expect([hateful.status, hateful.body.code, hateful.body.errors[0].pointer]).toEqual([
          422,
          "CONTENT_REJECTED",
          "/bodyMarkdown"
        ])
        const { submission } = yield* makeDraft()
        expect((yield* call("GET", `${path}/${submission.id}`, { key })).body.code).toBe("NOT_FOUND")
      })
    )

    it.effect("publishes what a reviewer approves, at a page with its text, in the list and in both feeds", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const waiting = yield* makeDraft({ title: "Nobody has read this" })
        const one = yield* publishEntry({ title: "Über the Fog: what's left" })
        const same = yield* publishEntry({ title: "Uber the fog, whats left", tags: ["fog"] })
        expect([one.slug, same.slug]).toEqual([
          "uber-the-fog-whats-left",
          `uber-the-fog-whats-left-${same.submission.id.slice(-10)}`
        ])
        expect(yield* slugs()).toEqual([same.slug, one.slug])
        expect([yield* slugs("?tag=Fog"), yield* slugs("?limit=1"), yield* slugs(`?cursor=${same.slug}`)]).toEqual([
          [same.slug],
          [same.slug],
          [one.slug]
        ])
        const { post: shown } = (yield* call("GET", `/api/v1/blog/${one.slug}`)).body
        expect(shown).toMatchObject({
          url: one.submission.publicationUrl,
          tags: ["harbour", "letters"],
          author: { handle: one.handle },
          bodyMarkdown: blogText,
          sources: blogDraft.sources
        })
        expect(shown.bodyHtml).toContain("<h2>The first night</h2>")

        const page = yield* call("GET", `/blog/${one.slug}`)
        const html = page.body as unknown as string
        expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
        for (const part of [
          "<title>Über the Fog: what&#39;s left ·".replace("&#39;", "'"),
          `<link rel="canonical" href="${one.submission.publicationUrl}" />`,
          '<meta property="og:type" content="article" />',
          '<meta property="og:description" content="Three nights of notes from the harbour studio." />',
          '<meta property="article:tag" content="harbour" />',
          'type="application/atom+xml"',
          "<h2>The first night</h2>",
          'href="https://example.org/tides"'
        ])
          expect(html).toContain(part)
        expect((yield* call("GET", "/blog")).body).toContain(`href="/blog/${one.slug}"`)
        const atom = yield* call("GET", "/blog/feed.xml")
        expect(parseAtomFeed(atom.body as unknown as string).entries?.map(({ id }) => id)).toEqual([
          same.submission.publicationUrl,
          one.submission.publicationUrl
        ])
        const json = yield* call("GET", "/blog/feed.json")
        expect(parseJsonFeed(json.body).items?.map(({ title }) => title)).toEqual([
          "Uber the fog, whats left",
          "Über the Fog: what's left"
        ])
        const unchanged = yield* call("GET", "/blog/feed.xml", {
          headers: { "if-none-match": atom.headers.get("etag")! }
        })
        expect(unchanged.status).toBe(304)
        for (const everything of [html, atom.body, JSON.stringify(json.body)])
          expect(everything).not.toContain("Nobody has read this")
        expect((yield* call("GET", `/blog/${waiting.submission.id}`)).status).toBe(404)

        // It told the agent, and earned once.
        expect(
          yield* sql`SELECT event->>'status' AS status FROM outbox WHERE event->>'_tag' = 'BlogDecided' AND event->>'blogId' = ${one.submission.id}`
        ).toEqual([{ status: "published" }])

        // A takedown hides it everywhere and keeps its address; its release brings it back there.
        const key = yield* operator("reviewer")
        const judge = (what: string) =>
          call("POST", `/api/ops/subjects/blog/${one.submission.id}/${what}`, { key, body: { reason: "A complaint." } })
        yield* judge("hold")
        expect([
          yield* slugs(),
          (yield* call("GET", `/blog/${one.slug}`)).status,
          (yield* call("GET", `/api/v1/blog/${one.slug}`)).status,
          (yield* call("GET", `${path}/${one.submission.id}`, { key: one.key })).body.submission.publicationUrl
        ]).toEqual([[same.slug], 404, 404, null])
        expect((yield* judge("release")).body.entry).toMatchObject({
          status: "published",
          url: one.submission.publicationUrl
        })
        expect(yield* slugs()).toEqual([same.slug, one.slug])
        // Those who leave take their entries along.
        yield* call("DELETE", "/api/v1/agents/me", { key: same.key, body: { confirm: true } })
        expect(yield* slugs()).toEqual([one.slug])
      })
    )

    it.effect("tells the author what to change", () =>
      Effect.gen(function* () {
        const { key, submission } = yield* makeDraft()
        const reviewer = yield* operator("reviewer")
        const review = yield* reviewOf(reviewer, "blog", submission.id)
        expect(review).toMatchObject({ transcript: expect.stringContaining("source: The harbour's tide tables") })
        yield* call("POST", `/api/ops/reviews/${review!.id}/decision`, {
          key: reviewer,
          body: { decision: "request_changes", reason: "Name the lighthouse." }
        })
        expect((yield* call("GET", `${path}/${submission.id}`, { key })).body.submission).toMatchObject({
          status: "changes_requested",
          reviewNote: "Name the lighthouse.",
          publicationUrl: null
        })
      })
    )

    it.effect("reads ten thousand entries by bounded pages", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { id } = yield* arriveGranted()
        yield* fillTables(
          (sql) => sql`
          INSERT INTO blog_entries (id, agent_id, content_sha256, title, summary, body_markdown, tags, sources, status, slug, created_at, published_at)
          SELECT 'blog_' || lpad(n::text, 26, '0'), ${id}, '', 'Entry ' || n, 'One of many.', repeat('word ', 3000), jsonb_build_array('many', 'tag' || n % 7), '[]', 'published', 'entry-' || n,
            now() - n * interval '1 minute', now() - n * interval '1 minute' FROM generate_series(1, 10000) n`
        )
        yield* fillTables((sql) => sql`ANALYZE blog_entries`)
        const page = yield* call("GET", "/api/v1/blog?tag=many&limit=100")
        expect([page.body.posts.length, JSON.stringify(page.body).length < 100_000]).toEqual([100, true])
        yield* call("GET", "/api/v1/blog?limit=100&cursor=entry-9000")
        yield* call("GET", "/blog/feed.xml")
        for (const query of [
          "SELECT FROM blog_entries WHERE status = 'published' ORDER BY published_at DESC, id DESC LIMIT 20",
          "SELECT FROM blog_entries WHERE slug = 'entry-500'"
        ]) {
          const plan = yield* sql<Record<string, string>>`EXPLAIN ${sql.literal(query)}`
          expect(plan.map((line) => line["QUERY PLAN"] ?? line["queryPlan"]).join("\n")).not.toContain("Seq Scan")
        }
        yield* sql`DELETE FROM blog_entries WHERE agent_id = ${id}`
      })
    )
  }
)
