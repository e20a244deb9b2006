import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  deliveryRetriesMs,
  deliveryRetryAfterMaxMs,
  webhookFailingMaxMs,
  webhookPayloadMaxBytes
} from "../../../../engine/rules/inbox/limits.ts"
import { applyTry, retryAfterOf, retryInMs, type Try } from "../../../../engine/rules/inbox/WebhookRetry.ts"
import { inboxOnly, webhookCatalog } from "../../../../engine/rules/inbox/WebhookCatalog.ts"
import { messageOf, payloadOf } from "../../../../engine/rules/inbox/WebhookMessage.ts"
import { StationEvent } from "../../../../schema/Events.ts"
import { webhookTypes } from "../../../../schema/inbox/Webhook.ts"

const nowMs = 1_790_000_000_000
const tryOf = (over: Partial<Try> = {}): Try => ({
  attempts: 0,
  responseStatus: 500,
  retryAfterMs: null,
  isOnce: false,
  failingSinceMs: null,
  nowMs,
  jitter: 0.5,
  ...over
})
const jitter = fc.double({ min: 0, max: 1, noNaN: true })

describe("a try of a delivery", () => {
  it("is followed by nine more over three days, each within a tenth of its time", () => {
    expect(deliveryRetriesMs.map((ms) => ms / 1_000)).toEqual([
      5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400
    ])
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 12 }),
        jitter,
        fc.constantFrom(null, 301, 400, 404, 429, 500, 503),
        (attempts, chance, responseStatus) => {
          const { nextAtMs, status } = applyTry(tryOf({ attempts, jitter: chance, responseStatus }))
          const planned = deliveryRetriesMs[attempts]
          expect(status).toBe(planned === undefined ? "failed" : "pending")
          if (planned === undefined) {
            expect(nextAtMs).toBe(null)
            return
          }
          expect(nextAtMs! - nowMs).toBeGreaterThanOrEqual(Math.floor(planned * 0.9))
          expect(nextAtMs! - nowMs).toBeLessThanOrEqual(Math.ceil(planned * 1.1))
        }
      )
    )
  })

  it("waits as long as the endpoint asks, a day at most, and never less than planned", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        jitter,
        fc.integer({ min: 0, max: 10 * deliveryRetryAfterMaxMs }),
        (attempts, chance, askedMs) => {
          const wait = retryInMs(attempts, chance, askedMs)!
          expect(wait).toBe(Math.max(retryInMs(attempts, chance, null)!, Math.min(askedMs, deliveryRetryAfterMaxMs)))
        }
      )
    )
    expect([
      retryAfterOf("120", nowMs),
      retryAfterOf(new Date(nowMs + 60_000).toUTCString(), nowMs),
      retryAfterOf("soon", nowMs),
      retryAfterOf("-1", nowMs),
      retryAfterOf(undefined, nowMs),
      retryAfterOf("99999999999999", nowMs)
    ]).toEqual([120_000, 60_000, null, null, null, null])
  })

  it("that succeeds ends the delivery and the series of failures", () => {
    for (const responseStatus of [200, 202, 204, 299]) {
      expect(applyTry(tryOf({ responseStatus, failingSinceMs: 1, attempts: 9 }))).toEqual({
        status: "delivered",
        nextAtMs: null,
        failingSinceMs: null,
        disable: null
      })
    }
  })

  it("disables an endpoint that is gone at once, and one after five days of failures only", () => {
    expect(applyTry(tryOf({ responseStatus: 410 }))).toMatchObject({
      status: "failed",
      nextAtMs: null,
      disable: "gone"
    })
    expect(applyTry(tryOf({ failingSinceMs: nowMs - webhookFailingMaxMs + 1 })).disable).toBe(null)
    expect(applyTry(tryOf({ failingSinceMs: nowMs - webhookFailingMaxMs })).disable).toBe("failing")
    expect(applyTry(tryOf()).failingSinceMs).toBe(nowMs)
    expect(applyTry(tryOf({ failingSinceMs: 7 })).failingSinceMs).toBe(7)
    expect(applyTry(tryOf({ isOnce: true }))).toMatchObject({ status: "failed", nextAtMs: null })
  })
})

describe("the catalog", () => {
  const kinds = StationEvent.members.map(({ fields }) => fields._tag.schema.literal as StationEvent["_tag"])
  const session = { sessionId: "ses_1", agentId: "agt_1", title: "t", turnId: "turn_1", dueAt: "d" }
  const example = (_tag: StationEvent["_tag"], over: object = {}) =>
    ({
      _tag,
      ...session,
      segmentId: "seg_1",
      reason: "r",
      expectedAirAt: "e",
      airedAt: "a",
      airedCompletely: true,
      decision: "approve",
      keyId: "key_1",
      tier: 1,
      rankScore: 2,
      postId: "post_1",
      commentId: "cmt_1",
      by: "ben",
      interactionId: "int_1",
      status: "cancelled",
      webhookId: "whk_1",
      messageId: "msg_1",
      exchangeId: "exc_1",
      requestId: "sreq_1",
      planId: "plan_1",
      productionId: "job_1",
      topicId: "top_1",
      uploadId: "upl_1",
      trackId: "trk_1",
      entryId: "lore_1",
      docketId: "dkt_1",
      subjectId: "post_1",
      blogId: "blog_1",
      adoptionId: "adp_1",
      submissionId: "sub_1",
      ...over
    }) as unknown as StationEvent

  it("names the events of every type, and those produce it", () => {
    const made = new Map<string, Array<string>>()
    for (const kind of kinds) {
      for (const event of kind === "SessionEnded"
        ? ["stitched", "cancelled", "expired"].map((status) => example(kind, { status }))
        : [example(kind)]) {
        const message = messageOf(event)
        if (message === null) continue
        expect([kind, message.agentId, message.id.length > 0]).toEqual([kind, "agt_1", true])
        made.set(message.type, [...new Set([...(made.get(message.type) ?? []), kind])])
      }
    }
    const waiting = webhookTypes.filter((type) => webhookCatalog[type].from.length === 0 && type !== "ping")
    console.info(
      `webhooks: ${made.size} types are made by events of the station; these wait for what they tell of: ${waiting.join(", ")}`
    )
    for (const type of webhookTypes)
      expect([type, inboxOnly.includes(type) ? ["WebhookDisabled"] : (made.get(type) ?? [])]).toEqual([
        type,
        [...webhookCatalog[type].from]
      ])
  })

  it("has a line and a payload for each of the 42 types, without the fields common to all", () => {
    expect(Object.keys(webhookCatalog)).toEqual([...webhookTypes])
    for (const { description, example: data } of Object.values(webhookCatalog)) {
      expect([description.endsWith("."), typeof data["id"], "agentId" in data, "station" in data]).toEqual([
        true,
        "string",
        false,
        false
      ])
      for (const name of (data["untrusted"] ?? []) as ReadonlyArray<string>)
        expect([name, typeof data[name]]).toEqual([name, "string"])
    }
  })
})

describe("a payload", () => {
  const data = fc.dictionary(
    fc.string(),
    fc.oneof(fc.string({ maxLength: 30_000, size: "max" }), fc.integer(), fc.constant(null)),
    { maxKeys: 6 }
  )

  it("fits in any case, and marks omitted parts", () => {
    fc.assert(
      fc.property(data, fc.string({ maxLength: 30_000, size: "max" }), (rest, scriptText) => {
        const given = { ...rest, scriptText, id: "seg_1", agentId: "agt_1", station: { slug: "longwave" } }
        const body = payloadOf("segment.aired", "2026-10-01T20:00:00.000Z", given)
        expect(new TextEncoder().encode(body).length).toBeLessThanOrEqual(webhookPayloadMaxBytes)
        const read = JSON.parse(body) as { readonly data: Record<string, unknown> }
        expect(read.data).toMatchObject({ id: "seg_1", agentId: "agt_1", station: { slug: "longwave" } })
        expect(read.data["truncated"] === true).toBe(Object.keys(given).some((name) => !Object.hasOwn(read.data, name)))
      }),
      { numRuns: 60 }
    )
  })
})
