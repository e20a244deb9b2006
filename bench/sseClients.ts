import { connect } from "node:net"
import { eventsIn } from "./instruments/clients/EventReader.ts"
import { nowMs } from "./instruments/Report.ts"

/** Results of all readers of this process since the start order. */
export interface Got {
  /** Bytes of each reader of a stream; one figure if all are equal. */
  readonly bytes: Readonly<Record<string, ReadonlyArray<number>>>
  readonly open: number
  /** Milliseconds from an event's emission to its reading, for readers that parse. */
  readonly delayMs: ReadonlyArray<number>
  /** Event numbers out of order, doubled or missing. */
  readonly faults: number
}
const perAddress = 50
const patienceMs = 20_000
/** `loud` readers only count bytes: ten thousand parsing readers would measure themselves. */
const [port, count, perSecond, kind, firstAddress] = [
  Number(process.argv[2]),
  Number(process.argv[3]),
  Number(process.argv[4]),
  process.argv[5]!,
  Number(process.argv[6])
]
const streams = process.argv[7]!.split(",")
interface Reader {
  readonly stream: string
  bytes: number
  begun: boolean
  open: boolean
  rest: string
  last: number | null
}
const readers: Array<Reader> = []
let delays: Array<number> = []
let faults = 0
let begunCount = 0
const look = (reader: Reader, text: string): void => {
  const end = (reader.rest + text).lastIndexOf("\n\n") + 2
  const whole = (reader.rest + text).slice(0, end)
  reader.rest = (reader.rest + text).slice(end)
  // A real server's HTTP chunk sizes stand between events as separate lines without fields.
  for (const { data } of eventsIn(whole)) {
    if (typeof data?.number !== "number") continue
    delays.push(nowMs() - data.toldAtMs)
    if (reader.last !== null && data.number !== reader.last + 1) faults++
    reader.last = data.number
  }
}
const startReader = (index: number): void => {
  const reader: Reader = {
    stream: streams[index % streams.length]!,
    bytes: 0,
    begun: false,
    open: true,
    rest: "",
    last: null
  }
  readers.push(reader)
  const place = firstAddress + Math.floor(index / perAddress)
  const socket = connect({
    port,
    host: "127.0.0.1",
    localAddress: `127.0.${1 + (place >> 8)}.${place & 255}`,
    noDelay: true
  })
  socket.on("connect", () => socket.write(`GET /${reader.stream} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`))
  socket.on("error", () => (reader.open = false))
  socket.on("close", () => (reader.open = false))
  socket.on("data", (bytes) => {
    if (!reader.begun) {
      reader.begun = true
      if (++begunCount === count) reportJoined()
    }
    reader.bytes += bytes.length
    if (kind === "looking") look(reader, bytes.toString("utf8"))
  })
}
const reportJoined = (): void => {
  clearTimeout(patience)
  process.send!({ begun: begunCount })
}
const patience = setTimeout(reportJoined, (count / perSecond) * 1_000 + patienceMs)
const beganMs = performance.now()
const dealing = setInterval(() => {
  while (readers.length < Math.min(count, ((performance.now() - beganMs) / 1_000) * perSecond))
    startReader(readers.length)
  if (readers.length === count) clearInterval(dealing)
}, 5)
process.on("message", (what: "begin" | "report") => {
  if (what === "begin") {
    delays = []
    faults = 0
    for (const reader of readers) reader.bytes = 0
  }
  const bytes = Object.fromEntries(
    streams.map((stream) => [
      stream,
      [...new Set(readers.filter((reader) => reader.stream === stream).map((reader) => reader.bytes))]
    ])
  )
  process.send!({ bytes, open: readers.filter(({ open }) => open).length, delayMs: delays, faults } satisfies Got)
})
process.on("disconnect", () => process.exit())
