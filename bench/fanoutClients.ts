import { connect } from "node:net"
import { FrameChecker, frameMs } from "./instruments/sounds/NumberedFrames.ts"

/** Results of all listeners together. */
export interface Heard {
  readonly frames: number
  /** Broken, missing or misordered frames. */
  readonly faults: number
  /** Listeners whose stream didn't start at the beginning of a frame. */
  readonly strays: number
  /** Listeners that are more than `behindMs` behind the others, got no frame, or were disconnected. */
  readonly behind: number
}

export interface Joined {
  readonly firstByteMs: ReadonlyArray<number>
}

const behindMs = 3_000
const perAddress = 100
const patienceMs = 15_000

const [port, count, perSecond, path] = [
  Number(process.argv[2]),
  Number(process.argv[3]),
  Number(process.argv[4]),
  process.argv[5]!
]

interface Listener {
  readonly checker: FrameChecker
  open: boolean
}

const listeners: Array<Listener> = []
const firstByteMs: Array<number> = []

const listen = (index: number): void => {
  const listener: Listener = { checker: new FrameChecker(), open: true }
  listeners.push(listener)
  const startedMs = performance.now()
  let head: Buffer | null = Buffer.alloc(0)
  // All of 127/8 is this machine: each listener has its own address, as on the internet.
  const localAddress = `127.0.${1 + (Math.floor(index / perAddress) >> 8)}.${1 + (Math.floor(index / perAddress) % 250)}`
  const socket = connect({ port, host: "127.0.0.1", localAddress, noDelay: true })
  socket.on("connect", () => socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`))
  socket.on("error", () => (listener.open = false))
  socket.on("close", () => (listener.open = false))
  socket.on("data", (bytes) => {
    if (head === null) return listener.checker.take(bytes)
    head = Buffer.concat([head, bytes])
    const end = head.indexOf("\r\n\r\n")
    if (end === -1 || head.length === end + 4) return
    firstByteMs.push(performance.now() - startedMs)
    listener.checker.take(head.subarray(end + 4))
    head = null
    if (firstByteMs.length === count) reportJoined()
  })
}

/** Once: those that join later, on a busy machine, are counted as missing. */
let isReported = false
const reportJoined = (): void => {
  clearTimeout(patience)
  if (isReported) return
  isReported = true
  process.send!({ firstByteMs } satisfies Joined)
}
const patience = setTimeout(reportJoined, (count / perSecond) * 1_000 + patienceMs)

const beganMs = performance.now()
const dealing = setInterval(() => {
  while (listeners.length < Math.min(count, ((performance.now() - beganMs) / 1_000) * perSecond))
    listen(listeners.length)
  if (listeners.length === count) clearInterval(dealing)
}, 5)

process.on("message", () => {
  const newest = Math.max(...listeners.map(({ checker }) => checker.last))
  process.send!({
    frames: listeners.reduce((sum, { checker }) => sum + checker.frames, 0),
    faults: listeners.reduce((sum, { checker }) => sum + checker.faults, 0),
    strays: listeners.filter(({ checker }) => checker.strayBytes > 0).length,
    behind: listeners.filter(({ checker, open }) => !open || newest - checker.last > behindMs / frameMs).length
  } satisfies Heard)
})
process.on("disconnect", () => process.exit())
