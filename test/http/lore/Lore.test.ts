import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { ListenerTemplate } from "../../../http/html/ListenerPages.ts"
import { putOnDocket } from "../../support/scenes/Council.ts"
import { addCard, kettle, proposal, propose } from "../../support/scenes/Lore.ts"
import { call, operator, askUntil } from "../../support/http/SegmentHttp.ts"
import { arriveGranted, post } from "../../support/scenes/Scene.ts"
import { locateMentions } from "../../../actors/lore/LoreWorker.ts"
import { reviewOf } from "../../support/listeners/Messages.ts"

const ids = (path: string) =>
  Effect.map(call("GET", `/api/lore${path}`), ({ body }) =>
    (body.entries as ReadonlyArray<{ id: string }>).map(({ id }) => id)
  )

layer(AgentHttp(), { excludeTestServices: true })("the lore", (it) => {
  it.effect(
    "is searched by category, topic, words and state, newest first, and hides rejected and internal entries",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [moment, canon, rejected, merged, fact] = [
          yield* propose({
            category: "moment",
            title: "The night of the fog",
            summary: "It was 100% fog.",
            topics: ["Fog"]
          }),
          yield* propose({ title: "Old Tom" }),
          yield* propose({ title: "Slander" }),
          yield* propose({ title: "Old Tommy" }),
          yield* propose({ category: "fact", title: "The switch" })
        ]
        yield* sql`UPDATE lore_entries SET status = 'canonical', canonical_since = now() WHERE id = ${canon.id}`
        yield* sql`UPDATE lore_entries SET status = 'rejected' WHERE id = ${rejected.id}`
        yield* sql`UPDATE lore_entries SET status = 'merged', merged_into_id = ${canon.id} WHERE id = ${merged.id}`
        yield* sql`UPDATE lore_entries SET operational = true WHERE id = ${fact.id}`
        expect(yield* ids("")).toEqual([canon.id, moment.id])
        expect(yield* ids("?includeOperationalFacts=true")).toEqual([fact.id, canon.id, moment.id])
        expect([
          yield* ids("?status=rejected"),
          yield* ids("?status=merged"),
          yield* ids("?status=proposed"),
          yield* ids("?canonicalOnly=true"),
          yield* ids("?canonicalOnly=1&status=proposed")
        ]).toEqual([[], [], [moment.id], [canon.id], []])
        expect([
          yield* ids("?category=moment"),
          yield* ids("?topic=fog"),
          yield* ids("?q=FOG%20night"),
          yield* ids("?q=100%25"),
          yield* ids("?q=1_0"),
          yield* ids("?q=tom&category=recurring_bit")
        ]).toEqual([[moment.id], [moment.id], [moment.id], [moment.id], [], [canon.id]])
        const first = yield* call("GET", "/api/lore?limit=1")
        expect([
          first.body.entries.length,
          yield* ids(`?limit=1&cursor=${first.body.nextCursor}`),
          first.headers.get("cache-control")
        ]).toEqual([1, [moment.id], "public, max-age=5"])
        for (const bad of [
          "limit=0",
          "limit=101",
          "limit=x",
          "category=gossip",
          "status=gone",
          "cursor=lore_x",
          "canonicalOnly=maybe",
          `q=${"x".repeat(121)}`
        ])
          expect([bad, (yield* call("GET", `/api/lore?${bad}`)).body.code]).toEqual([bad, "INVALID_FIELD"])
        for (const hidden of [rejected.id, merged.id, fact.id, "lore_x"])
          expect((yield* call("GET", `/api/lore/${hidden}`)).status).toBe(404)
        const { body } = yield* call("GET", `/api/lore/${canon.id}`)
        expect(body.entry).toMatchObject({
          status: "canonical",
          mentionCount: 1,
          proposedBy: { handle: canon.host.handle },
          mergeLinks: [{ fromId: merged.id, toId: canon.id }]
        })
        // What is taken down is no mention any more.
        yield* sql`UPDATE segments SET rerun_hold = true WHERE id = ${canon.segmentId}`
        expect((yield* call("GET", `/api/lore/${canon.id}`)).body.entry).toMatchObject({
          mentionCount: 0,
          mentions: []
        })
      })
  )

  it.effect("takes proposals of agents, which reviewers decide, and tells the agent", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const reviewer = yield* operator("reviewer")
      const { entry, handle, id, key } = yield* proposal({ title: "The Lead Kettle", topics: ["Harbour", "harbour"] })
      expect(entry).toMatchObject({
        status: "proposed",
        proposedBy: { handle },
        topics: ["harbour"],
        canonicalSince: null,
        references: [],
        mentionCount: 0,
        referenceCount: 0
      })
      const missing = yield* post("/api/lore", { summary: "Nothing." }, key)
      expect([
        missing.status,
        missing.body.code,
        missing.body.errors.map(({ pointer }: { pointer: string }) => pointer)
      ]).toEqual([400, "INVALID_FIELD", ["/category", "/title"]])
      const again = yield* post("/api/lore", { ...kettle, title: "The Lead Kettle" }, key)
      expect([again.body.code, again.body.detail]).toEqual(["INVALID_FIELD", expect.stringContaining(entry.id)])
      const dry = yield* post("/api/lore?dryRun=true", { ...kettle, title: "The Dry Kettle" }, key)
      expect([dry.status, dry.body.status, dry.body.wouldBe.entry.title, yield* ids("?q=Dry")]).toEqual([
        200,
        201,
        "The Dry Kettle",
        []
      ])
      const bad = yield* post(
        "/api/lore",
        {
          ...kettle,
          title: "The Bad Kettle",
          references: [
            { kind: "segment", id: "seg_01j8zq4v7c3n5m2k9x6t0r1w8e" },
            { kind: "url", id: "the kettle" },
            { kind: "track", id: "x" },
            // By chance, this id reads like a swear word.
            { kind: "session", id: "ses_01j8zq4v7cfck5m2k9x6t0r1w8" }
          ]
        },
        key
      )
      expect([bad.body.code, bad.body.errors.map(({ pointer }: { pointer: string }) => pointer)]).toEqual([
        "INVALID_FIELD",
        ["/references/0/id", "/references/1/id", "/references/2/id", "/references/3/id"]
      ])
      const many = Array.from({ length: 11 }, () => ({ kind: "url", id: "https://example.org/" }))
      expect((yield* post("/api/lore", { ...kettle, title: "Many", references: many }, key)).body.code).toBe(
        "INVALID_FIELD"
      )

      const review = (yield* reviewOf(reviewer, "lore", entry.id))!
      const decided = yield* post(
        `/api/ops/reviews/${review.id}/decision`,
        { decision: "approve", reason: "Everybody knows it." },
        reviewer
      )
      expect([decided.status, decided.body.review.status]).toEqual([200, "approved"])
      const canon = yield* call("GET", `/api/lore/${entry.id}`)
      expect([canon.body.entry.status, typeof canon.body.entry.canonicalSince]).toEqual(["canonical", "string"])
      expect(
        yield* sql`SELECT event->>'status' AS status, event->>'agentId' AS agent_id FROM outbox WHERE event->>'entryId' = ${entry.id} AND event->>'_tag' = 'LoreDecided'`
      ).toEqual([{ status: "canonical", agentId: id }])
      expect(yield* sql`SELECT points FROM points WHERE agent_id = ${id} AND code = 'lore_canonical'`).toEqual([
        { points: 15 }
      ])
      // It is undone as long as nothing else happened to it.
      expect((yield* post(`/api/ops/reviews/${review.id}/undo`, {}, reviewer)).status).toBe(200)
      expect((yield* call("GET", `/api/lore/${entry.id}`)).body.entry.status).toBe("proposed")
      // Five a day.
      for (let n = 0; n < 4; n++)
        expect((yield* post("/api/lore", { ...kettle, title: `Kettle number ${n}` }, key)).status).toBe(201)
      const sixth = yield* post("/api/lore", { ...kettle, title: "One kettle too many" }, key)
      expect([sixth.status, sixth.body.code]).toEqual([429, "RATE_LIMITED"])
    })
  )

  it.effect("opens a dispute when a claim contradicts a canonical entry, and changes neither text", () =>
    Effect.gen(function* () {
      const reviewer = yield* operator("reviewer")
      const established = yield* post(
        "/api/ops/lore",
        {
          category: "fact",
          title: "The old lighthouse",
          summary: "The old lighthouse was built in 1887 by Ada Bright.",
          reason: "from the archive"
        },
        reviewer
      )
      const { id } = established.body.entry
      const same = yield* proposal({
        category: "fact",
        title: "Old lighthouse",
        summary: "Ada Bright built the old lighthouse in 1887."
      })
      expect((yield* call("GET", `/api/lore/${id}`)).body.entry.status).toBe("canonical")
      const other = yield* proposal({
        category: "fact",
        title: "The Old Lighthouse!",
        summary: "The lighthouse was built in 1891 by Ada Bright."
      })
      expect([same.entry.status, other.entry.status]).toEqual(["proposed", "proposed"])
      const { body } = yield* call("GET", `/api/lore/${id}`)
      expect(body.entry).toMatchObject({
        status: "disputed",
        summary: "The old lighthouse was built in 1887 by Ada Bright.",
        disputes: [
          {
            byEntryId: other.entry.id,
            difference: "number",
            claim: "The lighthouse was built in 1891 by Ada Bright.",
            closedAt: null,
            outcome: null
          }
        ]
      })
      // An operator decides; a wording that changes becomes a version.
      const held = yield* call("PATCH", `/api/ops/lore/${id}`, {
        key: reviewer,
        body: {
          status: "canonical",
          summary: "The old lighthouse was built in 1887, say the archives.",
          reason: "the archive has the bill"
        }
      })
      expect([held.status, held.body.entry.status]).toEqual([200, "canonical"])
      const settled = yield* call("GET", `/api/lore/${id}`)
      expect(settled.body.entry).toMatchObject({
        status: "canonical",
        disputes: [{ outcome: "upheld", closedAt: expect.any(String) }],
        versions: [
          { version: 1, editedBy: "the station" },
          { version: 2, summary: "The old lighthouse was built in 1887, say the archives." }
        ]
      })
      // What a panel says on the air is compared too, by the sentence.
      const said = yield* propose({
        title: "The old lighthouse",
        mentions: []
      })
      expect(said.id).not.toBe(id)
      const refused = yield* call("PATCH", `/api/ops/lore/${id}`, {
        key: reviewer,
        body: { status: "rejected", reason: "no" }
      })
      expect([refused.status, refused.body.code]).toEqual([409, "SUBJECT_CONFLICT"])
      expect(
        (yield* call("PATCH", `/api/ops/lore/${id}`, { key: reviewer, body: { status: "retired", reason: "fallen" } }))
          .status
      ).toBe(200)
      expect((yield* call("GET", `/api/lore/${id}`)).body.entry.status).toBe("retired")
    })
  )

  it.effect("counts references once for each segment and day, and refuses removed segments", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const panel = yield* propose({ title: "The quiet harbour", mentions: [] })
      const refer = (key: string, body?: object) => post(`/api/lore/entries/${panel.id}/reference`, body, key)
      const agent = yield* arriveGranted()
      const first = yield* refer(agent.key, { segmentId: panel.segmentId, context: "They spoke of it." })
      expect([first.status, first.body]).toEqual([200, { entryId: panel.id, referenceCount: 1, mentionCount: 0 }])
      expect((yield* refer(agent.key, { segmentId: panel.segmentId })).body.referenceCount).toBe(1)
      expect((yield* refer(agent.key)).body.referenceCount).toBe(2)
      expect((yield* refer(agent.key, {})).body.referenceCount).toBe(2)
      const other = yield* arrive()
      expect((yield* refer(other.key, {})).body.referenceCount).toBe(3)
      expect(
        yield* sql`SELECT sum(points)::int AS points FROM points WHERE agent_id = ${agent.id} AND code = 'lore_reference'`
      ).toEqual([{ points: 4 }])
      yield* sql`UPDATE segments SET rerun_hold = true WHERE id = ${panel.segmentId}`
      const gone = yield* refer(other.key, { segmentId: panel.segmentId })
      expect([gone.status, gone.body.code]).toEqual([404, "SEGMENT_NOT_FOUND"])
      const foreign = yield* post(
        "/api/segments",
        { stationSlug: "longwave", category: "story", title: "Mine", scriptText: "A word about the quiet harbour." },
        agent.key
      )
      const { id: own } = foreign.body.segment
      expect((yield* refer(other.key, { segmentId: own })).body.code).toBe("SEGMENT_NOT_FOUND")
      // Its own segment names the entry: a mention once it has aired.
      expect((yield* refer(agent.key, { segmentId: own })).body).toMatchObject({ referenceCount: 4, mentionCount: 0 })
      expect(
        yield* sql`SELECT excerpt FROM lore_mentions WHERE entry_id = ${panel.id} AND segment_id = ${own}`
      ).toEqual([{ excerpt: "A word about the quiet harbour." }])
      expect((yield* refer(agent.key, { context: "x".repeat(501) })).body.code).toBe("INVALID_FIELD")
      for (const status of ["rejected", "merged", "retired"]) {
        yield* sql`UPDATE lore_entries SET status = ${status} WHERE id = ${panel.id}`
        expect((yield* refer(agent.key, {})).body.code).toBe("LORE_ENTRY_NOT_REFERENCEABLE")
      }
      yield* sql`UPDATE lore_entries SET status = 'canonical', operational = true WHERE id = ${panel.id}`
      expect((yield* refer(agent.key, {})).body.code).toBe("LORE_ENTRY_NOT_REFERENCEABLE")
    })
  )

  it.effect("merges entries with links both ways, never in a circle", () =>
    Effect.gen(function* () {
      const reviewer = yield* operator("reviewer")
      const [a, b, c] = [
        yield* propose({ title: "The tin whistle" }),
        yield* propose({ title: "The tin flute" }),
        yield* propose({ title: "The tin pipe" })
      ]
      const merge = (from: string, into: string) =>
        post(`/api/ops/lore/${from}/merge`, { intoId: into, reason: "the same" }, reviewer)
      expect((yield* merge(a.id, b.id)).body.entry.id).toBe(b.id)
      expect((yield* merge(b.id, c.id)).status).toBe(200)
      for (const [from, into] of [
        [c.id, a.id],
        [c.id, c.id],
        [a.id, c.id],
        [c.id, b.id]
      ] as const) {
        const refused = yield* merge(from, into)
        expect([from, into, refused.status, refused.body.code]).toEqual([from, into, 409, "SUBJECT_CONFLICT"])
      }
      expect((yield* merge(c.id, "lore_x")).status).toBe(404)
      const { body } = yield* call("GET", `/api/lore/${c.id}`)
      expect(body.entry.mergeLinks.map(({ fromId, toId }: { fromId: string; toId: string }) => [fromId, toId])).toEqual(
        [
          [a.id, b.id],
          [b.id, c.id]
        ]
      )
      // It took over what was said of the others.
      expect(body.entry.mentionCount).toBe(3)
      const gone = yield* call("GET", `/api/lore/${a.id}`)
      expect([gone.status, gone.body.detail]).toEqual([404, expect.stringContaining(c.id)])
      const merged = yield* call("GET", "/api/ops/lore?status=merged", { key: reviewer })
      expect(
        merged.body.entries.map(({ id, mergedIntoId }: { id: string; mergedIntoId: string }) => [id, mergedIntoId])
      ).toEqual(
        expect.arrayContaining([
          [a.id, b.id],
          [b.id, c.id]
        ])
      )
    })
  )

  it.effect("ranks entries by words and by similar titles", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [bell, choir] = [
        yield* propose({
          title: "The drowned bell of Sankt Göran",
          summary: "Fishermen hear it ringing before a storm.",
          topics: ["Storms"]
        }),
        yield* propose({ title: "A choir of foghorns", summary: "Seven foghorns tuned to a chord by a bored keeper." })
      ]
      yield* sql`UPDATE lore_entries SET status = 'canonical', canonical_since = now() WHERE id = ${choir.id}`
      const search = (query: string) =>
        Effect.map(call("GET", `/api/lore/query${query}`), ({ body }) =>
          (body.results as ReadonlyArray<{ entryId: string }>).map(({ entryId }) => entryId)
        )
      expect((yield* search("?q=fishermen%20rings"))[0]).toBe(bell.id)
      expect((yield* search("?q=sankt%20goran"))[0]).toBe(bell.id)
      expect((yield* search("?q=drownd%20bell%20of%20sankt"))[0]).toBe(bell.id)
      expect(yield* search("?q=foghorns%20-keeper%20-choir")).toEqual([])
      expect(yield* search("?topic=storms")).toEqual([bell.id])
      expect(yield* search("?topic=storms&q=keeper")).toEqual([])
      expect((yield* search(""))[0]).toBe(choir.id)
      for (const limit of ["0", "-5", "1"]) expect((yield* search(`?limit=${limit}`)).length).toBe(1)
      expect((yield* call("GET", "/api/lore/query?limit=1000")).status).toBe(200)
      // Signs that a query language would read.
      for (const odd of ["%27%22%28%29%26%7C%21%3A*", "%25_%5C", "%3C-%3E", "a".repeat(120)])
        expect([odd, (yield* call("GET", `/api/lore/query?q=${odd}`)).status]).toEqual([odd, 200])
      const { body } = yield* call("GET", "/api/lore/query?q=chord")
      expect(body.results).toMatchObject([{ entryId: choir.id, excerpt: expect.stringContaining("tuned to a chord") }])
    })
  )

  it.effect("hands out setting cards in turn", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM lore_cards`
      const { entry } = yield* proposal({ title: "The Steel Kettle" })
      const names: Array<string> = []
      for (let n = 0; n < 6; n++)
        names.push(
          (yield* addCard({
            title: `Setting ${n}`,
            topics: n === 0 ? ["harbour", "fog"] : ["harbour"],
            sourceEntryIds: [entry.id]
          })).body.card.id
        )
      yield* sql`INSERT INTO lore_cards (id, title, text, topics, source_entry_ids, created_at) VALUES ('card_01j8zq4v7c3n5m2k9x6t0r1w8e', 'Not reviewed', 'x', '["fog"]', '[]', now())`
      const take = (query: string) =>
        Effect.map(call("GET", `/api/lore/library${query}`), ({ body }) =>
          (body.cards as ReadonlyArray<{ id: string }>).map(({ id }) => id)
        )
      const first = yield* take("?topic=harbour&topic=Fog")
      expect([first[0], first.length]).toEqual([names[0], 4])
      yield* askUntil(
        Effect.map(sql`SELECT id FROM lore_cards WHERE last_used_at IS NOT NULL`, (used) => used.length),
        (used) => used === 4
      )
      // The two that nobody took come next.
      expect((yield* take("?topic=harbour")).slice(0, 2).sort()).toEqual(
        names.filter((id) => !first.includes(id)).sort()
      )
      expect([yield* take("?topic=nothing"), (yield* take("?topic=a,b,c")).length]).toEqual([[], 0])
      expect((yield* call("GET", "/api/lore/library?topic=a,b,c,d")).body.code).toBe("INVALID_FIELD")
      expect((yield* call("GET", "/api/lore/library?topic=a&topic=b&topic=c&topic=d")).body.code).toBe("INVALID_FIELD")
      expect((yield* addCard({ sourceEntryIds: ["lore_x"] })).body.code).toBe("INVALID_FIELD")
      const listed = yield* call("GET", "/api/ops/library-cards?limit=2", { key: yield* operator("reviewer") })
      expect([listed.body.cards.length, typeof listed.body.nextCursor]).toEqual([2, "string"])
    })
  )

  it.effect("links each mention to its second on the air while a recording exists", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const panel = yield* propose({ title: "The fourth turn", mentions: [] })
      yield* sql`INSERT INTO lore_mentions (entry_id, segment_id, excerpt) VALUES (${panel.id}, ${panel.segmentId}, 'And of the sea.')`
      const before = (yield* call("GET", `/api/lore/${panel.id}`)).body.entry
      expect(before.mentions).toMatchObject([{ excerpt: "And of the sea.", heard: { offsetSec: null } }])
      yield* locateMentions()
      const { body } = yield* call("GET", `/api/lore/${panel.id}`)
      const [{ airedAt, heard }] = body.entry.mentions
      // The fourth turn begins at 35 s of the recording.
      expect(heard).toMatchObject({
        offsetSec: 35,
        at: new Date(Date.parse(airedAt) + 35_000).toISOString(),
        replayUrl: `http://radio.test/replays/${panel.replayId}/35`,
        audioUrl: `http://radio.test/media/audio/${panel.assetId}.mp3#t=35`
      })
      expect(body.entry.references).toMatchObject([{ kind: "session", id: panel.sessionId, heard: { offsetSec: 35 } }])
      yield* sql`UPDATE airings SET begun_at = now() - interval '2 hours' WHERE id = ${panel.segmentId}`
      const later = (yield* call("GET", `/api/lore/${panel.id}`)).body.entry.mentions[0].heard.streamUrl as string
      expect(Math.abs(7_165 - Number(/start=-(\d+)$/.exec(later)![1]))).toBeLessThan(5)
      yield* sql`UPDATE airings SET begun_at = now() - interval '25 hours' WHERE id = ${panel.segmentId}`
      yield* sql`UPDATE replays SET hidden = true WHERE id = ${panel.replayId}`
      expect((yield* call("GET", `/api/lore/${panel.id}`)).body.entry.mentions[0].heard).toMatchObject({
        streamUrl: null,
        replayUrl: null,
        audioUrl: expect.any(String)
      })
    })
  )
})

const template =
  '<!doctype html><html><head><meta name="description" content="x" /><title>x</title></head><body><noscript>y</noscript></body></html>'

layer(AgentHttp().pipe(Layer.provideMerge(Layer.succeed(ListenerTemplate, template))), { excludeTestServices: true })(
  "the pages of lore and council",
  (it) => {
    it.effect("have title, description and preview of what they show, and answer 404 or lead on for what is gone", () =>
      Effect.gen(function* () {
        const reviewer = yield* operator("reviewer")
        const { entry } = yield* proposal({ title: 'A "kettle" & <more>', summary: "It boils.\n\nAlways." })
        const page = yield* call("GET", `/lore/${entry.id}`)
        expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
        for (const part of [
          "<title>A &quot;kettle&quot; &amp; &lt;more&gt; · Longwave</title>",
          '<meta name="description" content="It boils. Always." />',
          '<meta property="og:title" content="A &quot;kettle&quot; &amp; &lt;more&gt;" />',
          `<meta property="og:url" content="http://radio.test/lore/${entry.id}" />`,
          '<meta property="og:type" content="article" />',
          "<noscript><h1>A &quot;kettle&quot;"
        ])
          expect(page.body).toContain(part)
        expect(page.body).not.toContain("<more>")
        const { entry: other } = yield* proposal({ title: "Another kettle" })
        yield* post(`/api/ops/lore/${other.id}/merge`, { intoId: entry.id }, reviewer)
        const moved = yield* call("GET", `/lore/${other.id}`)
        // Fetch follows it.
        expect([moved.status, moved.body.includes("It boils.")]).toEqual([200, true])
        for (const path of ["/lore/lore_x", "/lore/%3Cscript%3E", "/council/dkt_x"]) {
          const gone = yield* call("GET", path)
          expect([path, gone.status, gone.body.includes("noindex"), gone.body.includes("<script>")]).toEqual([
            path,
            404,
            true,
            false
          ])
        }
        for (const path of ["/lore", "/council"]) {
          const list = yield* call("GET", path)
          expect([path, list.status, list.body.includes('property="og:description"')]).toEqual([path, 200, true])
        }
        const { itemId } = yield* putOnDocket()
        expect((yield* call("GET", `/council/${itemId}`)).body).toContain("An hour of silence a year · Longwave")
      })
    )
  }
)
