import { Effect } from "effect"
import { createServer } from "node:http"

interface Asked {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly authorization: string | undefined
  readonly fields: Record<string, string>
  readonly file: { readonly name: string; readonly type: string; readonly bytes: Buffer } | null
}

/**
 * A transcription endpoint as strict as the real one: it refuses anything but a form with a model, a file and a response format.
 * It closes with its scope.
 */
export const transcriberDouble = Effect.gen(function* () {
  const asked: Array<Asked> = []
  const answer = { status: 200, body: JSON.stringify({ text: "Good evening." }), hangs: false }
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request
      .on("data", (chunk: Buffer) => chunks.push(chunk))
      .on(
        "end",
        () =>
          void (async () => {
            const form = await new Response(Buffer.concat(chunks), {
              headers: { "content-type": String(request.headers["content-type"]) }
            }).formData()
            const fields = Object.fromEntries(
              [...form].filter((entry): entry is [string, string] => typeof entry[1] === "string")
            )
            const file = form.get("file")
            asked.push({
              method: request.method,
              path: request.url,
              authorization: request.headers.authorization,
              fields,
              file:
                file === null || typeof file === "string"
                  ? null
                  : { name: file.name, type: file.type, bytes: Buffer.from(await file.arrayBuffer()) }
            })
            if (answer.hangs) return
            const isRight =
              request.method === "POST" &&
              request.url === "/v1/audio/transcriptions" &&
              file !== null &&
              typeof file !== "string" &&
              "model" in fields
            response.writeHead(isRight ? answer.status : 400, { "content-type": "application/json" })
            response.end(isRight ? answer.body : "{}")
          })()
      )
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.callback<void>((resume) => {
        server.closeAllConnections()
        server.close(() => resume(Effect.void))
      })
  )
  return {
    url: `http://127.0.0.1:${(server.address() as { readonly port: number }).port}/v1/audio/transcriptions`,
    asked,
    answer
  }
})
