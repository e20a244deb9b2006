import { once } from "node:events"
import { connect as connectPlain } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { connectPeer, openPeerPort, type PeerPort, type PeerProtocol } from "../../../engine/runtime/PeerPort.ts"

const secret = "a secret of the processes of a station"
const host = "127.0.0.1"

describe("the port for the other processes of a station", () => {
  let port: PeerPort
  const said: Array<string> = []
  const connect = (given: string, protocol: PeerProtocol = "longwave-news") =>
    connectPeer({ host, port: port.port, secret: given, protocol })
  /** What ended the connection; null if it was made. */
  const outcome = async (given: string, protocol?: PeerProtocol): Promise<string | null> => {
    const socket = connect(given, protocol)
    try {
      await Promise.race([
        once(socket, "secureConnect"),
        once(socket, "close").then(() => Promise.reject(new Error("closed")))
      ])
      return null
    } catch (error) {
      return (error as Error).message
    } finally {
      socket.destroy()
    }
  }

  beforeAll(async () => {
    port = await openPeerPort({ host, port: 0, secret })
    port.accept("longwave-news", (socket) => {
      socket.on("data", (bytes) => said.push(String(bytes)))
      socket.end("welcome")
    })
  })
  afterAll(() => port.close())

  it("lets in who knows the secret, over an encrypted connection", async () => {
    const socket = connect(secret)
    const [answer] = (await once(socket, "data")) as [Buffer]
    expect(String(answer)).toBe("welcome")
    expect(socket.getCipher()).toMatchObject({ name: "ECDHE-PSK-CHACHA20-POLY1305" })
    socket.destroy()
  })

  it("refuses another secret, a protocol that nobody serves, and bytes without a handshake", async () => {
    expect(await outcome(`${secret}.`)).toMatch(/mac|closed/)
    expect(await outcome(secret, "longwave-air")).toMatch(/protocol/)
    const plain = connectPlain({ host, port: port.port })
    plain.write("GET / HTTP/1.1\r\n\r\n")
    await once(plain.resume(), "close")
    expect(said).toEqual([])
  })
})
