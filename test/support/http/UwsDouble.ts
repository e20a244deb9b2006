import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import type { Uws, UwsApp, UwsRequest, UwsResponse } from "../../../http/fastpath/Uws.ts"

type Handler = (response: UwsResponse, request: UwsRequest) => void

/** Misuse that ends the process, or throws, in uWebSockets.js. */
class IllUse extends Error {}

/**
 * uWebSockets.js over Node's own server, as far as the station uses it, with its rules. The request is invalid after the handler
 * returns, the response after it was answered or aborted. A handler that doesn't answer at once must register an abort handler.
 * The status comes before the headers; the library sets lengths. While `onWritable` is set, kept bytes are only sent with the
 * next write. A client that sends another request during an answer is cut off. `broken` collects violations.
 */
export const makeUwsDouble = () => {
  const broken: Array<string> = []
  /** Responses that are being sent. */
  const answering = new WeakSet<Socket>()
  const fail = (what: string): never => {
    broken.push(what)
    throw new IllUse(what)
  }

  const requestOf = (message: IncomingMessage) => {
    let isValid = true
    const valid = <A>(value: A): A => (isValid ? value : fail("a request was used after its handler had returned"))
    const [path = "", query = ""] = (message.url ?? "").split(/\?(.*)/s)
    const request: UwsRequest = {
      getUrl: () => valid(path),
      getQuery: () => valid(query),
      getCaseSensitiveMethod: () => valid(message.method ?? ""),
      getHeader: (name) => valid(String(message.headers[name] ?? "")),
      forEach: (each) => {
        valid(undefined)
        for (let at = 0; at < message.rawHeaders.length; at += 2)
          each(message.rawHeaders[at]!.toLowerCase(), message.rawHeaders[at + 1]!)
      }
    }
    return { request, expire: () => void (isValid = false) }
  }

  const responseOf = (message: IncomingMessage, response: ServerResponse) => {
    let isOver = false
    let aborted: (() => void) | null = null
    let writable: ((offset: number) => boolean) | null = null
    let status: string | null = null
    let hasWritten = false
    let kept: Array<Uint8Array> = []
    const headers: Array<[string, string]> = []
    const valid = () => (isOver ? fail("a response was used after it was over") : undefined)
    const head = (length: number | null) => {
      const [code = "200", ...reason] = (status ?? "200 OK").split(" ")
      response.writeHead(
        Number(code),
        reason.join(" "),
        [...headers, ...(length === null ? [] : [["Content-Length", String(length)] as [string, string]])].flat()
      )
    }
    const put = (bytes: Uint8Array): boolean => {
      // Kept bytes go first, and nothing more enters the kernel before them.
      kept.push(bytes)
      if (response.writableNeedDrain) return false
      const all = Buffer.concat(kept)
      kept = []
      return response.write(all)
    }
    response.on("drain", () => {
      if (isOver) return
      if (writable !== null) return void (givenBytes === 0 && writable(0))
      if (kept.length > 0) put(new Uint8Array())
    })
    response.once("close", () => {
      if (isOver) return
      isOver = true
      aborted?.()
    })
    let givenBytes = 0
    const end = (close: boolean) => {
      isOver = true
      answering.delete(message.socket)
      if (close) response.once("finish", () => message.socket.end())
    }
    const answer: UwsResponse = {
      writeStatus: (text) => {
        valid()
        if (status !== null || headers.length > 0) fail("the status comes first, and once")
        status = text
        return answer
      },
      writeHeader: (name, value) => {
        valid()
        if (/^(content-length|transfer-encoding|date)$/i.test(name)) fail(`${name} is written by the server`)
        if (/[\r\n]/.test(value)) fail(`${name} would end the head`)
        if (hasWritten) fail("the head is gone")
        headers.push([name, value])
        return answer
      },
      write: (chunk) => {
        valid()
        if (chunk.length === 0) return true
        if (!hasWritten) head(null)
        hasWritten = true
        return put(chunk)
      },
      end: (body, close = false) => {
        valid()
        if (!hasWritten) head(body?.length ?? 0)
        end(close)
        response.end(Buffer.concat([...kept, ...(body === undefined ? [] : [body])]))
        return answer
      },
      tryEnd: (chunk, totalSize) => {
        valid()
        if (!hasWritten) head(totalSize)
        if (!hasWritten) response.flushHeaders()
        hasWritten = true
        // Until Node would buffer it: then the kernel accepts no more.
        for (let at = 0; at < chunk.length; at += 65_536) {
          if (response.socket === null || response.socket.writableLength > 0) {
            response.once(response.socket === null ? "socket" : "emptied", () =>
              isOver ? undefined : writable?.(givenBytes)
            )
            response.socket?.write("", () => void response.emit("emptied"))
            return [false, false]
          }
          const piece = chunk.subarray(at, at + 65_536)
          response.write(piece)
          givenBytes += piece.length
        }
        if (givenBytes < totalSize) return [true, false]
        end(false)
        response.end()
        return [true, true]
      },
      endWithoutBody: (length, close = false) => {
        valid()
        head(length ?? null)
        end(close)
        response.end()
        return answer
      },
      close: () => {
        valid()
        message.socket.destroy()
        return answer
      },
      onAborted: (handler) => {
        valid()
        aborted = handler
        return answer
      },
      onWritable: (handler) => {
        valid()
        writable = handler
        return answer
      },
      getRemoteAddressAsText: () => {
        valid()
        return new TextEncoder().encode(message.socket.remoteAddress ?? "").buffer as ArrayBuffer
      },
      cork: (work) => {
        valid()
        response.cork()
        work()
        response.uncork()
        return answer
      }
    }
    return { answer, mayReturn: () => isOver || aborted !== null }
  }

  const App = (): UwsApp => {
    let handler: Handler | null = null
    let tell: (response: UwsResponse, count: number) => void = () => undefined
    const server: Server = createServer((message, response) => {
      if (answering.has(message.socket)) return void message.socket.destroy()
      answering.add(message.socket)
      const { expire, request } = requestOf(message)
      const { answer, mayReturn } = responseOf(message, response)
      try {
        handler?.(answer, request)
        if (!mayReturn()) fail("a handler returned without an answer, and without saying what happens on abort")
      } catch (fault) {
        broken.push(String(fault))
        message.socket.destroy()
      }
      expire()
    })
    server.on("connection", (socket) => {
      tell({} as UwsResponse, 1)
      socket.once("close", () => tell({} as UwsResponse, -1))
    })
    const app: UwsApp = {
      any: (pattern, taken) => {
        if (pattern !== "/*") fail("this double knows one pattern")
        handler = taken
        return app
      },
      filter: (heard) => {
        tell = heard
        return app
      },
      listen: (host, port, listening) => {
        server.once("error", () => listening(false))
        server.listen(port, host, () => listening(server))
        return app
      },
      close: () => {
        server.close()
        server.closeAllConnections()
        return app
      }
    }
    return app
  }
  const uws: Uws = { App, us_socket_local_port: (socket) => ((socket as Server).address() as AddressInfo).port }
  return { uws, broken }
}
