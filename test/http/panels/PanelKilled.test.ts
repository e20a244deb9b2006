import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { becomeAgent, call } from "../../../bench/instruments/Stranger.ts"
import { jobLeaseMs } from "../../../engine/rules/runtime/limits.ts"
import { inDatabaseOf } from "../../support/sql/OwnDatabase.ts"
import { later } from "../../../bench/instruments/Patience.ts"
import { enterStation, killed, until, type WholeStation } from "../../support/station/WholeStation.ts"

interface Session {
  readonly id: string
  readonly status: string
  readonly turns: ReadonlyArray<{
    readonly turnIndex: number
    readonly status: string
    readonly scriptText: string | null
    readonly segmentId: string | null
  }>
}
const lines = [
  "Good evening from the harbour.",
  "And from the old breakwater.",
  "The ropes are talking tonight.",
  "So is the bell that nobody rings."
]
describe("a panel on a station that is killed (F3)", () => {
  let whole: WholeStation
  beforeAll(async () => {
    whole = await enterStation()
  }, 300_000)
  afterAll(() => whole.leave())

  /** Nobody waits here for the seconds that the lease of a job still has: as many go by as it may have. */
  const killedNow = () =>
    killed(whole, {}, () =>
      inDatabaseOf(
        whole.station.dataDir,
        (sql) =>
          sql`UPDATE jobs SET run_at = run_at - make_interval(secs => ${jobLeaseMs / 1_000}) WHERE state = 'running'`
      )
    )

  it("keeps every turn that was answered, and becomes the same piece however often its production is killed", async () => {
    const { base, operator } = whole.station
    const [host, guest] = [await becomeAgent(base, "marlow"), await becomeAgent(base, "isolde")]
    const { slug } = (
      await call(base, "POST", "/api/ops/shows", {
        bearer: operator,
        body: { title: "The Harbour Table", hostHandle: "marlow" }
      })
    ).body["show"] as { slug: string }
    const { id } = (
      await call(base, "POST", `/api/shows/${slug}/sessions`, {
        bearer: host.apiKey,
        body: { title: "After midnight", invitedAgentIds: [guest.agentId], minTurns: 4, maxTurns: 4 }
      })
    ).body["session"] as Session
    const read = async () =>
      (await call(base, "GET", `/api/shows/sessions/${id}`, { bearer: host.apiKey })).body["session"] as Session
    for (const [turnIndex, scriptText] of lines.entries()) {
      const say = () =>
        call(base, "POST", `/api/shows/sessions/${id}/turns`, {
          bearer: turnIndex % 2 === 0 ? host.apiKey : guest.apiKey,
          headers: { "idempotency-key": `turn-${turnIndex}` },
          body: { scriptText }
        })
      const first = (await say()).body
      if (turnIndex !== 1) continue
      await killedNow()
      // Who never saw the answer asks again, and takes no second turn by that.
      expect((await say()).body["turn"]).toMatchObject({
        turnId: (first["turn"] as { turnId: string }).turnId,
        status: "submitted"
      })
    }
    const ready = await until(async () => {
      const session = await read()
      return session.status === "ready_to_produce" ? session : undefined
    })
    expect(ready.turns.map(({ scriptText, status }) => [status, scriptText])).toEqual(
      lines.map((line) => ["submitted", line])
    )
    expect(new Set(ready.turns.map(({ segmentId }) => segmentId)).size).toBe(lines.length)

    const produce = async () => {
      const { audioUrl, durationSec, segmentId } = (
        await call(base, "POST", `/api/shows/sessions/${id}/produce`, { bearer: host.apiKey })
      ).body
      return { audioUrl: new URL(audioUrl as string).pathname, durationSec, segmentId }
    }
    const broken = produce().catch(() => null)
    await later(700)
    await killedNow()
    expect(await broken).toBe(null)
    const made = await until(produce)
    expect(made.durationSec).toBeGreaterThan(10)
    expect(await produce()).toEqual(made)
    expect((await read()).status).toBe("stitched")
    const { segments } = (await call(base, "GET", "/api/v1/agents/me/segments?limit=100", { bearer: host.apiKey }))
      .body as unknown as { segments: ReadonlyArray<{ id: string; category: string }> }
    expect(segments.filter(({ category }) => category === "panel").map((segment) => segment.id)).toEqual([
      made.segmentId
    ])
  }, 300_000)
})
