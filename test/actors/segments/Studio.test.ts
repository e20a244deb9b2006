import { layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { type CommandContext, commandHeaders } from "../../../actors/runtime/protocol.ts"
import { Studio } from "../../../actors/segments/protocol/Studio.ts"
import { Audit } from "../../../engine/store/sql/Audit.ts"
import { Outbox } from "../../../engine/store/sql/Outbox.ts"
import { Reviews } from "../../../engine/store/moderation/Reviews.ts"
import { Segments } from "../../../engine/store/segments/Segments.ts"
import { Standings } from "../../../engine/store/agents/Standings.ts"
import type { Broadcaster } from "../../../schema/segments/Submission.ts"
import type { ReviewId } from "../../../schema/Ids.ts"
import type { GrantsPatch, ReviewDecision } from "../../../schema/moderation/Review.ts"
import { quietStation } from "../../support/station/QuietStation.ts"
import { SpeechScript } from "../../support/media/SpeechDoubles.ts"
import { draft, speechDraft, stranger, StudioWorld } from "../../support/segments/StudioWorld.ts"

const act = { actor: "operator@test", reason: "because" }
const studio = (by: Broadcaster) => Effect.map(Studio.client, (client) => client(by.agentId))
const submit = (
  by: Broadcaster,
  name: string,
  over: Parameters<typeof draft>[0] = {},
  context: Partial<CommandContext> = {}
) =>
  Effect.flatMap(studio(by), (client) =>
    client.SubmitSegment(
      { by, draft: draft({ scriptText: `Good evening, this is ${name} of ${by.handle}.`, ...over }) },
      { headers: commandHeaders(context) }
    )
  )
const generate = (by: Broadcaster, name: string, over: Parameters<typeof speechDraft>[0] = {}) =>
  Effect.flatMap(studio(by), (client) =>
    client.GenerateSpeech({ by, draft: speechDraft({ scriptText: `You hear ${name} of ${by.handle}.`, ...over }) })
  )
const grant = (by: Broadcaster, patch: GrantsPatch) =>
  Effect.flatMap(studio(by), (client) => client.Grant({ patch, ...act }))
const decide = (by: Broadcaster, reviewId: ReviewId, decision: ReviewDecision) =>
  Effect.flatMap(studio(by), (client) => client.Decide({ reviewId, decision, note: null, ...act }))
const firstReview = (segmentId: string) =>
  Effect.flatMap(Reviews, (reviews) => Effect.map(reviews.openFor("segment", segmentId), (review) => review!.id))
const scripted = (change: Partial<SpeechScript["Service"]>) =>
  Effect.map(SpeechScript, (script) => void Object.assign(script, change))
const code = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.result(effect), (result) =>
    Result.isFailure(result) ? (result.failure as { code?: string }).code : "succeeded"
  )
const turnOfLoop = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
/** Runs real work on a real database while the test clock is advanced. */
const meanwhile = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const running = yield* Effect.forkChild(Effect.exit(effect))
    while (running.pollUnsafe() === undefined) yield* Effect.andThen(turnOfLoop, TestClock.adjust("20 millis"))
    return yield* Effect.flatten(Fiber.join(running))
  })

/** What the station answers when an undo asks for a segment, and what it was asked. */
const asked = {
  answer: Effect.succeed("absent") as Effect.Effect<"removed" | "absent" | "on_air">,
  of: [] as Array<{ readonly segmentId: string; readonly dryRun?: boolean }>
}
const AskedStation = quietStation({
  Recall: ({ payload }: { readonly payload: (typeof asked.of)[number] }) =>
    Effect.suspend(() => {
      asked.of.push(payload)
      return asked.answer
    })
})

layer(AskedStation.pipe(Layer.provideMerge(StudioWorld)))("a studio", (it) => {
  it.effect("sends first scripts to review, three at most, and releases the clean ones at the approval", () =>
    Effect.gen(function* () {
      const by = stranger()
      const first = yield* submit(by, "one")
      expect(first.segment).toMatchObject({
        status: "pending_review",
        isFirstAir: true,
        audioStatus: "none",
        statusReason: "FIRST_AIR_REVIEW"
      })
      yield* TestClock.adjust("1 millis")
      expect((yield* submit(by, "two")).segment).toMatchObject({
        status: "pending_review",
        isFirstAir: false,
        statusReason: "BEHIND_FIRST_AIR"
      })
      yield* TestClock.adjust("1 millis")
      expect(
        (yield* submit(by, "three", { scriptText: "I know where you live, and I will kill you." })).segment.precheck
          .autoApproved
      ).toBe(false)
      expect(yield* code(submit(by, "four"))).toBe("FORBIDDEN")

      const review = yield* firstReview(first.segment.id)
      expect(yield* decide(by, review, "approve")).toMatchObject({ status: "approved", decidedBy: "operator@test" })
      expect(yield* decide(by, review, "approve")).toMatchObject({ status: "approved" })
      expect(yield* code(decide(by, review, "reject"))).toBe("REVIEW_CONFLICT")
      const own = (yield* (yield* Segments).list({
        agentId: by.agentId,
        status: null,
        sinceMs: null,
        limit: 10,
        cursor: null
      }))!.records
      expect(own.map(({ status }) => status).sort()).toEqual(["pending_review", "queued", "queued"])
      expect((yield* (yield* Standings).gate(by.agentId)).state).toBe("cleared")
      expect((yield* submit(by, "five")).segment.status).toBe("queued")
      expect(
        (yield* submit(by, "six", { scriptText: "We're going to burn down the station tonight." })).segment
      ).toMatchObject({ status: "held", statusReason: "PRECHECK" })
      expect((yield* submit(by, "seven", { scriptText: "Buy now! Limited time offer!" })).segment).toMatchObject({
        status: "queued"
      })
      const events = (yield* (yield* Outbox).listAfter(0, 1_000))
        .map(({ event }) => event)
        .filter((event) => "agentId" in event && event.agentId === by.agentId)
      expect(events.map(({ _tag }) => _tag)).toEqual([
        "ReviewOpened",
        "SegmentQueued",
        "FirstAirDecided",
        "SegmentQueued",
        "ReviewOpened",
        "SegmentQueued",
        "ReviewOpened",
        "SegmentHeld",
        "SegmentQueued"
      ])
    })
  )

  it.effect("returns the first result for a repeated command, also for concurrent repeats", () =>
    Effect.gen(function* () {
      const by = stranger()
      yield* grant(by, { freeAir: true })
      const id = { scopeSha256: by.agentId, bodySha256: "same" }
      const all = yield* Effect.forEach(Array.from({ length: 12 }), () => submit(by, "same", {}, { id }), {
        concurrency: 12
      })
      expect(new Set(all.map(({ segment }) => segment.id)).size).toBe(1)
      expect((yield* (yield* Segments).count(by.agentId)).waiting).toBe(1)
      expect(yield* submit(by, "only asked", {}, { dryRun: true })).toMatchObject({ segment: { status: "queued" } })
      expect((yield* (yield* Segments).count(by.agentId)).waiting).toBe(1)
    })
  )

  it.effect("closes the gate at the third rejection, and reopens it only by a grant", () =>
    Effect.gen(function* () {
      const by = stranger()
      for (const turn of ["a", "b", "c"]) {
        const { segment } = yield* generate(by, turn)
        expect(segment).toMatchObject({
          status: "pending_review",
          isFirstAir: true,
          audioStatus: "ready",
          production: { engine: "PRIMARY" }
        })
        expect(yield* code(generate(by, `${turn} again`))).toBe("PRIMARY_TTS_NOT_ALLOWED")
        yield* decide(by, yield* firstReview(segment.id), "reject")
      }
      expect(yield* (yield* Standings).gate(by.agentId)).toMatchObject({
        state: "blocked",
        rejections: 3,
        reason: "because"
      })
      expect(yield* code(submit(by, "d"))).toBe("FORBIDDEN")
      yield* grant(by, { freeAir: true })
      expect((yield* submit(by, "e")).segment.status).toBe("queued")
      yield* grant(by, { canBroadcast: false })
      expect(yield* code(submit(by, "f"))).toBe("FORBIDDEN")
    })
  )

  it.effect("undoes a decision within ten minutes only, and audits both", () =>
    Effect.gen(function* () {
      const by = stranger()
      const { segment } = yield* generate(by, "x")
      yield* submit(by, "behind")
      const review = yield* firstReview(segment.id)
      yield* decide(by, review, "approve")
      const client = yield* studio(by)
      yield* client.UndoDecision({ reviewId: review, ...act })
      const segments = yield* Segments
      expect(
        (yield* segments.listWaiting(by.agentId)).map(({ status, statusReason }) => `${status} ${statusReason}`).sort()
      ).toEqual(["pending_review BEHIND_FIRST_AIR", "pending_review FIRST_AIR_REVIEW"])
      expect((yield* (yield* Standings).gate(by.agentId)).state).toBe("awaiting_review")
      yield* decide(by, review, "approve")
      yield* TestClock.adjust("11 minutes")
      expect(yield* code(client.UndoDecision({ reviewId: review, ...act }))).toBe("REVIEW_CONFLICT")
      const audit = yield* Audit
      expect(
        (yield* audit.list({
          actor: null,
          subject: segment.id,
          fromMs: null,
          toMs: null,
          limit: 10,
          cursor: null
        }))!.rows.map(({ action }) => action)
      ).toEqual(["review.approve", "review.undo", "review.approve"])
      expect(yield* audit.firstBroken).toBeNull()
    })
  )

  it.effect("undoes an approval only if the station takes all of it off the rundown, and says what to do instead", () =>
    Effect.gen(function* () {
      const by = stranger()
      const { segment } = yield* generate(by, "x")
      const { segment: behind } = yield* submit(by, "behind")
      const review = yield* firstReview(segment.id)
      yield* decide(by, review, "approve")
      const client = yield* studio(by)
      const undo = (context: Partial<CommandContext> = {}) =>
        Effect.map(
          Effect.result(client.UndoDecision({ reviewId: review, ...act }, { headers: commandHeaders(context) })),
          (result) => (Result.isFailure(result) ? (result.failure as { detail?: string }).detail! : "undone")
        )
      const states = Effect.map((yield* Segments).listWaiting(by.agentId), (all) => all.map(({ status }) => status))
      // The store doesn't know yet what the mixer has begun.
      asked.answer = Effect.succeed("on_air")
      const refused = yield* undo()
      expect(refused).toContain("is on the air")
      expect(refused).toMatch(/POST \/api\/ops\/subjects\/segment\/seg_\w+\/remove/)
      asked.answer = Effect.never
      expect(yield* meanwhile(undo())).toMatch(/Undo the decision again in a moment/)
      expect(yield* states).toEqual(["queued", "queued"])
      expect((yield* (yield* Standings).gate(by.agentId)).state).toBe("cleared")
      asked.answer = Effect.succeed("removed")
      asked.of.length = 0
      expect(yield* undo({ dryRun: true })).toBe("undone")
      expect(asked.of.map(({ dryRun }) => dryRun)).toEqual([true, true])
      expect(yield* states).toEqual(["queued", "queued"])
      asked.of.length = 0
      expect(yield* undo()).toBe("undone")
      expect(asked.of.map(({ segmentId }) => segmentId).sort()).toEqual([segment.id, behind.id].sort())
      expect(yield* states).toEqual(["pending_review", "pending_review"])
    })
  )

  it.effect("refuses decisions with another agent's operator link", () =>
    Effect.gen(function* () {
      const by = stranger()
      const { segment } = yield* generate(by, "y")
      expect(yield* code(decide(stranger(), yield* firstReview(segment.id), "approve"))).toBe("NOT_FOUND")
    })
  )

  it.effect("makes fifteen of two hundred concurrent requests, and refunds failures", () =>
    Effect.gen(function* () {
      const by = stranger()
      yield* grant(by, { freeAir: true, stationSpeech: true })
      yield* scripted({ fault: "crashes" })
      expect(yield* code(meanwhile(generate(by, "lost")))).toBe("PRIMARY_TTS_FAILED")
      yield* scripted({ fault: "none" })
      const answers = yield* Effect.forEach(
        Array.from({ length: 200 }, (_, i) => i),
        (i) => code(generate(by, `n${i}`)),
        { concurrency: "unbounded" }
      )
      const tally = new Map<string | undefined, number>()
      for (const each of answers) tally.set(each, (tally.get(each) ?? 0) + 1)
      expect(Object.fromEntries(tally)).toEqual({ succeeded: 15, RATE_LIMITED: 185 })
      expect((yield* (yield* Segments).count(by.agentId)).waiting).toBe(15)
    })
  )

  it.effect("counts all agents of an owner together", () =>
    Effect.gen(function* () {
      const agents = Array.from({ length: 5 }, () => stranger("owner-of-five"))
      yield* Effect.forEach(agents, (by) => grant(by, { freeAir: true, stationSpeech: true }))
      yield* scripted({ fault: "none" })
      const answers = yield* Effect.forEach(
        agents,
        (by) =>
          Effect.forEach(
            Array.from({ length: 40 }, (_, i) => i),
            (i) => code(generate(by, `o${i}`)),
            { concurrency: "unbounded" }
          ),
        { concurrency: 5 }
      )
      expect(answers.flat().filter((each) => each === "succeeded")).toHaveLength(60)
      for (const each of answers.flat())
        expect(["succeeded", "STATION_TTS_QUOTA_EXHAUSTED", "RATE_LIMITED"]).toContain(each)
      for (const own of answers) expect(own.filter((each) => each === "succeeded").length).toBeLessThanOrEqual(15)
    })
  )

  for (const [fault, expected] of [
    ["crashes", "PRIMARY_TTS_FAILED"],
    ["dies", "PRIMARY_TTS_FAILED"],
    ["silent", "PRIMARY_TTS_FAILED"],
    ["busy", "BUSY"],
    ["disk_full", "BUSY"],
    ["fails_once", "succeeded"]
  ] as const) {
    it.effect(`answers ${expected} when the engine ${fault}, and spends nothing on it`, () =>
      Effect.gen(function* () {
        const by = stranger()
        yield* grant(by, { freeAir: true, stationSpeech: true })
        yield* scripted({ fault, asked: [] })
        expect(yield* code(meanwhile(generate(by, "q")))).toBe(expected)
        yield* scripted({ fault: "none" })
        const again = yield* generate(by, "again")
        expect(again.quota.find(({ name }) => name === "station_speech_per_hour")!.used).toBe(
          expected === "succeeded" ? 2 : 1
        )
      })
    )
  }

  it.effect("abandons a hanging engine, twice, and serves the agent's next command", () =>
    Effect.gen(function* () {
      const by = stranger()
      yield* grant(by, { freeAir: true, stationSpeech: true })
      const script = yield* SpeechScript
      yield* scripted({ fault: "hangs", asked: [] })
      const running = yield* Effect.forkChild(Effect.exit(generate(by, "q")))
      for (const tries of [1, 2]) {
        while (script.asked.length < tries) yield* Effect.andThen(turnOfLoop, TestClock.adjust("50 millis"))
        yield* TestClock.adjust("120 seconds")
      }
      expect(yield* code(Effect.flatten(Fiber.join(running)))).toBe("PRIMARY_TTS_FAILED")
      yield* scripted({ fault: "none" })
      const { quota } = yield* generate(by, "next")
      expect(quota.find(({ name }) => name === "station_speech_per_hour")!.used).toBe(1)
    })
  )

  it.effect("refuses a too long script before anything is spent, and suggests parts that fit", () =>
    Effect.gen(function* () {
      const by = stranger()
      const long = Array.from({ length: 130 }, (_, i) => `Sentence number ${i} has exactly ten words in it, yes.`).join(
        " "
      )
      const refused = yield* Effect.flip(generate(by, "long", { scriptText: long }))
      expect(refused).toMatchObject({ code: "SCRIPT_TOO_LONG" })
      if (refused._tag !== "ScriptTooLong") throw new Error("another refusal")
      for (const part of refused.suggestedSplit.slice(0, 1)) {
        expect(
          (yield* generate(by, `part ${part.index}`, { scriptText: long.slice(part.startChar, part.endChar) })).segment
            .production.wordCount
        ).toBe(part.wordCount)
      }
      expect(yield* code(submit(by, "bad", { category: "panel" }))).toBe("INVALID_CATEGORY")
      expect(yield* code(submit(by, "lint", { scriptText: "<think>hm</think> hello" }))).toBe("INVALID_FIELD")
      expect(yield* code(submit(by, "show", { agentShowId: "show_1" }))).toBe("FORBIDDEN")
      expect(yield* code(submit(by, "past", { scheduledForMs: -1 }))).toBe("INVALID_FIELD")
    })
  )

  it.effect("accepts ten scripts a day, and the eleventh after midnight", () =>
    Effect.gen(function* () {
      const by = stranger()
      yield* grant(by, { freeAir: true })
      for (let i = 0; i < 10; i++) yield* submit(by, `s${i}`)
      expect(yield* code(submit(by, "s10"))).toBe("RATE_LIMITED")
      yield* TestClock.adjust("1 day")
      expect((yield* submit(by, "s11")).segment.status).toBe("queued")
    })
  )

  it.effect("reads a queued script, or fails it, within its budget", () =>
    Effect.gen(function* () {
      const by = stranger()
      yield* grant(by, { freeAir: true })
      yield* TestClock.adjust("1 day")
      yield* scripted({ fault: "none", seconds: 4 })
      const client = yield* studio(by)
      const segments = yield* Segments
      const { segment } = yield* submit(by, "read me")
      expect(segment).toMatchObject({ audioStatus: "none", statusReason: "NO_AUDIO" })
      expect(yield* client.ReadForHouse({ segmentId: segment.id })).toBe("done")
      expect(yield* client.ReadForHouse({ segmentId: segment.id })).toBe("done")
      expect(yield* segments.find(segment.id)).toMatchObject({
        audioStatus: "ready",
        engine: "HOUSE",
        durationSec: 4,
        status: "queued",
        statusReason: null
      })

      yield* scripted({ fault: "silent" })
      const failing = (yield* submit(by, "fail me")).segment.id
      expect(yield* meanwhile(client.ReadForHouse({ segmentId: failing }))).toBe("failed")
      yield* client.LeaveUnread({ segmentId: failing })
      expect(yield* segments.find(failing)).toMatchObject({
        status: "failed",
        audioStatus: "failed",
        statusReason: "AUDIO_IMPOSSIBLE"
      })

      yield* scripted({ fault: "none", seconds: 3_595 })
      const longest = (yield* submit(by, "long one")).segment.id
      expect(yield* client.ReadForHouse({ segmentId: longest })).toBe("done")
      const waits = (yield* submit(by, "too late")).segment.id
      expect(yield* client.ReadForHouse({ segmentId: waits })).toBe("no_airtime")
      expect(yield* segments.find(waits)).toMatchObject({
        status: "queued",
        audioStatus: "none",
        statusReason: "NO_AUDIO"
      })
      yield* scripted({ fault: "none", seconds: 4 })
    })
  )

  it.effect("expires segments that waited too long, and lets the agent submit again", () =>
    Effect.gen(function* () {
      const by = stranger()
      const { segment } = yield* submit(by, "forgotten")
      const client = yield* studio(by)
      expect(yield* client.Expire({ segmentId: segment.id })).toBe(false)
      yield* (yield* SqlClient.SqlClient)`UPDATE segments SET status_changed_at = status_changed_at - interval '14 days' WHERE id = ${segment.id}`
      expect(yield* client.Expire({ segmentId: segment.id })).toBe(true)
      expect((yield* (yield* Standings).gate(by.agentId)).state).toBe("not_started")
      expect((yield* submit(by, "again")).segment.isFirstAir).toBe(true)
      expect(yield* client.Silence({ reason: "AGENT_LEFT" })).toBe(1)
      expect((yield* (yield* Segments).count(by.agentId)).waiting).toBe(0)
    })
  )
})
