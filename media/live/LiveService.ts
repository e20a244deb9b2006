import { Effect } from "effect"
import type { HlsRendition, HlsVariant, Live, LiveAnswer, LiveObject, Shifted } from "../../engine/ports/Live.ts"
import {
  aheadPartsMax,
  blockingTimeoutMs,
  segmentFrames,
  standbyHoldMs,
  windowSegments
} from "../../engine/rules/air/limits.ts"
import type { SyntheticMark } from "../../schema/Synthetic.ts"
import type { LiveHost } from "./LiveHost.ts"
import { variants } from "./BroadcastStart.ts"
import { initSegment } from "../encode/Fmp4.ts"
import type { LiveWindow } from "./LiveWindow.ts"
import { partSamples, partsPerSegment, segmentSamples } from "../encode/PartPacker.ts"
import { mediaPlaylist, multivariantPlaylist } from "./Playlist.ts"
import { renditions } from "../encode/Rendition.ts"

const playlistType = "application/vnd.apple.mpegurl"
const soundType = "audio/mp4"
const text = new TextEncoder()

/** A part never changes; it is kept as long as a playlist may list it. */
const soundMaxAgeSec = Math.round((2 * windowSegments * segmentFrames * 1024) / 48_000)

/** Captions of an item never change, but the plan may replace the item before it airs. */
const wordsMaxAgeSec = 60

const foundAnswer = (contentType: string, body: Uint8Array, maxAgeSec: number): LiveAnswer => ({
  _tag: "Found",
  object: { contentType, body, maxAgeSec }
})

/** Wakes requests that wait for future parts. */
export class Arrivals {
  readonly #waiting = new Set<() => void>()

  announce(): void {
    for (const wake of this.#waiting) wake()
  }

  /** Resolves once `arrived` holds, which is checked at every arrival. */
  awaitArrival(arrived: () => boolean): Effect.Effect<void> {
    return Effect.callback((resume) => {
      const look = () => {
        if (!arrived()) return
        this.#waiting.delete(look)
        resume(Effect.void)
      }
      this.#waiting.add(look)
      look()
      return Effect.sync(() => this.#waiting.delete(look))
    })
  }
}

const late: LiveAnswer = { _tag: "Late" }
const impossibleAnswer = (parameter: "_HLS_msn" | "_HLS_part", detail: string): LiveAnswer => ({
  _tag: "Impossible",
  parameter,
  detail
})

/** Port `Live` on the windows of a host and the archive of the last day. */
export const makeLive = (host: LiveHost, arrivals: Arrivals, shifted: Shifted): Live["Service"] => {
  const makeInits = (mark: SyntheticMark) => ({
    mark,
    objects: new Map<HlsVariant, LiveObject>(
      variants.map((variant) => [
        variant,
        { contentType: soundType, body: initSegment(renditions[variant].bitrateKbps, mark), maxAgeSec: 86_400 }
      ])
    )
  })
  let inits = makeInits(host.mark)
  /** Speech has the waveform of its sound. */
  const window = (rendition: HlsRendition): LiveWindow =>
    host.windows.get(rendition === "words" ? variants[0] : rendition)!
  const renditionsAll: ReadonlyArray<HlsRendition> = [...variants, "words"]
  const texts = new Map<
    string,
    { readonly version: number; readonly fence: number | null; readonly object: LiveObject }
  >()

  const wordsOf = (firstSample: number, samples: number): LiveAnswer =>
    foundAnswer("text/vtt", text.encode(host.captions.cuesBetween(firstSample, firstSample + samples)), soundMaxAgeSec)

  const render = (variant: HlsRendition, skip: boolean): LiveAnswer => {
    const version = variants.reduce((sum, each) => sum + window(each).version, 0)
    const key = `${variant}${skip}`
    const { fence } = host
    const known = texts.get(key)
    if (known !== undefined && known.version === version && known.fence === fence)
      return { _tag: "Found", object: known.object }
    const playlist = mediaPlaylist(
      window(variant),
      renditionsAll.filter((other) => other !== variant).map((other) => ({ variant: other, next: window(other).next })),
      skip,
      variant === "words",
      fence
    )
    if (playlist === null) return late
    const object = { contentType: playlistType, body: text.encode(playlist), maxAgeSec: 1, fence }
    texts.set(key, { version, fence, object })
    return { _tag: "Found", object }
  }

  const waitFor = (arrived: () => boolean, answer: () => LiveAnswer): Effect.Effect<LiveAnswer> =>
    host.isOnAir && arrived()
      ? Effect.succeed(answer())
      : arrivals
          .awaitArrival(() => host.isOnAir && arrived())
          .pipe(
            // Another process may have taken the air since the arrival.
            Effect.map(() => (host.isOnAir ? answer() : late)),
            Effect.timeoutOrElse({
              duration: host.isOnAir ? blockingTimeoutMs : standbyHoldMs,
              orElse: () => Effect.succeed(late)
            })
          )

  const partsAhead = (variant: HlsRendition, msn: number, part: number) => {
    const next = window(variant).next
    return next === null ? 0 : (msn - next.msn) * partsPerSegment + part - next.part
  }

  return {
    isOnAir: () => host.isOnAir,
    awaitAir: arrivals
      .awaitArrival(() => host.isOnAir)
      .pipe(Effect.as(true), Effect.timeoutOrElse({ duration: standbyHoldMs, orElse: () => Effect.succeed(false) })),
    fence: () => host.fence,
    fenceProof: (nowMs) => (host.isOnAir ? host.ownership.proof(nowMs) : null),
    seeFenceProof: (proof, nowMs) => host.ownership.seeProof(proof, nowMs)?.atMs ?? null,
    multivariant: () => ({
      contentType: playlistType,
      body: text.encode(
        multivariantPlaylist(
          variants.map((variant) => ({ window: window(variant), nominalKbps: renditions[variant].bitrateKbps })),
          host.mark
        )
      ),
      maxAgeSec: 30,
      fence: host.fence
    }),
    playlist: (variant, { msn, part, skip }) => {
      if (msn === null) {
        if (part !== null) return Effect.succeed(impossibleAnswer("_HLS_part", "needs _HLS_msn"))
        // Held, never refused: players without parts take a playlist without a whole segment for an error.
        return waitFor(
          () => window(variant).segments.some((segment) => segment.whole !== null),
          () => render(variant, skip)
        )
      }
      if (
        partsAhead(variant, msn, part ?? partsPerSegment - 1) >
        aheadPartsMax + (part === null ? partsPerSegment : 0)
      ) {
        return Effect.succeed(impossibleAnswer("_HLS_msn", "must be at most two target durations ahead"))
      }
      return waitFor(
        () => window(variant).has(msn, part),
        () => render(variant, skip)
      )
    },
    init: (variant) => {
      if (inits.mark !== host.mark) inits = makeInits(host.mark)
      return inits.objects.get(variant) ?? null
    },
    segment: (variant, msn) => {
      const segment = window(variant).find(msn)
      if (segment === null || segment.whole === null) return Effect.succeed({ _tag: "Gone" })
      return Effect.succeed(
        variant === "words"
          ? wordsOf(msn * segmentSamples, segmentSamples)
          : foundAnswer(soundType, segment.whole, soundMaxAgeSec)
      )
    },
    part: (variant, msn, part) => {
      const take = (): LiveAnswer => {
        const bytes = window(variant).find(msn)?.parts[part]
        if (bytes === undefined) return { _tag: "Gone" }
        return variant === "words"
          ? wordsOf((msn * partsPerSegment + part) * partSamples, partSamples)
          : foundAnswer(soundType, bytes, soundMaxAgeSec)
      }
      if (part >= partsPerSegment) return Effect.succeed({ _tag: "Gone" })
      // Only the part in the preload hint is worth waiting for.
      if (partsAhead(variant, msn, part) > 0) return Effect.succeed({ _tag: "Gone" })
      return waitFor(() => window(variant).has(msn, part), take)
    },
    words: (itemId) => {
      const vtt = host.captions.wordsOfItem(itemId)
      return Effect.succeed(
        vtt === null
          ? { _tag: "Gone", detail: "It has no captions, or aired too long ago." }
          : foundAnswer("text/vtt", text.encode(vtt), wordsMaxAgeSec)
      )
    },
    wave: (itemId) => {
      const levels = host.waves.levelsOfItem(itemId)
      return Effect.succeed(
        levels === null
          ? { _tag: "Gone", detail: "It aired too long ago." }
          : foundAnswer("application/json", text.encode(JSON.stringify({ levels })), wordsMaxAgeSec)
      )
    },
    shifted,
    mp3: (burstMs, next) => host.mp3.listen(burstMs, next)
  }
}
