import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type { HttpServerRequest } from "effect/http"
import type { ServerResponse } from "node:http"
import type { Sink } from "./EventFanout.ts"

/**
 * The connection of a request whose head has been written. The first bytes go with the head; after that they go to the socket as
 * they are, already in the form of a chunk: node would make that form anew for each reader. `ended` is called when it is to be closed.
 */
export const nodeSink = (request: HttpServerRequest.HttpServerRequest, ended: () => void): Sink => {
  const response = NodeHttpServerRequest.toServerResponse(request) as ServerResponse
  let begun = false
  return {
    write: (piece) => {
      const { socket } = response
      // A request that was sent ahead of the answer before it has no socket yet, and neither has one whose connection is gone.
      if (!begun || socket === null) response.write(piece.plain)
      else socket.write(response.chunkedEncoding ? piece.chunked : piece.plain)
      begun = true
    },
    backlogBytes: () => Math.max(response.writableLength, response.socket?.writableLength ?? 0),
    end: ended,
    drop: () => response.destroy()
  }
}
