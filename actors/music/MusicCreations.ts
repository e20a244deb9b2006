import { Clock, Effect } from "effect"
import { sha256 } from "../../engine/runtime/Secrets.ts"
import { creationReuseHours } from "../../engine/rules/music/limits.ts"
import { creationAllowance } from "../../engine/rules/music/MusicCreation.ts"
import { MusicCreationsWriter } from "../../engine/store/music/MusicCreations.ts"
import type { AgentId } from "../../schema/Ids.ts"
import type { MusicAsked } from "../../schema/music/MusicRequest.ts"
import { IdempotencyKeyConflict } from "../../schema/Problems.ts"
import { hourMs } from "../../schema/time/Units.ts"
import { command } from "../runtime/Command.ts"
import { orderFrom } from "./MusicOrders.ts"
import { admit, newRequest } from "./MusicRequests.ts"

interface Creating {
  readonly asked: MusicAsked
  readonly commandKey: string
}
/** Orders music under a key that names the job for ever. A known key, or the same content within a day, gets the job that there is. */
export const createMusic = Effect.fnUntraced(function* (agentId: AgentId, { asked, commandKey }: Creating) {
  const creations = yield* MusicCreationsWriter
  const bodySha256 = sha256(JSON.stringify(asked))
  const known = yield* creations.findByKey(agentId, commandKey)
  if (known !== null) {
    if (known.bodySha256 === bodySha256) return { jobId: known.jobId }
    return yield* new IdempotencyKeyConflict({
      detail: `This idempotency key names the job ${known.jobId}, which was asked for something else. Use a new key for a new job.`
    })
  }
  yield* admit(agentId)
  const order = yield* orderFrom(asked)
  const nowMs = yield* Clock.currentTimeMillis
  const same = yield* creations.findByContent(agentId, bodySha256, nowMs - creationReuseHours * hourMs)
  if (same !== null)
    return yield* command({
      by: agentId,
      allowances: [creationAllowance],
      run: Effect.as(creations.name({ agentId, commandKey, bodySha256, jobId: same.jobId }, nowMs), {
        jobId: same.jobId
      })
    })
  const { request, take } = yield* newRequest(agentId, { kind: "creation", order })
  const { id: requestId, jobId } = request
  return yield* command({
    by: agentId,
    allowances: [creationAllowance],
    run: Effect.gen(function* () {
      yield* take
      yield* creations.add({ jobId, requestId, agentId, bodySha256, createdAtMs: nowMs })
      yield* creations.name({ agentId, commandKey, bodySha256, jobId }, nowMs)
      return { jobId }
    })
  })
})
