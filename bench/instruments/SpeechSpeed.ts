import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { makeEmbedded } from "../../media/speech/EmbeddedEngine.ts"
import { makeNeuralProcess } from "../../media/speech/NeuralProcess.ts"
import { sentencesOf } from "../../media/speech/SpokenText.ts"
import { catalog } from "../../media/speech/VoiceCatalog.ts"

/**
 * Speed and memory of voices on this machine: `node bench/instruments/SpeechSpeed.ts [MODEL_DIR ...]`. 200 sentences of different lengths
 * through each model, in one process (`kept`) and in processes of 50 sentences (`by 50s`; the station's have 200), and 40 through the embedded engine.
 */
const words =
  "the ferry leaves harbour at half past nine if fog lifts in time and nobody knew why lighthouse keeper kept piano".split(
    " "
  )
const sentence = (index: number) =>
  `${Array.from({ length: 3 + ((index * 7) % 30) }, (_, k) => words[(index + k * 3) % words.length]).join(" ")}.`
const rssMib = (pid: number | null) =>
  pid === null ? 0 : Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024

const measure = (dir: string, how: string, limits: object) =>
  Effect.gen(function* () {
    const child = yield* makeNeuralProcess(
      new URL("../../media/speech/NeuralWorker.ts", import.meta.url),
      { modelDir: dir, threads: 1 },
      limits
    )
    const begun = performance.now()
    const { name } = yield* child.facts
    const loadMs = performance.now() - begun
    const firstMib = rssMib(child.pid())
    const pids = new Set<number | null>()
    let [soundSec, topMib] = [0, firstMib]
    const from = performance.now()
    for (let index = 0; index < 200; index++) {
      yield* child.facts
      pids.add(child.pid())
      const { pcm, rssBytes, sampleRateHz } = yield* child.speak(
        { text: sentence(index), speaker: 0, speed: 1, timbre: null },
        120_000
      )
      soundSec += pcm.length / sampleRateHz
      topMib = Math.max(topMib, rssBytes / 1_048_576)
    }
    const sec = (performance.now() - from) / 1_000
    console.log(
      `${name.padEnd(36)} ${how.padEnd(9)} ${(soundSec / sec).toFixed(1).padStart(6)} x real time  load ${loadMs.toFixed(0)} ms  RSS ${firstMib.toFixed(0)} -> ${topMib.toFixed(0)} MiB  processes ${pids.size}`
    )
  }).pipe(Effect.scoped)

await Effect.runPromise(
  Effect.gen(function* () {
    const embedded = yield* makeEmbedded
    const { voice } = catalog[0]!
    yield* embedded.speak({ sentences: sentencesOf("Ready."), voice, role: "PRIMARY" })
    const from = performance.now()
    let soundSec = 0
    for (let index = 0; index < 40; index++)
      for (const { line } of yield* embedded.speak({ sentences: sentencesOf(sentence(index)), voice, role: "PRIMARY" }))
        soundSec += line.pcm.length / line.sampleRateHz
    console.log(
      `${"eSpeak NG".padEnd(46)} ${((1_000 * soundSec) / (performance.now() - from)).toFixed(1).padStart(6)} x real time`
    )
    for (const dir of process.argv.slice(2)) {
      yield* measure(dir, "kept", { jobsMax: 1_000_000, growthMaxBytes: 1e15 })
      yield* measure(dir, "by 50s", { jobsMax: 50 })
    }
  }).pipe(Effect.scoped)
)
process.exit(0)
