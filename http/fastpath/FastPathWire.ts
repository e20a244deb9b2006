import { STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import type { Answer } from "./Exchange.ts"

/**
 * Above this, joining head and body costs more than two writes, and each second's copy would stay in memory as long as
 * a reader takes it.
 */
const joinedMaxBytes = 16_384

/** Answers as wire bytes, valid for the second in their date: in one piece, or head and body if large. */
export class LaneWire {
  readonly #known = new WeakMap<Answer, { readonly sec: number; readonly bytes: Buffer }>()
  #sec = 0
  #date = ""

  write(socket: Socket, answer: Answer, nowMs: number): void {
    const sec = Math.floor(nowMs / 1_000)
    if (answer.body === null || answer.body.length <= joinedMaxBytes)
      return void socket.write(this.#bytesOf(answer, answer.body, sec))
    socket.cork()
    socket.write(this.#bytesOf(answer, null, sec))
    socket.write(answer.body)
    socket.uncork()
  }

  /** The last answer of a connection has its own head, and the body isn't copied for it. */
  end(socket: Socket, answer: Answer, nowMs: number): void {
    socket.cork()
    socket.write(this.#headOf(answer, Math.floor(nowMs / 1_000), "connection: close\r\n"))
    if (answer.body !== null) socket.write(answer.body)
    socket.end()
  }

  #bytesOf(answer: Answer, joined: Uint8Array | null, sec: number): Buffer {
    const known = this.#known.get(answer)
    if (known !== undefined && known.sec === sec) return known.bytes
    const head = this.#headOf(answer, sec, "")
    const bytes = joined === null ? head : Buffer.concat([head, joined])
    this.#known.set(answer, { sec, bytes })
    return bytes
  }

  #headOf({ body, headers, status }: Answer, sec: number, further: string): Buffer {
    if (sec !== this.#sec) [this.#sec, this.#date] = [sec, new Date(sec * 1_000).toUTCString()]
    const lines = Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join("")
    const length = body === null ? "" : `content-length: ${body.length}\r\n`
    return Buffer.from(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}${length}date: ${this.#date}\r\n${further}\r\n`,
      "latin1"
    )
  }
}
