import { Clock, Effect } from "effect"
import type { ProviderFailed } from "../../engine/ports/MusicProviders.ts"
import {
  musicRequestsAtOnce,
  musicRetryMs,
  musicTriesMax,
  providerBusyMaxMs,
  providerBusyMs,
  variantsKeptDays
} from "../../engine/rules/music/limits.ts"
import { MusicRequests } from "../../engine/store/music/MusicRequests.ts"
import type { MusicRequest } from "../../schema/music/MusicRequest.ts"
import { dayMs, hourMs } from "../../schema/time/Units.ts"
import { purgeRows } from "../../engine/rules/runtime/limits.ts"
import { backOff, repeatEvery, jobHandler, rescheduleAfter, purgeJob } from "../runtime/Jobs.ts"
import { MakeMusic } from "./protocol/Jobs.ts"
import { MusicDesk } from "./protocol/MusicDesk.ts"
import { makers, MusicNotMade } from "./MusicMakers.ts"

/** Makes one piece; every failure is a refusal for good, or one that another try may mend. */
const make = Effect.fnUntraced(function* (request: MusicRequest, index: number) {
  return yield* makers[request.kind](request, index)
})

/** A refused order ends; one for which the provider has no time waits, and isn't tried in vain meanwhile. */
const settleProviderFailure = Effect.fnUntraced(function* (
  { agentId, createdAtMs, id }: MusicRequest,
  { detail, reason, retryAfterSec }: ProviderFailed
) {
  const end = (status: "rejected" | "failed", code: string) =>
    Effect.flatMap(MusicDesk.client, (desk) =>
      desk(agentId).EndMusic({ requestId: id, status, error: { code, detail } })
    )
  if (reason === "refused") return yield* end("rejected", "PROVIDER_REFUSED")
  if (reason !== "busy") return yield* new MusicNotMade({ detail })
  const waitMs = retryAfterSec === undefined ? providerBusyMs : retryAfterSec * 1_000
  const isTooLate = (yield* Clock.currentTimeMillis) + waitMs > createdAtMs + providerBusyMaxMs
  return yield* isTooLate ? end("failed", "PROVIDER_BUSY") : rescheduleAfter(waitMs, detail)
})

/**
 * Makes the missing pieces of a request, one after the other; each is kept when it is finished, so that a new process makes only the rest. After
 * three failures the request has failed, and its quota is given back.
 */
const makeMusic = jobHandler(MakeMusic, {
  atOnce: musicRequestsAtOnce,
  triesMax: musicTriesMax,
  restMs: backOff(musicRetryMs, 60_000),
  work: Effect.fnUntraced(function* ({ agentId, requestId }) {
    const desk = (yield* MusicDesk.client)(agentId)
    const requests = yield* MusicRequests
    const request = yield* desk.BeginMusic({ requestId })
    if (request === null) return
    const made = new Set((yield* requests.variants(requestId)).map(({ index }) => index))
    return yield* Effect.gen(function* () {
      for (let index = 0; index < request.order.variants; index++) {
        if (made.has(index)) continue
        const now = yield* requests.find(requestId)
        // Cancelled meanwhile.
        if (now === null || now.status !== "generating") return
        yield* desk.KeepPiece({ requestId, index, piece: yield* make(now, index) })
      }
    }).pipe(
      Effect.catchTags({
        SourceUnusable: ({ detail }) =>
          desk.EndMusic({ requestId, status: "rejected", error: { code: "SOURCE_UNUSABLE", detail } }),
        MusicRefused: ({ code, detail }) => desk.EndMusic({ requestId, status: "rejected", error: { code, detail } }),
        ProviderFailed: (failure) => settleProviderFailure(request, failure),
        // A full disk isn't the request's fault: it waits.
        MediaStoreUnavailable: ({ detail }) => rescheduleAfter(musicRetryMs, detail),
        ObjectsUnavailable: ({ detail }) => rescheduleAfter(musicRetryMs, detail)
      })
    )
  }),
  giveUp: Effect.fnUntraced(function* ({ agentId, requestId }, why) {
    yield* (yield* MusicDesk.client)(agentId).EndMusic({
      requestId,
      status: "failed",
      error: { code: "GENERATION_FAILED", detail: why }
    })
  })
})

/** Deletes ended requests that are past their retention, with the sounds that became no track. */
const forgetMusic = Effect.fnUntraced(function* (nowMs: number) {
  const desk = yield* MusicDesk.client
  const old = yield* (yield* MusicRequests).listStale(nowMs - variantsKeptDays * dayMs, purgeRows)
  for (const { agentId, id } of old) yield* desk(agentId).ForgetMusic({ requestId: id })
  return old.length
})

export const musicJobs = [
  makeMusic,
  purgeJob("music.purge_requests", { next: repeatEvery(hourMs), batch: forgetMusic })
] as const
