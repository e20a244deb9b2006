import { createHash } from "node:crypto"
import { connect, createServer, type TLSSocket } from "node:tls"
import { peerConnectionsMax, peerHandshakeMs } from "../rules/runtime/limits.ts"

/** A protocol that processes of one station speak: messages of actors, messages of the station actor, news of the event bus. */
export type PeerProtocol = "longwave-actors" | "longwave-air" | "longwave-news"

const identity = "longwave"
/** Both sides prove that they know the secret, and each connection has keys of its own: a secret that leaks later opens no recorded one. */
const ciphers = "ECDHE-PSK-CHACHA20-POLY1305"
const keyOf = (secret: string) => createHash("sha256").update("longwave peer\0").update(secret).digest()
const version = { minVersion: "TLSv1.2", maxVersion: "TLSv1.2" } as const

/** The port where the other processes of a station connect. A stranger doesn't get past the handshake. */
export interface PeerPort {
  readonly port: number
  /** Takes the connections of a protocol, from now on. They are paused. */
  readonly accept: (protocol: PeerProtocol, take: (socket: TLSSocket) => void) => void
  /** Ends all connections, then the port. */
  readonly close: () => Promise<void>
}

/** Opens the port. TLS with the shared secret; ALPN names the protocol. Rejects when the address can't be used. */
export const openPeerPort = (options: {
  readonly host: string
  readonly port: number
  readonly secret: string
}): Promise<PeerPort> => {
  const key = keyOf(options.secret)
  const takers = new Map<string, (socket: TLSSocket) => void>()
  const sockets = new Set<TLSSocket>()
  const server = createServer(
    {
      ...version,
      ciphers,
      handshakeTimeout: peerHandshakeMs,
      pauseOnConnect: false,
      pskCallback: (_socket, claimed) => (claimed === identity ? key : null),
      ALPNCallback: ({ protocols }) => protocols.find((protocol) => takers.has(protocol))
    },
    (socket) => {
      socket.pause()
      socket.setNoDelay(true)
      sockets.add(socket)
      socket.once("close", () => sockets.delete(socket))
      socket.on("error", () => socket.destroy())
      const take = takers.get(String(socket.alpnProtocol))
      if (take === undefined) socket.destroy()
      else take(socket)
    }
  )
  server.maxConnections = peerConnectionsMax
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(options.port, options.host, () => {
      server.off("error", reject)
      server.on("error", () => undefined)
      resolve({
        port: (server.address() as { readonly port: number }).port,
        accept: (protocol, take) => void takers.set(protocol, take),
        close: () =>
          new Promise((closed) => {
            server.close(() => closed())
            for (const socket of sockets) socket.destroy()
          })
      })
    })
  })
}

/** Connects to another process. The socket fails when the other side doesn't know the secret or the protocol. */
export const connectPeer = (options: {
  readonly host: string
  readonly port: number
  readonly secret: string
  readonly protocol: PeerProtocol
}): TLSSocket => {
  const key = keyOf(options.secret)
  const socket = connect({
    ...version,
    host: options.host,
    port: options.port,
    ciphers,
    ALPNProtocols: [options.protocol],
    pskCallback: () => ({ psk: key, identity }),
    // The secret proves the other side, not a name.
    checkServerIdentity: () => undefined
  })
  socket.setNoDelay(true)
  return socket
}
