import { STATUS_CODES } from "node:http"
import type { Answer } from "./Exchange.ts"

/** Answers as they go over the wire, head and body in one piece, good for the second in which they say they were made. */
export class LaneWire {
  readonly #known = new WeakMap<Answer, { readonly sec: number; readonly bytes: Buffer }>()
  #sec = 0
  #date = ""

  bytesOf(answer: Answer, nowMs: number): Buffer {
    const sec = Math.floor(nowMs / 1_000)
    const known = this.#known.get(answer)
    if (known !== undefined && known.sec === sec) return known.bytes
    const head = this.#headOf(answer, sec, "")
    const bytes = answer.body === null ? head : Buffer.concat([head, answer.body])
    this.#known.set(answer, { sec, bytes })
    return bytes
  }

  /** The head of a connection's last answer: it is one of its own, and the body isn't copied for it. */
  lastHeadOf(answer: Answer, nowMs: number): Buffer {
    return this.#headOf(answer, Math.floor(nowMs / 1_000), "connection: close\r\n")
  }

  #headOf({ body, headers, status }: Answer, sec: number, further: string): Buffer {
    if (sec !== this.#sec) [this.#sec, this.#date] = [sec, new Date(sec * 1_000).toUTCString()]
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("")
    const length = body === null ? "" : `content-length: ${body.length}\r\n`
    return Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}${length}date: ${this.#date}\r\n${further}\r\n`, "latin1")
  }
}
