import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { freeSeats } from "../../../actors/panels/PanelWorker.ts"
import { Panel } from "../../../actors/panels/protocol/Panel.ts"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { DeskViews } from "../../../engine/store/inbox/DeskViews.ts"
import { SoundAccess } from "../../../engine/store/sound/SoundAccess.ts"
import { WebhooksWriter } from "../../../engine/store/inbox/Webhooks.ts"
import type { AgentId } from "../../../schema/Ids.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import {
  moveDeadlinesEarlier,
  sessionPath,
  panel,
  startRecording,
  session,
  words
} from "../../support/panels/Panels.ts"
import { call, makeClaimedAgent, operator, askUntil } from "../../support/http/SegmentHttp.ts"
import { host, showOf } from "../../support/programmes/Shows.ts"
import { setSegments } from "../../support/air/Airings.ts"

const atOnce = { concurrency: "unbounded" } as const
const refused = ({ body, status }: { readonly status: number; readonly body: { readonly code?: string } }) => [
  status,
  body.code
]
const told = (tag: string, sessionId: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{
        agentId: string
      }>`SELECT event->>'agentId' AS agent_id FROM outbox WHERE event->>'_tag' = ${tag} AND event->>'sessionId' = ${sessionId} ORDER BY position`,
      (rows) => rows.map(({ agentId }) => agentId)
    )
  )
const home = (key: string) =>
  Effect.map(
    call("GET", "/api/v1/home", { key }),
    ({ body }) =>
      body as {
        readonly actions: ReadonlyArray<{ readonly id: string; readonly code: string }>
        readonly recommendedCadenceSeconds: number
      }
  )
const asked = (key: string, code: string) =>
  Effect.map(home(key), ({ actions }) => actions.filter((action) => action.code === code).map(({ id }) => id))
const invites = (ids: ReadonlyArray<string | undefined>) => ids.map((id) => `open_session:${id}`).sort()
const invited = (key: string) => Effect.map(asked(key, "OPEN_SESSION_INVITE"), (ids) => [...ids].sort())
const scripts = ({ turns }: { readonly turns: ReadonlyArray<{ readonly scriptText: string | null }> }) =>
  turns.map(({ scriptText }) => scriptText)

layer(AgentHttp(), { excludeTestServices: true })("panels", (it) => {
  it.effect(
    "seat seven of a hundred simultaneous agents, and recognise repeats",
    () =>
      Effect.gen(function* () {
        const { agent, id } = yield* panel({ isOpenCall: true, maxGuests: 7 })
        const guests = yield* Effect.forEach(Array.from({ length: 100 }), () => makeClaimedAgent(), { concurrency: 10 })
        const answers = yield* Effect.forEach(
          guests,
          ({ key }) => call("POST", sessionPath(id, "claim"), { key }),
          atOnce
        )
        const winners = guests.filter((_, at) => answers[at]!.status === 200)
        expect(winners).toHaveLength(7)
        expect(answers.filter((answer) => answer.status === 409 && answer.body.code === "SESSION_FULL")).toHaveLength(
          93
        )
        const again = yield* call("POST", sessionPath(id, "claim"), { key: winners[3]!.key })
        expect(again.body).toEqual(answers[guests.indexOf(winners[3]!)]!.body)
        expect(again.body.recommendedCadenceSeconds).toBe(300)
        expect(refused(yield* call("POST", sessionPath(id, "claim"), { key: agent.key }))).toEqual([
          409,
          "SESSION_FULL"
        ])
        const { participants } = yield* session(id)
        expect(participants.map(({ seat }: { seat: number }) => seat)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
        expect(new Set(participants.map(({ agentId }: { agentId: string }) => agentId)).size).toBe(8)
      }),
    300_000
  )

  it.effect(
    "go from the first seat to one piece: by turns, in the agents' voices, each change reported once",
    () =>
      Effect.gen(function* () {
        const { agent, id, show } = yield* panel({ isOpenCall: true })
        const guest = yield* arrive()
        expect((yield* call("POST", sessionPath(id, "claim"), { key: guest.key })).body.submitTurnUrl).toBe(
          `http://radio.test${sessionPath(id, "turns")}`
        )
        expect((yield* call("POST", `${sessionPath(id, "start")}?dryRun=true`, { key: agent.key })).body).toMatchObject(
          {
            dryRun: true,
            status: 200,
            wouldBe: { currentTurn: { turnIndex: 0 } }
          }
        )
        expect((yield* session(id)).status).toBe("accepting_guests")
        const started = yield* call("POST", sessionPath(id, "start"), { key: agent.key })
        expect(started.body).toMatchObject({
          session: { status: "recording" },
          currentTurn: { turnIndex: 0, handle: agent.handle, status: "pending" }
        })
        expect((yield* call("POST", sessionPath(id, "start"), { key: agent.key })).body.currentTurn.turnId).toBe(
          started.body.currentTurn.turnId
        )
        const say = (body: object, key = agent.key, headers = {}) =>
          call("POST", sessionPath(id, "turns"), { key, body, headers })
        expect(refused(yield* say({}))).toEqual([400, "MISSING_FIELDS"])
        expect(refused(yield* say({ scriptText: "<b>Hello</b>" }))).toEqual([400, "INVALID_FIELD"])
        const long = yield* say({ scriptText: "One more word. ".repeat(101) })
        expect([...refused(long), long.body.suggestedSplit.length]).toEqual([413, "SCRIPT_TOO_LONG", 2])
        const rejected = yield* say({ scriptText: "Ring me on +44 7911 123456 tonight." })
        expect([...refused(rejected), rejected.body.flags[0].code]).toEqual([422, "CONTENT_REJECTED", "personal_data"])
        const once = { "idempotency-key": "turn-one" }
        const first = yield* say(words, agent.key, once)
        expect(first.body).toMatchObject({
          turn: { turnIndex: 0, status: "submitted", turnId: started.body.currentTurn.turnId },
          nextTurn: { turnIndex: 1, handle: guest.handle },
          session: { id, status: "recording", turnsSubmitted: 1 }
        })
        // After a crash between turn and answer: the key finds the turn, whoever's turn it is now.
        const sql = yield* SqlClient.SqlClient
        yield* sql`DELETE FROM idempotency_keys`
        const again = (yield* say(words, agent.key, once)).body
        // It may have been synthesized meanwhile.
        expect({ ...again, turn: { ...again.turn, audioUrl: null, durationSec: null } }).toEqual({
          ...first.body,
          turn: { ...first.body.turn, audioUrl: null, durationSec: null }
        })
        expect(refused(yield* say({ ...words, turnId: first.body.turn.turnId }))).toEqual([409, "TURN_NOT_PENDING"])
        expect(
          refused(yield* call("POST", sessionPath(id, "turns/0"), { key: guest.key, body: { content: "So did I." } }))
        ).toEqual([409, "TURN_NOT_PENDING"])
        const legacy = yield* call("POST", sessionPath(id, "turns/1"), {
          key: guest.key,
          body: { content: "So did I." }
        })
        expect([legacy.status, legacy.headers.has("deprecation"), legacy.body.turn.scriptText]).toEqual([
          200,
          true,
          "So did I."
        ])
        expect(scripts(yield* session(id))).toEqual([null, null, null])
        expect(scripts(yield* session(id, guest.key))).toEqual([words.scriptText, "So did I.", null])
        expect((yield* say({ scriptText: "Then let us keep it." })).body.nextTurn).toBeNull()
        // The station synthesizes the turns by itself; the last sound completes the recording.
        const ready = yield* askUntil(session(id, agent.key), ({ status }) => status === "ready_to_produce")
        expect(
          ready.turns.every(
            ({ audioUrl, durationSec }: { audioUrl: string | null; durationSec: number | null }) =>
              audioUrl !== null && durationSec! > 0
          )
        ).toBe(true)
        const reach = yield* (yield* SoundAccess).reach(/([^/]+)\.mp3$/.exec(ready.turns[1].audioUrl)![1]!)
        expect([reach!.everybody, reach!.agentId, [...reach!.seated].sort()]).toEqual([
          false,
          guest.id,
          [agent.id, guest.id].sort()
        ])
        yield* askUntil(asked(agent.key, "SESSION_READY_TO_PRODUCE"), (ids) => ids.length === 1)
        const made = yield* Effect.forEach(
          [1, 2, 3],
          () => call("POST", sessionPath(id, "produce"), { key: agent.key }),
          atOnce
        )
        expect(made.map(({ status }) => status)).toEqual([200, 200, 200])
        expect(new Set(made.map(({ body }) => JSON.stringify(body))).size).toBe(1)
        expect(made[0]!.body).toMatchObject({
          session: { status: "stitched" },
          segmentId: made[0]!.body.session.stitchedSegmentId
        })
        expect((yield* call("POST", sessionPath(id, "done"), { key: agent.key })).body.session.status).toBe("stitched")
        expect(refused(yield* call("POST", sessionPath(id, "start"), { key: agent.key }))).toEqual([
          409,
          "SESSION_NOT_STARTABLE"
        ])
        expect(yield* sql`SELECT id FROM segments WHERE session_id = ${id} AND category = 'panel'`).toHaveLength(1)
        const inList = Effect.map(call("GET", `/api/shows/${show.slug}/sessions`), ({ body }) =>
          scripts(body.sessions[0])
        )
        // Its guest's first air isn't cleared: the panel waits for a review, and so do its words.
        expect(yield* inList).toEqual([null, null, null])
        yield* setSegments(sql`id = ${made[0]!.body.segmentId}`, "waiting", { atMs: null })
        expect(yield* inList).toEqual([words.scriptText, "So did I.", "Then let us keep it."])
        expect(yield* told("SessionTurnReady", id)).toEqual([agent.id, guest.id, agent.id])
        expect([...(yield* told("SessionTurnTaken", id))].sort()).toEqual(
          [agent.id, agent.id, agent.id, guest.id, guest.id, guest.id].sort()
        )
        expect(yield* told("SessionReadyToProduce", id)).toEqual([agent.id])
        expect([...(yield* told("SessionEnded", id))].sort()).toEqual([agent.id, guest.id].sort())
        expect(
          yield* sql`SELECT code, subject_id FROM points WHERE agent_id = ${guest.id} AND code IN ('panel_turn', 'session_stitched')`
        ).toHaveLength(2)
        // The words belong to the panel, also after the airing: no segment of a single speaker exists.
        yield* setSegments(sql`session_id = ${id} AND category = 'panel_turn'`, "aired")
        expect(
          yield* (yield* DeskViews).find(guest.id as AgentId, {
            nowMs: 0,
            day: "",
            troublesSinceMs: 0,
            troublesMax: 1,
            airedSinceMs: 0,
            reviewsPeers: false
          })
        ).toMatchObject({ hasAired: false })
      }),
    300_000
  )

  it.effect(
    "proceed by themselves: the guests' deadline passes, turns are skipped, and the end is reached",
    () =>
      Effect.gen(function* () {
        const { agent, id } = yield* panel({ isOpenCall: true })
        const guest = yield* arrive()
        yield* call("POST", sessionPath(id, "claim"), { key: guest.key })
        yield* moveDeadlinesEarlier(id, 24 * 60)
        expect(yield* askUntil(session(id), ({ status }) => status !== "accepting_guests")).toMatchObject({
          status: "recording",
          turns: [{ turnIndex: 0, handle: agent.handle }]
        })
        yield* call("POST", sessionPath(id, "turns"), { key: agent.key, body: words })
        const panels = yield* Panel.client
        for (const _ of [1, 2]) {
          yield* moveDeadlinesEarlier(id, 61)
          // Woken twice, by two processes at once, it is skipped once.
          yield* Effect.forEach([1, 2, 3], () => panels(id).Wake(), atOnce)
          yield* call("POST", sessionPath(id, "turns"), { key: agent.key, body: words })
        }
        expect((yield* session(id)).turns.map(({ status }: { status: string }) => status)).toEqual([
          "submitted",
          "skipped",
          "submitted",
          "skipped"
        ])
        // The guest is done after that, and there are enough turns.
        expect(["complete", "ready_to_produce"]).toContain((yield* session(id)).status)
        expect((yield* session(id)).participants[1]).toMatchObject({ done: true, missedTurns: 2 })
        expect(yield* told("SessionTurnSkipped", id)).toEqual([guest.id, guest.id])
        const empty = yield* panel()
        yield* moveDeadlinesEarlier(empty.id, 72 * 60)
        expect(yield* askUntil(session(empty.id), ({ status }) => status === "expired")).toMatchObject({
          statusReason: "TOO_FEW_TURNS"
        })
        expect(yield* told("SessionEnded", empty.id)).toEqual([empty.agent.id])
        const nobody = yield* panel({ isOpenCall: true })
        yield* moveDeadlinesEarlier(nobody.id, 24 * 60)
        yield* askUntil(
          session(nobody.id),
          ({ status, statusReason }) => status === "cancelled" && statusReason === "NO_GUESTS"
        )
      }),
    300_000
  )

  it.effect(
    "are at home of everybody who may join, newest first, until dismissed or full",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE panel_sessions SET joinable_until = NULL`
        const [one, two] = [yield* arrive(), yield* arrive()]
        const { agent, id } = yield* panel({ isOpenCall: true, maxGuests: 1 })
        const more = yield* Effect.forEach([1, 2, 3], () =>
          Effect.map(panel({ isOpenCall: true }), (opened) => opened.id)
        )
        expect(yield* invited(one.key)).toEqual(invites(more))
        expect(
          (yield* call("POST", "/api/v1/inbox/ack", {
            key: one.key,
            body: { itemIds: [`open_session:${more[2]}`, "open_session:ses_1"], disposition: "dismissed" }
          })).body
        ).toMatchObject({ acknowledged: [`open_session:${more[2]}`], unknown: ["open_session:ses_1"] })
        expect(yield* invited(one.key)).toEqual(invites([more[1], more[0], id]))
        const inbox = Effect.map(call("GET", "/api/v1/inbox?limit=1", { key: one.key }), ({ body }) => body)
        const page = yield* inbox
        expect([page.items[0].id, page.items[0].action.path, page.unreadCount]).toEqual([
          `open_session:${more[1]}`,
          sessionPath(more[1]!, "claim"),
          3
        ])
        expect(
          (yield* call("GET", `/api/v1/inbox?limit=1&cursor=${page.nextCursor}`, { key: one.key })).body.items[0].id
        ).toBe(`open_session:${more[0]}`)
        expect((yield* asked(agent.key, "OPEN_SESSION_INVITE")).includes(`open_session:${id}`)).toBe(false)
        yield* call("POST", sessionPath(id, "claim"), { key: two.key })
        expect((yield* asked(one.key, "OPEN_SESSION_INVITE")).includes(`open_session:${id}`)).toBe(false)
        yield* call("POST", sessionPath(id, "start"), { key: agent.key })
        yield* askUntil(asked(agent.key, "SESSION_TURN_READY"), (ids) => ids.length === 1)
        expect((yield* home(agent.key)).recommendedCadenceSeconds).toBeLessThanOrEqual(33)
        expect((yield* home(two.key)).recommendedCadenceSeconds).toBeLessThanOrEqual(66)
        // An agent that is being recorded can't change its voice.
        expect(
          refused(
            yield* call("POST", "/api/v1/agents/me/voice/claim", {
              key: two.key,
              body: { voiceId: "voice_cleo", rightsAttested: true }
            })
          )
        ).toEqual([409, "VOICE_LOCKED"])
        yield* call("POST", sessionPath(id, "done"), { key: two.key })
        expect(
          (yield* call("POST", "/api/v1/agents/me/voice/claim", {
            key: two.key,
            body: { voiceId: "voice_cleo", rightsAttested: true }
          })).status
        ).toBe(200)
      }),
    300_000
  )

  it.effect(
    "seat invited agents, notify subscribers, and are limited to three at a time",
    () =>
      Effect.gen(function* () {
        const [guest, ear] = [yield* arrive(), yield* arrive()]
        const hook = yield* (yield* IdSource).make("whk")
        yield* (yield* WebhooksWriter).add({
          id: hook,
          agentId: ear.id as AgentId,
          url: "https://elsewhere.example/hook",
          events: ["session.open"],
          description: null,
          secretSealed: "sealed",
          createdAtMs: 0
        })
        const { agent, id, show } = yield* panel({ invitedAgentIds: [guest.id] })
        expect(yield* told("SessionInvited", id)).toEqual([guest.id])
        expect(yield* session(id)).toMatchObject({
          status: "recording",
          participants: [
            { role: "host", seat: 0 },
            { agentId: guest.id, role: "guest", seat: 1 }
          ],
          currentTurn: { handle: agent.handle }
        })
        yield* askUntil(asked(guest.key, "OPEN_SESSION_INVITE"), (ids) => ids.includes(`open_session:${id}`))
        expect((yield* call("POST", sessionPath(id, "claim"), { key: guest.key })).status).toBe(200)
        expect((yield* asked(guest.key, "OPEN_SESSION_INVITE")).includes(`open_session:${id}`)).toBe(false)
        const open = (body: object, headers = {}) =>
          call("POST", `/api/shows/${show.slug}/sessions`, {
            key: agent.key,
            body: { title: "Again", ...body },
            headers
          })
        expect(refused(yield* open({ invitedAgentIds: ["agt_00000000000000000000000000"] }))).toEqual([
          404,
          "AGENT_NOT_FOUND"
        ])
        expect(refused(yield* open({ invitedAgentIds: [agent.id] }))).toEqual([400, "INVALID_FIELD"])
        const wrong = yield* open({ minTurns: 5, maxTurns: 4, hardDeadline: "2020-01-01T00:00:00Z" })
        expect([...refused(wrong), wrong.body.errors.map(({ pointer }: { pointer: string }) => pointer)]).toEqual([
          400,
          "INVALID_FIELD",
          ["/maxTurns", "/hardDeadline"]
        ])
        const made = yield* Effect.forEach(
          [1, 2, 3, 4],
          () => open({ isOpenCall: true }, { "idempotency-key": "open" }),
          { concurrency: 1 }
        )
        expect(new Set(made.map(({ body }) => body.session.id)).size).toBe(1)
        expect(yield* told("SessionOpened", made[0]!.body.session.id)).toEqual([ear.id])
        expect(
          (yield* call("POST", `/api/shows/${show.slug}/sessions?dryRun=true`, {
            key: agent.key,
            body: { title: "Again" }
          })).body
        ).toMatchObject({ dryRun: true, status: 201 })
        const answers = yield* Effect.forEach([1, 2, 3], () => open({}), atOnce)
        expect(answers.map(({ status }) => status).sort()).toEqual([201, 403, 403])
        expect(
          refused(
            yield* call("POST", `/api/shows/${(yield* showOf((yield* host()).handle)).slug}/sessions`, {
              key: agent.key,
              body: { title: "Tide" }
            })
          )
        ).toEqual([403, "FORBIDDEN"])
        expect(refused(yield* call("POST", sessionPath("ses_1", "claim"), { key: agent.key }))).toEqual([
          404,
          "NOT_FOUND"
        ])
      }),
    300_000
  )

  it.effect(
    "lose agents that leave the station, and end with their host",
    () =>
      Effect.gen(function* () {
        const { agent, guest, id } = yield* startRecording()
        const key = yield* operator("admin")
        yield* call("POST", sessionPath(id, "turns"), { key: agent.key, body: words })
        yield* call("POST", `/api/ops/agents/${guest.id}/suspend`, { key, body: { reason: "spam" } })
        yield* freeSeats()
        expect(yield* session(id)).toMatchObject({
          status: "recording",
          participants: [{}, { done: true }],
          turns: [{ status: "submitted" }, { status: "skipped" }, { status: "pending", handle: agent.handle }]
        })
        yield* call("POST", `/api/ops/agents/${agent.id}/suspend`, { key, body: { reason: "spam" } })
        yield* freeSeats()
        expect(yield* session(id)).toMatchObject({ status: "cancelled", statusReason: "HOST_LEFT" })
        const sql = yield* SqlClient.SqlClient
        expect(yield* sql`SELECT status FROM segments WHERE session_id = ${id}`).toEqual([{ status: "cancelled" }])
      }),
    300_000
  )

  it.effect(
    "are controlled by operators: moved deadlines, a removed seat, an early end, each audited once",
    () =>
      Effect.gen(function* () {
        const { agent, guest, id } = yield* startRecording()
        const key = yield* operator("producer")
        const act = (what: string, body: object = {}) =>
          call("POST", `/api/ops/sessions/${id}/${what}`, { key, body: { ...body, reason: "a slow night" } })
        const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
        expect(refused(yield* act("extend"))).toEqual([400, "MISSING_FIELDS"])
        expect(refused(yield* act("extend", { hardDeadline: inHours(-1) }))).toEqual([400, "INVALID_FIELD"])
        expect(refused(yield* act("extend", { guestDeadline: inHours(1) }))).toEqual([409, "SUBJECT_CONFLICT"])
        const [hardDeadline, turnDue] = [inHours(100), inHours(5)]
        expect((yield* act("extend", { hardDeadline, turnDue })).body.session).toMatchObject({
          hardDeadline,
          currentTurn: { dueAt: turnDue }
        })
        const seat = (yield* session(id)).participants[1].participantId
        const remove = call("DELETE", `/api/ops/sessions/${id}/seats/${seat}?reason=rude`, { key })
        expect((yield* remove).body.session.participants[1]).toMatchObject({ agentId: guest.id, done: true })
        expect((yield* remove).status).toBe(200)
        expect((yield* call("POST", sessionPath(id, "turns"), { key: agent.key, body: words })).status).toBe(200)
        expect((yield* act("close")).body.session).toMatchObject({ status: "cancelled", statusReason: "OPERATOR" })
        expect((yield* act("close")).status).toBe(200)
        expect(
          (yield* call("GET", "/api/ops/sessions?status=cancelled", { key })).body.sessions.some(
            (each: { id: string; turns: ReadonlyArray<{ scriptText: string }> }) =>
              each.id === id && each.turns[0]!.scriptText === words.scriptText
          )
        ).toBe(true)
        const sql = yield* SqlClient.SqlClient
        expect(
          (yield* sql<{ action: string }>`SELECT action FROM audit WHERE subject_id = ${id} ORDER BY position`).map(
            ({ action }) => action
          )
        ).toEqual(["session.extend", "session.remove_seat", "session.close"])
        expect(
          refused(yield* call("POST", "/api/ops/sessions/ses_00000000000000000000000000/close", { key, body: {} }))
        ).toEqual([404, "NOT_FOUND"])
      }),
    300_000
  )
})
