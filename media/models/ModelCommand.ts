import { Console, Effect } from "effect"
import { resolve } from "node:path"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { ModelRefused } from "./ModelDownload.ts"
import { list, pull, remove } from "./ModelStore.ts"

const runTask = <A>(work: (signal: AbortSignal) => Promise<A>) =>
  Effect.tryPromise({
    try: work,
    catch: (cause) =>
      cause instanceof ModelRefused ? cause : new ModelRefused({ detail: `It failed: ${(cause as Error).message}.` })
  })

/** A table, then where the models come from. */
export const listModels = Effect.gen(function* () {
  const { dataDir, sttModelDir, ttsModelDir } = yield* StationConfig
  const rows = list(resolve(dataDir), { voice: ttsModelDir, recogniser: sttModelDir })
  const lines = rows.flatMap(({ kind, model, name, state }) => [
    `${name}${state === "" ? "" : `  [${state}]`}`,
    ...(model === null
      ? [`  ${kind}; not in the catalog`]
      : [
          `  ${kind}: ${model.what}`,
          `  ${model.languages}; ${model.licence}; ${model.statedSize ?? "size: see the page"}`,
          `  ${model.page}`
        ])
  ])
  yield* Console.log(`${lines.join("\n")}\n\nGet one with: npm run models -- pull NAME`)
})

const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(1)

/** On a terminal a bar that redraws itself, elsewhere a line at every tenth. */
const makeBar = (isTerminal: boolean, write: (text: string) => void) => {
  let shown = -1
  return (file: string, bytes: number, total: number | null): void => {
    const step = total === null ? Math.floor(bytes / 10_000_000) : Math.floor((bytes / total) * (isTerminal ? 100 : 10))
    const isWhole = bytes === total
    if (step === shown && !isWhole) return
    shown = isWhole ? -1 : step
    const amount = `${megabytes(bytes)}${total === null ? "" : ` of ${megabytes(total)}`} MB`
    if (!isTerminal) return write(`  ${total === null ? "" : `${step * 10} %  `}${amount}\n`)
    const filled = total === null ? 0 : Math.round((bytes / total) * 30)
    write(`\r  [${"#".repeat(filled)}${"-".repeat(30 - filled)}] ${amount}  ${file}${isWhole ? "\n" : ""}`)
  }
}

export const pullModel = Effect.fnUntraced(function* (name: string) {
  const { dataDir } = yield* StationConfig
  yield* runTask((signal) =>
    pull({
      dataDir: resolve(dataDir),
      name,
      signal,
      say: (line) => process.stdout.write(`${line}\n`),
      onProgress: makeBar(process.stdout.isTTY, (text) => process.stdout.write(text))
    })
  )
})

export const removeModel = Effect.fnUntraced(function* (name: string) {
  const { dataDir } = yield* StationConfig
  yield* runTask(() => remove(resolve(dataDir), name))
  yield* Console.log(`${name} was removed.`)
})
