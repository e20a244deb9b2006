import { Effect } from "effect"
import { createServer } from "node:http"

/** An image endpoint that records its requests and answers each with one body. It closes with its scope. */
export const imageProviderDouble = Effect.gen(function* () {
  const asked: Array<{
    readonly method: string | undefined
    readonly path: string | undefined
    readonly headers: NodeJS.Dict<string | Array<string>>
    readonly body: unknown
  }> = []
  const answer = {
    status: 200,
    body: "" as string | (() => Generator<string>),
    headers: {} as Record<string, string>,
    hangs: false
  }
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request
      .on("data", (chunk: Buffer) => chunks.push(chunk))
      .on("end", () => {
        asked.push({
          method: request.method,
          path: request.url,
          headers: request.headers,
          body: JSON.parse(Buffer.concat(chunks).toString() || "null")
        })
        if (answer.hangs) return
        response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers })
        if (typeof answer.body === "string") return void response.end(answer.body)
        const parts = answer.body()
        const writeMore = () => {
          for (let part = parts.next(); part.done !== true; part = parts.next())
            if (!response.write(part.value)) return void response.once("drain", writeMore)
          response.end()
        }
        writeMore()
      })
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
    url: `http://127.0.0.1:${(server.address() as { readonly port: number }).port}/v1/images/generations`,
    asked,
    answer
  }
})
