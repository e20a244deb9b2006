import { laneHeadMaxBytes } from "../../engine/rules/http/limits.ts"

/** A parsed fast-path request: complete, without a body. */
export interface LaneRequest {
  /** Request target with its query. */
  readonly target: string
  readonly headers: ReadonlyMap<string, string>
  readonly keepsAlive: boolean
  /** Its length in bytes. */
  readonly bytes: number
}

const start = "GET /live"
const line = /^GET (\/live(?:\/[!-~]*|\.mp3(?:\?[!-~]*)?)) HTTP\/1\.1$/
const fieldName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const fieldValue = /^[\t -~\x80-\xff]*$/
/** Headers that change how a request is read or answered. */
const special = new Set(["content-length", "transfer-encoding", "upgrade", "expect", "trailer", "te", "http2-settings"])

/** Cached header fields of players that repeat the same request. */
export interface KnownHead {
  readonly text: string
  readonly headers: ReadonlyMap<string, string>
  readonly keepsAlive: boolean
}

const headOf = (text: string): KnownHead | null => {
  const headers = new Map<string, string>()
  for (const each of text.split("\r\n")) {
    const colon = each.indexOf(":")
    const key = each.slice(0, Math.max(0, colon)).toLowerCase()
    const said = each.slice(colon + 1)
    if (!fieldName.test(key) || !fieldValue.test(said)) return null
    const value = said.trim()
    // Duplicate and continued headers are left to the real parser.
    if (special.has(key) || (headers.has(key) && key !== "x-forwarded-for")) return null
    const before = headers.get(key)
    headers.set(key, before === undefined ? value : `${before}, ${value}`)
  }
  const connection = headers.get("connection")?.toLowerCase() ?? "keep-alive"
  if (!headers.has("host") || (connection !== "keep-alive" && connection !== "close")) return null
  return { text, headers, keepsAlive: connection === "keep-alive" }
}

/**
 * Parses the common request of players: a complete `GET /live/…` or `GET /live.mp3` of HTTP/1.1 without a body. Returns null for anything
 * else, whether wrong or unusual: the real parser handles it.
 */
export const laneRequest = (
  bytes: Buffer,
  known: KnownHead | null
): { readonly request: LaneRequest; readonly head: KnownHead } | null => {
  if (bytes.length < start.length || bytes.toString("latin1", 0, start.length) !== start) return null
  const end = bytes.indexOf("\r\n\r\n")
  if (end === -1 || end > laneHeadMaxBytes) return null
  const text = bytes.toString("latin1", 0, end)
  const lineEnd = text.indexOf("\r\n")
  if (lineEnd === -1) return null
  const target = line.exec(text.slice(0, lineEnd))?.[1]
  if (target === undefined) return null
  const fields = text.slice(lineEnd + 2)
  const head = known !== null && known.text === fields ? known : headOf(fields)
  // A range of an endless answer means all of it; browsers ask for it.
  return head === null || (target.startsWith("/live/") && head.headers.has("range"))
    ? null
    : { request: { target, headers: head.headers, keepsAlive: head.keepsAlive, bytes: end + 4 }, head }
}
