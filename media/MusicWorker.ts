import { setPriority } from "node:os"
import { parentPort, workerData } from "node:worker_threads"
import { mediaJobNiceness } from "../engine/Limits.ts"
import type { MusicAsk } from "../engine/ports/Music.ts"
import { compose } from "./composer/Composer.ts"
import { NotANumber, render } from "./composer/Renderer.ts"
import { composition } from "./Music.ts"
import type { MusicReport } from "./Music.ts"

/** Renders one piece in a thread of its own, and is over with it: whoever no longer wants the piece ends the thread. */
const port = parentPort
if (port === null) throw new Error("MusicWorker runs as a worker thread only.")

const tell = (report: MusicReport, moved: Array<ArrayBuffer> = []) => port.postMessage(report, moved)

// On Linux a priority is a thread's own; elsewhere it would be that of the whole station.
if (process.platform === "linux") setPriority(0, mediaJobNiceness)

const ask = workerData as MusicAsk
const score = compose(ask)
if (score === null) tell({ _tag: "Failed", reason: "unknown_genre", detail: `The house plays no ${ask.genre}.` })
else {
  try {
    const channels = render(score, (progress) => tell({ _tag: "Rendering", progress }))
    tell({ _tag: "Done", composition: composition(score, channels) }, channels.map(({ buffer }) => buffer))
  } catch (cause) {
    if (!(cause instanceof NotANumber)) throw cause
    tell({ _tag: "Failed", reason: "not_a_number", detail: cause.message })
  }
}
