import { Clock, Effect, type Scope } from "effect"
import type { IncomingMessage } from "node:http"
import { edgeMp3SilentMs, edgePatienceMs, edgeRetryMs, mp3RejoinMaxFrames } from "../../engine/rules/air/limits.ts"
import type { Origins } from "../../engine/ports/Origins.ts"
import { ItemLabel } from "../../schema/air/Air.ts"
import { firstSampleHeader } from "../../schema/air/EdgeReport.ts"
import { fenceHeader, fenceOf } from "../../schema/air/Fence.ts"
import { mp3FrameSamples, mp3Splitter } from "../encode/Mp3Frames.ts"
import { Mp3Window } from "../live/Mp3Window.ts"

/** Takes the titles out of an ICY stream. `interval`: bytes of sound between two of them; 0 without any. */
export const icyParser = (
  interval: number,
  on: { readonly sound: (bytes: Buffer) => void; readonly title: (title: string) => void }
) => {
  let untilTitle = interval
  let wanted = 0
  let text: Buffer = Buffer.alloc(0)
  return (chunk: Buffer): void => {
    for (let rest = chunk; rest.length > 0;) {
      if (wanted > 0) {
        const taken = rest.subarray(0, wanted)
        text = Buffer.concat([text, taken])
        wanted -= taken.length
        rest = rest.subarray(taken.length)
        if (wanted > 0) return
        const title = /StreamTitle='(.*?)';/s.exec(text.toString())?.[1]
        if (title !== undefined) on.title(title)
        continue
      }
      if (interval > 0 && untilTitle === 0) {
        wanted = rest[0]! * 16
        text = Buffer.alloc(0)
        untilTitle = interval
        rest = rest.subarray(1)
        continue
      }
      const sound = interval === 0 ? rest : rest.subarray(0, untilTitle)
      on.sound(sound)
      untilTitle -= interval === 0 ? 0 : sound.length
      rest = rest.subarray(sound.length)
    }
  }
}

/**
 * The origin's MP3 stream, read once. When the origin changes, the new one begins with seconds that were sent already: they are dropped by
 * their place in the broadcast, so that listeners get each frame once.
 */
export const followMp3 = Effect.fnUntraced(function* (
  origins: Origins["Service"],
  stationName: string
): Effect.fn.Return<Mp3Window, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const window = new Mp3Window(0, new ItemLabel({ title: stationName, artist: null, kind: "other" }))
  const nowMs = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

  const read = (response: IncomingMessage, heard: () => void) => {
    const splitter = mp3Splitter()
    const begins = Number(response.headers[firstSampleHeader] ?? Number.NaN) / mp3FrameSamples
    // A stream without a place, or of another clock, follows what was sent.
    let at = Number.isInteger(begins) && begins > window.nextFrame - mp3RejoinMaxFrames ? begins : window.nextFrame
    const parse = icyParser(Number(response.headers["icy-metaint"] ?? 0), {
      sound: (bytes) => {
        const frames = splitter.push(bytes)
        const fresh = frames.slice(Math.max(0, window.nextFrame - at))
        at += frames.length
        // One by one: a listener's burst begins at any of them.
        for (const [index, frame] of fresh.entries()) window.accept(at - fresh.length + index, frame, 1)
      },
      title: (title) => window.label(at * mp3FrameSamples, new ItemLabel({ title, artist: null, kind: "other" }))
    })
    return Effect.callback<void>((resume) => {
      response.on("data", (chunk: Buffer) => {
        heard()
        try {
          parse(chunk)
        } catch {
          // Lost framing: the next connection begins at a frame again.
          resume(Effect.void)
        }
      })
      response.on("close", () => resume(Effect.void))
    })
  }

  yield* Effect.gen(function* () {
    const origin = origins.current()
    const response = yield* origins.open(origin, {
      path: "/live.mp3",
      headers: { "icy-metadata": "1" },
      timeoutMs: edgePatienceMs
    })
    const fence = fenceOf(response.headers[fenceHeader] as string | undefined)
    if (response.statusCode !== 200 || !origins.accept(origin, fence)) return
    let heardMs = nowMs()
    yield* Effect.raceFirst(
      read(response, () => {
        heardMs = nowMs()
      }),
      // Another origin is followed, or this one is silent.
      Effect.sync(() => origins.current() === origin && nowMs() - heardMs < edgeMp3SilentMs).pipe(
        Effect.delay(edgeRetryMs),
        Effect.repeat({ while: (stays) => stays })
      )
    )
    if (origins.current() === origin) origins.fail(origin)
  }).pipe(
    Effect.scoped,
    Effect.catch(({ url }) =>
      Effect.sync(() => origins.all.filter((origin) => origin.url === url).forEach((origin) => origins.fail(origin)))
    ),
    Effect.andThen(Effect.sleep(edgeRetryMs)),
    Effect.forever,
    Effect.forkScoped
  )
  return window
})
