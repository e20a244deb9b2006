import { layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestRunner } from "effect/cluster"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { EventBus, type LogEntry } from "../../../actors/runtime/EventBus.ts"
import { Room } from "../../../actors/listeners/protocol/Room.ts"
import { RoomLive, RoomWorkerLive } from "../../../actors/listeners/Room.ts"
import { ActorTree } from "../../../actors/runtime/Supervision.ts"
import { AgentActors } from "../../../actors/Actors.ts"
import { chatAnswerMin } from "../../../engine/rules/inbox/limits.ts"
import { chatDays } from "../../../engine/rules/listeners/limits.ts"
import { noGate, StandingsWriter } from "../../../engine/store/agents/Standings.ts"
import type { AgentId, HumanId } from "../../../schema/Ids.ts"
import { person } from "../../support/people/Humans.ts"
import { OnboardingWorld } from "../../support/agents/OnboardingWorld.ts"
import { makeClaimedAgent, askUntil } from "../../support/http/SegmentHttp.ts"

/** One incarnation of the room over the same store, with its own board, counters and timers. */
const life = <A, E, R>(
  lived: (room: {
    readonly say: (humanId: HumanId, body: string) => Effect.Effect<{ readonly message: { readonly id: string } }>
    readonly log: () => ReadonlyArray<LogEntry>
    readonly bus: EventBus["Service"]
    readonly look: Effect.Effect<number | null>
  }) => Effect.Effect<A, E, R>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const world = RoomWorkerLive.pipe(
        Layer.provideMerge(RoomLive),
        Layer.provideMerge(
          Layer.mergeAll(Layer.fresh(EventBus.layer), Layer.fresh(ActorTree.layer), Layer.fresh(TestRunner.layer))
        )
      )
      const context = yield* Layer.build(Layer.fresh(world))
      return yield* Effect.gen(function* () {
        const bus = yield* EventBus
        const room = (yield* Room.client)("longwave")
        const entries: Array<LogEntry> = []
        bus.logs.chat.listen((entry) => entries.push(entry))
        const say = (humanId: HumanId, body: string) =>
          Effect.orDie(
            room.Say({
              speaker: { _tag: "Listener", humanId, listenerId: null, label: "a listener" },
              draft: { body, targetHandle: null, replyToMessageId: null }
            })
          )
        return yield* lived({ say, log: () => entries, bus, look: Effect.orDie(room.Look()) })
      }).pipe(Effect.provideContext(context))
    })
  )

const cleared = Effect.gen(function* () {
  const { handle, id } = yield* makeClaimedAgent()
  yield* (yield* StandingsWriter).saveGate(id as AgentId, { ...noGate, state: "cleared" })
  yield* (yield* SqlClient.SqlClient)`UPDATE agents SET last_seen_at = now() WHERE id = ${id}`
  return handle
})

const ended = (log: ReadonlyArray<LogEntry>) =>
  log.filter(({ name }) => name === "exchange_completed").map(({ data }) => data)

layer(OnboardingWorld({}, AgentActors), { excludeTestServices: true })("the room", (it) => {
  it.effect("finds everything again after a restart, and ends by itself what ran out meanwhile, once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [handle, one, two] = [yield* cleared, yield* person(), yield* person()]
      const head = yield* life(({ bus, log, look, say }) =>
        Effect.gen(function* () {
          yield* look
          yield* say(one.id, `@${handle} are you there?`)
          yield* say(two.id, "Write to me at two@example.org.")
          expect(
            log()
              .map(({ name, only }) => [name, only])
              .filter(([name]) => name !== "agents")
          ).toEqual([
            ["message", null],
            ["response_state", null],
            ["message", two.id]
          ])
          const dueAtMs = yield* look
          expect(Math.abs(dueAtMs! - (yield* Clock.currentTimeMillis) - chatAnswerMin * 60_000)).toBeLessThan(10_000)
          return bus.logs.chat.head
        })
      )
      yield* sql`UPDATE chat_exchanges SET due_at = now() - interval '1 minute'`
      const again = yield* life(({ bus, log }) =>
        Effect.gen(function* () {
          // Without a message, its own timer activates it.
          yield* askUntil(Effect.sync(log), (entries) => ended(entries).length > 0)
          const board = (yield* bus.get("chatBoard"))!
          const page = (viewer: string | null) =>
            board.page(viewer, 0).messages.map(({ moderationStatus }) => moderationStatus)
          expect([page(null), page(one.id), page(two.id)]).toEqual([
            ["approved"],
            ["approved"],
            ["pending", "approved"]
          ])
          expect((yield* bus.get("chat"))!.map(({ body }) => body)).toEqual([`@${handle} are you there?`])
          expect(ended(log())).toMatchObject([{ handle, outcome: "timed_out", replyMessageId: null }])
          expect(bus.logs.chat.listSince(head, yield* Clock.currentTimeMillis)).toBe(null)
          return ended(log()).length
        })
      )
      expect(again).toBe(1)
      expect(yield* life(({ log, look }) => Effect.map(Effect.andThen(look, look), () => ended(log()).length))).toBe(0)
      expect(yield* sql`SELECT state FROM chat_exchanges`).toEqual([{ state: "timed_out" }])
    })
  )

  it.effect("keeps what was said for ninety days, and nothing of who has left", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [one, two] = [yield* person(), yield* person()]
      yield* life(({ bus, log, say }) =>
        Effect.gen(function* () {
          const room = (yield* Room.client)("longwave")
          const old = yield* say(one.id, "Long ago.")
          yield* sql`UPDATE chat_messages SET created_at = now() - ${`${chatDays} days`}::interval WHERE id = ${old.message.id}`
          yield* sql`DELETE FROM meters WHERE name LIKE 'chat%'`
          const [late, other] = [yield* say(one.id, "Just now."), yield* say(two.id, "And I.")]
          yield* Effect.orDie(room.Purge())
          expect(
            (yield* sql<{
              id: string
            }>`SELECT id FROM chat_messages WHERE human_id IN (${one.id}, ${two.id}) ORDER BY id`).map(({ id }) => id)
          ).toEqual([late.message.id, other.message.id].toSorted())
          yield* Effect.orDie(room.Forget({ author: one.id }))
          yield* Effect.orDie(room.Forget({ author: one.id }))
          expect(
            log()
              .filter(({ data }) => (data as { readonly id?: string }).id === late.message.id)
              .map(({ data }) => data)
          ).toMatchObject([{ body: "Just now." }, { body: "", moderationStatus: "removed" }])
          expect(JSON.stringify((yield* bus.get("chatBoard"))!.page(one.id, 0))).not.toContain("Just now.")
          expect(yield* sql`SELECT body, label, status FROM chat_messages WHERE id = ${late.message.id}`).toEqual([
            { body: "", label: "a listener", status: "removed" }
          ])
          // Deleted with the account: the rows are gone before the room is notified.
          yield* sql`DELETE FROM humans WHERE id = ${two.id}`
          yield* Effect.orDie(room.Forget({ author: two.id }))
          expect(
            log()
              .filter(({ data }) => (data as { readonly id?: string }).id === other.message.id)
              .map(({ data }) => data)
          ).toMatchObject([{ body: "And I." }, { body: "", moderationStatus: "removed" }])
          expect(JSON.stringify((yield* bus.get("chatBoard"))!.page(two.id, 0))).not.toContain("And I.")
        })
      )
    })
  )
})
