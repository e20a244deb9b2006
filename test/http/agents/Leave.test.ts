import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { forgetOwners } from "../../../actors/agents/RegistrationWorker.ts"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { Keys } from "../../../engine/runtime/Keys.ts"
import { leftOwnersKeptDays } from "../../../engine/rules/agents/limits.ts"
import { Tracks } from "../../../engine/store/music/Tracks.ts"
import type { TrackId } from "../../../schema/Ids.ts"
import { AgentHttp, arrive, awaitMailedCode, newHandle, registration } from "../../support/http/AgentHttp.ts"
import { call } from "../../support/http/SegmentHttp.ts"
import { song } from "../../support/listeners/Listeners.ts"

const me = "/api/v1/agents/me"

/** Tables and files that contain one of these texts. */
const holdersOf = Effect.fnUntraced(function* (texts: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{
    name: string
  }>`SELECT table_name::text AS name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`
  const holds = (text: string) => texts.some((one) => text.includes(one))
  const rows = yield* Effect.forEach(tables, ({ name }) =>
    Effect.map(sql<{ row: string }>`SELECT t::text AS row FROM ${sql(name)} t`, (all) =>
      all.some(({ row }) => holds(row)) ? [name] : []
    )
  )
  const { dataDir } = yield* StationConfig
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name))
    .filter((file) => holds(readFileSync(file, "latin1")))
  return [...rows.flat(), ...files].sort()
})

layer(AgentHttp(), { excludeTestServices: true, timeout: 300_000 })("T14: an agent that leaves", (it) => {
  it.effect("takes its tracks out of rotation, including those in review, and nobody else's", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [mine, other] = [yield* arrive(), yield* arrive()]
      const tracks = yield* Effect.forEach(
        ["approved", "held", "pending_review", "rejected"] as const,
        Effect.fnUntraced(function* (status) {
          const id = (yield* song(status)) as TrackId
          yield* sql`UPDATE tracks SET agent_id = ${mine.id}, source = 'upload' WHERE id = ${id}`
          yield* sql`
            INSERT INTO reviews (id, kind, subject_type, subject_id, agent_id, status, flags, title, body, due_at, created_at)
            VALUES (${`rev_${id.slice(4)}`}, 'track', 'track', ${id}, ${mine.id}, 'open', '[]'::jsonb, 'A song', '', now(), now())`
          return id
        })
      )
      const theirs = (yield* song()) as TrackId
      yield* sql`UPDATE tracks SET agent_id = ${other.id}, source = 'upload' WHERE id = ${theirs}`
      const store = yield* Tracks
      expect((yield* store.airables([tracks[0]!, theirs])).length).toBe(2)
      expect((yield* call("DELETE", `${me}?dryRun=true`, { key: mine.key })).body).toMatchObject({ dryRun: true })
      expect((yield* store.airables([tracks[0]!])).length).toBe(1)
      expect((yield* call("DELETE", me, { key: mine.key })).status).toBe(200)
      expect((yield* store.airables([...tracks, theirs])).map(({ trackId }) => trackId)).toEqual([theirs])
      expect(
        yield* Effect.forEach(tracks, (id) =>
          Effect.map(store.find(id), (track) => [track!.approvalStatus, track!.approvalReason])
        )
      ).toEqual(tracks.map(() => ["retired", "AGENT_LEFT"]))
      expect(
        yield* sql`SELECT DISTINCT status FROM reviews WHERE agent_id = ${mine.id} AND subject_type = 'track'`
      ).toEqual([{ status: "withdrawn" }])
    })
  )

  it.effect("leaves nothing of its owner's address in any table or file after the term", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const keys = yield* Keys
      const owned = Effect.gen(function* () {
        const handle = newHandle()
        const assertion = `${handle}-owner@example.org`
        const { body } = yield* call("POST", "/api/v1/agents/register", {
          body: registration({ type: "identity_assertion", assertionType: "email", assertion }, { handle })
        })
        const claim = { claimToken: body.claimToken, otpCode: yield* awaitMailedCode(assertion), consentGiven: true }
        const claimed = yield* call("POST", "/api/v1/agents/claim/complete", { body: claim })
        const [row] = yield* sql<{
          sealed: string
        }>`SELECT owner_email_sealed AS sealed FROM agents WHERE id = ${body.agentId}`
        return {
          id: body.agentId as string,
          key: claimed.body.apiKey as string,
          traces: [assertion, keys.hmac("owner-email", assertion), row!.sealed]
        }
      })
      const [gone, stays, recent] = [yield* owned, yield* owned, yield* owned]
      for (const { key } of [gone, recent]) expect((yield* call("DELETE", me, { key })).status).toBe(200)
      // The row is moved back in time. Waiting a month would run every actor's timers.
      const days = (count: number, id: string) =>
        sql`UPDATE agents SET deleted_at = deleted_at - ${`${count} days`}::interval WHERE id = ${id}`
      yield* days(leftOwnersKeptDays - 1, recent.id)
      yield* days(leftOwnersKeptDays + 1, gone.id)
      expect(yield* holdersOf(gone.traces)).toEqual(["agents", "claims"])
      yield* forgetOwners()
      expect(yield* holdersOf(gone.traces)).toEqual([])
      for (const { traces } of [stays, recent]) expect(yield* holdersOf(traces)).toEqual(["agents", "claims"])
      // The handle stays reserved: aired content keeps it.
      expect(yield* sql`SELECT status FROM agents WHERE id = ${gone.id}`).toEqual([{ status: "suspended" }])
    })
  )
})
