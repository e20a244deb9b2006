import { it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect } from "vitest"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { ActorCluster } from "../../../actors/runtime/Cluster.ts"
import { PanelLive } from "../../../actors/panels/Panel.ts"
import { panelJobs } from "../../../actors/panels/PanelWorker.ts"
import { Panel } from "../../../actors/panels/protocol/Panel.ts"
import { jobWorker } from "../../../actors/runtime/JobWorker.ts"
import { ActorTree } from "../../../actors/runtime/Supervision.ts"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { Keys } from "../../../engine/runtime/Keys.ts"
import { ClusterMessages } from "../../../engine/store/sql/ClusterMessages.ts"
import { Panels } from "../../../engine/store/panels/Panels.ts"
import { ShowsWriter } from "../../../engine/store/programmes/Shows.ts"
import { Stores } from "../../../engine/store/Stores.ts"
import { Broadcaster } from "../../../schema/segments/Submission.ts"
import type { ShowId } from "../../../schema/Ids.ts"
import { TestConfig } from "../../support/agents/OnboardingWorld.ts"
import { ScriptedMusic, ScriptedStitch, StitchScript } from "../../support/panels/PanelDoubles.ts"
import { TestPostgres } from "../../support/sql/Postgres.ts"
import { makeClaimedAgent, askUntil } from "../../support/http/SegmentHttp.ts"
import { ScriptedPrepare, ScriptedSpeech, SpeechScript } from "../../support/media/SpeechDoubles.ts"

/** A process over a store that outlives it, with the actors' own storage. */
const process = Layer.mergeAll(PanelLive, jobWorker(panelJobs)).pipe(
  Layer.provideMerge(ActorCluster),
  Layer.provideMerge(
    Layer.mergeAll(
      ScriptedSpeech,
      ScriptedPrepare,
      ScriptedStitch,
      ScriptedMusic,
      EventBus.layer,
      ActorTree.layer
    ).pipe(Layer.provideMerge(Layer.mergeAll(SpeechScript.layer, StitchScript.layer)))
  )
)
const store = Stores.pipe(
  Layer.provideMerge(Layer.mergeAll(IdSource.layer, Keys.layer, TestPostgres).pipe(Layer.provideMerge(TestConfig())))
)

const draft = {
  title: "Tide",
  topic: null,
  description: null,
  isOpenCall: true,
  maxGuests: null,
  minTurns: 2,
  maxTurns: null,
  guestDeadlineMs: null,
  hardDeadlineMs: null,
  invitedAgentIds: []
}
const seated = Effect.fnUntraced(function* () {
  const agent = yield* makeClaimedAgent()
  return Broadcaster.make({ agentId: agent.id, handle: agent.handle, displayName: agent.handle, ownerKey: null })
})
const aShow = Effect.fnUntraced(function* (host: Broadcaster) {
  const id = (yield* (yield* IdSource).make("show")) as ShowId
  yield* (yield* ShowsWriter).add({
    id,
    wantedSlug: "tide",
    title: "Tide",
    tagline: null,
    description: null,
    format: null,
    audience: null,
    genres: [],
    hostAgentId: host.agentId,
    status: "active",
    blockId: null,
    reservedVoiceIds: [],
    createdAtMs: 0
  })
  return id
})

describe("a panel's mailbox", () => {
  it.live(
    "keeps what it has taken when the process dies, does it once, and forgets it when it is done",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const host = yield* seated()
        const [guest, late] = [yield* seated(), yield* seated()]
        const showId = yield* aShow(host)
        const command = (by: Broadcaster, commandKey: string) => ({ by, commandKey })
        const left = Effect.map(
          sql<{ n: number }>`SELECT count(*)::int AS n FROM cluster_messages WHERE NOT processed AND kind = 0`,
          ([row]) => row!.n
        )

        const id = yield* Effect.gen(function* () {
          const panel = yield* Panel.client
          const session = yield* panel(host.agentId).Open({ ...command(host, "one"), showId, draft })
          expect((yield* panel(host.agentId).Open({ ...command(host, "one"), showId, draft })).id).toBe(session.id)
          yield* panel(session.id).Claim(command(guest, "seat"))
          yield* sql`CREATE TABLE kept AS SELECT * FROM panel_sessions`
          yield* panel(session.id).Claim(command(late, "seat"))
          return session.id
        }).pipe(Effect.provide(process))
        // The state after a kill: one command was done but not answered, the next was received but not done.
        yield* sql`UPDATE panel_sessions p SET body = k.body, revision = k.revision, joinable_until = k.joinable_until FROM kept k WHERE k.id = p.id`
        yield* sql`DELETE FROM panel_seats WHERE agent_id = ${late.agentId}`
        yield* sql`DELETE FROM cluster_replies WHERE request_id IN (SELECT id FROM cluster_messages WHERE tag = 'Claim')`
        yield* sql`UPDATE cluster_messages SET processed = false, last_reply_id = NULL, last_read = NULL WHERE tag = 'Claim'`
        expect(yield* left).toBe(2)

        yield* Effect.gen(function* () {
          const seats = Effect.map((yield* Panels).find(id), (session) =>
            session!.participants.map(({ agentId }) => agentId)
          )
          yield* askUntil(seats, (agents) => agents.length === 3)
          expect(yield* seats).toEqual([host.agentId, guest.agentId, late.agentId])
          yield* askUntil(left, (n) => n === 0)
          const panel = yield* Panel.client
          expect((yield* panel(id).Claim(command(guest, "seat"))).participants).toHaveLength(3)
          // Without a message, the deadline takes effect by itself, in this process as in the previous one.
          yield* sql`UPDATE panel_sessions SET revision = revision + 1, body = body || jsonb_build_object('revision', revision + 1, 'guestDeadlineMs', 1) WHERE id = ${id}`
          yield* sql`UPDATE jobs SET run_at = now() - interval '1 second' WHERE key = ${id}`
          yield* askUntil(
            Effect.map((yield* Panels).find(id), (session) => session!.status),
            (status) => status === "recording"
          )
          const done = yield* (yield* ClusterMessages).purge(Date.now() + 1_000)
          expect(done).toBeGreaterThanOrEqual(5)
          expect(yield* sql`SELECT 1 FROM cluster_messages UNION ALL SELECT 1 FROM cluster_replies`).toEqual([])
        }).pipe(Effect.provide(process))
      }).pipe(Effect.provide(store)),
    300_000
  )
})
