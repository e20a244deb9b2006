import { Effect } from "effect"
import { createRequire } from "node:module"
import { BadConfig } from "../../engine/runtime/Config.ts"

/**
 * What of uWebSockets.js (version 20) is used here, as its `docs/index.d.ts` declares it. The package isn't on the registry: who wants
 * it brings it.
 */
export interface UwsResponse {
  readonly writeStatus: (status: string) => UwsResponse
  readonly writeHeader: (name: string, value: string) => UwsResponse
  /** Chunked from here on; false when it couldn't all be given to the kernel and is kept. */
  readonly write: (chunk: Uint8Array) => boolean
  readonly end: (body?: Uint8Array, closeConnection?: boolean) => UwsResponse
  /** Gives as much of a body of `totalSize` as the kernel takes, and keeps nothing: whether that was all of the chunk, and whether the answer is whole. */
  readonly tryEnd: (chunk: Uint8Array, totalSize: number) => [ok: boolean, done: boolean]
  readonly endWithoutBody: (reportedContentLength?: number, closeConnection?: boolean) => UwsResponse
  readonly close: () => UwsResponse
  /** Who doesn't answer at once has to say what happens when nobody is there any more. After that nothing may be used. */
  readonly onAborted: (handler: () => void) => UwsResponse
  /** Called with how many bytes of the body have left. While there is one, what is kept goes out with the next `write` only. */
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
  /** Hears of each connection that comes (1) or goes (−1). */
  readonly filter: (handler: (response: UwsResponse, count: number) => void) => UwsApp
  readonly listen: (host: string, port: number, listening: (socket: object | false) => void) => UwsApp
  /** Ends listening and cuts off all connections. */
  readonly close: () => UwsApp
}

export interface Uws {
  readonly App: () => UwsApp
  readonly us_socket_local_port: (socket: object) => number
}

export const uwsName = "uWebSockets.js"

/** Whether somebody has brought it. */
export const isUwsHere = (): boolean =>
  Effect.runSync(Effect.match(loadUws(), { onFailure: () => false, onSuccess: () => true }))

const refused = (why: string) =>
  new BadConfig({
    problems: [
      `UWS_PORT is set: ${why} It must be left out, or ${uwsName} be there: npm install --no-save uNetworking/uWebSockets.js#v20.52.0`
    ]
  })

/** The package, or what to do about its absence. `load` is told by tests. */
export const loadUws = (
  load: (name: string) => unknown = createRequire(import.meta.url)
): Effect.Effect<Uws, BadConfig> =>
  Effect.try({
    try: () => load(uwsName) as Uws,
    catch: (cause) =>
      (cause as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND" && String(cause).includes(uwsName)
        ? refused(`${uwsName} is not installed.`)
        : // It brings a binary for some versions of Node and some systems.
          refused(
            `${uwsName} can't be loaded (${cause instanceof Error ? cause.message.split("\n")[0] : String(cause)}).`
          )
  })
