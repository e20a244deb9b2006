import { layer } from "@effect/vitest"
import { Clock, Effect, Layer, Scope } from "effect"
import { TestRunner } from "effect/cluster"
import { TestClock } from "effect/testing"
import { Webhook } from "standardwebhooks"
import { expect } from "vitest"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { PostmanLive } from "../../../actors/inbox/WebhookDelivery.ts"
import { postRound } from "../../../actors/inbox/WebhookWorker.ts"
import { Postman } from "../../../actors/inbox/protocol/WebhookDelivery.ts"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { Keys } from "../../../engine/runtime/Keys.ts"
import {
  deliveriesInFlightMax,
  deliveryRetriesMs,
  webhookFailingMaxMs,
  webhookTimeoutMs
} from "../../../engine/rules/inbox/limits.ts"
import { Agents } from "../../../engine/store/agents/Agents.ts"
import { Outbox } from "../../../engine/store/sql/Outbox.ts"
import { Stores } from "../../../engine/store/Stores.ts"
import { WebhookDeliveries } from "../../../engine/store/inbox/WebhookDeliveries.ts"
import { Webhooks } from "../../../engine/store/inbox/Webhooks.ts"
import { Agent } from "../../../schema/agents/Agent.ts"
import type { AgentId, WebhookId } from "../../../schema/Ids.ts"
import { answering, hanging, hookServer } from "../../support/inbox/HookServer.ts"
import { TestConfig } from "../../support/agents/OnboardingWorld.ts"
import { TestPostgres } from "../../support/sql/Postgres.ts"
import { TestStrangers } from "../../support/inbox/TestStrangers.ts"

const World = Layer.mergeAll(EventBus.layer, TestStrangers).pipe(
  Layer.provideMerge(Stores),
  Layer.provideMerge(IdSource.layer.pipe(Layer.provideMerge(Keys.layer))),
  Layer.provideMerge(Layer.mergeAll(TestPostgres, TestConfig({ ALLOW_PRIVATE_CALLBACKS: "on" })))
)

/** A station's postmen. Its end is as sudden for what is under way as any. */
const postmen = PostmanLive.pipe(Layer.provideMerge(TestRunner.layer))
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
  yield* (yield* Agents).insertPending(
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
  yield* (yield* Webhooks).add({
    id,
    agentId,
    commandKey: id,
    url,
    events: ["*"],
    description: null,
    secretSealed: (yield* Keys).seal(secret, id),
    createdAtMs: 1
  })
  return id
})
/** Something to be told, and its postman called. */
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
  yield* (yield* WebhookDeliveries).add(delivery)
  yield* (yield* Postman.client)(webhookId).Collect()
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
    Effect.flatMap(Outbox, (outbox) => outbox.after(0, 1_000)),
    (all) =>
      all.map(({ event }) => event).filter((event) => event._tag === "WebhookDisabled" && event.webhookId === webhookId)
  )

layer(World)("a postman", (it) => {
  it.effect("comes again nine times, under one id, and shuts what has failed for five days", () =>
    Effect.gen(function* () {
      const hooks = yield* hookServer({ "/": answering(500) })
      const id = yield* endpoint(hooks.at("/"))
      // Time passes while the station is down; what is due then is brought when it is up again.
      const told = yield* Effect.gen(function* () {
        const given = yield* tellIt(id)
        const { lastAttemptAtMs, nextAtMs } = yield* tried(id, given.id, 1)
        yield* TestClock.adjust(nextAtMs! - lastAttemptAtMs! - 1)
        expect(hooks.received).toHaveLength(1)
        yield* TestClock.adjust(1)
        yield* tried(id, given.id, 2)
        return given
      }).pipe(Effect.provide(Layer.fresh(postmen)))
      for (const [index, plannedMs] of deliveryRetriesMs.entries()) {
        if (index > 0)
          yield* Effect.andThen(postRound(), tried(id, told.id, index + 1)).pipe(Effect.provide(Layer.fresh(postmen)))
        const now = yield* delivery(id, told.id)
        const wait = now.nextAtMs! - now.lastAttemptAtMs!
        if (index > 0)
          expect([index, now.status, now.fault, wait >= plannedMs * 0.9 - 1, wait <= plannedMs * 1.1 + 1]).toEqual([
            index,
            "pending",
            "answered 500",
            true,
            true
          ])
        if (index > 0) yield* TestClock.adjust(wait)
      }
      yield* Effect.gen(function* () {
        yield* postRound()
        expect(yield* tried(id, told.id, 10)).toMatchObject({ status: "failed", nextAtMs: null, responseStatus: 500 })
      }).pipe(Effect.provide(Layer.fresh(postmen)))
      expect(new Set(hooks.received.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([told.eventId]))
      expect(new Set(hooks.received.map(({ headers }) => headers["webhook-timestamp"])).size).toBe(10)
      expect(yield* kept(id)).toMatchObject({ active: true, failingSinceMs: expect.any(Number) })
      yield* TestClock.adjust(webhookFailingMaxMs)
      yield* Effect.gen(function* () {
        const last = yield* tellIt(id)
        yield* tried(id, last.id, 1)
        expect(yield* kept(id)).toMatchObject({ active: false, disabledReason: "failing" })
        expect(yield* disabledNews(id)).toEqual([
          { _tag: "WebhookDisabled", agentId: (yield* kept(id)).agentId, webhookId: id, reason: "failing" }
        ])
        yield* TestClock.adjust("1 minute")
        expect(hooks.received).toHaveLength(11)
        // Opened again, it gets what waited.
        hooks.manners["/"] = answering(204)
        yield* (yield* Webhooks).save({
          ...(yield* kept(id)),
          active: true,
          disabledReason: null,
          failingSinceMs: null
        })
        yield* (yield* Postman.client)(id).Collect()
        expect(yield* tried(id, last.id, 2)).toMatchObject({ status: "delivered" })
      }).pipe(Effect.provide(Layer.fresh(postmen)))
    })
  )

  it.effect("waits as long as the endpoint asks, and never comes again to one that is gone", () =>
    Effect.gen(function* () {
      const hooks = yield* hookServer({ "/busy": answering(503, { "retry-after": "3600" }), "/gone": answering(410) })
      const busy = yield* endpoint(hooks.at("/busy"))
      const told = yield* tellIt(busy)
      const now = yield* tried(busy, told.id, 1)
      expect(now.nextAtMs! - now.lastAttemptAtMs!).toBe(3_600_000)
      const gone = yield* endpoint(hooks.at("/gone"))
      const first = yield* tellIt(gone)
      expect(yield* tried(gone, first.id, 1)).toMatchObject({ status: "failed", nextAtMs: null, responseStatus: 410 })
      expect(yield* kept(gone)).toMatchObject({ active: false, disabledReason: "gone" })
      const second = yield* tellIt(gone)
      yield* TestClock.adjust("1 minute")
      expect((yield* delivery(gone, second.id)).attempts).toBe(0)
      expect((yield* disabledNews(gone)).length).toBe(1)
    }).pipe(Effect.provide(postmen))
  )

  it.effect("loses nothing when the station falls, and repeats it under the id it had", () =>
    Effect.gen(function* () {
      const hooks = yield* hookServer({ "/": hanging })
      const id = yield* endpoint(hooks.at("/"))
      const falls = yield* Scope.make()
      const before = yield* Layer.buildWithScope(Layer.fresh(postmen), falls)
      const told = yield* tellIt(id).pipe(Effect.provideContext(before))
      const first = yield* hooks.next
      // The clock stands still, so the try that is under way ends by the fall and not by its own timeout.
      yield* Scope.close(falls, yield* Effect.exit(Effect.void))
      expect(yield* delivery(id, told.id)).toMatchObject({ status: "pending", attempts: 0 })
      hooks.manners["/"] = answering(200)
      yield* Effect.andThen(
        postRound(),
        Effect.gen(function* () {
          const second = yield* hooks.next
          expect([second.headers["webhook-id"], second.body]).toEqual([first.headers["webhook-id"], first.body])
          const {
            "webhook-id": eventId,
            "webhook-signature": signature,
            "webhook-timestamp": atSec
          } = second.headers as Record<string, string>
          expect(signature).toBe(new Webhook(secret).sign(eventId!, new Date(Number(atSec) * 1_000), second.body))
          expect(yield* tried(id, told.id, 1)).toMatchObject({ status: "delivered" })
        })
      ).pipe(Effect.provide(Layer.fresh(postmen)))
    })
  )

  it.effect("goes on with retries that are due after a restart", () =>
    Effect.gen(function* () {
      const hooks = yield* hookServer({ "/": answering(500) })
      const id = yield* endpoint(hooks.at("/"))
      const told = yield* Effect.tap(tellIt(id), (given) => tried(id, given.id, 1)).pipe(
        Effect.provide(Layer.fresh(postmen))
      )
      hooks.manners["/"] = answering(200)
      yield* TestClock.adjust("10 minutes")
      expect(hooks.received).toHaveLength(1)
      yield* Effect.andThen(postRound(), tried(id, told.id, 2)).pipe(Effect.provide(Layer.fresh(postmen)))
      expect(yield* delivery(id, told.id)).toMatchObject({ status: "delivered" })
      yield* (yield* WebhookDeliveries).purge((yield* Clock.currentTimeMillis) + 1)
      expect(yield* (yield* WebhookDeliveries).latest([id])).toEqual([])
    })
  )

  it.effect(
    "of an endpoint that hangs keeps nobody else waiting, and ten of its messages in hand at most, then one",
    () =>
      Effect.gen(function* () {
        const hooks = yield* hookServer({ "/hangs": hanging })
        const stuck = yield* endpoint(hooks.at("/hangs"))
        const well = yield* endpoint(hooks.at("/well"))
        const waiting = yield* Effect.forEach(Array.from({ length: 15 }), () => tellIt(stuck))
        const others = yield* Effect.forEach(Array.from({ length: 5 }), () => tellIt(well))
        // No time passes: what waits for time waits.
        for (const { id } of others) expect(yield* tried(well, id, 1)).toMatchObject({ status: "delivered" })
        yield* until(
          Effect.sync(() => hooks.received.filter(({ path }) => path === "/hangs").length),
          (reached) => reached === deliveriesInFlightMax
        )
        yield* TestClock.adjust(webhookTimeoutMs)
        expect(yield* tried(stuck, waiting[0]!.id, 1)).toMatchObject({
          status: "pending",
          fault: "no whole answer within 10 s",
          responseStatus: null
        })
        yield* until(
          Effect.sync(() => hooks.received.filter(({ path }) => path === "/hangs").length),
          (reached) => reached === deliveriesInFlightMax + 1
        )
        yield* tellIt(well)
        yield* until(
          Effect.sync(() => hooks.received.filter(({ path }) => path === "/well").length),
          (reached) => reached === 6
        )
        expect(hooks.received.filter(({ path }) => path === "/hangs")).toHaveLength(deliveriesInFlightMax + 1)
      }).pipe(Effect.provide(postmen))
  )

  it.effect("knows no success but a whole answer of 2xx", () =>
    Effect.gen(function* () {
      const hooks = yield* hookServer({
        "/redirect": answering(302, { location: "/elsewhere" }),
        "/missing": answering(404),
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
        if (waitMs > 0) {
          yield* hooks.next
          yield* TestClock.adjust(waitMs)
        }
        const { fault, status } = yield* tried(id, told.id, 1)
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
    }).pipe(Effect.provide(postmen))
  )
})
