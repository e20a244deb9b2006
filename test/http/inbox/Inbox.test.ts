import { layer } from "@effect/vitest"
import { SqlClient } from "effect/sql"
import { Clock, Effect } from "effect"
import { expect } from "vitest"
import { feedInboxes } from "../../../actors/inbox/InboxFeeder.ts"
import { InboxesWriter } from "../../../engine/store/inbox/Inboxes.ts"
import { Interactions, InteractionsWriter } from "../../../engine/store/listeners/Messages.ts"
import type { InboxItem } from "../../../schema/inbox/Inbox.ts"
import type { StationEvent } from "../../../schema/Events.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { emitAll, writeIn } from "../../support/inbox/DeskEvents.ts"
import { call } from "../../support/http/SegmentHttp.ts"
import { uniqueWords } from "../../support/segments/UniqueWords.ts"

const inboxOf = (key: string, query = "") =>
  Effect.map(
    call("GET", `/api/v1/inbox${query}`, { key }),
    ({ body }) =>
      body as {
        items: ReadonlyArray<InboxItem>
        unreadCount: number
        nextCursor?: string
        sessions: ReadonlyArray<InboxItem>
      }
  )
const idsOf = (key: string, query = "") => Effect.map(inboxOf(key, query), ({ items }) => items.map(({ id }) => id))
const ack = (key: string, itemIds: ReadonlyArray<string>, disposition: string, query = "") =>
  call("POST", `/api/v1/inbox/ack${query}`, { key, body: { itemIds, disposition } })
const feature = (key: string, id: string, query = "") =>
  call("POST", `/api/v1/agents/me/listener-messages/${id}/feature${query}`, { key })
const homeOf = (key: string) => Effect.map(call("GET", "/api/v1/home", { key }), ({ body }) => body)
const codesOf = (key: string) =>
  Effect.map(homeOf(key), ({ actions }) => actions.map(({ code }: { code: string }) => code) as ReadonlyArray<string>)

let sessions = 0
const newSession = (agentId: string) => ({
  agentId,
  sessionId: `ses_${String(++sessions).padStart(26, "0")}`,
  title: "The tide at night"
})
const turn = (session: ReturnType<typeof newSession>, turnId: string): StationEvent => ({
  _tag: "SessionTurnReady",
  ...session,
  turnId,
  dueAt: "2030-01-01T00:00:00.000Z"
})

/** An agent with a listener's message in its inbox. */
const messaged = Effect.fnUntraced(function* () {
  const agent = yield* arrive()
  const message = yield* writeIn({ toAgentId: agent.id })
  yield* emitAll({ _tag: "ListenerMessageReceived", agentId: agent.id, interactionId: message })
  return { ...agent, message }
})

layer(AgentHttp(), { excludeTestServices: true })("the inbox over HTTP", (it) => {
  it.effect("lists everything that happened, each kind by its prefix, newest first and grouped", () =>
    Effect.gen(function* () {
      const [agent, other] = [yield* arrive(), yield* arrive()]
      expect(
        (yield* call("POST", `/api/v1/agents/${agent.handle}/comments`, {
          key: other.key,
          body: { body: "Your night show kept me company." }
        })).status
      ).toBe(201)
      const message = yield* writeIn({ toAgentId: agent.id, content: "x".repeat(300) })
      const [one, two] = [newSession(agent.id), newSession(agent.id)]
      yield* emitAll(
        { _tag: "FollowReceived", agentId: agent.id, by: other.handle },
        { _tag: "ListenerMessageReceived", agentId: agent.id, interactionId: message },
        { _tag: "SessionInvited", ...one },
        { _tag: "SessionTurnReady", ...two, turnId: "turn_1", dueAt: "2030-01-01T00:00:00.000Z" },
        { _tag: "SessionTurnTaken", ...two, turnId: "turn_2" },
        { _tag: "SessionReadyToProduce", ...newSession(agent.id) }
      )
      const { items, sessions: grouped, unreadCount } = yield* inboxOf(agent.key)
      const prefixes = items.map(({ id, kind }) => [id.split(":")[0] === kind, kind])
      expect(new Set(prefixes.map(([, kind]) => kind))).toEqual(
        new Set([
          "listener_msg",
          "open_session",
          "session_turn_ready",
          "session_ready",
          "profile_comment",
          "session_turn",
          "follow_digest"
        ])
      )
      expect(prefixes.every(([same]) => same)).toBe(true)
      expect([unreadCount, grouped.length]).toEqual([7, 4])
      expect(items.map(({ createdAt }) => createdAt)).toEqual(
        items
          .map(({ createdAt }) => createdAt)
          .sort()
          .toReversed()
      )
      const by = (kind: string) => items.find((each) => each.kind === kind)!
      expect(by("profile_comment")).toMatchObject({
        preview: "Your night show kept me company.",
        from: { label: null, handle: other.handle },
        untrusted: ["preview"],
        disposition: null
      })
      expect([...by("listener_msg").preview!].length).toBe(280)
      expect(by("listener_msg")).toMatchObject({
        from: { label: "a listener", handle: null },
        untrusted: ["preview", "from.label"],
        subject: { type: "interaction", id: message }
      })
      expect(by("follow_digest")).toMatchObject({
        id: `follow_digest:${by("follow_digest").createdAt.slice(0, 10)}`,
        preview: `@${other.handle}`
      })
      expect(by("open_session")).toMatchObject({
        expiresAt: null,
        preview: "The tide at night",
        action: { method: "POST" }
      })
      expect(Date.parse(by("listener_msg").expiresAt!) - Date.parse(by("listener_msg").createdAt)).toBe(30 * 86_400_000)
    })
  )

  it.effect("pages without losing or repeating anything while more arrives", () =>
    Effect.gen(function* () {
      const agent = yield* arrive()
      const open = (count: number) =>
        Effect.forEach(
          Array.from({ length: count }),
          () => emitAll({ _tag: "SessionOpened", ...newSession(agent.id) }),
          {
            discard: true
          }
        )
      yield* open(5)
      const before = yield* idsOf(agent.key)
      const first = yield* inboxOf(agent.key, "?limit=2")
      yield* open(2)
      const second = yield* inboxOf(agent.key, `?limit=2&cursor=${first.nextCursor}`)
      yield* ack(agent.key, [second.nextCursor!], "seen")
      const third = yield* inboxOf(agent.key, `?limit=2&cursor=${second.nextCursor}`)
      expect([...first.items, ...second.items, ...third.items].map(({ id }) => id)).toEqual(before)
      expect(third.nextCursor).toBe(undefined)
      for (const query of [
        "?cursor=open_session:nothing",
        "?limit=0",
        "?limit=101",
        "?limit=x",
        "?includeHandled=perhaps"
      ]) {
        const { body, status } = yield* call("GET", `/api/v1/inbox${query}`, { key: agent.key })
        expect([query, status, body.code]).toEqual([query, 400, "INVALID_FIELD"])
      }
    })
  )

  it.effect("counts each follower of a day once, and is unread again with each", () =>
    Effect.gen(function* () {
      const agent = yield* arrive()
      const atMs = yield* Clock.currentTimeMillis
      const follow = (sequence: number, by: string) =>
        feedInboxes({
          id: `evt_${sequence}`,
          sequence,
          atMs,
          kind: "FollowReceived",
          event: { _tag: "FollowReceived", agentId: agent.id, by }
        })
      for (const [sequence, by] of [
        [1, "owl"],
        [2, "a listener"],
        [1, "owl"],
        [2, "a listener"]
      ] as const)
        yield* follow(sequence, by)
      expect((yield* inboxOf(agent.key)).items).toMatchObject([{ preview: "@owl, a listener" }])
      const [id] = yield* idsOf(agent.key)
      yield* ack(agent.key, [id!], "seen")
      yield* follow(2, "a listener")
      expect(yield* idsOf(agent.key)).toEqual([])
      for (const sequence of [3, 4, 5, 6]) yield* follow(sequence, `wren${sequence}`)
      expect((yield* inboxOf(agent.key)).items).toMatchObject([
        { id, preview: "@owl, a listener, @wren3, @wren4, @wren5 and 1 more" }
      ])
    })
  )

  it.effect("keeps session items as long as the session, and others for thirty days", () =>
    Effect.gen(function* () {
      const agent = yield* arrive()
      const session = newSession(agent.id)
      yield* emitAll({ _tag: "SessionInvited", ...session })
      expect(yield* codesOf(agent.key)).toContain("OPEN_SESSION_INVITE")
      yield* emitAll(turn(session, "turn_7"))
      expect(yield* idsOf(agent.key)).toEqual(["session_turn_ready:turn_7"])
      const pressing = yield* homeOf(agent.key)
      expect(pressing.actions[0]).toMatchObject({
        id: "session_turn_ready:turn_7",
        code: "SESSION_TURN_READY",
        priority: 1,
        dueAt: "2030-01-01T00:00:00.000Z"
      })
      yield* ack(agent.key, ["session_turn_ready:turn_7"], "seen")
      const hidden = yield* homeOf(agent.key)
      expect(hidden.actions.map(({ code }: { code: string }) => code)).not.toContain("SESSION_TURN_READY")
      // The turn itself stays due.
      expect(hidden.recommendedCadenceSeconds).toBeLessThanOrEqual(33)
      yield* emitAll(
        { _tag: "SessionTurnTaken", ...session, turnId: "turn_7" },
        { _tag: "SessionTurnTaken", ...session, turnId: "turn_8" },
        turn(session, "turn_9"),
        { _tag: "SessionTurnSkipped", ...session, turnId: "turn_9" }
      )
      expect(yield* idsOf(agent.key, "?includeHandled=true")).toEqual(["session_turn:turn_8"])
      yield* emitAll({ _tag: "SessionReadyToProduce", ...session })
      expect(yield* codesOf(agent.key)).toContain("SESSION_READY_TO_PRODUCE")
      yield* emitAll({ _tag: "SessionEnded", ...session, status: "stitched" })
      expect(yield* idsOf(agent.key, "?includeHandled=true")).toEqual([])
      const nowMs = yield* Clock.currentTimeMillis
      const webhook = (id: string, createdAtMs: number) =>
        Effect.flatMap(InboxesWriter, (inboxes) =>
          inboxes.lay({
            agentId: agent.id,
            id,
            kind: "webhook_disabled",
            subjectType: "webhook",
            subjectId: "whk_1",
            sessionId: null,
            note: null,
            fromAgentId: null,
            dueAtMs: null,
            createdAtMs,
            expiresAtMs: createdAtMs + 30 * 86_400_000,
            sequence: 1
          })
        )
      yield* webhook("webhook_disabled:old", nowMs - 30 * 86_400_000)
      yield* webhook("webhook_disabled:new", nowMs - 30 * 86_400_000 + 60_000)
      expect((yield* inboxOf(agent.key)).items.map(({ id }) => id)).toEqual(["webhook_disabled:new"])
      yield* (yield* InboxesWriter).purge(nowMs)
      const sql = yield* SqlClient.SqlClient
      expect(
        yield* sql`SELECT id FROM inbox_items WHERE agent_id = ${agent.id} AND id LIKE 'webhook_disabled:%'`
      ).toEqual([{ id: "webhook_disabled:new" }])
    })
  )

  it.effect("accepts acknowledgements: later ones count, seen replaces nothing, others' items are unknown", () =>
    Effect.gen(function* () {
      const [agent, other] = [yield* messaged(), yield* messaged()]
      const [mine, theirs] = [`listener_msg:${agent.message}`, `listener_msg:${other.message}`]
      expect(yield* codesOf(agent.key)).toContain("LISTENER_MESSAGE")
      expect((yield* ack(agent.key, [mine], "seen", "?dryRun=true")).body).toMatchObject({
        dryRun: true,
        wouldBe: { acknowledged: [mine] },
        status: 200
      })
      expect((yield* inboxOf(agent.key)).unreadCount).toBe(1)
      expect((yield* ack(agent.key, [theirs, mine, mine, "nonsense"], "seen")).body).toEqual({
        acknowledged: [mine],
        unknown: [theirs, "nonsense"],
        disposition: "seen"
      })
      expect((yield* inboxOf(other.key)).unreadCount).toBe(1)
      expect(yield* codesOf(agent.key)).not.toContain("LISTENER_MESSAGE")
      expect((yield* homeOf(agent.key)).inbox).toMatchObject({ unreadCount: 0, items: [], path: "/api/v1/inbox" })
      const disposition = Effect.map(inboxOf(agent.key, "?includeHandled=1"), ({ items }) => items[0]!.disposition)
      for (const [asked, becomes] of [
        ["acted", "acted"],
        ["seen", "acted"],
        ["dismissed", "dismissed"],
        ["acted", "acted"]
      ] as const) {
        expect((yield* ack(agent.key, [mine], asked)).body.disposition).toBe(asked)
        expect(yield* disposition).toBe(becomes)
      }
      expect(
        (yield* call("POST", "/api/v1/inbox/ack", { key: agent.key, body: { ids: [mine], disposition: "seen" } }))
          .status
      ).toBe(200)
      const refused: ReadonlyArray<readonly [unknown, string]> = [
        [{ disposition: "seen" }, "MISSING_FIELDS"],
        [{ itemIds: [mine] }, "MISSING_FIELDS"],
        [{ itemIds: [], disposition: "seen" }, "INVALID_FIELD"],
        [{ itemIds: Array.from({ length: 101 }, () => mine), disposition: "seen" }, "INVALID_FIELD"],
        [{ itemIds: [mine], disposition: "burnt" }, "INVALID_FIELD"],
        ["[", "INVALID_JSON"]
      ]
      for (const [body, code] of refused)
        expect((yield* call("POST", "/api/v1/inbox/ack", { key: agent.key, body })).body.code).toBe(code)
    })
  )

  it.effect("reserves a listener's message for one agent at a time, among its addressees", () =>
    Effect.gen(function* () {
      const [one, two, stranger] = [yield* messaged(), yield* arrive(), yield* arrive()]
      const message = yield* writeIn({ toShowSlug: "night-show", content: "Play it again." })
      yield* emitAll(
        ...[one.id, two.id].map((agentId): StationEvent => ({
          _tag: "ListenerMessageReceived",
          agentId,
          interactionId: message
        }))
      )
      const hidden = yield* writeIn({ toAgentId: one.id, moderationStatus: "pending", visibility: "private" })
      for (const [key, id] of [
        [stranger.key, message],
        [one.key, hidden],
        [two.key, one.message],
        [one.key, "int_none"]
      ] as const)
        expect((yield* feature(key, id)).body.code).toBe("NOT_FOUND")
      expect((yield* feature(one.key, message, "?dryRun=true")).body).toMatchObject({
        dryRun: true,
        wouldBe: { messageId: message }
      })
      expect((yield* (yield* Interactions).find(message))!.featuredBy).toBe(null)

      const answers = yield* Effect.forEach(
        Array.from({ length: 200 }, (_, n) => (n % 2 === 0 ? one.key : two.key)),
        (key) => feature(key, message),
        { concurrency: "unbounded" }
      )
      // A full desk refuses; no message is delivered to two agents.
      const told200 = answers.map(({ status }, n) => [n % 2, status] as const).filter(([, status]) => status !== 503)
      const winner = told200.find(([, status]) => status === 200)![0]
      expect(told200.every(([who, status]) => status === (who === winner ? 200 : 409))).toBe(true)
      const drafts = answers.filter(({ status }) => status === 200).map(({ body }) => JSON.stringify(body))
      expect(new Set(drafts).size).toBe(1)
      const { draft } = JSON.parse(drafts[0]!) as { draft: { expiresAt: string } }
      expect(draft).toMatchObject({
        messageId: message,
        attribution: "a listener",
        excerpt: "Play it again.",
        category: "listener_response",
        untrusted: ["attribution", "excerpt"]
      })
      const loser = winner === 0 ? two : one
      expect((yield* feature(loser.key, message)).body.code).toBe("ALREADY_FEATURED")
      // A day later another agent may take it.
      const interactions = yield* InteractionsWriter
      expect(
        (yield* interactions.feature(message, loser.id, Date.parse(draft.expiresAt), Date.parse(draft.expiresAt) + 1))
          ?.featuredBy
      ).toBe(loser.id)
    })
  )

  it.effect("accepts a segment that answers a message, and reports its airing", () =>
    Effect.gen(function* () {
      const [agent, other] = [yield* messaged(), yield* arrive()]
      yield* emitAll({ _tag: "ListenerMessageReceived", agentId: other.id, interactionId: agent.message })
      const answerWith = (key: string, listenerMessageId: string, query = "") =>
        call("POST", `/api/segments${query}`, {
          key,
          body: {
            stationSlug: "longwave",
            category: "listener_response",
            title: "To a listener",
            scriptText: `It was a song of number ${uniqueWords()}.`,
            listenerMessageId
          }
        })
      expect((yield* answerWith(agent.key, "int_none")).body).toMatchObject({
        code: "NOT_FOUND",
        errors: [{ pointer: "/listenerMessageId" }]
      })
      expect((yield* answerWith(agent.key, agent.message, "?dryRun=true")).status).toBe(200)
      expect((yield* (yield* Interactions).find(agent.message))!.segmentId).toBe(null)
      const {
        body: { segment },
        status
      } = yield* answerWith(agent.key, agent.message)
      expect(status).toBe(201)
      expect((yield* answerWith(other.key, agent.message)).body.code).toBe("ALREADY_FEATURED")
      yield* emitAll()
      expect((yield* inboxOf(agent.key, "?includeHandled=true")).items[0]).toMatchObject({
        id: `listener_msg:${agent.message}`,
        disposition: "acted"
      })
      yield* emitAll({
        _tag: "SegmentAired",
        segmentId: segment.id,
        agentId: agent.id,
        title: "To a listener",
        reason: null,
        airedAt: null,
        airedCompletely: true
      })
      // A check-in, the segment and the answer.
      expect((yield* homeOf(agent.key)).your_rank.rankScore).toBe(16)
      expect(yield* (yield* Interactions).find(agent.message)).toMatchObject({
        moderationStatus: "aired",
        visibility: "on_air",
        segmentId: segment.id,
        answeredBy: agent.id
      })
    })
  )
})
