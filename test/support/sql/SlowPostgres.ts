import { Effect, Exit, Redacted, Scope } from "effect"
import { once } from "node:events"
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises"
import { connect, createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { addressThrough } from "../../../bench/instruments/servers/CutProxy.ts"
import { embeddedPostgres } from "../../../engine/store/sql/EmbeddedPostgres.ts"
import { childrenOf } from "../station/WholeStation.ts"

/** A real server that can be frozen, reached through a slow connection. */
export interface SlowPostgres {
  readonly url: string
  /** Without the slow connection, for the test's own queries. */
  readonly directUrl: string
  delayMs: number
  /** Number of queries over the slow connection. */
  readonly countAsked: () => number
  readonly freeze: () => void
  readonly thaw: () => void
  readonly stop: () => Promise<void>
}

export const startSlowPostgres = async (): Promise<SlowPostgres> => {
  const folder = await mkdtemp(join(tmpdir(), "longwave-slow-"))
  await chmod(folder, 0o755)
  const scope = Effect.runSync(Scope.make())
  const directUrl = Redacted.value(await Effect.runPromise(embeddedPostgres(folder).pipe(Scope.provide(scope))))
  const target = Number(new URL(directUrl).port)
  const postmaster = Number((await readFile(join(folder, "pg", "postmaster.pid"), "utf8")).split("\n")[0])
  const signal = (name: NodeJS.Signals) => {
    for (const pid of [postmaster, ...childrenOf(postmaster, /./)]) process.kill(pid, name)
  }
  const sockets = new Set<Socket>()
  let asked = 0
  const proxy = createServer((client) => {
    const server = connect({ host: "127.0.0.1", port: target, noDelay: true })
    for (const [from, to] of [
      [client, server],
      [server, client]
    ] as const) {
      sockets.add(from)
      from.on("error", () => to.destroy())
      from.on("close", () => {
        sockets.delete(from)
        to.destroy()
      })
    }
    // One message after the other: a later one never overtakes.
    let before = Promise.resolve()
    client.on("data", (bytes) => {
      asked += 1
      const due = new Promise((resolve) => setTimeout(resolve, slow.delayMs))
      before = before.then(() => due).then(() => void (server.destroyed || server.write(bytes)))
    })
    server.on("data", (bytes) => client.write(bytes))
  }).listen(0, "127.0.0.1")
  await once(proxy, "listening")
  const slow: SlowPostgres = {
    url: addressThrough(directUrl, proxy),
    directUrl,
    delayMs: 0,
    countAsked: () => asked,
    freeze: () => signal("SIGSTOP"),
    thaw: () => signal("SIGCONT"),
    stop: async () => {
      proxy.close()
      for (const socket of sockets) socket.destroy()
      await Effect.runPromise(Scope.close(scope, Exit.void))
      await rm(folder, { recursive: true, force: true })
    }
  }
  return slow
}
