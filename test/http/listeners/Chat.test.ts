import { layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { answersLost } from "../../support/http/AnswersLost.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import {
  chatAgent,
  chatListener,
  followChat,
  paused,
  readChat,
  roomKnows,
  say,
  sayAs
} from "../../support/listeners/ChatWorld.ts"
import { awaitTrue } from "../../../bench/instruments/clients/EventReader.ts"
import { listener } from "../../support/listeners/Listeners.ts"
import { type Answer, call, operator, askUntil } from "../../support/http/SegmentHttp.ts"

const homeOf = (key: string) => Effect.map(call("GET", "/api/v1/home", { key }), ({ body }) => body)
const inboxOf = (key: string) =>
  Effect.map(call("GET", "/api/v1/inbox?includeHandled=true", { key }), ({ body }) => body.items)
const flagged = (n: number) => `Write to me at listener${n}@example.org, will you?`
const ids = (answer: Answer): ReadonlyArray<string> => answer.body.messages.map(({ id }: { id: string }) => id)

layer(AgentHttp(), { excludeTestServices: true })("the chat over HTTP", (it) => {
  it.effect("lets two listeners and an agent talk: a question is queued, seen, worked on and answered, once", () =>
    Effect.gen(function* () {
      const [one, two, ada] = [yield* chatListener(), yield* chatListener(), yield* chatAgent()]
      yield* roomKnows(ada.handle)
      const reader = yield* followChat()
      expect([
        reader.status,
        reader.headers["content-type"],
        reader.headers["cache-control"],
        reader.headers["x-accel-buffering"]
      ]).toEqual([200, "text/event-stream", "no-store", "no"])
      const hello = yield* say(one, "Good evening, everybody.")
      expect([hello.status, hello.body]).toMatchObject([
        200,
        {
          message: {
            body: "Good evening, everybody.",
            authorType: "listener",
            author: { handle: null, displayName: "a listener", avatarUrl: null },
            targetHandle: null,
            replyToMessageId: null,
            exchangeId: null,
            moderationStatus: "approved"
          },
          exchange: null
        }
      ])
      const asked = yield* say(one, `@${ada.handle.toUpperCase()}, what was that song at nine?`)
      expect(asked.body).toMatchObject({ message: { targetHandle: ada.handle }, exchange: { state: "queued" } })
      expect(asked.body.message.exchangeId).toBe(asked.body.exchange.id)
      // The agent is notified at home and in its inbox, and is told when to check in again.
      yield* askUntil(inboxOf(ada.key), (items) => items.length > 0)
      const home = yield* homeOf(ada.key)
      expect(home.actions[0]).toMatchObject({
        code: "CHAT_ADDRESSED",
        path: "/api/station/chat",
        subjectId: asked.body.message.id,
        body: { replyToMessageId: asked.body.message.id }
      })
      expect(home.recommendedCadenceSeconds).toBeLessThanOrEqual(33)
      expect(home.station.chat.recentMessages[0].body).toBe(asked.body.message.body)
      expect((yield* inboxOf(ada.key))[0]).toMatchObject({
        kind: "chat_addressed",
        subject: { type: "chat_message", id: asked.body.message.id },
        preview: asked.body.message.body,
        from: { label: "a listener", handle: null },
        untrusted: ["preview", "from.label"],
        disposition: null
      })
      yield* call("POST", "/api/heartbeat", { key: ada.key, body: { status: "busy" } })
      // Neither a message between listeners nor an unaddressed message of the agent is an answer.
      yield* say(two, "I'd like to know as well.", { replyToMessageId: asked.body.message.id })
      yield* say(ada, "Good evening, all.")
      const answer = yield* say(ada, "Low Water, by the house.", { replyToMessageId: asked.body.message.id })
      expect(answer.body).toMatchObject({
        message: {
          authorType: "agent",
          author: { handle: ada.handle, displayName: "A stranger" },
          targetHandle: null,
          replyToMessageId: asked.body.message.id,
          exchangeId: asked.body.exchange.id
        },
        exchange: { id: asked.body.exchange.id, state: "answered" }
      })
      yield* say(ada, "The harbour version.", { replyToMessageId: asked.body.message.id })
      yield* awaitTrue(() => reader.listEvents().filter(({ event }) => event === "message").length === 6)
      const states = reader
        .listEvents()
        .filter(({ event }) => event === "response_state")
        .map(({ data }) => data)
      expect(states.map(({ state }) => state)).toEqual(["queued", "seen", "thinking", "answered"])
      expect(states[0]).toEqual({
        exchangeId: asked.body.exchange.id,
        messageId: asked.body.message.id,
        handle: ada.handle,
        state: "queued",
        at: expect.stringMatching(/^20.*Z$/)
      })
      expect(
        reader
          .listEvents()
          .filter(({ event }) => event === "exchange_completed")
          .map(({ data }) => data)
      ).toEqual([
        {
          exchangeId: asked.body.exchange.id,
          messageId: asked.body.message.id,
          replyMessageId: answer.body.message.id,
          handle: ada.handle,
          outcome: "answered",
          completedAt: expect.stringMatching(/^20.*Z$/)
        }
      ])
      // By the time a reader sees the message, the question has its state after it.
      const order = reader
        .listEvents()
        .map(({ data, event }) => (event === "message" ? data.id : event === "response_state" ? data.state : event))
      expect(order.indexOf("queued")).toBeGreaterThan(order.indexOf(asked.body.message.id))
      expect(order.indexOf("answered")).toBeGreaterThan(order.indexOf(answer.body.message.id))
      yield* askUntil(inboxOf(ada.key), (items) => items[0].disposition === "acted")
      expect((yield* homeOf(ada.key)).actions.map(({ code }: { code: string }) => code)).not.toContain("CHAT_ADDRESSED")
      // A reply to an agent addresses it; a second question by the same asker within a minute isn't put to it.
      const again = yield* say(one, "Thank you! And the one before?", { replyToMessageId: answer.body.message.id })
      expect(again.body).toMatchObject({ message: { targetHandle: ada.handle, exchangeId: null }, exchange: null })
      expect((yield* say(two, "Who sings it?", { replyToMessageId: answer.body.message.id })).body).toMatchObject({
        message: { targetHandle: ada.handle },
        exchange: { state: "queued" }
      })
      expect(
        (yield* readChat(one)).body.chatAgents.find(({ handle }: { handle: string }) => handle === ada.handle)
      ).toMatchObject({ availability: "online", addressing: { open: false, gate: "cooldown" } })
      expect(
        (yield* readChat()).body.chatAgents.find(({ handle }: { handle: string }) => handle === ada.handle)
      ).toMatchObject({ addressing: { open: true, gate: "open", until: null }, displayName: "A stranger" })
    })
  )

  it.effect("addresses an answer to the asking agent, which owes no answer to it", () =>
    Effect.gen(function* () {
      const [ada, ben] = [yield* chatAgent(), yield* chatAgent()]
      yield* roomKnows(ada.handle)
      yield* roomKnows(ben.handle)
      const asked = yield* say(ben, `@${ada.handle} what was that song at nine?`)
      expect(asked.body).toMatchObject({ message: { targetHandle: ada.handle }, exchange: { state: "queued" } })
      const answer = yield* say(ada, "Low Water, by the house.", { replyToMessageId: asked.body.message.id })
      expect(answer.body).toMatchObject({
        message: { targetHandle: ben.handle, exchangeId: asked.body.exchange.id },
        exchange: { id: asked.body.exchange.id, state: "answered" }
      })
      expect((yield* homeOf(ben.key)).actions.map(({ code }: { code: string }) => code)).not.toContain("CHAT_ADDRESSED")
    })
  )

  it.effect("refuses unclear requests, and names the wrong field", () =>
    Effect.gen(function* () {
      const [one, ada, ben] = [yield* chatListener(), yield* chatAgent(), yield* chatAgent()]
      const cases: ReadonlyArray<readonly [unknown, number, string, string?]> = [
        ["{", 400, "INVALID_JSON"],
        [{}, 400, "MISSING_FIELDS", "/body"],
        [{ body: " \n " }, 400, "MISSING_FIELDS", "/body"],
        [{ body: 7 }, 400, "INVALID_FIELD", "/body"],
        [{ body: "a\u0007b" }, 400, "INVALID_FIELD", "/body"],
        [{ body: "é".repeat(501) }, 400, "BODY_TOO_LONG"],
        [{ body: `@${ada.handle} hi`, targetHandle: ben.handle }, 400, "INVALID_FIELD", "/targetHandle"],
        [{ body: "@nobody-at-all hi" }, 400, "INVALID_FIELD", "/body"],
        [{ body: "hi", targetHandle: "nobody-at-all" }, 400, "INVALID_FIELD", "/targetHandle"],
        [{ body: "@nobody-at-all hi", targetHandle: "nobody-at-all" }, 400, "INVALID_FIELD", "/targetHandle"],
        [{ body: "hi", targetHandle: 3 }, 400, "INVALID_FIELD", "/targetHandle"],
        [{ body: "hi", replyToMessageId: "msg_none" }, 404, "NOT_FOUND"],
        [{ body: "hi", replyToMessageId: [] }, 400, "INVALID_FIELD", "/replyToMessageId"]
      ]
      for (const [body, status, code, pointer] of cases) {
        yield* paused
        const answer = yield* call("POST", "/api/station/chat", { headers: one.headers, body })
        expect([body, answer.status, answer.body.code]).toEqual([body, status, code])
        if (pointer !== undefined) expect(answer.body.errors[0].pointer).toBe(pointer)
      }
      expect((yield* say(ada, `@${ada.handle} am I here?`)).body).toMatchObject({
        code: "INVALID_FIELD",
        errors: [{ pointer: "/body" }]
      })
      for (const [query, pointer] of [
        ["limit=0", "/query/limit"],
        ["cursor=msg_none", "/query/cursor"]
      ])
        expect((yield* call("GET", `/api/station/chat?${query}`)).body.errors[0].pointer).toBe(pointer)
      for (const path of ["/api/station/chat", "/api/station/chat/events"])
        expect((yield* call("GET", `${path}?stationSlug=another`)).body.code).toBe("STATION_NOT_FOUND")
      // A leading @handle and `targetHandle` are valid together if they agree; null counts as absent.
      expect(
        (yield* say(one, `@${ada.handle} hi`, { targetHandle: `@${ada.handle.toUpperCase()}`, replyToMessageId: null }))
          .body.message.targetHandle
      ).toBe(ada.handle)
      const dry = yield* Effect.andThen(
        paused,
        call("POST", "/api/station/chat?dryRun=true", { headers: one.headers, body: { body: "As it would be." } })
      )
      expect(dry.body).toMatchObject({
        dryRun: true,
        status: 200,
        wouldBe: { message: { body: "As it would be." }, exchange: null }
      })
      expect((yield* readChat()).body.messages.map(({ body }: { body: string }) => body)).not.toContain(
        "As it would be."
      )
    })
  )

  it.effect("refuses messages of guests, of agents without clearance, and of muted senders", () =>
    Effect.gen(function* () {
      const guest = yield* listener()
      for (const headers of [
        {},
        { "x-listener-token": guest.token },
        { "x-listener-token": "nonsense" },
        { authorization: `Bearer ${guest.token}` }
      ]) {
        const { body, status } = yield* call("POST", "/api/station/chat", { headers, body: { body: "Let me in." } })
        expect([status, body.code]).toEqual([401, "SIGN_IN_REQUIRED"])
      }
      expect(
        (yield* call("POST", "/api/station/chat", { key: "svc_agent_nonsense", body: { body: "Let me in." } })).body
          .code
      ).toBe("INVALID_API_KEY")
      const young = yield* arrive()
      expect(
        (yield* call("POST", "/api/station/chat", { key: young.key, body: { body: "Let me in." } })).body.code
      ).toBe("FORBIDDEN")
      const [ada, one] = [yield* chatAgent(), yield* chatListener()]
      const ops = yield* operator("reviewer")
      yield* call("PUT", `/api/ops/agents/${ada.id}/grants`, {
        key: yield* operator("producer"),
        body: { scopesRevoked: ["social.comment"] }
      })
      expect((yield* sayAs(ada, "Let me in.")).body).toMatchObject({
        code: "FORBIDDEN",
        requiredScope: "social.comment"
      })
      yield* call("PUT", `/api/ops/agents/${ada.id}/grants`, {
        key: yield* operator("producer"),
        body: { scopesRevoked: [] }
      })
      const until = new Date((yield* Clock.currentTimeMillis) + 60_000).toISOString()
      const mute = (type: string, id: string, over: object = {}) =>
        call("POST", "/api/ops/chat/mute", { key: ops, body: { type, id, until, reason: "Shouting.", ...over } })
      for (const [type, voice, id] of [
        ["agent", ada, ada.id],
        ["listener", one, one.id],
        ["listener", one, one.human.id]
      ] as const) {
        expect((yield* mute(type, id)).body).toEqual({ mute: { type, id, until, reason: "Shouting." } })
        const refused = yield* say(voice, "Can you hear me?")
        expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
          403,
          "FORBIDDEN",
          expect.stringContaining("Shouting.")
        ])
        expect((yield* mute(type, id, { until: null })).body.mute.until).toBe(null)
        expect((yield* say(voice, "Can you hear me?")).status).toBe(200)
      }
      expect((yield* mute("agent", "agt_none")).body.code).toBe("NOT_FOUND")
      for (const past of ["2020-01-01T00:00:00Z", "tomorrow"])
        expect((yield* mute("agent", ada.id, { until: past })).body.errors[0].pointer).toBe("/until")
      expect((yield* call("POST", "/api/ops/chat/mute", { key: yield* operator("viewer"), body: {} })).status).toBe(403)
      const audit = yield* (yield* SqlClient.SqlClient)<{
        action: string
      }>`SELECT action FROM audit WHERE subject_id = ${ada.id} AND action LIKE 'chat%'`
      expect(audit.map(({ action }) => action)).toEqual(["chat.mute", "chat.unmute"])
    })
  )

  it.effect(
    "shows flagged text to its author alone until a person decides; removed text disappears for everybody",
    () =>
      Effect.gen(function* () {
        const [one, two, ada] = [yield* chatListener(), yield* chatListener(), yield* chatAgent()]
        yield* roomKnows(ada.handle)
        const [mine, everybody, hers] = [yield* followChat(one), yield* followChat(), yield* followChat(two)]
        const ops = yield* operator("reviewer")
        const decide = Effect.fnUntraced(function* (messageId: string, decision: string) {
          const { body } = yield* call("GET", "/api/ops/reviews?kind=chat", { key: ops })
          const review = body.items.find(({ subject }: { subject: { id: string } }) => subject.id === messageId)
          return yield* call("POST", `/api/ops/reviews/${review.id}/decision`, {
            key: ops,
            body: { decision, reason: "Names an address." }
          })
        })
        const pending = yield* say(one, `@${ada.handle} ${flagged(1)}`)
        expect(pending.body).toMatchObject({
          message: { moderationStatus: "pending", exchangeId: null },
          exchange: null
        })
        const { id } = pending.body.message
        expect((yield* say(one, "I will kill you all.")).body.message.moderationStatus).toBe("escalated")
        yield* awaitTrue(() => mine.listEvents().some(({ data, event }) => event === "message" && data.id === id))
        // On every path: reading, a stream, a resumed stream, and the start of a stream.
        const head = mine
          .listEvents()
          .filter(({ id }) => id !== undefined)
          .at(-1)!.id!
        const before = `${head.split("-")[0]}-${Number(head.split("-")[1]) - 2}`
        for (const voice of [undefined, two, ada]) {
          expect(ids(yield* readChat(voice))).not.toContain(id)
          for (const over of [{}, { lastEventId: before }])
            expect((yield* Effect.tap(followChat(voice, over), () => Effect.sleep("20 millis"))).text()).not.toContain(
              id
            )
        }
        expect(ids(yield* readChat(one))).toContain(id)
        for (const over of [{}, { lastEventId: before }]) {
          const again = yield* followChat(one, over)
          yield* awaitTrue(() => again.text().includes(id))
        }
        expect([everybody, hers].some((reader) => reader.text().includes(id))).toBe(false)
        expect((yield* homeOf(ada.key)).actions.map(({ code }: { code: string }) => code)).not.toContain(
          "CHAT_ADDRESSED"
        )
        expect((yield* say(two, "What was that?", { replyToMessageId: id })).body.code).toBe("NOT_FOUND")
        // Approved, it is an ordinary message, and the question is put to the agent.
        expect((yield* decide(id, "approve")).body.review).toMatchObject({
          status: "approved",
          author: { agentId: null, displayName: "a listener" }
        })
        yield* awaitTrue(() =>
          [everybody, hers, mine].every((reader) =>
            reader
              .listEvents()
              .some(
                ({ data, event }) =>
                  event === "message" &&
                  data.id === id &&
                  data.moderationStatus === "approved" &&
                  data.exchangeId !== null
              )
          )
        )
        yield* awaitTrue(() =>
          everybody
            .listEvents()
            .some(({ data, event }) => event === "response_state" && data.messageId === id && data.state === "queued")
        )
        const removed = yield* call("POST", `/api/ops/chat/${id}/remove`, {
          key: ops,
          body: { reason: "Names an address." }
        })
        expect(removed.body.message).toMatchObject({
          moderationStatus: "removed",
          body: pending.body.message.body,
          humanId: one.human.id,
          listenerId: one.id,
          flags: ["personal_data"],
          statusReason: "Names an address."
        })
        yield* awaitTrue(() =>
          everybody.listEvents().some(({ data, event }) => event === "exchange_completed" && data.messageId === id)
        )
        const last = everybody
          .listEvents()
          .filter(({ data, event }) => event === "message" && data.id === id)
          .at(-1)!.data
        expect([last.moderationStatus, last.body]).toEqual(["removed", ""])
        expect(
          everybody.listEvents().find(({ data, event }) => event === "exchange_completed" && data.messageId === id)!
            .data
        ).toMatchObject({ outcome: "moderated", replyMessageId: null })
        for (const voice of [undefined, one, two]) expect(ids(yield* readChat(voice))).not.toContain(id)
        yield* askUntil(inboxOf(ada.key), (items) => items.length === 0)
        expect(
          (yield* call("POST", `/api/ops/chat/${id}/remove`, { key: ops, body: { reason: "Again." } })).status
        ).toBe(200)
        expect(
          (yield* call("POST", "/api/ops/chat/msg_none/remove", { key: ops, body: { reason: "Again." } })).body.code
        ).toBe("NOT_FOUND")
        // A held answer doesn't count; if rejected, it ends the question.
        const question = yield* say(two, `@${ada.handle} where are you?`)
        const answer = yield* say(ada, flagged(2), { replyToMessageId: question.body.message.id })
        expect(answer.body).toMatchObject({ message: { moderationStatus: "pending" }, exchange: { state: "queued" } })
        yield* decide(answer.body.message.id, "reject")
        yield* awaitTrue(() =>
          everybody
            .listEvents()
            .some(
              ({ data, event }) =>
                event === "exchange_completed" &&
                data.messageId === question.body.message.id &&
                data.outcome === "moderated"
            )
        )
        expect(everybody.text()).not.toContain(answer.body.message.id)
        expect(
          (yield* readChat(ada)).body.messages.find(({ id }: { id: string }) => id === answer.body.message.id)
            .moderationStatus
        ).toBe("rejected")
        const list = yield* call("GET", "/api/ops/chat?status=removed", { key: ops })
        expect(list.body.messages.map(({ id }: { id: string }) => id)).toEqual([id])
      })
  )

  it.effect("ends a declined or unanswered question, and posts a late answer as a message", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [one, two, ada] = [yield* chatListener(), yield* chatListener(), yield* chatAgent()]
      yield* roomKnows(ada.handle)
      const reader = yield* followChat()
      const ended = () =>
        reader
          .listEvents()
          .filter(({ data, event }) => event === "exchange_completed" && data.handle === ada.handle)
          .map(({ data }) => [data.messageId, data.outcome])
      const asked = yield* say(one, `@${ada.handle} are you asleep?`)
      yield* askUntil(inboxOf(ada.key), (items) => items.length > 0)
      yield* call("POST", "/api/v1/inbox/ack", {
        key: ada.key,
        body: { itemIds: [`chat_addressed:${asked.body.message.id}`], disposition: "dismissed" }
      })
      yield* awaitTrue(() => ended().length === 1)
      const late = yield* say(two, `@${ada.handle} what time is it?`)
      // Without a message, the room's own timer ends it.
      yield* sql`UPDATE chat_exchanges SET due_at = now() - interval '1 second' WHERE message_id = ${late.body.message.id}`
      yield* awaitTrue(() => ended().length === 2)
      expect(ended()).toEqual([
        [asked.body.message.id, "declined"],
        [late.body.message.id, "timed_out"]
      ])
      const answer = yield* say(ada, "Half past nine.", { replyToMessageId: late.body.message.id })
      expect(answer.body).toMatchObject({
        message: { moderationStatus: "approved", exchangeId: late.body.exchange.id },
        exchange: { id: late.body.exchange.id, state: "timed_out" }
      })
      yield* awaitTrue(() =>
        reader.listEvents().some(({ data, event }) => event === "message" && data.id === answer.body.message.id)
      )
      expect([
        ended().length,
        reader
          .listEvents()
          .filter(({ data, event }) => event === "response_state" && data.handle === ada.handle)
          .map(({ data }) => data.state)
      ]).toEqual([2, ["queued", "declined", "queued", "timed_out"]])
      // Three at a time; the fourth is published without a question.
      const askers = yield* Effect.forEach([1, 2, 3, 4], () => chatListener())
      const open = yield* Effect.forEach(askers, (asker) => say(asker, `@${ada.handle} hello?`))
      expect(open.map(({ body }) => body.exchange?.state ?? null)).toEqual(["queued", "queued", "queued", null])
      // A suspended agent can't answer: its open questions end.
      yield* call("POST", `/api/ops/agents/${ada.id}/suspend`, {
        key: yield* operator("admin"),
        body: { reason: "Asked by its owner." }
      })
      yield* awaitTrue(() => ended().length === 5)
      expect(
        ended()
          .slice(2)
          .map(([, outcome]) => outcome)
      ).toEqual(["moderated", "moderated", "moderated"])
      yield* askUntil(
        readChat(),
        ({ body }) => !body.chatAgents.some(({ handle }: { handle: string }) => handle === ada.handle)
      )
      // An agent that leaves takes its messages along.
      const ben = yield* chatAgent()
      yield* roomKnows(ben.handle)
      const said = yield* say(ben, "I am off.")
      yield* call("DELETE", "/api/v1/agents/me", { key: ben.key })
      yield* awaitTrue(() =>
        reader
          .listEvents()
          .some(
            ({ data, event }) =>
              event === "message" &&
              data.id === said.body.message.id &&
              data.moderationStatus === "removed" &&
              data.body === ""
          )
      )
      expect(ids(yield* readChat())).not.toContain(said.body.message.id)
    })
  )

  it.effect(
    "accepts one message in three seconds from a listener, twenty in ten minutes, and no more of two hundred at once",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const one = yield* chatListener()
        const begunMs = yield* Clock.currentTimeMillis
        const answers = yield* Effect.forEach(Array.from({ length: 200 }), (_, n) => sayAs(one, `Number ${n}.`), {
          concurrency: "unbounded"
        })
        const tookMs = (yield* Clock.currentTimeMillis) - begunMs
        const taken = answers.filter(({ status }) => status === 200).length
        expect(taken).toBeGreaterThan(0)
        expect(taken).toBeLessThanOrEqual(1 + Math.floor(tookMs / 3_000))
        for (const { body, headers, status } of answers) {
          expect([status, body.code]).toSatisfy(
            ([each, code]) =>
              each === 200 || (each === 429 && code === "RATE_LIMITED") || (each === 503 && code === "BUSY")
          )
          if (status !== 200) expect(Number(headers.get("retry-after"))).toBeGreaterThan(0)
        }
        expect((yield* sql`SELECT 1 FROM chat_messages WHERE human_id = ${one.human.id}`).length).toBe(taken)
        const two = yield* chatListener()
        const pace = Effect.suspend(() => sql`DELETE FROM meters WHERE name = ${`chat_pace:${two.author}`}`)
        const many = yield* Effect.forEach(Array.from({ length: 21 }), (_, n) =>
          Effect.andThen(pace, sayAs(two, `Number ${n}.`))
        )
        expect(many.map(({ status }) => status)).toEqual([...Array.from({ length: 20 }, () => 200), 429])
        expect([many[20]!.headers.get("ratelimit"), Number(many[20]!.headers.get("retry-after")) > 10]).toEqual([
          expect.stringContaining(`"chat";r=0`),
          true
        ])
      })
  )

  it.effect("posts once for one key, also after a lost answer", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const one = yield* chatListener()
      const key = { "idempotency-key": "said-1" }
      const first = yield* say(one, "Once and for all.", {}, key)
      const again = yield* say(one, "Once and for all.", {}, key)
      expect([again.headers.get("idempotent-replayed"), again.body]).toEqual(["true", first.body])
      expect((yield* say(one, "Something else.", {}, key)).body.code).toBe("IDEMPOTENCY_KEY_CONFLICT")
      yield* answersLost
      expect((yield* sayAs(one, "Once and for all.", {}, key)).body).toEqual(first.body)
      expect((yield* sql`SELECT 1 FROM chat_messages WHERE human_id = ${one.human.id}`).length).toBe(1)
      // A long text repeated within a day goes to review; short texts repeat naturally.
      const long = "The tide turns at a quarter past four tonight."
      expect(
        (yield* Effect.forEach([long, long, "Good night!", "Good night!"], (words) => say(one, words))).map(
          ({ body }) => body.message.moderationStatus
        )
      ).toEqual(["approved", "pending", "approved", "approved"])
    })
  )

  it.effect("names a listener only on request and with the text in force", () =>
    Effect.gen(function* () {
      const one = yield* chatListener()
      const { body } = yield* call("GET", "/api/v1/legal")
      const consent = { acknowledged: true, disclosureVersion: body.consent.broadcastDisclosure.version }
      const named = yield* Effect.forEach(
        [{}, { attribution: { useDisplayName: true } }, { consent, attribution: { useDisplayName: true } }],
        (over) => say(one, "Good evening.", over)
      )
      expect(named.map(({ body }) => body.message.author.displayName)).toEqual([
        "a listener",
        "a listener",
        one.human.displayName
      ])
      expect((yield* readChat()).body.messages[0]).not.toHaveProperty("humanId")
    })
  )

  it.effect("is paged without a gap while others write", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const one = yield* chatListener()
      yield* sql`DELETE FROM chat_messages`
      const said = yield* Effect.forEach(Array.from({ length: 11 }), (_, n) => say(one, `Line ${n}.`))
      const seen: Array<string> = []
      let cursor: string | undefined = ""
      while (cursor !== undefined) {
        const { body }: Answer = yield* call(
          "GET",
          `/api/station/chat?limit=4${cursor === "" ? "" : `&cursor=${cursor}`}`
        )
        seen.push(...body.messages.map(({ id }: { id: string }) => id))
        cursor = body.nextCursor
        yield* say(one, "Meanwhile.")
      }
      expect(seen).toEqual(said.map(({ body }) => body.message.id).toReversed())
    })
  )
})
