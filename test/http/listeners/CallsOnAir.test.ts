import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { callJobs } from "../../../actors/listeners/CallWorker.ts"
import { workOff } from "../../support/runtime/WorkedOff.ts"
import { segmentIdOf } from "../../../actors/listeners/Messages.ts"
import { Audience } from "../../../actors/listeners/protocol/Audience.ts"
import { ObjectStore } from "../../../engine/ports/ObjectStore.ts"
import { ListenerCredits } from "../../../engine/store/air/ListenerCredits.ts"
import type { HumanId } from "../../../schema/Ids.ts"
import { consent, decideMessage, messageOf, makeRecording } from "../../support/listeners/Messages.ts"
import { OpsHttp, rundown, songOn } from "../../support/http/OpsHttp.ts"
import { call, operator, askUntil } from "../../support/http/SegmentHttp.ts"

const ada = { listenerId: null, human: { id: "usr_01hzzzzzzzzzzzzzzzzzzzzzzz" as HumanId, displayName: "Ada" } }

const guest = { listenerId: null, human: null }

let calls = 0
/** A call as the form's handler stores it. */
const called = Effect.fnUntraced(function* (trackId: string | null, from: typeof ada | typeof guest = guest) {
  const uploadKey = `calls/incoming/${++calls}`
  yield* (yield* ObjectStore).put(uploadKey, { bytes: (yield* makeRecording("wav", 2)).bytes }, "audio/wav")
  const audience = (yield* Audience.client)(from.human?.id ?? `guest_${calls}`)
  const draft = {
    uploadKey,
    contentType: "audio/wav",
    trackId,
    to: null,
    showSlug: null,
    asked: { source: "web" as const, consent, attribution: { useDisplayName: true } }
  }
  return (yield* audience.CallIn({ from, draft })).interaction.id
})

layer(OpsHttp, { excludeTestServices: true })("a call on the air", (it) => {
  it.effect(
    "airs in turn after its approval, under its caller's label, and is then marked as aired",
    () =>
      Effect.gen(function* () {
        const [ops, producer] = [yield* operator("reviewer"), yield* operator("producer")]
        yield* songOn(producer)
        const trackId = (yield* rundown(producer)).items.find(({ role }) => role === "music")!.trackId
        const [id, anonymous] = [yield* called(trackId, ada), yield* called(null)]
        const planned = (segmentId: string) =>
          Effect.map(rundown(producer), ({ items }) => items.some((item) => item.segmentId === segmentId))
        expect([yield* planned(segmentIdOf(id)), (yield* messageOf(ops, id)).call.airStatus]).toEqual([false, "off"])
        for (const one of [id, anonymous])
          expect((yield* decideMessage(ops, "call_in", one, "approve")).body.review.status).toBe("approved")
        yield* workOff(callJobs)
        yield* askUntil(messageOf(ops, id), ({ call: { airStatus } }) => airStatus === "scheduled")
        const line = (yield* rundown(producer)).items.find((item) => item.segmentId === segmentIdOf(id))!
        expect([line.role, line.title.startsWith("A call from Ada, for ")]).toEqual(["segment", true])
        // When withdrawn, it leaves the rundown.
        const review = (yield* call("GET", `/api/ops/reviews?kind=call_in&status=approved`, {
          key: ops
        })).body.items.find(({ subject }: { subject: { id: string } }) => subject.id === anonymous)
        expect((yield* call("POST", `/api/ops/reviews/${review.id}/undo`, { key: ops, body: {} })).status).toBe(200)
        yield* askUntil(planned(segmentIdOf(anonymous)), (stands) => !stands)
        expect(
          (yield* call("POST", "/api/ops/playout/insert-now", {
            key: producer,
            body: { segmentId: segmentIdOf(id), reason: "now" }
          })).status
        ).toBe(200)
        const heard = yield* askUntil(messageOf(ops, id), ({ moderationStatus }) => moderationStatus === "aired")
        expect([heard.visibility, heard.call.airStatus, heard.call.airedAt !== null]).toEqual(["on_air", "aired", true])
        const sql = yield* SqlClient.SqlClient
        expect(yield* sql`SELECT kind, title, agent_id FROM as_run WHERE segment_id = ${segmentIdOf(id)}`).toEqual([
          { kind: "segment", title: line.title, agentId: null }
        ])
        expect(yield* (yield* ListenerCredits).labels([segmentIdOf(id)])).toEqual(new Map([[segmentIdOf(id), "Ada"]]))
        expect((yield* messageOf(ops, anonymous)).call.airStatus).toBe("off")
        // The airing stays in the log; its copy can be removed.
        const removed = yield* call("POST", `/api/ops/subjects/call_in/${id}/remove`, {
          key: ops,
          body: { reason: "asked for by the caller" }
        })
        expect([removed.body.message.moderationStatus, removed.body.message.visibility]).toEqual(["aired", "private"])
        expect((yield* call("POST", `/api/ops/reviews/${review.id}/undo`, { key: ops, body: {} })).status).toBe(409)
      }),
    300_000
  )
})
