import { Context, type Effect, Schema, type Stream } from "effect"

/** The disk is full, read-only or broken, or the object storage does not answer: nothing was kept. */
export class ObjectsUnavailable extends Schema.TaggedError<ObjectsUnavailable>()("ObjectsUnavailable", {
  detail: Schema.String
}) {}

/** More or fewer bytes came than were announced; nothing was kept. */
export class WrongLength extends Schema.TaggedError<WrongLength>()("WrongLength", {
  received: Schema.Int,
  atMost: Schema.Int
}) {}

export interface ByteRange {
  readonly from: number
  readonly to: number
}

/** Where a client puts a file without us in between, and the headers it has to send. */
export interface PresignedPut {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** Pictures and films by their key, such as `gallery/gal_…-web.webp`: on this machine's disk, or in an object storage. */
export class ObjectStore extends Context.Service<
  ObjectStore,
  {
    /** Null where the station takes the bytes itself. */
    readonly presign: (
      key: string,
      upload: { readonly contentType: string; readonly byteSize: number; readonly expiresSec: number }
    ) => Effect.Effect<PresignedPut | null, ObjectsUnavailable>
    /** Keeps a stream as it comes, without ever holding it whole; exactly `byteSize` bytes or nothing. */
    readonly receive: <E>(
      key: string,
      bytes: Stream.Stream<Uint8Array, E>,
      byteSize: number
    ) => Effect.Effect<void, ObjectsUnavailable | WrongLength | E>
    /** Its length; null where there is no such object. */
    readonly size: (key: string) => Effect.Effect<number | null, ObjectsUnavailable>
    /** A copy as a file of this machine that no later change of the object reaches. False where there is no such object or it is longer. */
    readonly download: (key: string, path: string, bytesMax: number) => Effect.Effect<boolean, ObjectsUnavailable>
    /** There whole under its key, or not there. */
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
