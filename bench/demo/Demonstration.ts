import { join } from "node:path"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { decodeMono } from "../instruments/ears/Decode.ts"
import { say, pollUntil } from "../instruments/Patience.ts"
import { recordHls } from "../instruments/ears/Recorder.ts"
import { runInFolder, type RunningStation, startStation } from "../instruments/servers/Station.ts"

const patienceMs = 240_000

/** A listener's recording, and the broadcast sample at its start. */
export interface Heard {
  readonly sound: Float32Array
  readonly firstSample: number
}

export interface Stage {
  readonly station: RunningStation
  readonly folder: string
  /** Starts to record the listeners' stream. The returned function stops and returns the decoded sound. */
  readonly record: () => () => Promise<Heard>
}

const startRecording = (base: string, recording: AbortController) => {
  const record = recordHls(base, "aac128", recording.signal)
  // A failure is reported at the end to a caller that waits for something else meanwhile.
  record.catch(() => undefined)
  return async (): Promise<Heard> => {
    recording.abort()
    const { bytes, firstSample, segments } = await record
    const sound = await decodeMono(bytes)
    say(`recorded ${segments} segments, ${(sound.length / sampleRateHz).toFixed(0)} s`)
    return { sound, firstSample }
  }
}

/** Runs a demonstration on a temporary station that is on the air. Prints the station's output if it fails. */
export const demonstrate = (
  options: { readonly port?: number; readonly env?: Record<string, string> },
  show: (stage: Stage) => Promise<void>
): Promise<void> =>
  runInFolder(async (folder) => {
    const station = await startStation({ ...options, dataDir: join(folder, "var") })
    const { base } = station
    const recording = new AbortController()
    try {
      await pollUntil("first part of the stream", patienceMs, async () =>
        (await fetch(`${base}/live/aac128/index.m3u8`)).ok ? true : undefined
      )
      await pollUntil("the API", patienceMs, async () => ((await fetch(`${base}/readyz`)).ok ? true : undefined))
      say(`station on the air at ${base}`)
      await show({ station, folder, record: () => startRecording(base, recording) })
    } catch (cause) {
      console.error(station.output())
      throw cause
    } finally {
      recording.abort()
      await station.stop()
    }
  })
