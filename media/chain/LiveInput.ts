import { Clock, Deferred, Effect, Stream } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import {
  liveBufferMs,
  liveBytesMax,
  liveDryMax,
  liveDryWindowMs,
  liveHoursMax,
  liveNoDataMs,
  livePollMs,
  liveSilenceSec,
  liveUnreadableBytes,
  liveWaitMs
} from "../../engine/rules/air/limits.ts"
import type { Air } from "../../engine/ports/Air.ts"
import type { ItemLabel } from "../../schema/air/Air.ts"
import type { LiveEnd } from "../../schema/air/Live.ts"
import { PlayoutConflict } from "../../schema/Problems.ts"
import { channelsCount, sampleRateHz } from "../../schema/time/Samples.ts"
import type { LiveRing } from "../mixer/LiveRing.ts"
import { liveDryFrames } from "../mixer/LiveSound.ts"
import { LiveLevel } from "./LiveLevel.ts"
import { readWavHead } from "./WavHead.ts"

type Reason = LiveEnd["reason"]

/** The air, as an operator took it. */
interface Taken {
  readonly label: ItemLabel
  readonly by: string
  readonly sinceMs: number
}

/** A program that sends. */
interface Connection {
  readonly by: string
  readonly level: LiveLevel
  readonly replaced: Deferred.Deferred<Reason>
  /** Bytes that the decoder has accepted: a sender may be faster than its decoder starts. */
  receivedBytes: number
  receivedFrames: number
  dataAtMs: number
}

const bufferFrames = (liveBufferMs * sampleRateHz) / 1_000
const frameBytes = channelsCount * Float32Array.BYTES_PER_ELEMENT
const offerEveryMs = 20

const endsByItself: Readonly<Record<Reason, string>> = {
  finished: "the live sound has ended",
  no_data: "no live sound came any more",
  silence: "the live sound was silent",
  too_slow: "the live sound came too slowly",
  too_long: "the live sound reached its longest time",
  unreadable: "the live sound can't be decoded",
  replaced: "another connection took its place"
}

/** Decodes a connection to the programme's format, in a process of its own: bytes from outside meet no decoder of the station. */
const startDecoder = (ffmpeg: string, input: string): ChildProcess =>
  spawn(
    ffmpeg,
    `-v quiet -nostdin -fflags nobuffer -probesize 32 -analyzeduration 0 ${input} -i pipe:0 -vn -f f32le -ar ${sampleRateHz} -ac 2 -flush_packets 1 pipe:1`.split(
      " "
    ),
    { stdio: ["pipe", "pipe", "ignore"] }
  )

const roundTenths = (value: number): number => Math.round(value * 10) / 10

/**
 * Live sound from a connection to the mixer. Everything is bounded: the ring holds four seconds and holds the sender back, and a connection
 * ends after hours or gigabytes, without data, in lasting silence, when it is too slow, or when another one replaces it.
 */
export const makeLiveInput = (options: {
  readonly ffmpeg: string
  readonly ring: LiveRing
  /** Puts it on the air, or takes it off. */
  readonly onAir: (
    live: { readonly label: ItemLabel; readonly reason: string } | null,
    why: string
  ) => Effect.Effect<void>
}): {
  readonly port: Air["Service"]["live"]
  /** An emergency has taken the air: the mixer was told, and knows by itself that live sound ends. */
  readonly yieldAir: () => void
} => {
  const { ring } = options
  let taken: Taken | null = null
  let onSinceMs: number | null = null
  let connection: Connection | null = null

  const takeOff = (why: string) =>
    Effect.suspend(() => {
      const wasOn = onSinceMs !== null
      taken = null
      onSinceMs = null
      return wasOn ? options.onAir(null, why) : Effect.void
    })
  const putOn = (ask: Taken, nowMs: number) =>
    Effect.suspend(() => {
      onSinceMs = nowMs
      return options.onAir({ label: ask.label, reason: `taken by ${ask.by}` }, "taken")
    })

  /** Puts connected and taken sound on the air once enough has arrived; answers why the connection ends. */
  const watch = Effect.fnUntraced(function* (of: Connection) {
    const begunMs = yield* Clock.currentTimeMillis
    let dryBefore = ring.dryCount
    let dryAtMs: ReadonlyArray<number> = []
    for (let droppedToMs = begunMs; ;) {
      yield* Effect.sleep(livePollMs)
      const nowMs = yield* Clock.currentTimeMillis
      if (nowMs - begunMs > liveHoursMax * 3_600_000 || of.receivedBytes > liveBytesMax) return "too_long" as Reason
      if (of.receivedFrames === 0 && of.receivedBytes > liveUnreadableBytes) return "unreadable" as Reason
      const silentMs = nowMs - of.dataAtMs
      const dry = ring.dryCount
      const ask = taken
      if (ask === null) {
        // Nobody has taken it: it passes unheard, in its own time.
        const frames = Math.round(((nowMs - droppedToMs) * sampleRateHz) / 1_000)
        ring.keep(Math.max(bufferFrames, ring.frames - frames))
      }
      droppedToMs = nowMs
      if (onSinceMs === null) {
        if (silentMs > liveWaitMs) return "no_data" as Reason
        dryAtMs = []
        if (ask !== null && ring.frames >= bufferFrames) yield* putOn(ask, nowMs)
      } else {
        // What has arrived is played first.
        if (silentMs > liveNoDataMs && ring.frames < bufferFrames) return "no_data" as Reason
        if (of.level.silentSec >= liveSilenceSec) return "silence" as Reason
        if (dry > dryBefore) dryAtMs = [...dryAtMs.filter((atMs) => atMs > nowMs - liveDryWindowMs), nowMs]
        if (dryAtMs.length >= liveDryMax) return "too_slow" as Reason
      }
      dryBefore = dry
    }
  })

  /** Whether the mixer, or time, has used up what has arrived. */
  const isUsedUp = (): boolean => ring.frames <= (onSinceMs === null ? bufferFrames : liveDryFrames)

  /** Decodes until the input ends and all of it is heard; answers how that came. */
  const receiveFrom = <E, R>(bytes: Stream.Stream<Uint8Array, E, R>, format: "wav" | "mp3", of: Connection) =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const closed = yield* Deferred.make<void>()
      let child: ChildProcess | null = null
      let rest: Buffer = Buffer.alloc(0)
      let waiting: Float32Array | null = null
      // A full ring holds the decoder back, and the decoder the sender.
      const offer = () => {
        if (waiting === null) return
        const written = ring.write(waiting) * channelsCount
        waiting = written >= waiting.length ? null : waiting.subarray(written)
        of.dataAtMs = clock.currentTimeMillisUnsafe()
        if (waiting === null) child?.stdout!.resume()
      }
      const isWaiting = () => waiting !== null
      const start = (input: string) => {
        const started = startDecoder(options.ffmpeg, input)
        child = started
        started.on("error", () => Deferred.doneUnsafe(closed, Effect.void))
        started.on("close", () => Deferred.doneUnsafe(closed, Effect.void))
        started.stdin!.on("error", () => {})
        started.stdout!.on("data", (chunk: Buffer) => {
          const all = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
          const whole = all.length - (all.length % frameBytes)
          const pcm = new Float32Array(all.buffer.slice(all.byteOffset, all.byteOffset + whole) as ArrayBuffer)
          rest = all.subarray(whole)
          of.level.apply(pcm)
          of.receivedFrames += pcm.length / channelsCount
          waiting = pcm
          started.stdout!.pause()
          offer()
        })
      }
      const write = (piece: Uint8Array) =>
        Effect.callback<void>((resume) => {
          const input = child?.stdin
          if (input == null || input.destroyed || input.write(piece)) return resume(Effect.void)
          input.once("drain", () => resume(Effect.void))
        })
      // ffmpeg collects the first seconds of a WAV before it decodes it, but not raw samples.
      let head: Buffer = Buffer.alloc(0)
      let leftBytes = Number.POSITIVE_INFINITY
      const decode = (piece: Uint8Array): Effect.Effect<void> => {
        if (child !== null) {
          const kept = piece.subarray(0, Math.min(piece.length, leftBytes))
          leftBytes -= kept.length
          return write(kept)
        }
        head = Buffer.concat([head, piece])
        const found = readWavHead(head)
        if (found === null) return Effect.void
        if (typeof found === "string") return Effect.asVoid(Deferred.succeed(closed, undefined))
        start(`-f ${found.rawFormat} -ar ${found.rateHz} -ac ${found.channels}`)
        const sound = head.subarray(found.dataAt, found.dataAt + found.dataBytes)
        leftBytes = found.dataBytes - sound.length
        head = Buffer.alloc(0)
        return write(sound)
      }
      const accept = (piece: Uint8Array) =>
        Effect.andThen(
          decode(piece),
          Effect.sync(() => void (of.receivedBytes += piece.length))
        )
      if (format === "mp3") start("-f mp3")
      const offering = Effect.forever(Effect.andThen(Effect.sleep(offerEveryMs), Effect.sync(offer)))
      const feed = Stream.runForEach(bytes, accept).pipe(
        // A broken connection ends like a finished one: what has arrived is played.
        Effect.catchCause(() => Effect.void),
        Effect.andThen(
          Effect.suspend(() => {
            if (child === null) return Effect.void
            child.stdin!.end()
            return Deferred.await(closed)
          })
        )
      )
      // A decoder that ends before its input does has met rubbish.
      const heard = Effect.raceFirst(feed, Deferred.await(closed)).pipe(
        Effect.andThen(
          Effect.gen(function* () {
            while (isWaiting() || !isUsedUp()) yield* Effect.sleep(livePollMs)
            return (of.receivedFrames > 0 && child?.stdin?.writableEnded === true ? "finished" : "unreadable") as Reason
          })
        )
      )
      return yield* Effect.raceFirst(heard, offering).pipe(
        Effect.ensuring(Effect.sync(() => void child?.kill("SIGKILL")))
      )
    })

  const port: Air["Service"]["live"] = {
    take: Effect.fnUntraced(function* (ask) {
      const sinceMs = yield* Clock.currentTimeMillis
      if (taken !== null) return
      const mine = (taken = { ...ask, sinceMs })
      if (connection !== null && ring.frames >= bufferFrames) return yield* putOn(mine, sinceMs)
      // Nothing comes: the rundown never stopped.
      yield* Effect.forkDetach(
        Effect.andThen(
          Effect.sleep(liveWaitMs),
          Effect.suspend(() => (taken === mine && onSinceMs === null ? takeOff("nothing came") : Effect.void))
        )
      )
    }),
    release: takeOff,
    receive: (bytes, { by, format }) =>
      Effect.gen(function* () {
        const former = connection
        const wasOn = onSinceMs !== null
        if (former !== null && wasOn && former.by !== by)
          return yield* new PlayoutConflict({
            detail: `${former.by} sends the sound that is on the air. Release it first (POST /api/ops/playout/release-live).`
          })
        const own: Connection = {
          by,
          level: new LiveLevel(),
          replaced: yield* Deferred.make<Reason>(),
          receivedBytes: 0,
          receivedFrames: 0,
          dataAtMs: yield* Clock.currentTimeMillis
        }
        const begunMs = own.dataAtMs
        connection = own
        if (former !== null) yield* Deferred.succeed(former.replaced, "replaced")
        // A sender that comes back goes on where it was; another begins with nothing.
        if (!wasOn) ring.keep(0)
        let onAirMs = 0
        const reason = yield* Effect.raceAllFirst([
          receiveFrom(bytes, format, own),
          Deferred.await(own.replaced),
          watch(own)
        ]).pipe(
          Effect.onExit((exit) =>
            Effect.gen(function* () {
              if (onSinceMs !== null) onAirMs = (yield* Clock.currentTimeMillis) - Math.max(begunMs, onSinceMs)
              if (connection !== own) return
              connection = null
              if (onSinceMs !== null) yield* takeOff(endsByItself[exit._tag === "Success" ? exit.value : "no_data"])
            })
          )
        )
        return {
          reason,
          receivedSec: roundTenths(own.receivedFrames / sampleRateHz),
          onAirSec: roundTenths(onAirMs / 1_000)
        }
      }),
    state: Effect.sync(() => {
      const isOn = onSinceMs !== null
      const level = connection?.level
      return {
        state: isOn ? "on_air" : taken !== null ? "waiting" : connection !== null ? "connected" : "off",
        title: taken?.label.title ?? null,
        takenBy: taken?.by ?? null,
        sentBy: connection?.by ?? null,
        sinceMs: taken?.sinceMs ?? null,
        inputLufs: level?.inputLufs == null ? null : roundTenths(level.inputLufs),
        silentSec: level?.silentSec ?? 0,
        gainDb: roundTenths(level?.gainDb ?? 0)
      } as const
    })
  }
  return {
    port,
    yieldAir: () => {
      taken = null
      onSinceMs = null
    }
  }
}
