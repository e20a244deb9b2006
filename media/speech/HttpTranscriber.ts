import { Effect, Stream } from "effect"
import { callInMaxBytes, transcriptCharsMax } from "../../engine/rules/listeners/limits.ts"
import { transcriberAnswerMaxBytes, transcriberTimeoutMs } from "../../engine/rules/voices/limits.ts"
import type { ObjectStore } from "../../engine/ports/ObjectStore.ts"
import { NotTranscribed, Transcriber } from "../../engine/ports/Transcriber.ts"

/** A stored recording within the maximum length. */
export const bytesOf = Effect.fnUntraced(
  function* (objects: ObjectStore["Service"], key: string, bytesMax: number) {
    const size = yield* objects.size(key)
    const found = size === null || size > bytesMax ? null : yield* objects.read(key, null)
    if (found === null) return yield* new NotTranscribed({ detail: "The recording is gone.", again: false })
    const whole = new Uint8Array(size!)
    let at = 0
    yield* Stream.runForEach(found, (chunk) =>
      Effect.sync(() => {
        whole.set(chunk.subarray(0, whole.length - at), at)
        at += chunk.length
      })
    )
    return whole
  },
  Effect.catchTag("ObjectsUnavailable", ({ detail }) => Effect.fail(new NotTranscribed({ detail, again: true })))
)

/** An endpoint with the API of OpenAI's `audio/transcriptions`. */
export interface TranscriberPlace {
  readonly url: string
  readonly key: string | null
  readonly model: string
}
const failure = (detail: string, again = true) => new NotTranscribed({ detail, again })
/** An answer up to its bound; the rest is not read. */
const readBounded = async (response: Response): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > transcriberAnswerMaxBytes)
      throw failure("The transcription service sent more than a transcript.", false)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}
const textIn = (answer: string): string => {
  try {
    const { text } = JSON.parse(answer) as { readonly text?: unknown }
    if (typeof text === "string")
      return [...text.normalize("NFC").replaceAll(/\s+/gu, " ").trim()].slice(0, transcriptCharsMax).join("")
  } catch {
    // Said below.
  }
  throw failure("The transcription service's answer holds no text.", false)
}
const ask = async (
  { key, model, url }: TranscriberPlace,
  audio: Uint8Array<ArrayBuffer>,
  signal: AbortSignal
): Promise<string> => {
  const form = new FormData()
  form.set("model", model)
  form.set("response_format", "json")
  form.set("file", new Blob([audio], { type: "audio/flac" }), "call.flac")
  const response = await fetch(url, {
    method: "POST",
    redirect: "error",
    signal,
    body: form,
    headers: { accept: "application/json", ...(key === null ? {} : { authorization: `Bearer ${key}` }) }
  })
  if (!response.ok) {
    await response.body?.cancel()
    // A refusal is final; unavailability is temporary.
    throw failure(
      `The transcription service answered ${response.status}.`,
      response.status >= 500 || response.status === 408 || response.status === 429
    )
  }
  return textIn(await readBounded(response))
}
/** Transcripts by an external service. It receives the sound only; its answer is handled like any stranger's text. */
export const httpTranscriber = (place: TranscriberPlace, objects: ObjectStore["Service"]) =>
  Transcriber.of({
    engine: new URL(place.url).hostname,
    transcribe: (key) =>
      Effect.gen(function* () {
        const audio = yield* bytesOf(objects, key, callInMaxBytes * 2)
        return yield* Effect.tryPromise({
          try: (signal) => ask(place, audio, signal),
          catch: (cause) =>
            cause instanceof NotTranscribed ? cause : failure("The transcription service can't be reached.")
        }).pipe(
          Effect.timeoutOrElse({
            duration: transcriberTimeoutMs,
            orElse: () =>
              Effect.fail(failure(`The transcription service took longer than ${transcriberTimeoutMs / 1_000} s.`))
          })
        )
      })
  })
