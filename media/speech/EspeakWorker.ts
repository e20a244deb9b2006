import type { EspeakAsk } from "./EspeakProcess.ts"
import type { SpokenLine, WordMark } from "./SpeechEngine.ts"
import { colour, roomTailMs } from "./Timbre.ts"

/**
 * Runs one speech engine in isolation: it may hang, abort or use up memory, and is then killed and restarted. The engines are separate GPL
 * programs, kept apart from the station by this process.
 */

interface FileTree {
  readonly writeFile: (path: string, text: string) => void
  readonly readFile: (path: string) => Uint8Array
}

type Speaker = (ask: EspeakAsk) => Promise<SpokenLine>

interface EspeakEvent {
  readonly type: string
  readonly text_position: number
  readonly audio_position: number
}

interface Espeak {
  readonly set_voice: (name: string) => number
  readonly set_rate: (wordsPerMin: number) => void
  readonly set_pitch: (pitch: number) => void
  readonly set_range: (range: number) => void
  readonly set_volume: (volume: number) => void
  readonly get_samplerate: () => number
  readonly synthesize: (
    text: string,
    take: (chunk: Int16Array | null, events: ReadonlyArray<EspeakEvent>) => boolean
  ) => void
}

const quiet = { print: () => {}, printErr: () => {} }

/** At its own 100 the engine clips rough and breathy voices before they are measured. */
const engineVolume = 55

const floats = (chunks: ReadonlyArray<Int16Array>): Float32Array<ArrayBuffer> => {
  const pcm = new Float32Array(chunks.reduce((total, chunk) => total + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) for (const sample of chunk) pcm[at++] = sample / 32_768
  return pcm
}

const echogarden = async (): Promise<Speaker> => {
  const name = "@echogarden/espeak-ng-emscripten"
  const { default: start } = (await import(name)) as {
    readonly default: (options: object) => Promise<{ readonly FS: FileTree; readonly eSpeakNGWorker: new () => Espeak }>
  }
  const engine = await start(quiet)
  const espeak = new engine.eSpeakNGWorker()
  const written = new Set<string>()
  return (ask) => {
    if (!written.has(ask.variantName)) {
      engine.FS.writeFile(`/usr/share/espeak-ng-data/voices/!v/${ask.variantName}`, ask.variantFile)
      written.add(ask.variantName)
    }
    if (espeak.set_voice(`${ask.accentFile}+${ask.variantName}`) !== 0)
      throw new Error(`The engine has no voice ${ask.accentFile}.`)
    espeak.set_rate(ask.wordsPerMin)
    espeak.set_pitch(ask.pitch)
    espeak.set_range(ask.range)
    espeak.set_volume(engineVolume)
    const chunks: Array<Int16Array> = []
    const marks: Array<WordMark> = []
    espeak.synthesize(ask.text, (chunk, events) => {
      if (chunk !== null) chunks.push(chunk.slice())
      for (const event of events) {
        // The engine counts positions from one.
        if (event.type === "word") marks.push({ atChar: event.text_position - 1, startMs: event.audio_position })
      }
      return false
    })
    return Promise.resolve({ pcm: floats(chunks), sampleRateHz: espeak.get_samplerate(), marks })
  }
}

/** A program with a command line: one run per sentence, without word times. */
const commandLine = async (): Promise<Speaker> => {
  const name = "espeak-ng"
  const { default: start } = (await import(name)) as {
    readonly default: (options: object) => Promise<{ readonly FS: FileTree }>
  }
  return async (ask) => {
    const engine = await start({
      ...quiet,
      arguments: [
        "-v",
        `${ask.accentFile}+${ask.variantName}`,
        "-s",
        String(ask.wordsPerMin),
        "-p",
        String(ask.pitch),
        "-P",
        String(ask.range),
        "-a",
        String(engineVolume),
        "-w",
        "/line.wav",
        "--",
        ask.text
      ],
      onRuntimeInitialized(this: { readonly FS: FileTree }) {
        this.FS.writeFile(`/usr/local/share/espeak-ng-data/voices/!v/${ask.variantName}`, ask.variantFile)
      }
    })
    const wav = engine.FS.readFile("/line.wav")
    const view = new DataView(wav.buffer, wav.byteOffset, wav.byteLength)
    const headerBytes = 44
    const pcm = new Float32Array(Math.max(0, Math.floor((wav.byteLength - headerBytes) / 2)))
    for (let i = 0; i < pcm.length; i++) pcm[i] = view.getInt16(headerBytes + 2 * i, true) / 32_768
    return { pcm, sampleRateHz: view.getUint32(24, true), marks: [] }
  }
}

const { engine } = JSON.parse(process.argv[2]!) as { readonly engine: "echogarden" | "command-line" }
const speaker = await (engine === "echogarden" ? echogarden() : commandLine())

const addRoom = ({ timbre }: EspeakAsk, { pcm, sampleRateHz, marks }: SpokenLine): SpokenLine => {
  const whole = new Float32Array(pcm.length + Math.round((roomTailMs * sampleRateHz) / 1000))
  whole.set(pcm)
  colour(whole, sampleRateHz, timbre)
  return { pcm: whole, sampleRateHz, marks }
}

process.on("message", ({ id, ask }: { readonly id: number; readonly ask: EspeakAsk }) => {
  Promise.resolve()
    .then(() => speaker(ask))
    .then((line) => addRoom(ask, line))
    .then(
      (line) => process.send?.({ id, line }),
      (cause: unknown) => process.send?.({ id, fault: cause instanceof Error ? cause.message : String(cause) })
    )
})
process.send?.({ ready: true })
