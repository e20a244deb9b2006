import type { IncomingMessage } from "node:http"
import { bodyRateMinBytesPerSec, bodyRateWindowMs } from "../../engine/rules/http/limits.ts"

interface Arriving {
  readonly refuse: () => void
  /** Bytes of the connection when the window began. */
  bytes: number
  sinceMs: number
}

/**
 * Bodies on their way, however long they are: each must keep to a minimum rate, or it holds a connection and a file for hours. Bodies that are
 * read whole have a limit of their own, which is much shorter.
 */
export class Intake {
  readonly #arriving = new Map<IncomingMessage, Arriving>()

  get arrivingCount(): number {
    return this.#arriving.size
  }

  /** `refuse` is called once, if the body is too slow. */
  begin(request: IncomingMessage, nowMs: number, refuse: () => void): void {
    const { headers, socket } = request
    if (headers["transfer-encoding"] === undefined && (headers["content-length"] ?? "0") === "0") return
    this.#arriving.set(request, { refuse, bytes: socket.bytesRead, sinceMs: nowMs })
    const end = () => {
      this.#arriving.delete(request)
      socket.off("close", end)
    }
    request.once("end", end)
    request.once("close", end)
    // A request that was answered before its body was read to the end reports neither, and would be kept with what is unread of it.
    socket.once("close", end)
  }

  sweep(nowMs: number): void {
    for (const [request, arriving] of this.#arriving) {
      if (request.complete || nowMs - arriving.sinceMs < bodyRateWindowMs) continue
      const { bytesRead } = request.socket
      const isSlow = (bytesRead - arriving.bytes) * 1_000 < bodyRateMinBytesPerSec * (nowMs - arriving.sinceMs)
      // Bytes that the station leaves unread don't count against the client.
      const isTaken = request.readableLength < request.readableHighWaterMark
      arriving.bytes = bytesRead
      arriving.sinceMs = nowMs
      if (!isSlow || !isTaken) continue
      this.#arriving.delete(request)
      arriving.refuse()
    }
  }
}
