import * as fc from "fast-check"
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { isRefusal, openSession, type PanelCommand, transition } from "../../../../engine/rules/panels/Panel.ts"
import {
  boundsOf,
  type Bounds,
  settleDeadlines,
  nextDeadlineMs
} from "../../../../engine/rules/panels/PanelDeadlines.ts"
import {
  type Happening,
  isOver,
  isSounded,
  pendingTurn,
  submittedTurns
} from "../../../../engine/rules/panels/PanelTurns.ts"
import type { AgentId, AssetId, ParticipantId, SegmentId, SessionId, ShowId, TurnId } from "../../../../schema/Ids.ts"
import { PanelSession, type SessionDraft } from "../../../../schema/panels/Panel.ts"
import { testId } from "../../../support/air/Airables.ts"

const minute = 60_000,
  hour = 60 * minute,
  day = 24 * hour,
  begun = 1_800_000_000_000
const agents = Array.from({ length: 6 }, (_, at) => testId("agt", at) as AgentId)
const host = agents[0]!
const draft = (over: Partial<SessionDraft> = {}): SessionDraft => ({
  title: "Tide",
  topic: null,
  description: null,
  isOpenCall: true,
  maxGuests: 3,
  minTurns: 2,
  maxTurns: 6,
  guestDeadlineMs: begun + 2 * hour,
  hardDeadlineMs: begun + 12 * hour,
  invitedAgentIds: [],
  ...over
})

let serial = 0
const fresh = (prefix: string) => testId(prefix, 1_000 + serial++)
const at = (nowMs: number) => ({ nowMs, turnId: fresh("turn") as TurnId })

const open = (over: Partial<SessionDraft> = {}, guests: ReadonlyArray<AgentId> = [], turnDeadlineMin = 60) => {
  const asked = draft(over)
  const seat = (agentId: AgentId) => ({
    agentId,
    handle: agentId.slice(-4),
    participantId: fresh("part") as ParticipantId
  })
  return openSession(
    {
      id: testId("ses", 1) as SessionId,
      show: { id: testId("show", 1) as ShowId, slug: "tide" },
      host: seat(host),
      guests: guests.map(seat),
      draft: asked,
      bounds: boundsOf(asked, begun) as Bounds,
      turnDeadlineMin
    },
    at(begun)
  )
}

/** In the actor's order: deadlines first, then the command. */
const run = (session: PanelSession, command: PanelCommand, nowMs: number) => {
  const waited = settleDeadlines(session, at(nowMs))
  const outcome = transition(waited.session, command, at(nowMs))
  return isRefusal(outcome)
    ? { ...waited, refusal: outcome.code }
    : { session: outcome.session, happened: [...waited.happened, ...outcome.happened], refusal: null }
}

const claim = (by: AgentId): PanelCommand => ({
  _tag: "Claim",
  by,
  handle: by.slice(-4),
  participantId: fresh("part") as ParticipantId
})
const submit = (by: AgentId, more: object = {}): PanelCommand => ({
  _tag: "Submit",
  by,
  commandKey: `k${serial++}`,
  turnId: null,
  turnIndex: null,
  scriptText: "Good evening.",
  flags: [],
  segmentId: fresh("seg") as SegmentId,
  ...more
})
const wake: PanelCommand = { _tag: "Wake" }

/** The steps in order, each as if no message had arrived before it. */
const after = (session: PanelSession, ...steps: ReadonlyArray<readonly [PanelCommand, number]>) =>
  steps.reduce((now, [command, hours]) => {
    const { refusal, session: next } = run(now, command, begun + hours * hour)
    expect(refusal).toBeNull()
    return next
  }, session)

const illegal = (session: PanelSession): string | null => {
  const { participants, status, turns } = session
  const pending = turns.filter((turn) => turn.status === "pending")
  const seats = new Set(participants.map(({ seat }) => seat))
  return pending.length > 1
    ? "more than one turn is waited for"
    : (pending.length === 1) !== (status === "recording")
      ? `${pending.length} turns are waited for while it is ${status}`
      : turns.some((turn, index) => turn.turnIndex !== index)
        ? "turns are out of order"
        : seats.size !== participants.length ||
            new Set(participants.map(({ agentId }) => agentId)).size !== participants.length
          ? "two share a seat, or one has two"
          : participants.filter(({ role }) => role === "host").length !== 1 ||
              participants[0]!.agentId !== session.hostAgentId
            ? "there is not one host"
            : session.isOpenCall &&
                participants.filter(({ done, role }) => role === "guest" && !done).length > session.maxGuests
              ? "there are more guests than seats"
              : submittedTurns(session).length > session.maxTurns
                ? "there are too many turns"
                : (status === "complete" || status === "ready_to_produce" || status === "stitched") &&
                    submittedTurns(session).length < session.minTurns
                  ? "there are too few turns for a recording"
                  : status === "complete" && isSounded(session)
                    ? "all is to be heard, and it still waits"
                    : pending.length === 1 &&
                        participants.find(({ participantId }) => participantId === pending[0]!.participantId)!.done
                      ? "it waits for somebody who is done"
                      : (status === "stitched") !== (session.stitchedSegmentId !== null)
                        ? "a segment without a panel, or a panel without one"
                        : turns.length > 3 * session.maxTurns + 40
                          ? "turns without end"
                          : null
}

const reload = (session: PanelSession): PanelSession =>
  Schema.decodeUnknownSync(PanelSession)(JSON.parse(JSON.stringify(Schema.encodeSync(PanelSession)(session))))

interface Deed {
  readonly what: number
  readonly who: number
  readonly which: number
  readonly stepMs: number
  readonly crash: boolean
  readonly again: boolean
}

const deeds = fc.array(
  fc.record({
    what: fc.integer({ min: 0, max: 31 }),
    who: fc.integer({ min: 0, max: 5 }),
    which: fc.integer({ min: -1, max: 9 }),
    stepMs: fc.oneof(
      { weight: 12, arbitrary: fc.integer({ min: 0, max: 20 * minute }) },
      { weight: 3, arbitrary: fc.integer({ min: 50 * minute, max: 70 * minute }) },
      fc.integer({ min: -hour, max: 5 * hour })
    ),
    crash: fc.boolean(),
    again: fc.boolean()
  }),
  { minLength: 1, maxLength: 70 }
)

const commandOf = (session: PanelSession, { what, which, who }: Deed, sent: Array<PanelCommand>): PanelCommand => {
  const by = agents[who]!
  const pending = pendingTurn(session)
  const turnId = session.turns[which]?.turnId ?? (testId("turn", 1) as TurnId)
  const speaker =
    session.participants.find(({ participantId }) => participantId === pending?.participantId)?.agentId ?? by
  switch (what) {
    case 0:
    case 1:
    case 2:
      return claim(by)
    case 3:
      return { _tag: "Start", by }
    case 4:
      return { _tag: "Done", by }
    case 5:
      return { _tag: "Leave", by }
    case 6:
      return { _tag: "Close" }
    case 7:
      return { _tag: "RemoveSeat", participantId: session.participants[which]?.participantId ?? "part_1" }
    case 8:
      return {
        _tag: "Extend",
        guestDeadlineMs: null,
        hardDeadlineMs: which > 4 ? session.hardDeadlineMs + which * hour : null,
        turnDueMs: which < 3 && pending !== null ? pending.dueAtMs + 1 : null
      }
    case 9:
      return { _tag: "Unvoiced", turnId, detail: "the engine failed" }
    case 10:
    case 11:
    case 12:
    case 13:
      return { _tag: "Voiced", turnId, durationSec: 3, assetId: null }
    case 14:
      return {
        _tag: "Produce",
        by: host,
        made:
          which > 3 ? { segmentId: fresh("seg") as SegmentId, assetId: fresh("mas") as AssetId, durationSec: 9 } : null
      }
    case 15:
      return { _tag: "Start", by: host }
    case 16:
      return submit(by)
    case 17:
      return submit(by, { turnId })
    case 18:
      return submit(speaker, { turnIndex: which })
    case 19:
      return submit(speaker, { flags: [{ code: "spam", severity: "low", excerptHash: "x" }] })
    // A repeat of an old command.
    case 20:
    case 21:
      return sent[Math.max(0, which) % Math.max(1, sent.length)] ?? wake
    case 22:
      return wake
    default:
      return submit(speaker)
  }
}

/** Compares the events with the state: each turn is requested once, and submitted or skipped once. */
const heard = (told: ReadonlyArray<Happening>, tag: Happening["_tag"]) =>
  told.flatMap((one) => (one._tag === tag && "turn" in one ? [one.turn.turnId] : []))

describe("a panel", () => {
  it("is never in an illegal state, keeps every submitted turn, reports each change once, and ends by its hard deadline", () => {
    fc.assert(
      fc.property(fc.boolean(), fc.integer({ min: 0, max: 3 }), deeds, (isOpenCall, invited, todo) => {
        const first = open({ isOpenCall }, agents.slice(1, 1 + invited))
        let session = first.session
        const told = [...first.happened]
        const sent: Array<PanelCommand> = []
        const kept = new Map<string, string>()
        let nowMs = begun
        for (const deed of todo) {
          nowMs += deed.stepMs
          const command = commandOf(session, deed, sent)
          sent.push(command)
          for (const each of deed.again ? [command, command] : [command]) {
            const before = session
            const step = run(session, each, nowMs)
            session = deed.crash ? reload(step.session) : step.session
            told.push(...step.happened)
            expect(illegal(session)).toBeNull()
            if (isOver(before.status) || step.refusal !== null)
              expect(submittedTurns(session)).toEqual(submittedTurns(before))
            if (isOver(before.status)) expect(session.status).toBe(before.status)
          }
          for (const [turnId, script] of kept)
            expect(session.turns.find((turn) => turn.turnId === turnId)).toMatchObject({
              status: "submitted",
              commandKey: script
            })
          for (const { commandKey, turnId } of submittedTurns(session)) kept.set(turnId, commandKey!)
          expect(new Set(kept.values()).size).toBe(kept.size)
          if (nowMs >= session.hardDeadlineMs)
            expect(["ready_to_produce", "stitched", "expired", "cancelled"]).toContain(session.status)
        }
        const last = run(session, wake, session.hardDeadlineMs)
        expect(["ready_to_produce", "stitched", "expired", "cancelled"]).toContain(last.session.status)
        told.push(...last.happened)
        const turns = last.session.turns
        expect(heard(told, "TurnReady")).toEqual(turns.map(({ turnId }) => turnId))
        expect([...heard(told, "TurnTaken")].sort()).toEqual(
          turns
            .filter(({ status }) => status === "submitted")
            .map(({ turnId }) => turnId)
            .sort()
        )
        expect([...heard(told, "TurnSkipped")].sort()).toEqual(
          turns
            .filter(({ status }) => status === "skipped")
            .map(({ turnId }) => turnId)
            .sort()
        )
        expect(told.filter(({ _tag }) => _tag === "Ended")).toHaveLength(Number(isOver(last.session.status)))
        expect(told.filter(({ _tag }) => _tag === "ReadyToProduce").length).toBe(
          last.session.status === "ready_to_produce" || last.session.status === "stitched"
            ? 1
            : told.filter(({ _tag }) => _tag === "ReadyToProduce").length
        )
        expect(told.filter(({ _tag }) => _tag === "ReadyToProduce").length).toBeLessThanOrEqual(1)
      }),
      { numRuns: 2_000 }
    )
  })

  it("asks its host first, then its guests by seat, and repeats", () => {
    const [, one, two] = agents as [AgentId, AgentId, AgentId]
    const session = after(
      open().session,
      [claim(one), 0],
      [claim(two), 0],
      [{ _tag: "Start", by: host }, 1],
      [submit(host), 1],
      [submit(one), 1],
      [submit(two), 1],
      [submit(host), 1]
    )
    expect(
      session.turns.map(({ participantId }) =>
        session.participants.findIndex((who) => who.participantId === participantId)
      )
    ).toEqual([0, 1, 2, 0, 1])
    expect(run(session, submit(two), begun + hour).refusal).toBe("FORBIDDEN")
    expect(run(session, submit(two, { turnId: session.turns[0]!.turnId }), begun + hour).refusal).toBe(
      "TURN_NOT_PENDING"
    )
    expect(run(session, submit(agents[5]!), begun + hour).refusal).toBe("FORBIDDEN")
    expect(
      run(session, submit(one, { flags: [{ code: "spam", severity: "low", excerptHash: "x" }] }), begun + hour)
    ).toMatchObject({ refusal: "CONTENT_REJECTED", session: { status: "recording" } })
  })

  it("skips a missed turn; after two a guest is done, and a host is skipped while guests remain", () => {
    const one = agents[1]!
    const started = after(open({ isOpenCall: false, guestDeadlineMs: null }, [one]).session)
    const skipped = after(started, [wake, 1], [submit(one), 1.1], [wake, 2.2], [submit(one), 2.3])
    expect(skipped.turns.map(({ status }) => status)).toEqual([
      "skipped",
      "submitted",
      "skipped",
      "submitted",
      "pending"
    ])
    expect(skipped.turns[4]!.participantId).toBe(skipped.participants[1]!.participantId)
    // The guest leaves too, and there are enough turns: the session is complete.
    expect(after(skipped, [{ _tag: "Done", by: one }, 2.4]).status).toBe("complete")
    const silent = after(started, [submit(host), 0.1], [wake, 1.2], [submit(host), 1.3], [wake, 2.4])
    expect([silent.participants[1]!.done, silent.status]).toEqual([true, "complete"])
    // No other participant is left: the turn waits until the hard deadline.
    const alone = after(open({ isOpenCall: false, guestDeadlineMs: null }).session, [wake, 1], [wake, 2])
    expect(alone.turns.map(({ dueAtMs }) => (dueAtMs - begun) / hour)).toEqual([1, 2, 12])
    expect(after(alone, [wake, 13]).statusReason).toBe("TOO_FEW_TURNS")
  })

  it("refuses a seat in this order: by invitation, full, the host's own, too late, ended", () => {
    const code = (session: PanelSession, by: AgentId, hours: number) =>
      run(session, claim(by), begun + hours * hour).refusal
    expect(code(open({ isOpenCall: false, guestDeadlineMs: null }).session, host, 0)).toBe("NOT_OPEN_CALL")
    const full = after(open({ maxGuests: 1 }).session, [claim(agents[1]!), 0])
    expect([code(full, host, 0), code(full, agents[2]!, 3), code(full, agents[1]!, 3)]).toEqual([
      "SESSION_FULL",
      "SESSION_FULL",
      null
    ])
    const waiting = open().session
    expect([code(waiting, host, 3), code(waiting, agents[2]!, 3)]).toEqual([
      "HOST_CANNOT_CLAIM",
      "GUEST_DEADLINE_EXPIRED"
    ])
    expect(code(after(waiting, [{ _tag: "Start", by: host }, 0]), agents[2]!, 1)).toBe("SESSION_NOT_ACCEPTING")
    // A participant who leaves makes room for another.
    expect(code(after(full, [{ _tag: "Done", by: agents[1]! }, 1]), agents[2]!, 1)).toBeNull()
  })

  it("starts by itself at the guests' deadline with one guest, else it is cancelled", () => {
    const waiting = open().session
    expect(after(waiting, [wake, 2])).toMatchObject({ status: "cancelled", statusReason: "NO_GUESTS" })
    const started = after(waiting, [claim(agents[1]!), 1], [wake, 2])
    expect([started.status, pendingTurn(started)!.dueAtMs]).toEqual(["recording", begun + 3 * hour])
  })

  it("is complete when the last sound is there or given up, and may be produced then or earlier by its host", () => {
    const said = after(
      open({ isOpenCall: false, guestDeadlineMs: null, maxTurns: 2 }).session,
      [submit(host), 0],
      [submit(host), 0]
    )
    expect(said.status).toBe("complete")
    expect(run(said, { _tag: "Produce", by: host, made: null }, begun).refusal).toBe("SESSION_NOT_READY_TO_PRODUCE")
    const [one, two] = said.turns as unknown as readonly [{ turnId: TurnId }, { turnId: TurnId }]
    const half = after(said, [{ _tag: "Voiced", turnId: two.turnId, durationSec: 3, assetId: null }, 0])
    expect(half.status).toBe("complete")
    expect(after(half, [{ _tag: "Unvoiced", turnId: one.turnId, detail: "crashed" }, 0]).status).toBe(
      "ready_to_produce"
    )
    expect(after(half, [{ _tag: "Done", by: host }, 0]).status).toBe("ready_to_produce")
    expect(after(half, [wake, 12]).status).toBe("ready_to_produce")
    expect(after(half, [wake, 12], [wake, 12 + 14 * 24])).toMatchObject({
      status: "expired",
      statusReason: "NOT_PRODUCED"
    })
    const made = { segmentId: testId("seg", 1) as SegmentId, assetId: testId("mas", 1) as AssetId, durationSec: 9 }
    const stitched = after(half, [wake, 12], [{ _tag: "Produce", by: host, made }, 13])
    expect(
      run(stitched, { _tag: "Produce", by: host, made: { ...made, segmentId: testId("seg", 2) as SegmentId } }, begun)
    ).toMatchObject({ refusal: null, happened: [], session: { stitchedSegmentId: made.segmentId } })
  })

  it("continues without a guest who left the station, and ends when its host leaves", () => {
    const [, one] = agents as [AgentId, AgentId]
    const started = after(open({ isOpenCall: false, guestDeadlineMs: null }, [one]).session, [submit(host), 0])
    const left = after(started, [{ _tag: "Leave", by: one }, 0])
    expect([left.turns.map(({ status }) => status), pendingTurn(left)!.participantId]).toEqual([
      ["submitted", "skipped", "pending"],
      left.participants[0]!.participantId
    ])
    expect(after(started, [{ _tag: "Leave", by: host }, 0])).toMatchObject({
      status: "cancelled",
      statusReason: "HOST_LEFT"
    })
  })

  it("obeys operators: deadlines move, never into the past; an end and a removed seat are final", () => {
    const one = agents[1]!
    const waiting = after(open().session, [claim(one), 0])
    const extend = (
      guestDeadlineMs: number | null,
      hardDeadlineMs: number | null,
      turnDueMs: number | null = null
    ): PanelCommand => ({ _tag: "Extend", guestDeadlineMs, hardDeadlineMs, turnDueMs })
    expect(run(waiting, extend(begun - 1, null), begun).refusal).toBe("INVALID_FIELD")
    expect(run(waiting, extend(null, begun + 15 * day), begun).refusal).toBe("INVALID_FIELD")
    expect(run(waiting, extend(null, null, begun + hour), begun).refusal).toBe("SUBJECT_CONFLICT")
    expect(nextDeadlineMs(after(waiting, [extend(begun + 5 * hour, begun + day), 0]))).toBe(begun + 5 * hour)
    const started = after(waiting, [{ _tag: "Start", by: host }, 0], [extend(null, null, begun + 4 * hour), 0])
    expect(nextDeadlineMs(started)).toBe(begun + 4 * hour)
    expect(after(started, [{ _tag: "Close" }, 0])).toMatchObject({ status: "cancelled", statusReason: "OPERATOR" })
    expect(after(started, [submit(host), 0], [submit(one), 0], [{ _tag: "Close" }, 0]).status).toBe("ready_to_produce")
    const removed = after(
      waiting,
      [{ _tag: "RemoveSeat", participantId: waiting.participants[1]!.participantId }, 0],
      [claim(one), 0]
    )
    expect(removed.participants[1]!.done).toBe(true)
    expect(
      run(waiting, { _tag: "RemoveSeat", participantId: waiting.participants[0]!.participantId }, begun).refusal
    ).toBe("SUBJECT_CONFLICT")
    expect(run(waiting, { _tag: "RemoveSeat", participantId: "part_1" }, begun).refusal).toBe("NOT_FOUND")
  })

  it("has the requested or the usual bounds, and lists all faults in them", () => {
    const none = draft({ maxGuests: null, minTurns: null, maxTurns: null, guestDeadlineMs: null, hardDeadlineMs: null })
    expect(boundsOf(none, begun)).toEqual({
      maxGuests: 3,
      minTurns: 4,
      maxTurns: 12,
      guestDeadlineMs: begun + day,
      hardDeadlineMs: begun + 3 * day
    })
    expect(boundsOf({ ...none, isOpenCall: false, minTurns: 20 }, begun)).toMatchObject({
      guestDeadlineMs: null,
      maxTurns: 20
    })
    expect(boundsOf({ ...none, guestDeadlineMs: begun + 6 * day }, begun)).toMatchObject({
      hardDeadlineMs: begun + 8 * day
    })
    const pointers = (over: Partial<SessionDraft>) =>
      (boundsOf({ ...none, ...over }, begun) as ReadonlyArray<{ readonly pointer: string }>).map(
        ({ pointer }) => pointer
      )
    expect(
      pointers({
        minTurns: 5,
        maxTurns: 4,
        invitedAgentIds: ["a", "b", "c", "d"],
        guestDeadlineMs: begun + minute,
        hardDeadlineMs: begun
      })
    ).toEqual(["/maxTurns", "/invitedAgentIds", "/guestDeadline", "/hardDeadline"])
    expect(pointers({ hardDeadlineMs: begun + 15 * day })).toEqual(["/hardDeadline"])
  })
})
