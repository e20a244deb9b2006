import { Effect } from "effect"
import { createRequire } from "node:module"
import { BadConfig } from "../../engine/runtime/Config.ts"

/**
 * The part of uWebSockets.js (version 20) used here, from its `docs/index.d.ts`. The package isn't on the registry, so
 * users install it themselves.
 */
export interface UwsResponse {
  readonly writeStatus: (status: string) => UwsResponse
  readonly writeHeader: (name: string, value: string) => UwsResponse
  /** Chunked from here on; false if the kernel did not take everything and the rest is kept. */
  readonly write: (chunk: Uint8Array) => boolean
  readonly end: (body?: Uint8Array, closeConnection?: boolean) => UwsResponse
  /**
   * Gives as much of a body of `totalSize` as the kernel takes, and keeps nothing. Returns whether that was the whole
   * chunk, and whether the answer is complete.
   */
  readonly tryEnd: (chunk: Uint8Array, totalSize: number) => [ok: boolean, done: boolean]
  readonly endWithoutBody: (reportedContentLength?: number, closeConnection?: boolean) => UwsResponse
  readonly close: () => UwsResponse
  /** Required before an asynchronous answer. After the callback the response must not be used. */
  readonly onAborted: (handler: () => void) => UwsResponse
  /** Called with the number of sent body bytes. While set, kept bytes are only sent with the next `write`. */
  readonly onWritable: (handler: (offset: number) => boolean) => UwsResponse
  readonly getRemoteAddressAsText: () => ArrayBuffer
  readonly cork: (work: () => void) => UwsResponse
}

/** Valid until the handler returns. */
export interface UwsRequest {
  readonly getUrl: () => string
  readonly getQuery: () => string
  readonly getCaseSensitiveMethod: () => string
  readonly getHeader: (lowerCaseName: string) => string
  readonly forEach: (each: (name: string, value: string) => void) => void
}

export interface UwsApp {
  readonly any: (pattern: string, handler: (response: UwsResponse, request: UwsRequest) => void) => UwsApp
  /** Called for each new (1) or closed (−1) connection. */
  readonly filter: (handler: (response: UwsResponse, count: number) => void) => UwsApp
  readonly listen: (host: string, port: number, listening: (socket: object | false) => void) => UwsApp
  /** Stops listening and closes all connections. */
  readonly close: () => UwsApp
}

export interface Uws {
  readonly App: () => UwsApp
  readonly us_socket_local_port: (socket: object) => number
}

export const uwsName = "uWebSockets.js"

/** Whether the package is installed. */
export const isUwsHere = (): boolean =>
  Effect.runSync(Effect.match(loadUws(), { onFailure: () => false, onSuccess: () => true }))

const refusal = (why: string) =>
  new BadConfig({
    problems: [
      `UWS_PORT is set: ${why} It must be left out, or ${uwsName} be there: npm install --no-save uNetworking/uWebSockets.js#v20.52.0`
    ]
  })

/** Loads the package, or explains its absence. Tests pass `load`. */
export const loadUws = (
  load: (name: string) => unknown = createRequire(import.meta.url)
): Effect.Effect<Uws, BadConfig> =>
  Effect.try({
    try: () => load(uwsName) as Uws,
    catch: (cause) =>
      (cause as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND" && String(cause).includes(uwsName)
        ? refusal(`${uwsName} is not installed.`)
        : // The package has binaries for some versions of Node and some systems only.
          refusal(
            `${uwsName} can't be loaded (${cause instanceof Error ? cause.message.split("\n")[0] : String(cause)}).`
          )
  })
