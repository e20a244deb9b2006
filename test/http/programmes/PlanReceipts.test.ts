import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { PlanAirings } from "../../../actors/programmes/inTransaction.ts"
import { trackSeparationMs } from "../../../engine/rules/air/limits.ts"
import { defaultGrid } from "../../../engine/rules/time/WeekSchedule.ts"
import { findAiredItems } from "../../../engine/rules/programmes/PlanReceipts.ts"
import { airIdOf } from "../../../engine/rules/air/Sequence.ts"
import { sampleOf } from "../../../schema/time/Samples.ts"
import { Candidates } from "../../../engine/store/air/Candidates.ts"
import { AsRunWriter } from "../../../engine/store/air/AsRun.ts"
import { Assets } from "../../../engine/store/sound/Assets.ts"
import { Fences, FencesWriter } from "../../../engine/store/air/Fences.ts"
import { PlansForAir } from "../../../engine/store/air/PlansForAir.ts"
import { Segments } from "../../../engine/store/segments/Segments.ts"
import type { AsRunEntry } from "../../../schema/air/AsRun.ts"
import { PlanItem } from "../../../schema/programmes/Plan.ts"
import { AgentHttp } from "../../support/http/AgentHttp.ts"
import { airable } from "../../support/air/Airables.ts"
import {
  act,
  moveStart,
  setBookable,
  bookRun,
  draftPlan,
  arriveGranted,
  planOf,
  plans,
  listRuns,
  script,
  shelf,
  makeShowReady,
  readSpoken
} from "../../support/programmes/Plans.ts"
import { QuietStation } from "../../support/station/QuietStation.ts"
import { call, makeClaimedAgent } from "../../support/http/SegmentHttp.ts"
import { assetOf } from "../../support/air/StudioDouble.ts"

const row = (itemId: string, startMs: number, sec: number, outcome: "complete" | "cut"): AsRunEntry => ({
  itemId,
  kind: "music",
  role: "music",
  title: "x",
  artist: null,
  segmentId: null,
  trackId: null,
  agentId: null,
  assetId: null,
  firstSample: sampleOf(startMs),
  lastSample: sampleOf(startMs + sec * 1_000) - 1,
  outcome,
  layers: [],
  trace: outcome === "cut" ? ["cut: the station stopped"] : [],
  pcmSha256: null
})
const seal = (fence: number) => ({
  fence,
  genesis: "",
  link: (_: string, body: { readonly seq: number }) => ({
    seq: body.seq,
    text: JSON.stringify(body),
    prevHash: "",
    hash: `${body.seq}`,
    signature: ""
  }),
  root: () => ({ root: "", signature: "" }),
  head: () => ""
})
layer(QuietStation.pipe(Layer.provideMerge(AgentHttp())), { excludeTestServices: true })(
  "aired plans in the store",
  (it) => {
    it.effect(
      "are read with all their items, move once, and are compared with the as-run log",
      () =>
        Effect.gen(function* () {
          const { key } = yield* arriveGranted({ freeAir: true })
          const sql = yield* SqlClient.SqlClient
          const songs = yield* shelf(40)
          const { id: planId } = yield* draftPlan(key, {
            items: [
              { kind: "talk", scriptText: script },
              { kind: "pause", durationSec: 1 },
              ...songs.slice(0, 2).map((trackId) => ({ kind: "track", trackId }))
            ]
          })
          yield* act(key, planId, "music/lazy")
          expect((yield* act(key, planId, "submit")).body.plan.status).toBe("approved")
          yield* moveStart(planId, 10)
          const planned = yield* PlansForAir
          const air = yield* Effect.provide(PlanAirings, PlanAirings.layer)
          const fence = yield* (yield* FencesWriter).acquire
          const stationId = yield* (yield* Fences).stationId
          const find = Effect.map(planned.listUpcoming(Date.now() + 3_600_000), (all) =>
            all.find(({ id }) => id === planId)!
          )
          const [spoken] = yield* readSpoken(planId)
          const waiting = yield* find
          expect([...waiting.faults.values()]).toEqual(["it has no sound"])
          const sound = assetOf(airable("segment", 77_000, 30))
          yield* (yield* Assets).save(sound)
          yield* sql`UPDATE segments SET audio_status = 'ready', asset_id = ${sound.id}, duration_sec = 30 WHERE id = ${spoken!.id}`
          const plan = yield* find
          expect([plan.faults.size, plan.sounds.size, plan.sounds.get(plan.items[0]!.id)?.segmentId]).toEqual([
            0,
            plan.items.length - 1,
            spoken!.id
          ])
          // It waits in its plan, not in the queue.
          expect(
            (yield* (yield* Candidates).listQueued(Date.now(), 64)).some(({ segmentId }) => segmentId === spoken!.id)
          ).toBe(false)
          const { items, startMs } = plan
          // Its times move with the items before it until it begins.
          yield* air.noteParts([{ planId, itemId: items[0]!.id, plannedAtMs: startMs - 40_000, why: null }])
          yield* air.noteParts([
            { planId, itemId: items[0]!.id, plannedAtMs: startMs, why: null },
            { planId, itemId: items[3]!.id, plannedAtMs: startMs + 60_000, why: "no time left" }
          ])
          yield* (yield* AsRunWriter).append(
            stationId,
            [
              { ...row(airIdOf(planId, items[0]!.id), startMs + 20, 20, "complete"), segmentId: spoken!.id },
              row(airIdOf(planId, items[2]!.id), startMs + 20_020, 30, "cut")
            ],
            seal(fence)
          )
          // Cut after 20 of its 30 seconds, it has aired, whatever the estimate of its script was.
          const [talk] = yield* planned.listHeard([airIdOf(planId, items[0]!.id)])
          const longer = [new PlanItem({ ...items[0]!, durationSec: 45 })]
          expect(findAiredItems(planId, longer, [{ ...talk!, complete: false }]).size).toBe(1)
          expect(yield* air.begin(planId, startMs, fence)).toMatchObject({ status: "airing" })
          expect(yield* air.begin(planId, startMs, fence)).toBeNull()
          yield* air.noteParts([{ planId, itemId: items[0]!.id, plannedAtMs: startMs + 5, why: null }])
          expect(yield* air.finish(planId, 1, startMs, fence - 1)).toBeNull()
          const moved = yield* air.finish(planId, 1, startMs, fence)
          expect(moved).toMatchObject({ status: "aired", airedItems: 1, items: items.length })
          expect(yield* air.finish(planId, 1, startMs, fence)).toBeNull()
          expect(yield* (yield* Segments).find(spoken!.id)).toMatchObject({
            status: "cancelled",
            statusReason: "PLAN_OVER"
          })
          expect((yield* planOf(key, planId)).status).toBe("aired")
          expect(
            yield* sql`SELECT event->>'airedItems' AS aired FROM outbox WHERE event->>'_tag' = 'PlanAired' AND event->>'planId' = ${planId}`
          ).toEqual([{ aired: "1" }])
          const { body, status } = yield* call("GET", `${plans}/${planId}/as-run`, { key })
          expect([status, body.status, body.airedItems, body.items.length]).toEqual([200, "aired", 1, items.length])
          expect(body.items[0]).toEqual({
            itemId: items[0]!.id,
            index: 0,
            kind: "talk",
            title: items[0]!.title,
            plannedAt: new Date(startMs).toISOString(),
            startedAt: new Date(startMs + 20).toISOString(),
            endedAt: new Date(startMs + 20_020).toISOString(),
            lateMs: 20,
            aired: true,
            complete: true,
            asRunId: expect.stringMatching(/^asr_\d+$/),
            reason: null
          })
          // Half a minute of a song of several minutes doesn't count as aired, nor does the silence before it.
          expect(
            body.items
              .slice(1, 4)
              .map(
                ({
                  aired,
                  complete,
                  reason
                }: {
                  readonly aired: boolean
                  readonly complete: boolean | null
                  readonly reason: string | null
                }) => [aired, complete, reason]
              )
          ).toEqual([
            [false, null, null],
            [false, false, "the station stopped"],
            [false, null, "no time left"]
          ])
          expect(
            (yield* call("GET", `${plans}/${planId}/as-run`, { key: (yield* makeClaimedAgent()).key })).status
          ).toBe(404)
          expect((yield* call("GET", `${plans}/${planId}/as-run`, {})).status).toBe(401)
        }),
      300_000
    )

    it.effect(
      "become shows by their airings in the log",
      () =>
        Effect.gen(function* () {
          const agent = yield* arriveGranted({ freeAir: true })
          yield* makeShowReady(agent)
          const { blockId, id: planId } = yield* draftPlan(agent.key)
          expect((yield* act(agent.key, planId, "submit")).body.plan.status).toBe("approved")
          yield* moveStart(planId, 10)
          const planned = yield* PlansForAir
          const air = yield* Effect.provide(PlanAirings, PlanAirings.layer)
          const fence = yield* (yield* FencesWriter).acquire
          const plan = (yield* planned.listUpcoming(Date.now() + 3_600_000)).find(({ id }) => id === planId)!
          const airIds = plan.items.map(({ id }) => airIdOf(planId, id))
          const logged = (ids: typeof airIds, fromMs: number) =>
            Effect.flatMap(
              Effect.all([AsRunWriter, Effect.flatMap(Fences, ({ stationId }) => stationId)]),
              ([asRun, stationId]) =>
                asRun.append(
                  stationId,
                  ids.map((id, n) => row(id, fromMs + n * 180_000, 180, "complete")),
                  seal(fence)
                )
            )
          // All but the last two, of more than ten: enough.
          yield* logged(airIds.slice(0, -2), plan.startMs)
          const aired = findAiredItems(planId, plan.items, yield* planned.listHeard(airIds))
          expect(aired.size).toBe(plan.items.length - 2)
          yield* air.begin(planId, plan.startMs, fence)
          expect((yield* act(agent.key, planId, "save-as-show")).body.detail).toContain("It is airing")
          yield* air.finish(planId, aired.size, Date.now(), fence)
          const saved = yield* act(agent.key, planId, "save-as-show")
          expect([saved.status, saved.body.block]).toEqual([200, { id: blockId, showId: saved.body.agentShow.id }])
        }),
      300_000
    )

    it.effect(
      "keep the distance of songs to those of the previous hour, by any planner",
      () =>
        Effect.gen(function* () {
          yield* shelf(80)
          const { blockId, occurrenceStart } = (yield* listRuns()).findLast(
            (run) => defaultGrid.find(({ id }) => id === run.blockId)!.startMinute === 1_020
          )!
          const { weekday } = defaultGrid.find(({ id }) => id === blockId)!
          const next = defaultGrid.find((block) => block.weekday === weekday && block.startMinute === 1_080)!
          yield* setBookable(next.id, true)
          const airings = yield* Effect.forEach(
            [
              [blockId, occurrenceStart],
              [next.id, new Date(Date.parse(occurrenceStart) + 3_600_000).toISOString()]
            ] as const,
            ([block, start]) =>
              Effect.gen(function* () {
                const { key } = yield* makeClaimedAgent()
                const { plan } = (yield* bookRun(key, block, { occurrenceStart: start })).body
                const { items } = (yield* act(key, plan.id, "music/lazy")).body.plan
                const { timeline } = (yield* act(key, plan.id, "preview")).body
                return timeline.map((row: { readonly itemId: string; readonly startAt: string }) => ({
                  trackId: items.find(({ id }: { readonly id: string }) => id === row.itemId).trackId as string,
                  atMs: Date.parse(row.startAt)
                }))
              })
          )
          const [before, after] = airings as [
            ReadonlyArray<{ readonly trackId: string; readonly atMs: number }>,
            ReadonlyArray<{ readonly trackId: string; readonly atMs: number }>
          ]
          expect([before.length > 10, after.length > 10]).toEqual([true, true])
          expect(
            after.filter(({ atMs, trackId }) =>
              before.some((other) => other.trackId === trackId && atMs - other.atMs < trackSeparationMs)
            )
          ).toEqual([])
          yield* setBookable(next.id, false)
        }),
      300_000
    )

    it.effect(
      "are cancelled if nothing aired, and their segments return to the open queue",
      () =>
        Effect.gen(function* () {
          const { key } = yield* arriveGranted({ freeAir: true })
          const sql = yield* SqlClient.SqlClient
          yield* shelf(40)
          const { id: planId } = yield* draftPlan(key, { items: [{ kind: "talk", scriptText: script }] })
          yield* act(key, planId, "music/lazy")
          yield* act(key, planId, "submit")
          const [spoken] = yield* readSpoken(planId)
          // It is treated like a segment of the agent's own.
          yield* sql`UPDATE plans SET items = jsonb_set(items, '{0,kind}', '"segment"') WHERE id = ${planId}`
          const fence = yield* (yield* FencesWriter).acquire
          const air = yield* Effect.provide(PlanAirings, PlanAirings.layer)
          expect(yield* air.finish(planId, 0, Date.now(), fence)).toMatchObject({ status: "cancelled" })
          expect(yield* planOf(key, planId)).toMatchObject({ status: "cancelled", statusReason: "NOT_AIRED" })
          expect(yield* (yield* Segments).find(spoken!.id)).toMatchObject({ planId: null, status: "queued" })
        }),
      300_000
    )
  }
)
