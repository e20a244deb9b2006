import { closeSync, openSync, readFileSync, writeSync } from "node:fs"
import { getPriority, setPriority } from "node:os"
import { mediaJobNiceness } from "../../engine/rules/music/limits.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { playAgain } from "./composer/Arranger.ts"
import { compose } from "./composer/Composer.ts"
import { NotANumber, render } from "./composer/Renderer.ts"
import type { Score } from "./composer/Score.ts"
import type { MusicReport, MusicTask } from "./Music.ts"

/** Renders one piece in its own process and exits; killing the process cancels the piece. */
const tell = (report: MusicReport) =>
  new Promise<void>((resolve) => {
    // The parent is gone: stop.
    process.send?.(report, undefined, undefined, (error: Error | null) =>
      error === null ? resolve() : process.exit(1)
    )
  })

const toMs = (samples: number): number => Math.round((samples * 1000) / sampleRateHz)

const rawSoundOf = (score: Score) => ({
  sampleRateHz,
  words: [],
  title: score.title,
  bpm: score.bpm,
  musicalKey: score.musicalKey,
  sections: score.sections.map(({ name, from, to }) => ({ name, startMs: toMs(from), endMs: toMs(to) })),
  introEndMs: toMs(score.introEnd),
  segueMs: toMs(score.segue)
})

if (getPriority() < mediaJobNiceness) setPriority(0, mediaJobNiceness)

/** A file of mono float32. */
const samplesIn = (path: string): Float32Array => {
  const bytes = readFileSync(path)
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2)
}

const { ask, path } = JSON.parse(process.argv[2]!) as MusicTask
const score = "source" in ask ? playAgain(samplesIn(ask.source), ask) : compose(ask)
if (score === null)
  await tell({ _tag: "Failed", reason: "unknown_genre", detail: `The station composes no ${ask.genre}.` })
else {
  try {
    const channels = render(score, (progress) => void tell({ _tag: "Rendering", progress }))
    const file = openSync(path, "wx")
    for (const { buffer } of channels) {
      const bytes = new Uint8Array(buffer)
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
    }
    closeSync(file)
    await tell({ _tag: "Rendered", lengthSamples: channels[0].length, known: rawSoundOf(score) })
  } catch (cause) {
    if (!(cause instanceof NotANumber)) throw cause
    await tell({ _tag: "Failed", reason: "not_a_number", detail: cause.message })
  }
}
