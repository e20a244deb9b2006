import type * as Sdk from "@aws-sdk/client-s3"
import { Effect, Stream } from "effect"
import { createReadStream, createWriteStream } from "node:fs"
import { stat } from "node:fs/promises"
import type { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { s3AnswerTimeoutMs, s3ConnectTimeoutMs } from "../../engine/rules/sound/limits.ts"
import { ObjectStore, ObjectsUnavailable } from "../../engine/ports/ObjectStore.ts"

/** Location of the objects: any storage with the S3 API. */
export interface S3Place {
  readonly bucket: string
  readonly endpoint: string | null
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

interface Loaded {
  readonly sdk: typeof Sdk
  readonly client: Sdk.S3Client
}

const isAbsent = (cause: unknown) =>
  (cause as { readonly $metadata?: { readonly httpStatusCode?: number } } | null)?.$metadata?.httpStatusCode === 404

/** Objects in an S3 bucket. The library is loaded at its first use. */
export const s3Objects = ({ accessKeyId, bucket, endpoint, region, secretAccessKey }: S3Place) => {
  let loading: Promise<Loaded> | null = null
  const load = async (): Promise<Loaded> => {
    const sdk = await import("@aws-sdk/client-s3")
    const client = new sdk.S3Client({
      region,
      credentials: { accessKeyId, secretAccessKey },
      maxAttempts: 2,
      // Other vendors' storages know neither bucket names in hosts nor the newest checksums.
      ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      requestHandler: { connectionTimeout: s3ConnectTimeoutMs, requestTimeout: s3AnswerTimeoutMs }
    })
    return { sdk, client }
  }
  const s3 = <A>(ask: (loaded: Loaded, signal: AbortSignal) => Promise<A>) =>
    Effect.tryPromise({
      try: async (signal) => ask(await (loading ??= load()), signal),
      catch: (cause) =>
        new ObjectsUnavailable({
          detail: `The object storage failed (${cause instanceof Error ? cause.name : String(cause)}).`
        })
    })
  const sizeOf = (key: string) =>
    s3(async ({ client, sdk }, abortSignal) => {
      try {
        return (
          (await client.send(new sdk.HeadObjectCommand({ Bucket: bucket, Key: key }), { abortSignal })).ContentLength ??
          null
        )
      } catch (cause) {
        if (isAbsent(cause)) return null
        throw cause
      }
    })
  const bodyOf = (key: string, range?: string) =>
    s3(async ({ client, sdk }, abortSignal) => {
      try {
        return (
          await client.send(
            new sdk.GetObjectCommand({ Bucket: bucket, Key: key, ...(range === undefined ? {} : { Range: range }) }),
            { abortSignal }
          )
        ).Body as Readable
      } catch (cause) {
        if (isAbsent(cause)) return null
        throw cause
      }
    })

  return ObjectStore.of({
    room: () => Effect.void,
    presign: (key, { byteSize, contentType, expiresSec }) =>
      s3(async ({ client, sdk }) => {
        const { getSignedUrl } = await import("@aws-sdk/s3-request-presigner")
        const command = new sdk.PutObjectCommand({
          Bucket: bucket,
          Key: key,
          ContentType: contentType,
          ContentLength: byteSize
        })
        // Signed with the address, so that nobody uploads more or something else.
        const url = await getSignedUrl(client, command, {
          expiresIn: expiresSec,
          signableHeaders: new Set(["content-type", "content-length", "host"]),
          unhoistableHeaders: new Set(["content-type", "content-length"])
        })
        return { url, headers: { "content-type": contentType, "content-length": String(byteSize) } }
      }),
    receive: () =>
      Effect.fail(
        new ObjectsUnavailable({
          detail: "Uploads go to the object storage itself: use the address that was signed for it."
        })
      ),
    size: sizeOf,
    download: (key, path, bytesMax) =>
      Effect.gen(function* () {
        const size = yield* sizeOf(key)
        if (size === null || size > bytesMax) return false
        const body = yield* bodyOf(key, `bytes=0-${bytesMax}`)
        if (body === null) return false
        yield* s3((_, signal) => pipeline(body, createWriteStream(path, { flags: "wx" }), { signal }))
        return (yield* s3(() => stat(path))).size <= bytesMax
      }),
    put: (key, content, contentType) =>
      Effect.asVoid(
        s3(async ({ client, sdk }, abortSignal) => {
          const [Body, ContentLength] =
            "path" in content
              ? [createReadStream(content.path), (await stat(content.path)).size]
              : [content.bytes, content.bytes.length]
          return client.send(
            new sdk.PutObjectCommand({ Bucket: bucket, Key: key, Body, ContentLength, ContentType: contentType }),
            { abortSignal }
          )
        })
      ),
    read: (key, range) =>
      Effect.map(bodyOf(key, range === null ? undefined : `bytes=${range.from}-${range.to}`), (body) =>
        body === null
          ? null
          : Stream.fromAsyncIterable<Uint8Array, ObjectsUnavailable>(
              body,
              (cause) => new ObjectsUnavailable({ detail: String(cause) })
            )
      ),
    remove: (keys) =>
      Effect.asVoid(
        s3(({ client, sdk }, abortSignal) =>
          Promise.all(
            keys.map((key) => client.send(new sdk.DeleteObjectCommand({ Bucket: bucket, Key: key }), { abortSignal }))
          )
        )
      )
  })
}
