import { Effect } from "effect"
import { createServer } from "node:http"

interface Asked {
  readonly authorization: string | undefined
  readonly body: {
    readonly model: string
    readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string }>
  }
}

/** A writing endpoint: answers with a script for each part, unless it is set to another answer or to hang. It closes with its scope. */
export const writerDouble = Effect.gen(function* () {
  const asked: Array<Asked> = []
  const answer: { status: number; waits: boolean; answerWith: (parts: ReadonlyArray<{ title: string }>) => string } = {
    status: 200,
    waits: false,
    answerWith: (parts) =>
      JSON.stringify({
        scripts: parts.map(({ title }) => `[softly] Good evening. Here is ${title}, as the tide has it tonight.`)
      })
  }
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request
      .on("data", (chunk: Buffer) => chunks.push(chunk))
      .on("end", () => {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as Asked["body"]
        asked.push({ authorization: request.headers.authorization, body })
        if (answer.waits) return
        const { parts } = JSON.parse(body.messages[1]!.content) as { readonly parts: ReadonlyArray<{ title: string }> }
        response.writeHead(answer.status, { "content-type": "application/json" })
        response.end(
          JSON.stringify({ choices: [{ message: { role: "assistant", content: answer.answerWith(parts) } }] })
        )
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
    url: `http://127.0.0.1:${(server.address() as { readonly port: number }).port}/v1/chat/completions`,
    asked,
    answer
  }
})
