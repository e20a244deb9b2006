import { Clock, Effect } from "effect"
import { NotFetched, type Outbound, type OutboundAnswer } from "../ports/Outbound.ts"
import { redirectsMax } from "../rules/runtime/limits.ts"

/** Fetches files by `ask`, which checks each address. */
export const fetchOver = (ask: Outbound["Service"]["ask"]): Outbound["Service"]["fetch"] =>
  Effect.fnUntraced(function* (address, { bytesMax, timeoutMs }) {
    const endsAtMs = (yield* Clock.currentTimeMillis) + timeoutMs
    const failed = (detail: string, status: number | null = null) => new NotFetched({ detail, status })
    let url = address
    for (let hop = 0; ; hop++) {
      const leftMs = endsAtMs - (yield* Clock.currentTimeMillis)
      if (leftMs <= 0) return yield* failed(`gave no whole answer within ${timeoutMs / 1_000} s`)
      const answer: OutboundAnswer = yield* ask({
        url,
        method: "GET",
        headers: { accept: "*/*" },
        timeoutMs: leftMs,
        answerMaxBytes: bytesMax
      }).pipe(
        Effect.catchTags({
          OutboundRefused: ({ detail }) =>
            Effect.fail(failed(hop === 0 ? detail : `is redirected to one that ${detail}`)),
          OutboundFailed: ({ detail }) => Effect.fail(failed(`can't be fetched: ${detail}`))
        })
      )
      const location = answer.headers["location"]
      if (answer.status >= 300 && answer.status < 400 && location !== undefined) {
        if (hop >= redirectsMax) return yield* failed(`is redirected more than ${redirectsMax} times`)
        if (!URL.canParse(location, url)) return yield* failed("is redirected to something that is no address")
        url = new URL(location, url).href
        continue
      }
      if (answer.status !== 200) return yield* failed(`answers ${answer.status} instead of the file`, answer.status)
      if (answer.isCut) return yield* failed(`leads to more than ${bytesMax} bytes`)
      if (answer.body.length === 0) return yield* failed("leads to an empty file")
      return answer.body
    }
  })
