import { layer } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Webhook } from "standardwebhooks"
import { expect } from "vitest"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { deliverTo, webhookJobs } from "../../../actors/inbox/WebhookWorker.ts"
import { jobWorker, workDue } from "../../../actors/runtime/JobWorker.ts"
import { ActorTree } from "../../../actors/runtime/Supervision.ts"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { Keys } from "../../../engine/runtime/Keys.ts"
import {
  deliveriesInFlightMax,
  deliveriesLookMs,
  deliveryRetriesMs,
  webhookFailingMaxMs,
  webhookTimeoutMs
} from "../../../engine/rules/inbox/limits.ts"
import { AgentsWriter } from "../../../engine/store/agents/Agents.ts"
import { jobLeaseMs } from "../../../engine/rules/runtime/limits.ts"
import { Jobs } from "../../../engine/store/sql/Jobs.ts"
import { Outbox } from "../../../engine/store/sql/Outbox.ts"
import { Stores } from "../../../engine/store/Stores.ts"
import { WebhookDeliveries, WebhookDeliveriesWriter } from "../../../engine/store/inbox/WebhookDeliveries.ts"
import { Webhooks, WebhooksWriter } from "../../../engine/store/inbox/Webhooks.ts"
import { Agent } from "../../../schema/agents/Agent.ts"
import type { AgentId, WebhookId } from "../../../schema/Ids.ts"
import { answerWith, hang, hookServer } from "../../support/inbox/HookServer.ts"
import { TestConfig } from "../../support/agents/OnboardingWorld.ts"
import { TestPostgres } from "../../support/sql/Postgres.ts"
import { TestStrangers } from "../../support/inbox/TestStrangers.ts"

const World = Layer.mergeAll(EventBus.layer, ActorTree.layer, TestStrangers).pipe(
  Layer.provideMerge(Stores),
  Layer.provideMerge(IdSource.layer.pipe(Layer.provideMerge(Keys.layer))),
  Layer.provideMerge(Layer.mergeAll(TestPostgres, TestConfig({ ALLOW_PRIVATE_CALLBACKS: "on" })))
)

const work = workDue(webhookJobs)
const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
let count = 0

const endpoint = Effect.fnUntraced(function* (url: string) {
  const ids = yield* IdSource
  const agentId = (yield* ids.make("agt")) as AgentId
  const persona = {
    handle: `hooked${++count}`,
    displayName: "H",
    bio: null,
    tagline: null,
    role: "hybrid" as const,
    speakingStyle: null,
    specialties: [],
    gender: null,
    entityForm: null,
    syntheticDisclosure: null,
    avatarEntityType: null,
    avatarArchetype: null,
    avatarSignalTraits: [],
    avatarWorldNotes: null
  }
  yield* (yield* AgentsWriter).insertPending(
    Agent.make({
      id: agentId,
      persona: persona as never,
      status: "pending",
      requestedScopes: [],
      ownerEmailHash: null,
      ownerEmailVerified: false,
      suspendedReason: null,
      suspendedUntilMs: null,
      createdAtMs: 1,
      claimedAtMs: null,
      lastSeenAtMs: null,
      deletedAtMs: null
    }),
    1
  )
  const id = (yield* ids.make("whk")) as WebhookId
  yield* (yield* WebhooksWriter).add({
    id,
    agentId,
    url,
    events: ["*"],
    description: null,
    secretSealed: (yield* Keys).seal(secret, id),
    createdAtMs: 1
  })
  return id
})
/** A delivery and its job. */
const tellIt = Effect.fnUntraced(function* (webhookId: WebhookId) {
  const ids = yield* IdSource
  const nowMs = yield* Clock.currentTimeMillis
  const delivery = {
    id: yield* ids.make("dlv"),
    webhookId,
    eventId: yield* ids.make("evt"),
    type: "segment.aired" as const,
    body: JSON.stringify({ type: "segment.aired", data: { n: ++count } }),
    nextAtMs: nowMs,
    createdAtMs: nowMs
  }
  yield* (yield* WebhookDeliveriesWriter).add(delivery)
  yield* deliverTo(webhookId)
  return delivery
})
const until = Effect.fnUntraced(function* <A, E, R>(ask: Effect.Effect<A, E, R>, so: (answer: A) => boolean) {
  for (;;) {
    const answer = yield* ask
    if (so(answer)) return answer
  }
})
const delivery = (webhookId: WebhookId, id: string) =>
  Effect.map(
    Effect.flatMap(WebhookDeliveries, (deliveries) => deliveries.find(webhookId, id)),
    (found) => found!
  )
const tried = (webhookId: WebhookId, id: string, attempts: number) =>
  until(delivery(webhookId, id), (now) => now.attempts === attempts)
const kept = (webhookId: WebhookId) =>
  Effect.map(
    Effect.flatMap(Webhooks, (webhooks) => webhooks.find(webhookId)),
    (found) => found!
  )
const disabledNews = (webhookId: WebhookId) =>
  Effect.map(
    Effect.flatMap(Outbox, (outbox) => outbox.listAfter(0, 1_000)),
    (all) =>
      all.map(({ event }) => event).filter((event) => event._tag === "WebhookDisabled" && event.webhookId === webhookId)
  )

layer(World)("delivery to an endpoint", (it) => {
  it.effect("is retried nine times under one id, and ends after five days of failures", () =>
    Effect.gen(function* () {
      const hooks = yield* hookServer({ "/": answerWith(500) })
      const id = yield* endpoint(hooks.at("/"))
      const told = yield* tellIt(id)
      for (const [index, plannedMs] of deliveryRetriesMs.entries()) {
        yield* work
        const now = yield* delivery(id, told.id)
        const wait = now.nextAtMs! - now.lastAttemptAtMs!
        expect([now.attempts, now.status, now.fault, wait >= plannedMs * 0.9 - 1, wait <= plannedMs * 1.1 + 1]).toEqual(
          [index + 1, "pending", "answered 500", true, true]
        )
        yield* TestClock.adjust(wait - 1)
        yield* work
        expect(hooks.received).toHaveLength(index + 1)
        yield* TestClock.adjust(1)
      }
      yield* work
      expect(yield* delivery(id, told.id)).toMatchObject({
        attempts: 10,
        status: "failed",
        nextAtMs: null,
        responseStatus: 500
      })
      expect(new Set(hooks.received.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([told.eventId]))
      expect(new Set(hooks.received.map(({ headers }) => headers["webhook-timestamp"])).size).toBe(10)
      expect(yield* kept(id)).toMatchObject({ active: true, failingSinceMs: expect.any(Number) })
      yield* TestClock.adjust(webhookFailingMaxMs)
      const last = yield* tellIt(id)
      yield* work
      expect((yield* delivery(id, last.id)).attempts).toBe(1)
      expect(yield* kept(id)).toMatchObject({ active: false, disabledReason: "failing" })
      expect(yield* disabledNews(id)).toEqual([
        { _tag: "WebhookDisabled", agentId: (yield* kept(id)).agentId, webhookId: id, reason: "failing" }
      ])
      yield* TestClock.adjust("1 minute")
      yield* work
      expect(hooks.received).toHaveLength(11)
      // After it is enabled again, it gets the waiting deliveries.
      hooks.manners["/"] = answerWith(204)
      yield* (yield* WebhooksWriter).save({
        ...(yield* kept(id)),
        active: true,
        disabledReason: null,
        failingSinceMs: null
      })
      yield* deliverTo(id)
      yield* work
      expect(yield* delivery(id, last.id)).toMatchObject({ attempts: 2, status: "delivered" })
    })
  )

  it.effect("waits as long as the endpoint asks, and stops for one that is gone", () =>
    Effect.gen(function* () {
      const hooks = yield* hookServer({ "/busy": answerWith(503, { "retry-after": "3600" }), "/gone": answerWith(410) })
      const busy = yield* endpoint(hooks.at("/busy"))
      const told = yield* tellIt(busy)
      const gone = yield* endpoint(hooks.at("/gone"))
      const first = yield* tellIt(gone)
      yield* work
      const now = yield* delivery(busy, told.id)
      expect(now.nextAtMs! - now.lastAttemptAtMs!).toBe(3_600_000)
      expect(yield* delivery(gone, first.id)).toMatchObject({
        attempts: 1,
        status: "failed",
        nextAtMs: null,
        responseStatus: 410
      })
      expect(yield* kept(gone)).toMatchObject({ active: false, disabledReason: "gone" })
      const second = yield* tellIt(gone)
      yield* TestClock.adjust("1 minute")
      yield* work
      expect((yield* delivery(gone, second.id)).attempts).toBe(0)
      expect((yield* disabledNews(gone)).length).toBe(1)
    })
  )

  it.effect("loses nothing in a crash, and repeats under the same id", () =>
    Effect.gen(function* () {
      const hooks = yield* hookServer({ "/": hang })
      const id = yield* endpoint(hooks.at("/"))
      const told = yield* tellIt(id)
      const falls = yield* Effect.forkChild(work)
      const first = yield* hooks.next
      // The clock stands still, so the current try ends by the connection's end and not by its own timeout.
      yield* Fiber.interrupt(falls)
      expect(yield* delivery(id, told.id)).toMatchObject({ status: "pending", attempts: 0 })
      // A killed process hands nothing back: its lease expires.
      const nowMs = yield* Clock.currentTimeMillis
      expect(yield* (yield* Jobs).claim([webhookJobs[0].name], "wkr_killed", nowMs, nowMs + jobLeaseMs)).toMatchObject({
        key: id
      })
      hooks.manners["/"] = answerWith(200)
      yield* TestClock.adjust(jobLeaseMs)
      yield* work
      const second = yield* hooks.next
      expect([second.headers["webhook-id"], second.body]).toEqual([first.headers["webhook-id"], first.body])
      const {
        "webhook-id": eventId,
        "webhook-signature": signature,
        "webhook-timestamp": atSec
      } = second.headers as Record<string, string>
      expect(signature).toBe(new Webhook(secret).sign(eventId!, new Date(Number(atSec) * 1_000), second.body))
      expect(yield* delivery(id, told.id)).toMatchObject({ attempts: 1, status: "delivered" })
    })
  )

  it.effect("continues due retries after a restart", () =>
    Effect.gen(function* () {
      const hooks = yield* hookServer({ "/": answerWith(500) })
      const id = yield* endpoint(hooks.at("/"))
      const told = yield* tellIt(id)
      yield* work
      hooks.manners["/"] = answerWith(200)
      yield* TestClock.adjust("10 minutes")
      expect(hooks.received).toHaveLength(1)
      yield* work
      expect(yield* delivery(id, told.id)).toMatchObject({ attempts: 2, status: "delivered" })
      yield* (yield* WebhookDeliveriesWriter).purge((yield* Clock.currentTimeMillis) + 1)
      expect(yield* (yield* WebhookDeliveries).listLatest([id])).toEqual([])
    })
  )

  it.effect("to a hanging endpoint delays no other, with ten messages in flight at most, then one", () =>
    Effect.gen(function* () {
      const hooks = yield* hookServer({ "/hangs": hang })
      const stuck = yield* endpoint(hooks.at("/hangs"))
      const well = yield* endpoint(hooks.at("/well"))
      const reach = (path: string, count: number) =>
        until(
          Effect.sync(() => hooks.received.filter((one) => one.path === path).length),
          (reached) => reached === count
        )
      const first = yield* tellIt(stuck)
      yield* reach("/hangs", 1)
      // It waits for an answer, and then checks for new deliveries.
      yield* Effect.forEach(Array.from({ length: 14 }), () => tellIt(stuck))
      yield* TestClock.adjust(deliveriesLookMs)
      yield* reach("/hangs", deliveriesInFlightMax)
      const others = yield* Effect.forEach(Array.from({ length: 5 }), () => tellIt(well))
      // The clock doesn't move, so timers don't fire.
      for (const { id } of others) expect(yield* tried(well, id, 1)).toMatchObject({ status: "delivered" })
      yield* TestClock.adjust(webhookTimeoutMs)
      expect(yield* tried(stuck, first.id, 1)).toMatchObject({
        status: "pending",
        fault: "no whole answer within 10 s",
        responseStatus: null
      })
      yield* reach("/hangs", deliveriesInFlightMax + 1)
      yield* tellIt(well)
      yield* reach("/well", 6)
      expect(hooks.received.filter(({ path }) => path === "/hangs")).toHaveLength(deliveriesInFlightMax + 1)
    }).pipe(Effect.provide(jobWorker(webhookJobs)))
  )

  it.effect("succeeds only with a complete 2xx answer", () =>
    Effect.gen(function* () {
      const hooks = yield* hookServer({
        "/redirect": answerWith(302, { location: "/elsewhere" }),
        "/missing": answerWith(404),
        "/hangup": (response) => void response.destroy(),
        "/early": (response) =>
          void response.writeHead(200, { "content-length": "100" }).write("half", () => response.destroy()),
        "/flood": (response) => {
          const flood = () =>
            response.write(Buffer.alloc(65_536, 65)) ? setImmediate(flood) : response.once("drain", flood)
          flood()
        },
        "/drips": (response) => {
          response.writeHead(200)
          response.write("drip")
        }
      })
      const faultAt = Effect.fnUntraced(function* (url: string, waitMs = 0) {
        const id = yield* endpoint(url)
        const told = yield* tellIt(id)
        const working = yield* Effect.forkChild(work)
        if (waitMs > 0) {
          yield* hooks.next
          yield* TestClock.adjust(waitMs)
        }
        yield* Fiber.join(working)
        const { fault, status } = yield* delivery(id, told.id)
        return [status, fault]
      })
      expect(yield* faultAt(hooks.at("/drips"), webhookTimeoutMs)).toEqual(["pending", "no whole answer within 10 s"])
      expect(yield* faultAt(hooks.at("/redirect"))).toEqual(["pending", "answered 302"])
      expect(yield* faultAt(hooks.at("/missing"))).toEqual(["pending", "answered 404"])
      expect(yield* faultAt(hooks.at("/hangup"))).toEqual(["pending", "ECONNRESET"])
      expect(yield* faultAt(hooks.at("/early"))).toEqual(["pending", "the answer was broken off"])
      expect(yield* faultAt(hooks.at("/flood"))).toEqual(["delivered", null])
      expect((yield* faultAt(hooks.at("/").replace("http:", "https:")))[1]).toMatch(/EPROTO|SSL/)
      expect(yield* faultAt("https://127.0.0.1:1/")).toEqual(["pending", "ECONNREFUSED"])
      expect(hooks.received.map(({ path }) => path)).toEqual([
        "/drips",
        "/redirect",
        "/missing",
        "/hangup",
        "/early",
        "/flood"
      ])
    })
  )
})
