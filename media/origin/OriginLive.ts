import { Clock, Effect, type Scope } from "effect"
import {
  aheadPartsMax,
  blockingTimeoutMs,
  edgeListMs,
  edgePatienceMs,
  edgeProbeMs,
  edgeProbeTimeoutMs,
  edgeRetryMs,
  partFrames,
  segmentFrames,
  windowSegments
} from "../../engine/rules/air/limits.ts"
import type { HlsRendition, HlsVariant, Live, LiveAnswer, LiveObject } from "../../engine/ports/Live.ts"
import { type OriginFigures, Origins } from "../../engine/ports/Origins.ts"
import { fenceClaimedBy, fenceHeader, fenceOf, fencePath, fenceProofHeader } from "../../schema/air/Fence.ts"
import { Arrivals } from "../live/LiveService.ts"
import { followMp3 } from "./OriginMp3.ts"
import { maxAgeOf, OriginObjects } from "./OriginObjects.ts"

const partsPerSegment = segmentFrames / partFrames
const late: LiveAnswer = { _tag: "Late" }
const renditions: ReadonlyArray<HlsRendition> = ["aac128", "aac64", "words"]
const variants: ReadonlyArray<HlsVariant> = ["aac128", "aac64"]

/** The next part after a playlist, in the order of the broadcast. */
interface Place {
  readonly msn: number
  readonly part: number
}

const orderOf = ({ msn, part }: Place): number => msn * partsPerSegment + part

const placeAfter = (playlist: string): Place | null => {
  const [, msn, part] = /^#EXT-X-PRELOAD-HINT:TYPE=PART,URI="p(\d+)\.(\d+)\./m.exec(playlist) ?? []
  return msn === undefined ? null : { msn: Number(msn), part: Number(part) }
}

/** One rendition, as the origin last described it. */
interface Followed {
  readonly rendition: HlsRendition
  playlist: LiveObject | null
  next: Place | null
  firstMsn: number
  /** It is asked for its list without a place next: the origin can't wait for a part so far ahead. */
  isPlain: boolean
  movedMs: number
}

/**
 * Port `Live` from origins, for edges. It keeps one blocking reload open for each rendition, and asks for each part once, before it exists;
 * listeners wait here. What only some of them ask for is fetched when asked for, once.
 */
export const followLive = Effect.fnUntraced(function* (
  stationName: string
): Effect.fn.Return<{ readonly live: Live["Service"]; readonly figures: OriginFigures }, never, Origins | Scope.Scope> {
  const origins = yield* Origins
  const clock = yield* Clock.Clock
  const nowMs = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  const objects = new OriginObjects(origins, run, clock)
  const arrivals = new Arrivals()
  const mp3 = yield* followMp3(origins, stationName)
  const followed = new Map<HlsRendition, Followed>(
    renditions.map((rendition) => [
      rendition,
      { rendition, playlist: null, next: null, firstMsn: 0, isPlain: false, movedMs: nowMs() }
    ])
  )
  let multivariant: LiveObject = { contentType: "application/vnd.apple.mpegurl", body: new Uint8Array(0), maxAgeSec: 0 }
  const inits = new Map<HlsVariant, LiveObject>()

  const pathOf = (rendition: HlsRendition, { msn, part }: Place) =>
    `/live/${rendition}/p${msn}.${part}.${rendition === "words" ? "vtt" : "m4s"}`

  const take = (state: Followed, body: Buffer, maxAgeSec: number, fence: number | null): boolean => {
    const text = body.toString()
    const next = placeAfter(text)
    const isBack = next !== null && state.next !== null && orderOf(next) < orderOf(state.next)
    // A broadcast never goes back. One that did all the same is followed after a while, rather than none.
    if (isBack && nowMs() - state.movedMs < blockingTimeoutMs) return false
    const isNew = state.next === null || next === null || orderOf(next) !== orderOf(state.next)
    state.firstMsn = Number(/^#EXT-X-MEDIA-SEQUENCE:(\d+)$/m.exec(text)?.[1] ?? 0)
    state.next = next
    if (isNew || state.playlist === null) {
      state.playlist = { contentType: "application/vnd.apple.mpegurl", body, maxAgeSec, fence }
      state.movedMs = nowMs()
    }
    if (next !== null && state.rendition !== "words") objects.prefetch(pathOf(state.rendition, next))
    arrivals.announce()
    return isNew
  }

  const follow = (state: Followed) =>
    Effect.gen(function* () {
      const origin = origins.current()
      const { next } = state
      const query = next === null || state.isPlain ? "" : `?_HLS_msn=${next.msn}&_HLS_part=${next.part}`
      const answer = yield* origins.get(origin, {
        path: `/live/${state.rendition}/index.m3u8${query}`,
        timeoutMs: edgePatienceMs
      })
      state.isPlain = answer.status === 400
      if (state.isPlain) return yield* Effect.sleep(edgeRetryMs)
      if (answer.status !== 200) {
        origins.fail(origin)
        return yield* Effect.sleep(edgeRetryMs)
      }
      const fence = fenceOf(answer.headers[fenceHeader] as string | undefined)
      if (!origins.accept(origin, fence) || origin !== origins.current()) return yield* Effect.sleep(edgeRetryMs)
      const isNew = take(state, answer.body, maxAgeOf(answer.headers["cache-control"]), fence)
      if (!isNew || state.next === null) yield* Effect.sleep(edgeRetryMs)
    }).pipe(
      Effect.catch((failure) =>
        Effect.andThen(
          Effect.sync(() => {
            const origin = origins.all.find(({ url }) => url === failure.url)
            if (origin !== undefined) origins.fail(origin)
          }),
          Effect.sleep(edgeRetryMs)
        )
      ),
      Effect.forever
    )
  yield* Effect.forEach(followed.values(), (state) => Effect.forkScoped(follow(state)), { discard: true })

  /** What changes rarely. */
  const refresh = Effect.gen(function* () {
    const found = yield* objects.get("/live/index.m3u8")
    if (found._tag === "Found") multivariant = found.object
    for (const variant of variants) {
      const init = yield* objects.get(`/live/${variant}/init.mp4`)
      if (init._tag === "Found") inits.set(variant, init.object)
    }
    yield* Effect.sleep(inits.size < variants.length ? edgeRetryMs : edgeListMs)
  })
  yield* Effect.forkScoped(Effect.forever(refresh))

  /** The proof of the followed origin. */
  let proof: string | null = null
  const refreshProof = Effect.gen(function* () {
    const { headers, status } = yield* origins.get(origins.current(), {
      path: fencePath,
      timeoutMs: edgeProbeTimeoutMs
    })
    const shown = status === 200 ? (headers[fenceProofHeader] as string | undefined) : undefined
    proof = shown !== undefined && fenceClaimedBy(shown) === origins.fence() ? shown : null
    origins.prove(proof)
  }).pipe(
    // What it fetches otherwise shows sooner whether the origin fails.
    Effect.ignore,
    Effect.andThen(Effect.sleep(edgeProbeMs))
  )
  yield* Effect.forkScoped(Effect.forever(refreshProof))

  const waitFor = (arrived: () => boolean, answer: () => Effect.Effect<LiveAnswer>): Effect.Effect<LiveAnswer> =>
    arrived()
      ? answer()
      : arrivals
          .awaitArrival(arrived)
          .pipe(
            Effect.andThen(Effect.suspend(answer)),
            Effect.timeoutOrElse({ duration: blockingTimeoutMs, orElse: () => Effect.succeed(late) })
          )
  const partsAhead = (state: Followed, place: Place) => (state.next === null ? 0 : orderOf(place) - orderOf(state.next))

  /** A whole segment: its parts in one where all of them are here, otherwise the origin's. */
  const segmentOf = (rendition: HlsRendition, msn: number): Effect.Effect<LiveAnswer> =>
    rendition === "words"
      ? objects.get(`/live/words/s${msn}.vtt`)
      : objects.getWhole(
          `/live/${rendition}/s${msn}.m4s`,
          Array.from({ length: partsPerSegment }, (_, part) => pathOf(rendition, { msn, part }))
        )

  const live: Live["Service"] = {
    isOnAir: () => true,
    awaitAir: Effect.succeed(true),
    fence: () => origins.fence(),
    fenceProof: () => proof,
    // Only the origin can tell whether it is true.
    seeFenceProof: (given) => {
      const fence = fenceClaimedBy(given)
      if (fence !== null && fence > (origins.fence() ?? 0)) origins.prove(given)
      return null
    },
    multivariant: () => multivariant,
    playlist: (rendition, { msn, part, skip }) => {
      const state = followed.get(rendition)!
      const answer = (): Effect.Effect<LiveAnswer> => {
        const { next, playlist } = state
        if (playlist === null) return Effect.succeed(late)
        const whole: LiveAnswer = { _tag: "Found", object: playlist }
        if (!skip || next === null) return Effect.succeed(whole)
        const last =
          next.part > 0 ? { msn: next.msn, part: next.part - 1 } : { msn: next.msn - 1, part: partsPerSegment - 1 }
        // A whole playlist answers a request for a delta as well.
        return Effect.map(
          objects.get(`/live/${rendition}/index.m3u8?_HLS_msn=${last.msn}&_HLS_part=${last.part}&_HLS_skip=YES`),
          (delta) => (delta._tag === "Found" ? delta : whole)
        )
      }
      if (msn === null) {
        if (part !== null)
          return Effect.succeed({ _tag: "Impossible", parameter: "_HLS_part", detail: "needs _HLS_msn" })
        return waitFor(() => state.playlist !== null, answer)
      }
      const wanted = { msn, part: part ?? partsPerSegment - 1 }
      if (partsAhead(state, wanted) > aheadPartsMax + (part === null ? partsPerSegment : 0))
        return Effect.succeed({
          _tag: "Impossible",
          parameter: "_HLS_msn",
          detail: "must be at most two target durations ahead"
        })
      return waitFor(() => state.next !== null && orderOf(state.next) > orderOf(wanted), answer)
    },
    init: (variant) => inits.get(variant) ?? null,
    segment: (rendition, msn) => {
      const state = followed.get(rendition)!
      return state.next === null || msn >= state.next.msn || msn < state.firstMsn - windowSegments
        ? Effect.succeed({ _tag: "Gone" })
        : segmentOf(rendition, msn)
    },
    part: (rendition, msn, part) => {
      const state = followed.get(rendition)!
      return part >= partsPerSegment ||
        state.next === null ||
        partsAhead(state, { msn, part }) > 0 ||
        msn < state.firstMsn - windowSegments
        ? Effect.succeed({ _tag: "Gone" })
        : objects.get(pathOf(rendition, { msn, part }))
    },
    words: (itemId) => objects.pass(`/live/words/item/${itemId}.vtt`),
    wave: (itemId) => objects.pass(`/live/wave/${itemId}.json`),
    shifted: {
      multivariant: (start) =>
        objects.pass(
          `/live/index.m3u8?start=${start._tag === "At" ? new Date(start.atMs).toISOString() : `-${start.behindSec}`}`
        ),
      playlist: (variant, behindSec, fromMs) =>
        objects.pass(
          `/live/${variant}/index.m3u8?start=-${behindSec}${fromMs == null ? "" : `&from=${new Date(fromMs).toISOString()}`}`
        ),
      segment: (variant, msn, firstPart) =>
        objects.pass(
          `/live/${variant}/archive/${msn}${firstPart === undefined || firstPart === 0 ? "" : `.${firstPart}`}.m4s`
        )
    },
    mp3: (burstMs, next) => mp3.listen(burstMs, next)
  }
  const figures: OriginFigures = {
    fetched: () => objects.fetched,
    bytes: () => objects.bytes,
    silentMs: () => nowMs() - Math.max(...[...followed.values()].map(({ movedMs }) => movedMs))
  }
  return { live, figures }
})
