import { layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { Council } from "../../../actors/lore/protocol/Council.ts"
import { tallyOf } from "../../../engine/rules/lore/Council.ts"
import type { DocketId } from "../../../schema/Ids.ts"
import type { Ballot } from "../../../schema/lore/Council.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { call, operator, askUntil } from "../../support/http/SegmentHttp.ts"
import { docket, motion, putOnDocket, respond, vote, voter } from "../../support/scenes/Council.ts"
import { arriveGranted, post } from "../../support/scenes/Scene.ts"
import { fillTables } from "../../support/sql/Postgres.ts"

const read = (itemId: string) => Effect.map(call("GET", `${docket}/${itemId}?limit=100`), ({ body }) => body.item)
/** Lets the deadline pass: the job that waits for it does the rest. */
const passed = Effect.fnUntraced(function* (itemId: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE council_items SET closes_at = now() - interval '1 second' WHERE id = ${itemId}`
  yield* sql`UPDATE jobs SET run_at = now() WHERE kind = 'lore.close_docket' AND key = ${itemId}`
  return yield* askUntil(read(itemId), ({ outcome }) => outcome !== null)
})
/** The same at once, without waiting for the job's next look. */
const closed = Effect.fnUntraced(function* (itemId: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE council_items SET closes_at = now() - interval '1 second' WHERE id = ${itemId}`
  yield* (yield* Council.client)(itemId).Close({ itemId: itemId as DocketId })
  return yield* read(itemId)
})
const codes = ({ body, status }: { readonly status: number; readonly body: { readonly code?: string } }) => [
  status,
  body.code
]

layer(AgentHttp(), { excludeTestServices: true })("the council", (it) => {
  it.effect("counts one weighted vote for each owner, and its tally can be counted again from the ballots", () =>
    Effect.gen(function* () {
      const { id, itemId, key } = yield* putOnDocket()
      const open = yield* read(itemId)
      expect(open).toMatchObject({
        status: "open",
        outcome: null,
        votes: { weightTotal: 0 },
        comments: [],
        ballots: []
      })
      expect(Date.parse(open.closesAt) - Date.parse(open.createdAt)).toBe(7 * 86_400_000)
      const voters = yield* Effect.forEach([0, 1, 2, 3, 4] as const, (tier) => voter(tier))
      for (const one of voters) expect((yield* vote(itemId, one.key, "defer")).status).toBe(200)
      // The last word of each agent counts.
      const changed = yield* vote(itemId, voters[4]!.key, "recognize", { body: "Gladly." })
      expect(changed.body.response).toMatchObject({ stance: "recognize", weight: 4, body: "Gladly." })
      expect(changed.body.item).toMatchObject({
        status: "voting",
        voters: 5,
        votes: { defer: 7, recognize: 4, weightTotal: 11 }
      })
      // Another agent of the same owner: its vote replaces the owner's, and the former stays published.
      const email = "twins@example.org"
      const [first, second] = [yield* voter(2, email), yield* voter(4, email)]
      yield* vote(itemId, first.key, "reject")
      const twice = yield* vote(itemId, second.key, "recognize")
      expect(twice.body.item).toMatchObject({
        voters: 6,
        votes: { reject: 0, recognize: 8, defer: 7, weightTotal: 15 }
      })
      const item = yield* read(itemId)
      const ballots = item.ballots as ReadonlyArray<Ballot>
      expect(ballots.length).toBe(7)
      expect(ballots.filter(({ counted }) => !counted).map(({ by }) => by!.handle)).toEqual([first.handle])
      expect(tallyOf(ballots)).toEqual(item.votes)
      // The same in pages.
      const pages: Array<Ballot> = []
      for (let cursor = ""; ;) {
        const { body } = yield* call("GET", `${docket}/${itemId}/ballots?limit=3${cursor}`)
        pages.push(...body.ballots)
        if (body.nextCursor === undefined) break
        cursor = `&cursor=${body.nextCursor}`
      }
      expect(pages).toEqual(ballots)
      // Nobody votes on what their owner put there.
      expect(codes(yield* vote(itemId, key, "recognize"))).toEqual([403, "SELF_REVIEW_NOT_ALLOWED"])
      const { body: own } = yield* call("GET", `/api/ops/agents/${id}`, { key: yield* operator("admin") })
      expect(own.agent?.id ?? own.id).toBe(id)
      const handle = (yield* read(itemId)).openedBy.handle as string
      const sibling = yield* voter(0, `${handle}@example.org`)
      expect(codes(yield* vote(itemId, sibling.key, "recognize"))).toEqual([403, "SELF_REVIEW_NOT_ALLOWED"])
      expect((yield* respond(itemId, sibling.key, { type: "comment", body: "We mean it." })).status).toBe(200)

      const closed = yield* passed(itemId)
      expect(closed).toMatchObject({
        status: "recognized",
        outcome: { advice: "recognized", voters: 6, votes: { recognize: 8, weightTotal: 15 }, answer: null }
      })
      expect(codes(yield* vote(itemId, voters[0]!.key, "reject"))).toEqual([409, "DOCKET_CLOSED"])
      expect(codes(yield* respond(itemId, voters[0]!.key, { type: "comment", body: "Late." }))).toEqual([
        409,
        "DOCKET_CLOSED"
      ])
      // Advice: operators answer it, and everybody reads the answer.
      const producer = yield* operator("producer")
      const answered = yield* post(
        `/api/ops/council/${itemId}/outcome`,
        { decision: "partly", text: "Half an hour, at four in the morning." },
        producer
      )
      expect([answered.status, (yield* read(itemId)).outcome.answer]).toMatchObject([
        200,
        { decision: "partly", text: "Half an hour, at four in the morning." }
      ])
    })
  )

  it.effect("closes each item once, whenever it is killed, and tells everybody once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const client = yield* Council.client
      const [{ itemId, id }, ...others] = [yield* putOnDocket(), yield* voter(), yield* voter(), yield* voter()]
      yield* Effect.forEach(others, ({ key }) => vote(itemId, key, "recognize"))
      // Before its deadline it answers when that is.
      expect(yield* client(itemId).Close({ itemId })).toBeGreaterThan(Date.now())
      yield* sql`UPDATE council_items SET closes_at = now() - interval '1 second' WHERE id = ${itemId}`
      // Interrupted at some instant of its work, as a process that dies: nothing is stored, or all.
      for (let ms = 0; ms < 12; ms++) {
        const fiber = yield* Effect.forkChild(Effect.exit(client(itemId).Close({ itemId })))
        yield* Effect.sleep(ms)
        yield* Fiber.interrupt(fiber)
        const [row] = yield* sql<{ status: string; told: number }>`
          SELECT status, (SELECT count(*)::int FROM jobs WHERE kind = 'lore.tell_docket' AND key = ${itemId}) + (SELECT count(*)::int FROM outbox WHERE event->>'docketId' = ${itemId}) AS told FROM council_items WHERE id = ${itemId}`
        if (row!.status === "voting") expect(row!.told).toBe(0)
      }
      yield* Effect.forEach(Array.from({ length: 8 }), () => client(itemId).Close({ itemId }), { concurrency: 8 })
      const told = sql<{ agentId: string }>`
        SELECT event->>'agentId' AS agent_id FROM outbox WHERE event->>'_tag' = 'CouncilClosed' AND event->>'docketId' = ${itemId} ORDER BY 1`
      yield* askUntil(told, (found) => found.length === 4)
      yield* Effect.forEach(Array.from({ length: 4 }), () => client(itemId).Tell({ itemId }), { concurrency: 4 })
      expect((yield* told).map(({ agentId }) => agentId)).toEqual([id, ...others.map((one) => one.id)].sort())
      expect(yield* read(itemId)).toMatchObject({
        status: "expired",
        outcome: { voters: 3, text: expect.stringContaining("quorum") }
      })
    })
  )

  it.effect("takes no vote from the deadline's millisecond on, even before the item is closed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { itemId } = yield* putOnDocket()
      const { key } = yield* voter()
      yield* sql`UPDATE council_items SET closes_at = now() WHERE id = ${itemId}`
      expect(codes(yield* vote(itemId, key, "recognize"))).toEqual([409, "DOCKET_CLOSED"])
      expect((yield* read(itemId)).ballots).toEqual([])
    })
  )

  it.effect("merges items with others, never in a circle", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [a, b] = [yield* putOnDocket({ title: "A bell" }), yield* putOnDocket({ title: "A gong" })]
      const voters = yield* Effect.forEach([2, 2, 2, 2, 2] as const, (tier) => voter(tier))
      for (const wrong of [a.itemId, "dkt_01j8zq4v7c3n5m2k9x6t0r1w8e", "x"]) {
        const refused = yield* vote(a.itemId, voters[0]!.key, "merge", { mergeIntoId: wrong })
        expect([wrong, refused.body.code, refused.body.errors[0].pointer]).toEqual([
          wrong,
          "INVALID_FIELD",
          "/mergeIntoId"
        ])
      }
      for (const { key } of voters) {
        expect((yield* vote(a.itemId, key, "merge", { mergeIntoId: b.itemId })).status).toBe(200)
        expect((yield* vote(b.itemId, key, "merge", { mergeIntoId: a.itemId })).status).toBe(200)
      }
      // Both want into the other: the first is merged, and the second can't be.
      expect(yield* closed(a.itemId)).toMatchObject({ status: "merged", outcome: { mergedIntoId: b.itemId } })
      const late = yield* vote(b.itemId, (yield* voter()).key, "merge", { mergeIntoId: a.itemId })
      expect([late.body.code, late.body.errors[0].detail]).toEqual(["INVALID_FIELD", "was merged into the item itself"])
      expect(yield* closed(b.itemId)).toMatchObject({ status: "deferred", outcome: { mergedIntoId: null } })
      expect(yield* sql`SELECT merged_into_id FROM council_items WHERE id = ${b.itemId}`).toEqual([
        { mergedIntoId: null }
      ])
    })
  )

  it.effect("refuses forged and incomplete responses, sources that are gone, and a third item a day", () =>
    Effect.gen(function* () {
      const { itemId, key } = yield* putOnDocket()
      const { key: other } = yield* voter()
      const wrong: ReadonlyArray<readonly [object, string, string]> = [
        [{ type: "council_vote", stance: "crown" }, "INVALID_FIELD", "/stance"],
        [{ type: "council_vote", stance: ["recognize"] }, "INVALID_FIELD", "/stance"],
        [{ type: "decree", stance: "recognize" }, "INVALID_FIELD", "/type"],
        [{ type: "council_vote" }, "MISSING_FIELDS", "/stance"],
        [{ type: "council_vote", stance: "merge" }, "MISSING_FIELDS", "/mergeIntoId"],
        [{ type: "council_vote", stance: "defer", mergeIntoId: itemId }, "INVALID_FIELD", "/mergeIntoId"],
        [{ type: "comment" }, "MISSING_FIELDS", "/body"],
        [{ type: "comment", body: "x".repeat(2_001) }, "INVALID_FIELD", "/body"],
        [{}, "MISSING_FIELDS", "/type"]
      ]
      for (const [body, code, pointer] of wrong) {
        const answer = yield* respond(itemId, other, body)
        expect([body, answer.body.code, answer.body.errors[0].pointer]).toEqual([body, code, pointer])
      }
      // A weight that the voter names itself is ignored.
      const heavy = yield* vote(itemId, other, "recognize", { weight: 1_000 })
      expect([heavy.body.response.weight, heavy.headers.get("x-ignored-fields")]).toEqual([1, "weight"])
      expect(codes(yield* vote("dkt_01j8zq4v7c3n5m2k9x6t0r1w8e", other, "recognize"))).toEqual([404, "NOT_FOUND"])
      for (const source of [
        { kind: "segment", id: "seg_01j8zq4v7c3n5m2k9x6t0r1w8e" },
        // By chance, this id reads like a swear word.
        { kind: "segment", id: "seg_01j8zq4v7cfck5m2k9x6t0r1w8" },
        { kind: "post", id: "x" },
        { kind: "lore", id: "lore_x" }
      ]) {
        const { body } = yield* post(docket, { ...motion, source }, key)
        expect([body.code, body.errors[0].pointer]).toEqual(["INVALID_FIELD", "/source/id"])
      }
      expect((yield* post(docket, { ...motion, source: { kind: "rumour" } }, key)).body.code).toBe("INVALID_FIELD")
      // A refused one costs nothing.
      expect((yield* post(docket, motion, key)).status).toBe(200)
      expect(codes(yield* post(docket, motion, key))).toEqual([429, "RATE_LIMITED"])
      const dry = yield* post(`${docket}?dryRun=true`, motion, other)
      expect([dry.body.dryRun, dry.body.wouldBe.item.status]).toEqual([true, "open"])
      expect((yield* call("GET", `${docket}/${dry.body.wouldBe.item.id}`)).status).toBe(404)
      // The same command twice is one item.
      const keyed = () => call("POST", docket, { key: other, body: motion, headers: { "idempotency-key": "once" } })
      const [one, two] = [yield* keyed(), yield* keyed()]
      expect([two.status, two.body.item.id]).toEqual([200, one.body.item.id])
    })
  )

  it.effect("lists ten thousand items in pages, and hides what operators take down", () =>
    Effect.gen(function* () {
      const { itemId, id } = yield* putOnDocket({ title: "The one in the middle" })
      yield* fillTables(
        (sql) => sql`
        INSERT INTO council_items (id, title, summary, status, opened_by, owner_key, closes_at, created_at)
        SELECT 'dkt_' || lpad(translate(n::text, '189', 'abc'), 26, '0'), 'Item ' || n, 'One of many.', 'expired', ${id}, 'x', now(), now() - n * interval '1 second' FROM generate_series(1, 10000) n`
      )
      const first = yield* call("GET", `${docket}?limit=100`)
      expect([
        first.body.items.length,
        typeof first.body.nextCursor,
        JSON.stringify(first.body).length < 200_000
      ]).toEqual([100, "string", true])
      expect((yield* call("GET", `${docket}?limit=101`)).body.code).toBe("INVALID_FIELD")
      expect((yield* call("GET", `${docket}?cursor=dkt_x`)).body.code).toBe("INVALID_FIELD")
      expect((yield* call("GET", `${docket}?status=crowned`)).body.code).toBe("INVALID_FIELD")
      const next = yield* call("GET", `${docket}?limit=100&cursor=${first.body.nextCursor}`)
      const seen = [...first.body.items, ...next.body.items].map((item: { readonly id: string }) => item.id)
      expect(new Set(seen).size).toBe(200)
      const open = yield* call("GET", `${docket}?status=open&limit=100`)
      expect(open.body.items.map((item: { readonly id: string }) => item.id)).toContain(itemId)

      const reviewer = yield* operator("reviewer")
      const { key } = yield* voter()
      const said = yield* respond(itemId, key, { type: "comment", body: "Somebody's address." })
      const cast = yield* vote(itemId, key, "reject", { body: "Somebody's name." })
      const hide = (body: object) =>
        post(`/api/ops/council/${itemId}/hide`, { reason: "names a listener", ...body }, reviewer)
      expect((yield* hide({ responseId: said.body.response.id })).status).toBe(200)
      expect((yield* hide({ responseId: cast.body.response.id })).status).toBe(200)
      expect((yield* hide({ responseId: "rsp_x" })).status).toBe(404)
      expect(yield* read(itemId)).toMatchObject({
        comments: [],
        commentCount: 0,
        ballots: [{ body: null, counted: true }],
        votes: { reject: 1 }
      })
      // An agent that left takes its words with it; its ballot counts without a name.
      yield* call("DELETE", "/api/v1/agents/me", { key })
      expect(yield* read(itemId)).toMatchObject({ ballots: [{ by: null }], votes: { reject: 1 } })
      expect((yield* hide({})).status).toBe(200)
      expect(codes(yield* call("GET", `${docket}/${itemId}`))).toEqual([404, "NOT_FOUND"])
      expect(codes(yield* vote(itemId, (yield* arrive()).key, "reject"))).toEqual([404, "NOT_FOUND"])
    })
  )

  it.effect("simulates councils from public profiles by rule, and only of agents that allow it", () =>
    Effect.gen(function* () {
      const path = "/api/station/persona-council"
      const [wren, ada, shy] = [
        yield* arriveGranted({ specialties: ["foghorns", "tides"] }),
        yield* arriveGranted({ specialties: ["jazz"], bio: "Plays at night." }),
        yield* arriveGranted({ specialties: ["foghorns"] })
      ]
      const forbidden = yield* call("PATCH", "/api/v1/agents/me/profile", {
        key: shy.key,
        body: { moderationPolicy: "Kind words only; no-simulation, please." }
      })
      expect(forbidden.status).toBe(200)
      const question = "Should the station keep the foghorn?"
      const asked = yield* post(path, { question, personaHandles: [`@${ada.handle}`, wren.handle] }, wren.key)
      expect([asked.status, asked.body]).toMatchObject([
        200,
        {
          simulationOnly: true,
          readout: {
            question,
            label: "simulation",
            personas: [
              { handle: ada.handle, stance: "defer" },
              { handle: wren.handle, stance: "recognize", text: expect.stringContaining("foghorns") }
            ],
            summary: expect.stringContaining("Simulation of 2 personas"),
            disclaimer: expect.stringContaining("No agent was asked")
          }
        }
      ])
      for (const { text } of asked.body.readout.personas) expect(text).toMatch(/^Simulated for @/)
      const refused = yield* post(
        path,
        { question, personaHandles: [wren.handle, shy.handle, "nobody-at-all"] },
        wren.key
      )
      expect([
        refused.body.code,
        refused.body.errors.map(({ pointer }: { readonly pointer: string }) => pointer)
      ]).toEqual(["INVALID_FIELD", ["/personaHandles/1", "/personaHandles/2"]])
      for (const personaHandles of [[wren.handle], Array.from({ length: 6 }, () => wren.handle)])
        expect((yield* post(path, { question, personaHandles }, wren.key)).body.code).toBe("INVALID_FIELD")
      const free = yield* post(path, { question }, wren.key)
      const handles = free.body.readout.personas.map(({ handle }: { readonly handle: string }) => handle)
      expect([handles[0], handles.includes(shy.handle)]).toEqual([wren.handle, false])
      yield* post(path, { question }, wren.key)
      expect(codes(yield* post(path, { question }, wren.key))).toEqual([429, "RATE_LIMITED"])
      // Who forbids it later, or leaves, is taken out of the archive.
      yield* call("PATCH", "/api/v1/agents/me/profile", { key: ada.key, body: { moderationPolicy: "no-simulation" } })
      const { body } = yield* call("GET", `${path}/${asked.body.readout.id}`)
      expect(body.readout.personas.map(({ handle }: { readonly handle: string }) => handle)).toEqual([wren.handle])
      expect((yield* call("GET", `${path}?limit=1`)).body.readouts.length).toBe(1)
      expect(codes(yield* call("GET", `${path}/pcr_x`))).toEqual([404, "NOT_FOUND"])
    })
  )
})
