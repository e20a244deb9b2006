import { Context, type Effect, Schema, type Stream } from "effect"

/** The disk is full, read-only or broken, or the object storage doesn't answer. Nothing was stored. */
export class ObjectsUnavailable extends Schema.TaggedError<ObjectsUnavailable>()("ObjectsUnavailable", {
  detail: Schema.String
}) {}

/** The length differs from the announced one. Nothing was stored. */
export class WrongLength extends Schema.TaggedError<WrongLength>()("WrongLength", {
  received: Schema.Int,
  atMost: Schema.Int
}) {}

export interface ByteRange {
  readonly from: number
  readonly to: number
}

/** Address and required headers for an upload directly to the object storage. */
export interface PresignedPut {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** Objects by key, such as `gallery/gal_…-web.webp`: on the local disk or in an object storage. */
export class ObjectStore extends Context.Service<
  ObjectStore,
  {
    /** Fails if the station has no room for so many more bytes. Always passes where the objects aren't on this machine. */
    readonly room: (byteSize: number) => Effect.Effect<void, ObjectsUnavailable>
    /** Null if the station receives the bytes itself. */
    readonly presign: (
      key: string,
      upload: { readonly contentType: string; readonly byteSize: number; readonly expiresSec: number }
    ) => Effect.Effect<PresignedPut | null, ObjectsUnavailable>
    /** Stores a stream without buffering it whole: exactly `byteSize` bytes or nothing. */
    readonly receive: <E>(
      key: string,
      bytes: Stream.Stream<Uint8Array, E>,
      byteSize: number
    ) => Effect.Effect<void, ObjectsUnavailable | WrongLength | E>
    /** Length in bytes; null if the object doesn't exist. */
    readonly size: (key: string) => Effect.Effect<number | null, ObjectsUnavailable>
    /** Copies the object to a local file, independent of later changes. False if it doesn't exist or is longer than `bytesMax`. */
    readonly download: (key: string, path: string, bytesMax: number) => Effect.Effect<boolean, ObjectsUnavailable>
    /** Atomic: stores the whole object or nothing. */
    readonly put: (
      key: string,
      content: { readonly path: string } | { readonly bytes: Uint8Array },
      contentType: string
    ) => Effect.Effect<void, ObjectsUnavailable>
    readonly read: (
      key: string,
      range: ByteRange | null
    ) => Effect.Effect<Stream.Stream<Uint8Array, ObjectsUnavailable> | null, ObjectsUnavailable>
    readonly remove: (keys: ReadonlyArray<string>) => Effect.Effect<void, ObjectsUnavailable>
  }
>()("longwave/engine/ports/ObjectStore") {}
