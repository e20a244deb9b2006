import { Effect } from "effect"
import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import { createServer, type IncomingMessage } from "node:http"

const hmac = (key: Buffer | string, text: string) => createHmac("sha256", key).update(text).digest()
const sha256 = (bytes: Buffer | string) => createHash("sha256").update(bytes).digest("hex")
const escapeUri = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

const bodyOf = async (request: IncomingMessage) => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Signature Version 4 by its specification, without a library. Returns the fault, or nothing. */
const objection = (request: IncomingMessage, body: Buffer, secret: string, nowMs: number): string | null => {
  const url = new URL(request.url!, "http://s3")
  const query = [...url.searchParams.entries()]
  const presigned = url.searchParams.has("X-Amz-Signature")
  const header = Object.fromEntries(
    (request.headers.authorization ?? "")
      .replace("AWS4-HMAC-SHA256 ", "")
      .split(/,\s*/)
      .map((part) => part.split("=", 2))
  )
  const [credential, signedHeaders, signature]: ReadonlyArray<string | undefined> = presigned
    ? ["X-Amz-Credential", "X-Amz-SignedHeaders", "X-Amz-Signature"].map((name) => url.searchParams.get(name)!)
    : [header["Credential"], header["SignedHeaders"], header["Signature"]]
  if (credential === undefined || signedHeaders === undefined || signature === undefined) return "AccessDenied"
  const at = presigned ? url.searchParams.get("X-Amz-Date")! : (request.headers["x-amz-date"] as string)
  const atMs = Date.parse(at.replace(/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/, "$1-$2-$3T$4:$5:$6Z"))
  const lifeMs = presigned ? Number(url.searchParams.get("X-Amz-Expires")) * 1_000 : 900_000
  if (nowMs > atMs + lifeMs) return "RequestExpired"
  const payload = presigned ? "UNSIGNED-PAYLOAD" : (request.headers["x-amz-content-sha256"] as string)
  if (payload !== "UNSIGNED-PAYLOAD" && payload !== sha256(body)) return "XAmzContentSHA256Mismatch"
  const canonical = [
    request.method,
    url.pathname,
    query
      .filter(([name]) => name !== "X-Amz-Signature")
      .map(([name, value]) => `${escapeUri(name)}=${escapeUri(value)}`)
      .sort()
      .join("&"),
    ...signedHeaders.split(";").map((name) => `${name}:${String(request.headers[name] ?? "").trim()}`),
    "",
    signedHeaders,
    payload
  ].join("\n")
  const [, day, region, service] = credential.split("/")
  const toSign = ["AWS4-HMAC-SHA256", at, [day, region, service, "aws4_request"].join("/"), sha256(canonical)].join(
    "\n"
  )
  const key = [day!, region!, service!, "aws4_request"].reduce<Buffer | string>(
    (before, part) => hmac(before, part),
    `AWS4${secret}`
  )
  const right = hmac(key, toSign)
  const shown = Buffer.from(signature, "hex")
  return shown.length === right.length && timingSafeEqual(shown, right) ? null : "SignatureDoesNotMatch"
}

/** An object storage on this machine: stores correctly signed objects and refuses all else. It closes with its scope. */
export const s3Double = (secretAccessKey: string) =>
  Effect.gen(function* () {
    const objects = new Map<string, { readonly bytes: Buffer; readonly contentType: string | undefined }>()
    const state = { isBroken: false, refusals: [] as Array<string> }
    const server = createServer(
      (request, response) =>
        void (async () => {
          const body = await bodyOf(request)
          const wrong = state.isBroken ? "SlowDown" : objection(request, body, secretAccessKey, Date.now())
          if (wrong !== null) {
            state.refusals.push(wrong)
            return void response
              .writeHead(wrong === "SlowDown" ? 503 : 403, { "content-type": "application/xml" })
              .end(`<Error><Code>${wrong}</Code></Error>`)
          }
          const key = new URL(request.url!, "http://s3").pathname
          if (request.method === "PUT") {
            objects.set(key, { bytes: body, contentType: request.headers["content-type"] })
            return void response.writeHead(200).end()
          }
          if (request.method === "DELETE") {
            objects.delete(key)
            return void response.writeHead(204).end()
          }
          const found = objects.get(key)
          if (found === undefined)
            return void response
              .writeHead(404, { "content-type": "application/xml" })
              .end(request.method === "HEAD" ? undefined : "<Error><Code>NoSuchKey</Code></Error>")
          const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "")
          const bytes = range === null ? found.bytes : found.bytes.subarray(Number(range[1]), Number(range[2]) + 1)
          response
            .writeHead(range === null ? 200 : 206, {
              "content-length": bytes.length,
              "content-type": found.contentType ?? "application/octet-stream"
            })
            .end(request.method === "HEAD" ? undefined : bytes)
        })()
    )
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.callback<void>((resume) => {
          server.closeAllConnections()
          server.close(() => resume(Effect.void))
        })
    )
    return { endpoint: `http://127.0.0.1:${(server.address() as { readonly port: number }).port}`, objects, state }
  })
