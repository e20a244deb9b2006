import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import { once } from "node:events"
import { fenceHeader, fenceOf } from "../../../schema/air/Fence.ts"

/** A load balancer in front of the processes of a station: it keeps to the one with the highest fencing token. */
export interface SwitchProxy {
  readonly base: string
  /** The process that answers now. */
  readonly target: () => string
  readonly close: () => Promise<void>
}

const lookMs = 100
const answerWithinMs = 1_000
const retryMs = 20
const patienceMs = 10_000

export const startSwitchProxy = async (targets: ReadonlyArray<string>): Promise<SwitchProxy> => {
  const agent = new Agent({ keepAlive: false })
  let preferred = targets[0]!
  let highest = -1
  /** Ends requests that wait for the former target. */
  let switched = new AbortController()
  const prefer = (target: string, fence: number | null) => {
    if (fence !== null && fence < highest) return false
    highest = Math.max(highest, fence ?? -1)
    if (target === preferred) return true
    preferred = target
    switched.abort()
    switched = new AbortController()
    return true
  }
  const look = async (target: string) => {
    const answer = await fetch(`${target}/live/index.m3u8`, {
      method: "HEAD",
      signal: AbortSignal.timeout(answerWithinMs)
    }).catch(() => null)
    const fence = fenceOf(answer?.headers.get(fenceHeader) ?? undefined)
    if (answer?.ok === true && (fence ?? -1) > highest) prefer(target, fence)
  }
  const looks = setInterval(() => {
    for (const target of targets) void look(target)
  }, lookMs)

  const ask = (target: string, asked: IncomingMessage, signal: AbortSignal): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const sent = request(
        new URL(asked.url!, target),
        { method: asked.method!, headers: { ...asked.headers, host: new URL(target).host }, agent, signal },
        resolve
      )
      sent.on("error", reject)
      sent.end()
    })
  const serve = async (asked: IncomingMessage, response: ServerResponse) => {
    const sinceMs = performance.now()
    for (let n = 0; !response.destroyed; n++) {
      const target = n % 2 === 0 ? preferred : targets.find((other) => other !== preferred)!
      const { signal } = switched
      const answer = await ask(target, asked, signal).catch(() => null)
      if (signal !== switched.signal) {
        answer?.destroy()
        // The new target first: the former one may be frozen, and never answer.
        n = -1
        continue
      }
      const fence = fenceOf(answer?.headers[fenceHeader] as string | undefined)
      const serves = answer !== null && answer.statusCode !== 503 && (fence === null || prefer(target, fence))
      if (!serves) {
        answer?.destroy()
        if (performance.now() - sinceMs > patienceMs) {
          response.writeHead(502).end()
          return
        }
        await new Promise((resolve) => setTimeout(resolve, retryMs))
        continue
      }
      response.writeHead(answer.statusCode!, answer.headers)
      answer.on("error", () => response.destroy())
      answer.on("aborted", () => response.destroy())
      response.on("close", () => answer.destroy())
      answer.pipe(response)
      return
    }
  }
  const server = createServer((asked, response) => void serve(asked, response)).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    base: `http://127.0.0.1:${(server.address() as { readonly port: number }).port}`,
    target: () => preferred,
    close: async () => {
      clearInterval(looks)
      switched.abort()
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    }
  }
}
