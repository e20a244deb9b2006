import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"

/** The network between a process and its database. While it is cut nothing arrives on either side, and neither side is told. */
export interface CutProxy {
  readonly url: string
  readonly cut: () => void
  readonly mend: () => void
  readonly close: () => Promise<void>
}

/** A database's address through a proxy on loopback. It names no Unix socket, which would bypass the proxy. */
export const addressThrough = (databaseUrl: string, proxy: Server): string => {
  const url = new URL(databaseUrl)
  url.searchParams.delete("host")
  url.hostname = "127.0.0.1"
  url.port = String((proxy.address() as AddressInfo).port)
  return url.href
}

/** Two ends of a connection. What one end sends during a cut arrives afterwards, as TCP would send it again. */
interface Line {
  readonly client: Socket
  readonly server: Socket
}

export const startCutProxy = async (databaseUrl: string): Promise<CutProxy> => {
  const target = new URL(databaseUrl)
  const lines = new Set<Line>()
  let isCut = false
  const proxy = createServer((client) => {
    const server = connect({ host: target.hostname, port: Number(target.port), noDelay: true })
    client.setNoDelay(true)
    const line = { client, server }
    lines.add(line)
    const end = () => {
      // During a cut the other side learns nothing of an end.
      if (isCut) return
      lines.delete(line)
      client.destroy()
      server.destroy()
    }
    for (const [from, to] of [
      [client, server],
      [server, client]
    ] as const) {
      from.on("error", end)
      from.on("close", end)
      from.on("data", (bytes: Buffer) => void (to.destroyed || to.write(bytes)))
      if (isCut) from.pause()
    }
  }).listen(0, "127.0.0.1")
  await once(proxy, "listening")
  return {
    url: addressThrough(databaseUrl, proxy),
    cut: () => {
      isCut = true
      for (const { client, server } of lines) {
        client.pause()
        server.pause()
      }
    },
    mend: () => {
      isCut = false
      for (const line of lines) {
        line.client.resume()
        line.server.resume()
        if (!line.client.destroyed && !line.server.destroyed) continue
        lines.delete(line)
        line.client.destroy()
        line.server.destroy()
      }
    },
    close: async () => {
      proxy.close()
      for (const { client, server } of lines) {
        client.destroy()
        server.destroy()
      }
      await once(proxy, "close")
    }
  }
}
