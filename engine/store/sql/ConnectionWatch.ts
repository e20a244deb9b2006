import { connect, type NetConnectOpts, type Socket } from "node:net"
import { Duplex } from "node:stream"

/** One connection that reports a server which doesn't respond in time. */
class Line extends Duplex {
  readonly #socket: Socket
  readonly #halfMs: number
  /** Half silence periods since the last request; null if no response is pending. */
  #halves: number | null = null

  constructor(
    to: NetConnectOpts,
    silenceMs: number,
    on: { readonly onHeard: () => void; readonly onSilent: () => void; readonly isPending: (() => boolean) | null }
  ) {
    super()
    this.#halfMs = silenceMs / 2
    this.#socket = connect(to)
    this.#socket.setNoDelay(true)
    this.#socket.on("data", (bytes) => {
      this.#halves = null
      on.onHeard()
      if (!this.push(bytes)) this.#socket.pause()
      if (this.#halves === null) this.#expect(on.isPending?.() ?? false)
    })
    this.#socket.on("timeout", () => {
      if (this.#halves === null) return
      // After the last answer, its request counted as pending until it was handled.
      if (on.isPending?.() === false) return this.#expect(false)
      // In two halves: after a hang of this process, the responses that arrived meanwhile are read between the two.
      this.#halves += 1
      if (this.#halves >= 2) on.onSilent()
      else this.#socket.setTimeout(this.#halfMs)
    })
    this.#socket.on("end", () => this.push(null))
    this.#socket.on("error", (error) => this.destroy(error))
    this.#socket.on("close", () => this.destroy())
  }

  get owes(): boolean {
    return this.#halves !== null
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(bytes: Uint8Array, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#halves === null) this.#expect(true)
    this.#socket.write(bytes, done)
  }

  #expect(isPending: boolean): void {
    this.#halves = isPending ? 0 : null
    this.#socket.setTimeout(isPending ? this.#halfMs : 0)
  }

  override _final(done: () => void): void {
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }
}

const silenceError = () => new Error("the database has stopped answering")

/**
 * All connections to one database. A frozen server keeps them open without responding. A connection without a response for too long is cut. Until the
 * server responds again, only one new connection at a time is tried and all others fail at once.
 */
export class ConnectionWatch {
  readonly #to: NetConnectOpts
  readonly #silenceMs: number
  readonly #lines = new Set<Line>()
  #trial: Line | null = null
  #isSilent = false

  constructor(to: NetConnectOpts, silenceMs: number) {
    this.#to = to
    this.#silenceMs = silenceMs
  }

  get isSilent(): boolean {
    return this.#isSilent
  }

  /** `isPending`, for a connection that has several requests at once: whether one of them waits for its answer. */
  open(isPending: (() => boolean) | null = null): Duplex {
    if (this.#isSilent && this.#trial !== null)
      return new Duplex({ read() {}, write: (_bytes, _encoding, done) => done() }).destroy(silenceError())
    const line: Line = new Line(this.#to, this.#silenceMs, {
      onHeard: () => {
        this.#isSilent = false
      },
      onSilent: () => this.#cut(line),
      isPending
    })
    this.#lines.add(line)
    if (this.#isSilent) this.#trial = line
    line.once("close", () => {
      this.#lines.delete(line)
      if (this.#trial === line) this.#trial = null
    })
    return line
  }

  /** Cuts idle connections too: their next query would wait as long. */
  #cut(owing: Line): void {
    this.#isSilent = true
    for (const line of this.#lines) if (line === owing || !line.owes) line.destroy(silenceError())
  }
}

/** Target of a Postgres address: host and port, or a folder with a socket. */
export const placeOf = (address: string): NetConnectOpts => {
  const url = new URL(address)
  const host = url.searchParams.get("host") ?? decodeURIComponent(url.hostname)
  const port = Number(url.searchParams.get("port") ?? (url.port || 5432))
  return host.startsWith("/")
    ? { path: `${host}/.s.PGSQL.${port}` }
    : { host: host.replace(/^\[(.*)\]$/, "$1") || "localhost", port }
}
