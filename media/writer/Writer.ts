import { Effect, Layer } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { NotWritten, Writer } from "../../engine/ports/Writer.ts"
import { httpWriter } from "./HttpWriter.ts"

/** Without a writer an idea becomes an outline, and its agent writes the words. */
export const noWriter = Writer.of({
  model: null,
  write: () => Effect.fail(new NotWritten({ detail: "No writer is configured. Set WRITER_URL.", again: false }))
})

export const WriterLive = Layer.effect(
  Writer,
  Effect.map(StationConfig, ({ writerKey, writerModel, writerUrl }) =>
    writerUrl === null ? noWriter : httpWriter({ url: writerUrl, key: writerKey, model: writerModel })
  )
)
