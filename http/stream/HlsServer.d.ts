/** Type declarations of the part of the package that is used; it has none. */
declare module "hls-server" {
  import type { EventEmitter } from "node:events"
  import type { IncomingHttpHeaders } from "node:http"
  import type { Readable } from "node:stream"

  export interface HlsRequest {
    readonly url: string
    readonly headers: IncomingHttpHeaders
  }
  export interface HlsProvider {
    readonly exists: (request: HlsRequest, told: (fault: unknown, exists: boolean) => void) => void
    readonly getManifestStream: (request: HlsRequest, told: (fault: unknown, stream: Readable | null) => void) => void
    readonly getSegmentStream: (request: HlsRequest, told: (fault: unknown, stream: Readable | null) => void) => void
  }
  export default function attach(
    server: EventEmitter,
    options: { readonly path: string; readonly provider: HlsProvider; readonly debugPlayer: boolean }
  ): void
}
