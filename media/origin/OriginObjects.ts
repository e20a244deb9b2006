import { type Clock, Effect } from "effect"
import type { Origins } from "../../engine/ports/Origins.ts"
import type { LiveAnswer } from "../../engine/ports/Live.ts"
import {
  edgeAskedMax,
  edgeGoneMs,
  edgeObjectsMax,
  edgeObjectsMaxBytes,
  edgePatienceMs,
  edgeRetryMs,
  edgeTriesMax
} from "../../engine/rules/air/limits.ts"

interface Kept {
  readonly answer: LiveAnswer
  readonly untilMs: number
  readonly bytes: number
}

const late: LiveAnswer = { _tag: "Late" }

export const maxAgeOf = (cacheControl: string | undefined): number =>
  Number(/\bmax-age=(\d{1,9})\b/.exec(cacheControl ?? "")?.[1] ?? 0)

/** What a refusal says, in the origin's problem document. */
const readProblem = (body: Buffer): { readonly detail?: string; readonly pointer?: string } => {
  try {
    const { detail, errors } = JSON.parse(body.toString()) as {
      readonly detail?: unknown
      readonly errors?: ReadonlyArray<{ readonly pointer?: unknown; readonly detail?: unknown }>
    }
    const first = errors?.[0]
    return {
      ...(typeof (first?.detail ?? detail) === "string" ? { detail: (first?.detail ?? detail) as string } : {}),
      ...(typeof first?.pointer === "string" ? { pointer: first.pointer } : {})
    }
  } catch {
    return {}
  }
}

const parameters = ["_HLS_msn", "_HLS_part", "start"] as const

/**
 * Objects of the origin by path: each is fetched once, for all who ask meanwhile, and kept for the time that the origin allows. Bounded in
 * number and bytes; the ones asked for longest ago go first.
 */
export class OriginObjects {
  readonly #origins: Origins["Service"]
  readonly #run: (fetching: Effect.Effect<LiveAnswer>) => Promise<LiveAnswer>
  readonly #nowMs: () => number
  readonly #kept = new Map<string, Kept>()
  readonly #pending = new Map<string, Promise<LiveAnswer>>()
  #bytes = 0
  #fetched = 0

  constructor(
    origins: Origins["Service"],
    run: (fetching: Effect.Effect<LiveAnswer>) => Promise<LiveAnswer>,
    clock: Clock.Clock
  ) {
    this.#origins = origins
    this.#run = run
    this.#nowMs = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
  }

  /** Requests sent to origins so far. */
  get fetched(): number {
    return this.#fetched
  }

  /** Requests that wait for an origin now. */
  get waiting(): number {
    return this.#pending.size
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The kept answer; null if it must be fetched. */
  find(path: string): LiveAnswer | null {
    const kept = this.#kept.get(path)
    if (kept === undefined || kept.untilMs <= this.#nowMs()) return null
    this.#kept.delete(path)
    this.#kept.set(path, kept)
    return kept.answer
  }

  get(path: string): Effect.Effect<LiveAnswer> {
    const kept = this.find(path)
    if (kept !== null) return Effect.succeed(kept)
    return Effect.promise(() => this.#fetchOnce(path))
  }

  /** The same for what only some listeners ask for, of which a bounded number waits. */
  pass(path: string): Effect.Effect<LiveAnswer> {
    return this.find(path) === null && !this.#pending.has(path) && this.#pending.size >= edgeAskedMax
      ? Effect.succeed(late)
      : this.get(path)
  }

  /** An object that is put together from `pieces` if all of them are kept. */
  getWhole(path: string, pieces: ReadonlyArray<string>): Effect.Effect<LiveAnswer> {
    if (this.find(path) === null && !this.#pending.has(path)) {
      const found = pieces.flatMap((piece) => {
        const answer = this.find(piece)
        return answer?._tag === "Found" ? [answer.object] : []
      })
      const first = found[0]
      if (first !== undefined && found.length === pieces.length)
        this.#keep(
          path,
          { _tag: "Found", object: { ...first, body: Buffer.concat(found.map(({ body }) => body)) } },
          first.maxAgeSec * 1_000
        )
    }
    return this.get(path)
  }

  /** Fetches it for later. */
  prefetch(path: string): void {
    if (this.find(path) === null) void this.#fetchOnce(path)
  }

  #fetchOnce(path: string): Promise<LiveAnswer> {
    const pending = this.#pending.get(path)
    if (pending !== undefined) return pending
    const begun = this.#run(this.#fetch(path, edgeTriesMax)).finally(() => this.#pending.delete(path))
    this.#pending.set(path, begun)
    return begun
  }

  #fetch(path: string, tries: number): Effect.Effect<LiveAnswer> {
    const origin = this.#origins.current()
    this.#fetched += 1
    return this.#origins.get(origin, { path, timeoutMs: edgePatienceMs }).pipe(
      Effect.map(({ body, headers, status }): LiveAnswer => {
        if (status === 200) {
          const maxAgeSec = maxAgeOf(headers["cache-control"])
          const contentType = headers["content-type"] ?? "application/octet-stream"
          return this.#keep(path, { _tag: "Found", object: { contentType, body, maxAgeSec } }, maxAgeSec * 1_000)
        }
        const { detail, pointer } = readProblem(body)
        const parameter = parameters.find((name) => pointer === `/query/${name}`)
        if (status === 400 && parameter !== undefined)
          return { _tag: "Impossible", parameter, detail: detail ?? "is not possible" }
        if (status >= 500) return late
        return this.#keep(path, { _tag: "Gone", ...(detail === undefined ? {} : { detail }) }, edgeGoneMs)
      }),
      Effect.catch(() =>
        Effect.suspend(() => {
          this.#origins.fail(origin)
          return tries <= 1
            ? Effect.succeed(late)
            : Effect.andThen(
                Effect.sleep(edgeRetryMs),
                Effect.suspend(() => this.#fetch(path, tries - 1))
              )
        })
      )
    )
  }

  #keep(path: string, answer: LiveAnswer, forMs: number): LiveAnswer {
    this.#drop(path)
    if (forMs <= 0) return answer
    const bytes = answer._tag === "Found" ? answer.object.body.length : 0
    this.#kept.set(path, { answer, bytes, untilMs: this.#nowMs() + forMs })
    this.#bytes += bytes
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= edgeObjectsMax && this.#bytes <= edgeObjectsMaxBytes) break
      this.#drop(oldest)
    }
    return answer
  }

  #drop(path: string): void {
    const kept = this.#kept.get(path)
    if (kept === undefined) return
    this.#kept.delete(path)
    this.#bytes -= kept.bytes
  }
}
