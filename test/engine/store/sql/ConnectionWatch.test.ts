import { once } from "node:events"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ConnectionWatch, placeOf } from "../../../../engine/store/sql/ConnectionWatch.ts"

const silenceMs = 100

/** A server that answers every message, unless frozen: then it reads everything and answers nothing. */
const frozen = { is: false, sockets: new Set<Socket>() }
const server = createServer((socket) => {
  frozen.sockets.add(socket)
  socket.on("close", () => frozen.sockets.delete(socket))
  socket.on("error", () => undefined)
  socket.on("data", (bytes) => void (frozen.is || socket.write(bytes)))
})

describe("connections to the database", () => {
  let lines: ConnectionWatch
  beforeAll(async () => {
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    lines = new ConnectionWatch({ host: "127.0.0.1", port: (server.address() as AddressInfo).port }, silenceMs)
  })
  afterAll(() => {
    for (const socket of frozen.sockets) socket.destroy()
    server.close()
  })

  it("doesn't mistake a hang of this process for one of the server", async () => {
    const line = lines.open()
    line.write("a question")
    await once(line, "data")
    line.write("another")
    for (const until = performance.now() + 1.5 * silenceMs; performance.now() < until;);
    expect(String((await once(line, "data"))[0])).toBe("another")
    expect(lines.isSilent).toBe(false)
    line.destroy()
  })

  it("closes unanswered connections, lets one retry, and all after an answer", async () => {
    const [asking, idle] = [lines.open(), lines.open()]
    for (const line of [asking, idle]) {
      line.write("a question")
      await once(line, "data")
    }
    frozen.is = true
    const cut = Promise.all([once(asking, "error"), once(idle, "error")])
    asking.write("a question")
    expect(String((await cut)[0])).toContain("stopped answering")
    expect(lines.isSilent).toBe(true)

    const trial = lines.open()
    trial.write("are you there?")
    const tried = new Promise((resolve) => trial.once("error", () => undefined).once("close", resolve))
    await once(lines.open(), "error")
    expect(trial.destroyed).toBe(false)
    await tried

    frozen.is = false
    const next = lines.open()
    next.write("are you there?")
    await once(next, "data")
    expect(lines.isSilent).toBe(false)
    const after = lines.open()
    after.write("good")
    await once(after, "data")
    next.destroy()
    after.destroy()
  })

  it("watches a connection with several requests until the last one is answered", async () => {
    let pending = 2
    const [line, answered] = [lines.open(() => pending > 0), lines.open(() => false)]
    for (const one of [line, answered]) {
      one.write("two questions")
      await once(one, "data")
    }
    frozen.is = true
    pending = 1
    // Idle, it is cut with the other.
    const cut = once(answered, "error")
    await expect(once(line, "error")).resolves.toMatchObject([{ message: "the database has stopped answering" }])
    await cut
    frozen.is = false

    const last = lines.open(() => pending > 0)
    last.write("two questions")
    await once(last, "data")
    pending = 0
    const other = lines.open()
    // The one that is answered is no longer watched when this one's time is over.
    for (let turn = 0; turn < 3; turn++) {
      await new Promise((resolve) => setTimeout(resolve, silenceMs / 2))
      other.write("another")
      await once(other, "data")
    }
    expect([last.destroyed, lines.isSilent]).toEqual([false, false])
    last.destroy()
    other.destroy()
  })

  it("finds the server of an address", () => {
    expect(placeOf("postgres://u:p@db.example:6543/x")).toEqual({ host: "db.example", port: 6543 })
    expect(placeOf("postgres://u@[::1]/x")).toEqual({ host: "::1", port: 5432 })
    expect(placeOf("postgres:///x?host=/run/pg&port=5433")).toEqual({ path: "/run/pg/.s.PGSQL.5433" })
  })
})
