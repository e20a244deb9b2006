import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { mkdir, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { Schema } from "effect"
import { callAfter } from "../clock/Ticker.ts"

/** A model that can't be fetched, unpacked or used; the text says what to do instead. */
export class ModelRefused extends Schema.TaggedError<ModelRefused>()("ModelRefused", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}
const refusal = (detail: string) => new ModelRefused({ detail })

/** The largest file of the catalog is a third of it. */
export const modelFileMaxBytes = 2 * 1_073_741_824

export interface DownloadAsk {
  readonly url: string
  readonly to: string
  /** The file's hash if it is known. */
  readonly sha256: string | null
  readonly bytesMax?: number
  readonly signal?: AbortSignal
  /** Called with the bytes that are there, and with all bytes if the server says how many. */
  readonly onProgress?: (bytes: number, total: number | null) => void
  /** How often in a row a connection may bring nothing. */
  readonly triesMax?: number
  readonly pauseMs?: number
  /** A connection that is silent for this long counts as cut. */
  readonly stallMs?: number
}

const pause = (ms: number, signal: AbortSignal | undefined) =>
  new Promise<void>((resolve, reject) => {
    const cancel = callAfter(ms, resolve)
    signal?.addEventListener("abort", () => {
      cancel()
      reject(signal.reason as Error)
    })
  })

const sizeOf = async (path: string): Promise<number> => {
  try {
    return (await stat(path)).size
  } catch {
    return 0
  }
}
export const sha256Of = async (path: string): Promise<string> => {
  const hash = createHash("sha256")
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest("hex")
}

/** What a part belongs to: a server that has another file meanwhile sends it whole (If-Range). */
const Part = Schema.fromJsonString(Schema.Struct({ url: Schema.String, etag: Schema.NullOr(Schema.String) }))
const tagOf = async (path: string, url: string): Promise<string | null | undefined> => {
  try {
    const found = Schema.decodeUnknownSync(Part)(await readFile(path, "utf8"))
    return found.url === url ? found.etag : undefined
  } catch {
    return undefined
  }
}

/** Of a part, or of a range that isn't there. */
const rangeOf = (header: string | null): { readonly from: number | null; readonly total: number | null } | null => {
  const match = /^bytes (?:(\d+)-\d+|\*)\/(\d+|\*)$/.exec(header ?? "")
  if (match === null) return null
  return {
    from: match[1] === undefined ? null : Number(match[1]),
    total: match[2] === "*" ? null : Number(match[2])
  }
}

/**
 * Fetches a file into `to`, over as many connections as it takes, each going on where the last one ended. Nothing lies at `to` before the
 * whole file has been compared with its hash. Answers the hash.
 */
export const download = async ({
  bytesMax = modelFileMaxBytes,
  onProgress = () => {},
  pauseMs = 1_000,
  sha256,
  signal,
  stallMs = 30_000,
  to,
  triesMax = 5,
  url
}: DownloadAsk): Promise<string> => {
  const [part, partTag] = [`${to}.part`, `${to}.part.json`]
  await mkdir(dirname(to), { recursive: true })
  const drop = async () => {
    await rm(part, { force: true })
    await rm(partTag, { force: true })
  }
  let etag = await tagOf(partTag, url)
  if (etag === undefined) await drop()
  let fruitless = 0
  let reason = ""

  /** One connection. True once the file is whole. */
  const connectOnce = async (): Promise<boolean> => {
    const had = await sizeOf(part)
    const stalled = new AbortController()
    const stop = signal === undefined ? stalled.signal : AbortSignal.any([signal, stalled.signal])
    const stall = () => stalled.abort(new Error(`nothing came for ${stallMs / 1_000} s`))
    let rest = callAfter(stallMs, stall)
    try {
      const response = await fetch(url, {
        signal: stop,
        headers: {
          "accept-encoding": "identity",
          ...(had > 0 ? { range: `bytes=${had}-`, ...(etag ? { "if-range": etag } : {}) } : {})
        }
      })
      if (url.startsWith("https:") && !response.url.startsWith("https:")) {
        await response.body?.cancel()
        throw refusal(`${url} leads to an address without TLS, ${new URL(response.url).origin}. Nothing was fetched.`)
      }
      const range = rangeOf(response.headers.get("content-range"))
      if (response.status === 416) {
        await response.body?.cancel()
        if (range?.total === had && had > 0) return true
        await drop()
        throw new Error("what is here doesn't fit what the server has; it begins anew")
      }
      if (response.status >= 400 && response.status < 500 && response.status !== 408 && response.status !== 429) {
        await response.body?.cancel()
        throw refusal(`${new URL(url).host} answered ${response.status} for ${url}.`)
      }
      if (response.status !== 200 && response.status !== 206) {
        await response.body?.cancel()
        throw new Error(`the server answered ${response.status}`)
      }
      if (response.status === 206 && (range === null || range.from !== had)) {
        await response.body?.cancel()
        await drop()
        throw new Error("the server sent another part than the one asked for; it begins anew")
      }
      const from = response.status === 206 ? had : 0
      etag = response.headers.get("etag")
      await writeFile(partTag, JSON.stringify({ url, etag }))
      const length = response.headers.get("content-length")
      const total = range?.total ?? (length === null ? null : from + Number(length))
      if (total !== null && total > bytesMax) {
        await response.body?.cancel()
        await drop()
        throw refusal(`The server says that ${url} has ${total} bytes; ${bytesMax} are the most.`)
      }
      const file = await open(part, from === 0 ? "w" : "a")
      let bytes = from
      try {
        for await (const chunk of response.body ?? []) {
          rest()
          rest = callAfter(stallMs, stall)
          bytes += chunk.length
          if (bytes > bytesMax) {
            await file.close()
            await drop()
            throw refusal(`${url} has more than ${bytesMax} bytes. What came was deleted.`)
          }
          await file.write(chunk)
          fruitless = 0
          onProgress(bytes, total)
        }
      } finally {
        await file.close().catch(() => {})
      }
      if (total !== null && bytes !== total) throw new Error(`the connection ended at ${bytes} of ${total} bytes`)
      return true
    } finally {
      rest()
    }
  }

  for (;;) {
    try {
      if (await connectOnce()) break
    } catch (cause) {
      if (cause instanceof ModelRefused) throw cause
      signal?.throwIfAborted()
      const error = cause as Error & { readonly cause?: Error }
      reason = error.cause?.message ?? error.message
      if (++fruitless >= triesMax) {
        const bytes = await sizeOf(part)
        throw refusal(
          `${new URL(url).host} can't be reached, or the connection keeps ending (${reason}).` +
            (bytes > 0 ? ` ${bytes} bytes are kept: the same command goes on from there.` : "")
        )
      }
      await pause(pauseMs * 2 ** (fruitless - 1), signal)
    }
  }
  const hash = await sha256Of(part)
  if (sha256 !== null && hash !== sha256) {
    await drop()
    throw refusal(
      `${url} is not the file that it should be: its SHA-256 is ${hash}, not ${sha256}. It was deleted. ` +
        "If the publisher has replaced it on purpose, remove its line from checksums.json and pull it again."
    )
  }
  await rename(part, to)
  await rm(partTag, { force: true })
  return hash
}
