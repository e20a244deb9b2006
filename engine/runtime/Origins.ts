import { Effect, Latch, Layer } from "effect"
import { randomBytes } from "node:crypto"
import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, request as httpRequest } from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import {
  edgeAnswerMaxBytes,
  edgeConnectionsMax,
  edgeProbeMs,
  edgeProbeTimeoutMs,
  edgeRetryMs
} from "../rules/air/limits.ts"
import { type Origin, OriginFailed, type OriginRequest, Origins } from "../ports/Origins.ts"
import { edgeHeader, edgeReportText } from "../../schema/air/EdgeReport.ts"
import { fenceHeader, fenceOf, fenceProofHeader } from "../../schema/air/Fence.ts"

class KnownOrigin implements Origin {
  readonly url: string
  readonly #agent: HttpAgent
  readonly #base: URL
  /** Gives up a question of this edge that is not answered yet. */
  readonly waiting = new Set<() => void>()
  fence: number | null = null
  isFailing = false

  constructor(url: string) {
    this.url = url
    this.#base = new URL(url)
    const options = { keepAlive: true, maxSockets: edgeConnectionsMax, scheduling: "lifo" } as const
    this.#agent = this.#base.protocol === "https:" ? new HttpsAgent(options) : new HttpAgent(options)
  }

  send({ headers, method = "GET", path }: OriginRequest, answered: (response: IncomingMessage) => void): ClientRequest {
    const request = this.#base.protocol === "https:" ? httpsRequest : httpRequest
    return request(
      {
        agent: this.#agent,
        protocol: this.#base.protocol,
        hostname: this.#base.hostname.replace(/^\[|\]$/g, ""),
        port: this.#base.port,
        method,
        path: `${this.#base.pathname.replace(/\/$/, "")}${path}`,
        headers: { host: this.#base.host, ...(headers as Record<string, string | Array<string>>) }
      },
      answered
    )
  }

  close(): void {
    this.#agent.destroy()
  }
}

const failed = (origin: Origin, detail: string) => new OriginFailed({ url: origin.url, detail })

/** The body of an answer that is bounded. */
const readBody = (origin: Origin, response: IncomingMessage) =>
  Effect.callback<Buffer, OriginFailed>((resume) => {
    const chunks: Array<Buffer> = []
    let length = 0
    response.on("data", (chunk: Buffer) => {
      length += chunk.length
      if (length > edgeAnswerMaxBytes) resume(Effect.fail(failed(origin, `sent more than ${edgeAnswerMaxBytes} bytes`)))
      else chunks.push(chunk)
    })
    response.on("end", () => resume(Effect.succeed(Buffer.concat(chunks))))
    response.on("close", () => resume(Effect.fail(failed(origin, "ended its answer too soon"))))
  })

/** Follows the origins at these addresses. `secret` proves to them that this is an edge. */
export const originsLayer = (urls: ReadonlyArray<string>, secret: string | null): Layer.Layer<Origins> =>
  Layer.effect(
    Origins,
    Effect.gen(function* () {
      const all = urls.map((url) => new KnownOrigin(url))
      yield* Effect.addFinalizer(() => Effect.sync(() => all.forEach((origin) => origin.close())))
      const id = randomBytes(8).toString("hex")
      const wake = Latch.makeUnsafe()
      let current = all[0]!
      let highest: number | null = null
      let switches = 0
      let proof: string | null = null
      let counts = () => ({ hls: 0, mp3: 0 })

      const known = (origin: Origin): KnownOrigin => all.find((each) => each === origin)!
      const isPast = ({ fence }: Origin): boolean => highest !== null && (fence === null || fence < highest)
      const accept = (given: Origin, fence: number | null): boolean => {
        const origin = known(given)
        origin.isFailing = false
        if (fence !== null) {
          origin.fence = fence
          if (highest !== null && fence < highest) return false
          highest = fence
          return true
        }
        // A station that has not planned yet shows no token. It is heard where no other one shows the highest.
        return !all.some((other) => other !== origin && !other.isFailing && highest !== null && other.fence === highest)
      }
      const fail = (given: Origin): void => {
        known(given).isFailing = true
        if (given === current) wake.openUnsafe()
      }

      // Without the secret the report isn't believed, but the stream still tells its place to an edge.
      const own = (): Record<string, string> => ({
        [edgeHeader]: edgeReportText({ id, ...counts() }),
        ...(secret === null ? {} : { authorization: `Bearer ${secret}` }),
        ...(proof === null ? {} : { [fenceProofHeader]: proof })
      })

      const ask = (origin: KnownOrigin, request: OriginRequest): Effect.Effect<IncomingMessage, OriginFailed> =>
        Effect.callback<IncomingMessage | null, OriginFailed>((resume) => {
          const headers = request.isPassedOn === true ? request.headers : { ...request.headers, ...own() }
          const sent = origin.send({ ...request, ...(headers === undefined ? {} : { headers }) }, (response) => {
            response.on("error", () => undefined)
            origin.waiting.delete(giveUp)
            resume(Effect.succeed(response))
          })
          const giveUp = () => void sent.destroy(new Error("is not followed any more"))
          // What a client asked may have been done.
          if (request.isPassedOn !== true) origin.waiting.add(giveUp)
          sent.on("close", () => origin.waiting.delete(giveUp))
          sent.on("error", (error: NodeJS.ErrnoException) =>
            // The origin may close an idle connection at the moment when it is used again.
            resume(
              sent.reusedSocket && error.code === "ECONNRESET" && request.body === undefined
                ? Effect.succeed(null)
                : Effect.fail(failed(origin, error.code ?? error.message))
            )
          )
          if (request.body === undefined) sent.end()
          else request.body.pipe(sent)
          return Effect.sync(() => sent.destroy())
        }).pipe(Effect.flatMap((response) => (response === null ? ask(origin, request) : Effect.succeed(response))))

      const open: Origins["Service"]["open"] = (origin, request) =>
        Effect.acquireRelease(
          ask(known(origin), request).pipe(
            Effect.timeoutOrElse({
              duration: request.timeoutMs,
              orElse: () => Effect.fail(failed(origin, `did not answer within ${request.timeoutMs} ms`))
            })
          ),
          (response) => Effect.sync(() => (response.complete ? undefined : response.destroy())),
          { interruptible: true }
        )
      const get: Origins["Service"]["get"] = (origin, request) =>
        Effect.gen(function* () {
          const response = yield* open(origin, request)
          return {
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: yield* readBody(origin, response)
          }
        }).pipe(
          Effect.scoped,
          Effect.timeoutOrElse({
            duration: request.timeoutMs,
            orElse: () => Effect.fail(failed(origin, `did not answer within ${request.timeoutMs} ms`))
          })
        )

      const probe = (origin: KnownOrigin) =>
        Effect.match(get(origin, { path: "/live/aac64/index.m3u8", timeoutMs: edgeProbeTimeoutMs }), {
          onFailure: () => {
            origin.isFailing = true
          },
          onSuccess: ({ headers, status }) => {
            if (status !== 200) {
              origin.isFailing = true
              return
            }
            if (!accept(origin, fenceOf(headers[fenceHeader] as string | undefined))) return
            if (origin === current || !(current.isFailing || isPast(current))) return
            const former = current
            current = origin
            switches += 1
            // One that is frozen would let them wait for their whole time, and players with them.
            for (const giveUp of former.waiting) giveUp()
          }
        })
      /** One that is frozen lets its questions wait: the others are asked meanwhile. */
      const watch = (origin: KnownOrigin) =>
        Effect.gen(function* () {
          if (origin !== current || origin.isFailing) yield* probe(origin)
          if (current.isFailing) return yield* Effect.sleep(edgeRetryMs)
          wake.closeUnsafe()
          yield* Effect.raceFirst(wake.await, Effect.sleep(edgeProbeMs))
        }).pipe(Effect.forever, Effect.forkScoped)
      yield* Effect.forEach(all, watch, { discard: true })

      return Origins.of({
        all,
        current: () => current,
        fence: () => highest,
        switches: () => switches,
        accept,
        fail,
        get,
        open,
        prove: (given) => {
          proof = given
        },
        report: (given) => {
          counts = given
        }
      })
    })
  )
