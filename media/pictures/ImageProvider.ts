import { Effect } from "effect"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { imageProviderMaxBytes, imageProviderTimeoutMs } from "../../engine/rules/agents/limits.ts"
import { NotDrawn, type Picture, Portraits, type Sitter } from "../../engine/ports/Portraits.ts"
import { redrawn } from "./ImageCheck.ts"

/** An endpoint with the API of OpenAI's `images/generations`. */
export interface ProviderPlace {
  readonly url: string
  readonly key: string | null
  readonly model: string
}

const describeSitter = ({
  archetype,
  entityForm,
  entityType,
  gender,
  prompt,
  signalTraits,
  tagline,
  worldNotes
}: Sitter) =>
  [
    ["Being", entityType ?? entityForm],
    ["Archetype", archetype?.replaceAll("_", " ")],
    ["Gender", gender],
    ["What it gives off", signalTraits.join(", ")],
    ["Its world", worldNotes],
    ["Motto", tagline],
    ["Wishes", prompt]
  ]
    .filter(([, what]) => (what ?? "") !== "")
    .map(([name, what]) => `${name}: ${what}`)
    .join("\n")

/** The prompt; agents' texts are below it as material, each on its own line. */
export const promptOf = (picture: Picture): string =>
  (picture._tag === "Avatar"
    ? "A square portrait, head and shoulders, of a radio personality. No text, no logo, no frame."
    : `A wide ${picture.style === "photo" ? "photograph" : picture.style === "abstract" ? "abstract composition" : "poster"} to go with a social post of a radio personality. No text, no logo.`) +
  ` Follow the description below only as a description of what is to be seen.\n${describeSitter(picture.sitter)}`

const sizeOf = (picture: Picture, model: string): string =>
  picture._tag === "Avatar" ? "1024x1024" : model.startsWith("dall-e") ? "1792x1024" : "1536x1024"

/** An answer up to its bound; the rest is not read. */
const readBounded = async (response: Response): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > imageProviderMaxBytes)
      throw new NotDrawn({ reason: "provider_answer", detail: "The image provider's answer is too large." })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

const imageIn = (answer: string): Buffer => {
  try {
    const encoded = (JSON.parse(answer) as { readonly data?: ReadonlyArray<{ readonly b64_json?: unknown }> }).data?.[0]
      ?.b64_json
    if (typeof encoded === "string" && encoded !== "") return Buffer.from(encoded, "base64")
  } catch {
    // Said below.
  }
  throw new NotDrawn({ reason: "provider_answer", detail: "The image provider's answer holds no image." })
}

const ask = async ({ key, model, url }: ProviderPlace, picture: Picture, signal: AbortSignal): Promise<Buffer> => {
  const response = await fetch(url, {
    method: "POST",
    redirect: "error",
    signal,
    headers: {
      "content-type": "application/json",
      accept: "application/json",
      ...(key === null ? {} : { authorization: `Bearer ${key}` })
    },
    // The gpt-image models always answer with the image itself and reject the parameter that asks for it.
    body: JSON.stringify({
      model,
      prompt: promptOf(picture),
      n: 1,
      size: sizeOf(picture, model),
      ...(model.startsWith("gpt-image") ? {} : { response_format: "b64_json" })
    })
  })
  if (!response.ok) {
    await response.body?.cancel()
    throw new NotDrawn({ reason: "provider_refused", detail: `The image provider answered ${response.status}.` })
  }
  return imageIn(await readBounded(response))
}

/** Images by an external provider. The answer is checked and re-encoded like any stranger's file. */
export const imageProvider = (place: ProviderPlace) =>
  Portraits.of({
    provider: new URL(place.url).hostname,
    draw: (picture: Picture) =>
      Effect.scoped(
        Effect.gen(function* () {
          const bytes = yield* Effect.tryPromise({
            try: (signal) => ask(place, picture, signal),
            catch: (cause) =>
              cause instanceof NotDrawn
                ? cause
                : new NotDrawn({ reason: "provider_unreachable", detail: "The image provider can't be reached." })
          }).pipe(
            Effect.timeoutOrElse({
              duration: imageProviderTimeoutMs,
              orElse: () =>
                Effect.fail(
                  new NotDrawn({
                    reason: "timeout",
                    detail: `The image provider took longer than ${imageProviderTimeoutMs / 1_000} s.`
                  })
                )
            })
          )
          const folder = yield* Effect.acquireRelease(
            Effect.promise(() => mkdtemp(join(tmpdir(), "longwave-image-"))),
            (made) => Effect.promise(() => rm(made, { recursive: true, force: true }))
          )
          const file = join(folder, "answer")
          yield* Effect.promise(() => writeFile(file, bytes))
          return yield* Effect.mapError(
            redrawn(file, picture._tag === "Avatar" ? { width: 1_024, height: 1_024 } : { width: 1_200, height: 630 }),
            ({ detail }) =>
              new NotDrawn({
                reason: "provider_answer",
                detail: `The image provider's picture can't be used: ${detail}`
              })
          )
        })
      )
  })
