import { createHash, type Hash } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import type { IncomingMessage, ServerResponse } from "node:http"
import { extname } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { isPlaceKey } from "../../schema/listeners/Places.ts"

const built = fileURLToPath(new URL("../pages/dist/", import.meta.url))

/** Only own files, nothing inline. hls.js plays through a blob. */
export const pagePolicy = [
  "default-src 'self'",
  "media-src 'self' blob:",
  "worker-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'"
].join("; ")

/** Links for programs, because a script draws the page itself. */
const described = '</llms.txt>; rel="describedby"; type="text/plain", </.well-known/api-catalog>; rel="api-catalog"'

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json"
}

interface PageFile {
  readonly body: Buffer
  readonly packed: Buffer | null
  readonly headers: Readonly<Record<string, string>>
}

const isFrontPage = (name: string): boolean => name === "/index.html"
const typeOf = (name: string): string => types[extname(name)] ?? "application/octet-stream"
const headersOf = (name: string, hash: Hash): PageFile["headers"] => ({
  "content-type": typeOf(name),
  // Asset names contain a content hash; the page itself is revalidated.
  "cache-control": name.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
  etag: `"${hash.digest("base64url").slice(0, 22)}"`,
  vary: isFrontPage(name) ? "accept-encoding, accept" : "accept-encoding",
  ...(isFrontPage(name) ? { link: described } : {}),
  "content-security-policy": pagePolicy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin"
})

const fileOf = (path: string, name: string, fill: (page: string) => string = (page) => page): PageFile => {
  const read = readFileSync(path)
  const body = isFrontPage(name) ? Buffer.from(fill(read.toString())) : read
  return {
    body,
    packed: /^text|svg|json/.test(typeOf(name)) ? gzipSync(body, { level: 9 }) : null,
    headers: headersOf(name, createHash("sha256").update(body))
  }
}

/** A file that the build has packed: it is read at its first request, because at its size reading it would delay every start. */
const packedFileOf = (path: string, name: string): PageFile => {
  let [body, packed]: [Buffer | null, Buffer | null] = [null, null]
  return {
    get body() {
      return (body ??= readFileSync(path))
    },
    get packed() {
      return (packed ??= readFileSync(`${path}.gz`))
    },
    // Its name contains a hash of its content.
    headers: headersOf(name, createHash("sha256").update(name))
  }
}

/** Addresses of the console: a script draws the room. */
export const consolePath = /^\/console(\/[\w-]+)*\/?$/

/**
 * The built pages, read once: `/`, `/console`, each file under `/assets/`, and the worker, manifest and icons. Empty without
 * a build. `fill` inserts what the front page says of the station.
 */
export const readPages = (folder = built, fill?: (page: string) => string): ReadonlyMap<string, PageFile> => {
  if (!existsSync(`${folder}/index.html`)) return new Map()
  const assets = existsSync(`${folder}/assets`)
    ? readdirSync(`${folder}/assets`).filter((name) => extname(name) !== ".map" && extname(name) !== ".gz")
    : []
  const isPacked = (name: string) => existsSync(`${folder}/assets/${name}.gz`)
  const beside = readdirSync(folder).filter((name) => /^[\w-]+\.(js|png|ico|webmanifest)$/.test(name))
  return new Map([
    ["/", fileOf(`${folder}/index.html`, "/index.html", fill)] as const,
    ["/console", fileOf(`${folder}/console.html`, "/console.html")] as const,
    ...beside.map((name) => [`/${name}`, fileOf(`${folder}/${name}`, `/${name}`)] as const),
    ...assets.map((name) => {
      const file = isPacked(name) ? packedFileOf : fileOf
      return [`/assets/${name}`, file(`${folder}/assets/${name}`, `/assets/${name}`)] as const
    })
  ])
}

/** A built page with placeholders; null without a build. */
export const readTemplate = (name: string, folder = built): string | null => {
  const path = `${folder}/${name}.html`
  return existsSync(path) ? readFileSync(path, "utf8") : null
}

interface PageAnswer {
  readonly status: 200 | 304
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | null
}

const answerOf = (file: PageFile, ifNoneMatch: string | undefined, acceptEncoding: string | undefined): PageAnswer => {
  const known = ifNoneMatch?.split(",").some((tag) => tag.trim().replace(/^W\//, "") === file.headers["etag"]) ?? false
  if (known) return { status: 304, headers: file.headers, body: null }
  return file.packed !== null && /\bgzip\b/.test(acceptEncoding ?? "")
    ? { status: 200, headers: { ...file.headers, "content-encoding": "gzip" }, body: file.packed }
    : { status: 200, headers: file.headers, body: file.body }
}

/** Whether text is wanted rather than a page; browsers name text/html. */
const isForReading = (accept: string | undefined): boolean =>
  /\btext\/markdown\b/i.test(accept ?? "") && !/\btext\/html\b/i.test(accept ?? "")

/**
 * Serves the pages before the API is ready, so that listeners hear the station from the first second. Returns true if
 * it answered the request. `overview` says what the station is, for programs that ask for text/markdown; undefined until
 * the API is ready.
 */
export const makePagesHandler =
  (pages = readPages(), overview?: () => string | undefined) =>
  (request: IncomingMessage, response: ServerResponse): boolean => {
    const path = request.url?.split("?")[0] ?? ""
    if (request.method !== "GET" && request.method !== "HEAD") return false
    if (path === "/" && overview !== undefined && isForReading(request.headers.accept)) {
      const text = overview()
      if (text === undefined) return false
      const body = Buffer.from(text)
      response.writeHead(200, {
        "content-type": "text/markdown; charset=utf-8",
        "content-length": body.length,
        "cache-control": "public, max-age=300",
        "x-content-type-options": "nosniff",
        vary: "accept-encoding, accept",
        link: described
      })
      response.end(request.method === "HEAD" ? undefined : body)
      return true
    }
    // Until the API can say what lies there, the page of a place is the front page, whose script shows the place.
    const isEarly = overview?.() === undefined && isPlaceKey(path.split("/")[1]!)
    const file = pages.get(consolePath.test(path) ? "/console" : isEarly ? "/" : path)
    if (file === undefined) return false
    const { body, headers, status } = answerOf(
      file,
      request.headers["if-none-match"],
      String(request.headers["accept-encoding"] ?? "")
    )
    response.writeHead(status, body === null ? headers : { ...headers, "content-length": body.length })
    response.end(request.method === "HEAD" || body === null ? undefined : body)
    return true
  }
