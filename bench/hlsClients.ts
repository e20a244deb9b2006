import { connect, type Socket } from "node:net"
import { hash } from "./instruments/Report.ts"

/** Results of a stretch of load. */
export interface Loaded {
  readonly answers: number
  /** Answers with a status other than 200, or with other bytes than the first answer. */
  readonly bad: number
  readonly bodyBytes: number
  readonly bodyHash: string
}

export interface Reload {
  readonly msn: number
  readonly part: number
  readonly atMs: number
}

export interface Reloaded {
  readonly playing: number
  readonly reloads: ReadonlyArray<Reload>
  readonly bad: number
}

const perAddress = 200
const [mode, port, count, path] = [process.argv[2]!, Number(process.argv[3]), Number(process.argv[4]), process.argv[5]!]

/** All of 127/8 is this machine: each player has its own address, as on the internet. */
const openSocket = (index: number, answered: (status: number, body: Buffer) => void): Socket => {
  const localAddress = `127.0.${1 + (Math.floor(index / perAddress) >> 8)}.${1 + (Math.floor(index / perAddress) % 250)}`
  const socket = connect({ port, host: "127.0.0.1", localAddress, noDelay: true })
  let head: Buffer | null = Buffer.alloc(0)
  let status = 0
  let body: Buffer = Buffer.alloc(0)
  let filled = 0
  const take = (bytes: Buffer): void => {
    if (head !== null) {
      const all = head.length === 0 ? bytes : Buffer.concat([head, bytes])
      const end = all.indexOf("\r\n\r\n")
      if (end === -1) return void (head = all)
      const text = all.toString("latin1", 0, end)
      status = Number(text.slice(9, 12))
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1])
      // One buffer for all answers of a connection is enough to check them.
      if (body.length !== length) body = Buffer.allocUnsafe(length)
      head = null
      filled = 0
      bytes = all.subarray(end + 4)
    }
    filled += bytes.copy(body, filled)
    if (filled < body.length) return
    head = Buffer.alloc(0)
    answered(status, body)
  }
  socket.on("data", take)
  return socket
}

/** Sends a fixed number of requests a second over any free connection, so that every server gets the same load. */
const load = (perSecond: number): void => {
  let expected: Buffer | null = null
  let answers = 0
  let bad = 0
  const free: Array<Socket> = []
  const request = `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nuser-agent: bench\r\naccept: */*\r\n\r\n`
  for (let index = 0; index < count; index++) {
    const socket = openSocket(index, (status, body) => {
      expected ??= Buffer.from(body)
      answers += 1
      if (status !== 200 || !body.equals(expected)) bad += 1
      free.push(socket)
    })
    socket.on("connect", () => free.push(socket))
    socket.on("error", () => (bad += 1))
  }
  const beganMs = performance.now()
  let asked = 0
  setInterval(() => {
    const due = ((performance.now() - beganMs) / 1_000) * perSecond
    // First in, first out: all connections are in use, as with players.
    for (; asked < due && free.length > 0; asked += 1) free.shift()!.write(request)
    asked = Math.max(asked, due - count)
  }, 1)
  process.on("message", () =>
    process.send!({ answers, bad, bodyBytes: expected?.length ?? 0, bodyHash: hash(expected ?? "") } satisfies Loaded)
  )
}

const hintOf = (playlist: string): [number, number] => {
  const [, msn, part] = /PRELOAD-HINT:TYPE=PART,URI="p(\d+)\.(\d+)\.m4s"/.exec(playlist) ?? []
  return [Number(msn), Number(part)]
}

/** Low-latency players: each requests the playlist with the part that its last one announced. */
const play = (): void => {
  let reloads: Array<Reload> = []
  let bad = 0
  const playing = new Set<number>()
  /** The text is the same for all players and is parsed once. */
  let last: { readonly text: Buffer; readonly hint: [number, number] } = { text: Buffer.alloc(0), hint: [0, 0] }
  const begin = (index: number): void => {
    let asked: [number, number] | null = null
    const ask = (socket: Socket, query: string) =>
      socket.write(`GET ${path}${query} HTTP/1.1\r\nhost: 127.0.0.1\r\nuser-agent: bench ${index}\r\n\r\n`)
    const socket = openSocket(index, (status, body) => {
      const atMs = performance.timeOrigin + performance.now()
      if (status !== 200) {
        bad += 1
        return void setTimeout(
          () => ask(socket, asked === null ? "" : `?_HLS_msn=${asked[0]}&_HLS_part=${asked[1]}`),
          100
        )
      }
      if (!body.equals(last.text)) last = { text: Buffer.from(body), hint: hintOf(body.toString()) }
      if (asked !== null) reloads.push({ msn: asked[0], part: asked[1], atMs })
      playing.add(index)
      asked = last.hint
      ask(socket, `?_HLS_msn=${asked[0]}&_HLS_part=${asked[1]}`)
    })
    socket.on("connect", () => ask(socket, ""))
    socket.on("error", () => (bad += 1))
  }
  const begun = { count: 0 }
  const dealing = setInterval(() => {
    for (let more = 0; more < 10 && begun.count < count; more++) begin(begun.count++)
    if (begun.count < count) return
    clearInterval(dealing)
  }, 5)
  process.on("message", () => {
    process.send!({ playing: playing.size, reloads, bad } satisfies Reloaded)
    reloads = []
  })
}

process.on("disconnect", () => process.exit())
if (mode === "load") load(Number(process.argv[6]))
else play()
