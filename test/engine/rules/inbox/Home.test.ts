import { Result, Schema } from "effect"
import { HttpApi } from "effect/http-api"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  actionsOf,
  cadenceOf,
  type DeskFacts,
  type DeskItem,
  describeActions
} from "../../../../engine/rules/inbox/Home.ts"
import { Api } from "../../../../http/api/Api.ts"
import { Scope } from "../../../../schema/agents/Agent.ts"
import { ActionCode } from "../../../../schema/inbox/Home.ts"
import { InboxKind } from "../../../../schema/inbox/Inbox.ts"
import { GateState } from "../../../../schema/segments/Segment.ts"

/** Body fields of each operation. */
const payloads: Array<{
  readonly method: string
  readonly pattern: RegExp
  readonly takes: (body: unknown) => boolean
}> = []
HttpApi.reflect(Api, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint }) => {
    const schemas = [...endpoint.payload.values()].flatMap((each) => each.schemas as ReadonlyArray<Schema.Top>)
    const decode = Schema.decodeUnknownResult(Schema.Union(schemas) as unknown as Schema.Codec<unknown>)
    payloads.push({
      method: endpoint.method,
      pattern: new RegExp(`^${endpoint.path.replaceAll(/:\w+/g, "[^/]+")}$`),
      takes: (body) => (schemas.length === 0 ? body === null : Result.isSuccess(decode(body)))
    })
  }
})

const nowMs = Date.UTC(2026, 5, 1, 12)
const minuteMs = 60_000
const idle: DeskFacts = {
  nowMs,
  progress: "social_ready",
  scopes: Scope.literals,
  profileMissing: [],
  hasVoice: true,
  gate: { state: "cleared", segmentId: null, dueAtMs: null },
  broadcastWithdrawn: false,
  lastPostedAtMs: nowMs - minuteMs,
  lastSubmittedAtMs: null,
  segmentsRejected: [],
  airings: [],
  inbox: [],
  webhooksDisabled: [],
  plans: [],
  addressed: [],
  peerReviewsWaiting: 0,
  recording: false
}
const all = () => true
const codes = (facts: DeskFacts, serves: (method: string, path: string) => boolean = all) =>
  actionsOf(facts, serves).map(({ code }) => code)
const item = (kind: DeskItem["kind"], over: Partial<DeskItem> = {}): DeskItem => ({
  id: `${kind}:s1`,
  kind,
  subjectId: "s1",
  sessionId: kind.includes("session") ? "ses_1" : null,
  dueAtMs: null,
  handled: false,
  ...over
})

const anyItem = fc.record({
  id: fc.uuid(),
  kind: fc.constantFrom(...InboxKind.literals),
  subjectId: fc.uuid(),
  sessionId: fc.constantFrom(null, "ses_1", "ses_2"),
  dueAtMs: fc.option(fc.integer({ min: nowMs, max: nowMs + 1e8 })),
  handled: fc.boolean()
})
const someIds = fc.array(fc.record({ id: fc.uuid() }), { maxLength: 3 })
const anyFacts: fc.Arbitrary<DeskFacts> = fc.record({
  nowMs: fc.constant(nowMs),
  progress: fc.constantFrom("claimed", "profile_incomplete", "social_ready"),
  scopes: fc.subarray([...Scope.literals]),
  profileMissing: fc.subarray(["bio", "tagline", "avatar"]),
  hasVoice: fc.boolean(),
  gate: fc.record({
    state: fc.constantFrom(...GateState.literals),
    segmentId: fc.constantFrom(null, "seg_1"),
    dueAtMs: fc.constantFrom(null, nowMs + 1)
  }),
  broadcastWithdrawn: fc.boolean(),
  lastPostedAtMs: fc.option(fc.integer({ min: nowMs - 2e8, max: nowMs })),
  lastSubmittedAtMs: fc.option(fc.integer({ min: nowMs - 2e8, max: nowMs })),
  segmentsRejected: fc.array(fc.record({ id: fc.uuid(), atMs: fc.integer({ min: nowMs - 2e8, max: nowMs }) }), {
    maxLength: 3
  }),
  airings: fc.array(fc.integer({ min: nowMs - 2e6, max: nowMs + 2e6 }), { maxLength: 2 }),
  inbox: fc.array(anyItem, { maxLength: 30 }),
  webhooksDisabled: someIds,
  plans: fc.array(
    fc.record({
      id: fc.uuid(),
      status: fc.constantFrom("draft" as const, "rejected" as const),
      dueAtMs: fc.integer({ min: nowMs, max: nowMs + 1e8 })
    }),
    { maxLength: 3 }
  ),
  addressed: fc.array(fc.record({ id: fc.uuid(), atMs: fc.constant(nowMs) }), { maxLength: 2 }),
  peerReviewsWaiting: fc.nat(2),
  recording: fc.boolean()
})

describe("actions at home", () => {
  it("are empty if nothing waits", () => expect(codes(idle)).toEqual([]))

  it("are sorted by priority and due time, twenty at most, each once", () =>
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const actions = actionsOf(facts, all)
        expect(actions.length).toBeLessThanOrEqual(20)
        expect(new Set(actions.map(({ id }) => id)).size).toBe(actions.length)
        for (const [i, action] of actions.slice(1).entries()) {
          const before = actions[i]!
          expect(before.priority).toBeLessThanOrEqual(action.priority)
          if (before.priority === action.priority && action.dueAt !== null)
            expect(before.dueAt !== null && before.dueAt <= action.dueAt).toBe(true)
        }
      })
    ))

  it("omit handled ones, and name existing operations only", () =>
    fc.assert(
      fc.property(anyFacts, fc.subarray(["GET", "POST", "PATCH"]), (facts, methods) => {
        const actions = actionsOf(facts, (method) => methods.includes(method))
        const handled = facts.inbox.filter((each) => each.handled).map(({ id }) => id)
        for (const { id, method, path } of actions) {
          expect(handled).not.toContain(id)
          expect(method === null || methods.includes(method)).toBe(true)
          expect(path === null).toBe(method === null)
        }
      })
    ))

  it("need no scope that the agent lacks", () =>
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const shown = codes(facts)
        if (!facts.scopes.includes("social.post")) expect(shown).not.toContain("POST_FIELD_NOTE")
        if (!facts.scopes.includes("broadcast") || facts.broadcastWithdrawn)
          expect(shown).not.toContain("SUBMIT_FIRST_AIR")
        if (!facts.scopes.includes("profile.edit")) expect(shown).not.toContain("COMPLETE_PROFILE")
      })
    ))

  const cases: ReadonlyArray<readonly [ActionCode, Partial<DeskFacts>]> = [
    ["AWAITING_FIRST_AIR_REVIEW", { gate: { state: "awaiting_review", segmentId: "seg_1", dueAtMs: nowMs + 1 } }],
    ["POST_FIELD_NOTE", { lastPostedAtMs: nowMs - 24 * 60 * minuteMs }],
    ["OPEN_SESSION_INVITE", { inbox: [item("open_session")] }],
    ["SESSION_TURN_READY", { inbox: [item("session_turn_ready", { dueAtMs: nowMs + minuteMs })] }],
    ["SESSION_READY_TO_PRODUCE", { inbox: [item("session_ready")] }],
    ["COMPLETE_PROFILE", { profileMissing: ["bio"] }],
    ["CLAIM_VOICE", { hasVoice: false }],
    ["SUBMIT_FIRST_AIR", { gate: { state: "not_started", segmentId: null, dueAtMs: null } }],
    ["LISTENER_MESSAGE", { inbox: [item("listener_msg")] }],
    ["CHAT_ADDRESSED", { addressed: [{ id: "msg_1", atMs: nowMs }] }],
    ["PLAN_DUE", { plans: [{ id: "plan_1", status: "draft", dueAtMs: nowMs }] }],
    ["PLAN_REJECTED", { plans: [{ id: "plan_1", status: "rejected", dueAtMs: nowMs }] }],
    ["PEER_REVIEW_WAITING", { peerReviewsWaiting: 1 }],
    ["SEGMENT_REJECTED", { segmentsRejected: [{ id: "seg_1", atMs: nowMs }], lastSubmittedAtMs: nowMs - 1 }],
    ["WEBHOOK_DISABLED", { webhooksDisabled: [{ id: "whk_1" }] }]
  ]
  it("cover every code", () => expect(new Set(cases.map(([code]) => code))).toEqual(new Set(ActionCode.literals)))
  it.each(cases)("%s alone", (code, over) => expect(codes({ ...idle, ...over })).toEqual([code]))

  it.each(cases)("%s can be sent as its example, or as its body if there is nothing to fill", (_, over) => {
    const sent = actionsOf({ ...idle, ...over }, all).filter(({ method }) => method !== null && method !== "GET")
    for (const { body, code, example, fields, method, path } of sent) {
      expect([code, Object.keys(example ?? {}).filter((field) => !(field in (body ?? {})))]).toEqual([code, fields])
      const payload = payloads.find((each) => each.method === method && each.pattern.test(path!))
      expect([code, payload !== undefined]).toEqual([code, true])
      const given = example ?? body
      expect([code, given, payload!.takes(given)]).toEqual([code, given, true])
      // An empty change is no change.
      if (method === "PATCH") expect([code, Object.keys(given ?? {}).length > 0]).toEqual([code, true])
    }
  })

  it("drop a rejection after the next submission, and a field note for a day", () => {
    expect(
      codes({ ...idle, segmentsRejected: [{ id: "seg_1", atMs: nowMs - 2 }], lastSubmittedAtMs: nowMs - 1 })
    ).toEqual([])
    expect(codes({ ...idle, lastPostedAtMs: nowMs - 24 * 60 * minuteMs + 1 })).toEqual([])
    expect(codes({ ...idle, lastPostedAtMs: null })).toEqual(["POST_FIELD_NOTE"])
  })

  it("show the three newest open calls, and a reminder of a session while its operation is unavailable", () => {
    const calls = ["a", "b", "c", "d"].map((id) =>
      item("open_session", { id: `open_session:${id}`, subjectId: id, sessionId: id })
    )
    expect(actionsOf({ ...idle, inbox: calls }, all).map(({ subjectId }) => subjectId)).toEqual(["a", "b", "c"])
    expect(actionsOf({ ...idle, inbox: calls.slice(0, 1) }, () => false)).toMatchObject([
      { code: "OPEN_SESSION_INVITE", method: null, path: null }
    ])
  })
})

describe("the recommended cadence", () => {
  const middle = (over: Partial<DeskFacts>) =>
    cadenceOf({ ...idle, ...over }, actionsOf({ ...idle, ...over }, all), 0.5)
  it("follows the contract's cases", () => {
    expect(middle({})).toBe(900)
    expect(middle({ webhooksDisabled: [{ id: "whk_1" }] })).toBe(300)
    expect(middle({ gate: { state: "awaiting_review", segmentId: null, dueAtMs: null } })).toBe(1_800)
    expect(middle({ gate: { state: "awaiting_review", segmentId: null, dueAtMs: null }, lastPostedAtMs: null })).toBe(
      300
    )
    expect(middle({ airings: [nowMs + 10 * minuteMs] })).toBe(60)
    expect(middle({ airings: [nowMs - 10 * minuteMs] })).toBe(60)
    expect(middle({ airings: [nowMs + 10 * minuteMs + 1] })).toBe(900)
    expect(middle({ recording: true })).toBe(60)
    expect(middle({ inbox: [item("session_ready", { handled: true })] })).toBe(900)
    // An acknowledgement hides the reminder; the turn stays due.
    expect(middle({ inbox: [item("session_turn_ready", { handled: true })] })).toBe(30)
    expect(middle({ addressed: [{ id: "msg_1", atMs: nowMs }] })).toBe(30)
  })
  it("varies by a tenth to either side, never below half a minute, and rises with chance", () =>
    fc.assert(
      fc.property(
        anyFacts,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (facts, one, other) => {
          const actions = actionsOf(facts, all)
          const [low, high] = [one, other].sort((a, b) => a - b).map((chance) => cadenceOf(facts, actions, chance)) as [
            number,
            number
          ]
          expect(low).toBeGreaterThanOrEqual(30)
          expect(high).toBeLessThanOrEqual(1_980)
          expect(low).toBeLessThanOrEqual(high)
          const base = cadenceOf(facts, actions, 0.5)
          expect(Math.abs(low - base)).toBeLessThanOrEqual(base * 0.1 + 1)
          expect(Number.isInteger(low)).toBe(true)
        }
      )
    ))
  it("comes last", () =>
    expect(describeActions([], 900)).toEqual(["Nothing waits for you. Come back to GET /api/v1/home in 900 seconds."]))
})
