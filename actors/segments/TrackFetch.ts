import { Clock, Effect } from "effect"
import { Outbound, type OutboundAnswer } from "../../engine/ports/Outbound.ts"
import { trackRedirectsMax } from "../../engine/rules/music/limits.ts"
import { InvalidField } from "../../schema/Problems.ts"

const refused = (pointer: string, detail: string) =>
  new InvalidField({
    detail: `The address ${detail}.`,
    errors: [{ pointer, code: "INVALID_FIELD", detail }]
  })

/**
 * Fetches what an agent's address leads to. At most three redirects, each checked like the first address; bounded in size and in time from the first
 * look-up to the last byte. Nothing is kept of a fetch that fails.
 */
export const fetchPublic = Effect.fnUntraced(function* (
  pointer: string,
  address: string,
  { bytesMax, timeoutMs }: { readonly bytesMax: number; readonly timeoutMs: number }
) {
  const outbound = yield* Outbound
  const endsAtMs = (yield* Clock.currentTimeMillis) + timeoutMs
  let url = address
  for (let hop = 0; ; hop++) {
    const leftMs = endsAtMs - (yield* Clock.currentTimeMillis)
    if (leftMs <= 0) return yield* refused(pointer, `gave no whole answer within ${timeoutMs / 1_000} s`)
    const answer: OutboundAnswer = yield* outbound
      .ask({ url, method: "GET", headers: { accept: "*/*" }, timeoutMs: leftMs, answerMaxBytes: bytesMax })
      .pipe(
        Effect.catchTags({
          OutboundRefused: ({ detail }) =>
            Effect.fail(refused(pointer, hop === 0 ? detail : `is redirected to one that ${detail}`)),
          OutboundFailed: ({ detail }) => Effect.fail(refused(pointer, `can't be fetched: ${detail}`))
        })
      )
    const location = answer.headers["location"]
    if (answer.status >= 300 && answer.status < 400 && location !== undefined) {
      if (hop >= trackRedirectsMax) return yield* refused(pointer, `is redirected more than ${trackRedirectsMax} times`)
      if (!URL.canParse(location, url)) return yield* refused(pointer, "is redirected to something that is no address")
      url = new URL(location, url).href
      continue
    }
    if (answer.status !== 200) return yield* refused(pointer, `answers ${answer.status} instead of the file`)
    if (answer.isCut) return yield* refused(pointer, `leads to more than ${bytesMax} bytes`)
    if (answer.body.length === 0) return yield* refused(pointer, "leads to an empty file")
    return answer.body
  }
})
