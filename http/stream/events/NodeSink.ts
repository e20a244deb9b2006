import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type { HttpServerRequest } from "effect/http"
import type { ServerResponse } from "node:http"
import type { Sink } from "./EventFanout.ts"

/**
 * A connection after its head was written. The first bytes go with the head; later ones go to the socket as ready-made
 * chunks, because Node would encode them for each reader. `ended` is called when it must be closed.
 */
export const responseSink = (response: ServerResponse, ended: () => void): Sink => {
  let begun = false
  return {
    write: (piece) => {
      const { socket } = response
      // A pipelined request has no socket yet, and neither has a closed connection.
      if (!begun || socket === null) response.write(piece.plain)
      else socket.write(response.chunkedEncoding ? piece.chunked : piece.plain)
      begun = true
    },
    backlogBytes: () => Math.max(response.writableLength, response.socket?.writableLength ?? 0),
    end: ended,
    drop: () => response.destroy()
  }
}

export const nodeSink = (request: HttpServerRequest.HttpServerRequest, ended: () => void): Sink =>
  responseSink(NodeHttpServerRequest.toServerResponse(request) as ServerResponse, ended)
