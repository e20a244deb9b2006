import { Effect, Layer } from "effect"
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sampleRateHz } from "../schema/time/Samples.ts"
import { Air } from "../engine/ports/Air.ts"
import { airLayer } from "../media/chain/Air.ts"
import { ffmpegLayer } from "../media/ffmpeg/Ffmpeg.ts"
import { Mixer } from "../media/mixer/Mixer.ts"
import { OfflineReader } from "../media/mixer/OfflineReader.ts"
import { renderProgramme } from "../media/chain/RenderedProgramme.ts"
import { AirItem, AirPlan, ItemLabel } from "../schema/air/Air.ts"
import { ffmpegPath } from "./instruments/ears/Decode.ts"
import { liquidsoapPath, runLiquidsoap } from "./peers/Liquidsoap.ts"
import { type ReferenceSounds, referenceSounds, ulid } from "./instruments/sounds/ReferenceSounds.ts"
import { cpuSeconds, hash, median, type Report, type Row } from "./instruments/Report.ts"

/** A common border of AAC and MP3 frames. */
const offlineStart = 1_024 * 1_152 * 1_000

/** CPU seconds of this process and of all ended children; Linux only. */
const cpuSec = (): number => {
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /, "")
    .split(" ")
  return [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field]), 0) / 100
}

/** The reference programme, repeated: crossfaded songs, with a voice over a bed after every third. */
const programme = ({ bed, songs, voice }: ReferenceSounds, startSample: number, sec: number): AirPlan => {
  const items: Array<AirItem> = []
  let at = startSample
  for (let n = 0; at < startSample + sec * sampleRateHz; n++) {
    const speech = n % 4 === 3
    const sound = speech ? voice : songs[n % songs.length]!
    items.push(
      new AirItem({
        itemId: `itm_${ulid(n)}`,
        label: new ItemLabel({ title: `Item ${n}`, artist: null, kind: speech ? "segment" : "music" }),
        sound,
        startSample: at,
        speech,
        bed: speech ? bed : null,
        trace: []
      })
    )
    at += (speech ? sound.cue.cueOut : sound.cue.segue) - sound.cue.cueIn
  }
  return new AirPlan({ fence: 0, revision: 0, entry: "boundary", items })
}

const offline = (sounds: ReferenceSounds, sec: number): Mixer => {
  const mixer = new Mixer({ startSample: offlineStart, read: new OfflineReader(), stationName: "Longwave" })
  mixer.plan(programme(sounds, offlineStart, sec))
  return mixer
}

const time = async <A>(sec: number, run: () => A | Promise<A>) => {
  const cpu = cpuSec()
  const wall = performance.now()
  const value = await run()
  return { value, cpuPerHour: ((cpuSec() - cpu) * 3_600) / sec, speed: (sec * 1_000) / (performance.now() - wall) }
}

const mixOnly = (mixer: Mixer, samples: number): void => {
  const block = new Float32Array(4_800 * 2)
  for (let done = 0; done < samples; done += 4_800) mixer.render(block, 4_800)
}

const awaitEnd = async (command: string, args: ReadonlyArray<string>) => {
  const [code] = (await once(spawn(command, args, { stdio: "ignore" }), "exit")) as [number | null]
  if (code !== 0) throw new Error(`${command} ended with code ${code}.`)
}

/** ffmpeg alone: the same three renditions, settings and songs. */
const ffmpegAlone = (ffmpeg: string, { songs }: ReferenceSounds, sec: number): Promise<void> =>
  awaitEnd(ffmpeg, [
    "-v",
    "error",
    "-y",
    "-stream_loop",
    "-1",
    "-f",
    "s16le",
    "-ar",
    String(sampleRateHz),
    "-ac",
    "2",
    "-i",
    `concat:${songs.map(({ path }) => path).join("|")}`,
    "-t",
    String(sec),
    "-c:a",
    "aac",
    "-b:a",
    "128k",
    "-f",
    "adts",
    "/dev/null",
    "-t",
    String(sec),
    "-c:a",
    "aac",
    "-b:a",
    "64k",
    "-f",
    "adts",
    "/dev/null",
    "-t",
    String(sec),
    "-c:a",
    "libmp3lame",
    "-b:a",
    "128k",
    "-reservoir",
    "0",
    "-f",
    "mp3",
    "/dev/null"
  ])

const wav = async (ffmpeg: string, path: string): Promise<string> => {
  await awaitEnd(ffmpeg, [
    "-v",
    "error",
    "-y",
    "-f",
    "s16le",
    "-ar",
    String(sampleRateHz),
    "-ac",
    "2",
    "-i",
    path,
    `${path}.wav`
  ])
  return `${path}.wav`
}

/** Encoders started by this process, and their CPU time. */
const encodersCpu = (): number =>
  execFileSync("ps", ["-o", "pid=,args=", "--ppid", String(process.pid)], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes("-f f32le -ar 48000 -ac 2 -i pipe:0"))
    .reduce((sum, line) => sum + cpuSeconds(Number.parseInt(line, 10)), 0)

/** The real chain in its worker, in real time: CPU seconds of an hour for this process and its encoders. */
const measurePaced = (sounds: ReferenceSounds, sec: number): Promise<number> =>
  Effect.gen(function* () {
    const air = yield* Air
    yield* Effect.sleep(3_000)
    yield* air.plan(programme(sounds, (yield* air.status).renderedTo + sampleRateHz, sec + 10))
    yield* Effect.sleep(3_000)
    const cpuUsed = () => cpuSeconds(process.pid) + encodersCpu()
    const before = cpuUsed()
    yield* Effect.sleep(sec * 1_000)
    return ((cpuUsed() - before) * 3_600) / sec
  }).pipe(
    Effect.provide(airLayer({ stationName: "Longwave", journalPath: null }).pipe(Layer.provide(ffmpegLayer(null)))),
    Effect.runPromise
  )

/** P3: the reference programme through the real chain, offline and in real time, beside ffmpeg alone and Liquidsoap. */
export const run = async (size: "whole" | "small"): Promise<Report> => {
  const whole = size === "whole"
  const sec = whole ? 240 : 8
  const rounds = whole ? 3 : 1
  const folder = await mkdtemp(join(tmpdir(), "longwave-playout-"))
  try {
    const ffmpeg = await ffmpegPath()
    const liquidsoap = liquidsoapPath()
    const sounds = await referenceSounds(folder, whole ? 6 : 1, whole ? 45 : 15)
    const files = {
      tracks: await Promise.all(sounds.songs.map(({ path }) => wav(ffmpeg, path))),
      voice: await wav(ffmpeg, sounds.voice.path),
      bed: await wav(ffmpeg, sounds.bed.path)
    }
    const values: Record<"mixCpu" | "mixSpeed" | "wholeCpu" | "wholeSpeed" | "alone" | "liquidsoap", Array<number>> = {
      mixCpu: [],
      mixSpeed: [],
      wholeCpu: [],
      wholeSpeed: [],
      alone: [],
      liquidsoap: []
    }
    const computed = new Set<string>()
    const chain = (of: number) =>
      time(of, () =>
        renderProgramme({ source: offline(sounds, of), ffmpeg, startSample: offlineStart, samples: of * sampleRateHz })
      )
    for (let round = 0; round < rounds; round++) {
      const mixed = await time(sec, () => mixOnly(offline(sounds, sec), sec * sampleRateHz))
      values.mixCpu.push(mixed.cpuPerHour)
      values.mixSpeed.push(mixed.speed)
      const both = await chain(sec)
      values.wholeCpu.push(both.cpuPerHour)
      values.wholeSpeed.push(both.speed)
      computed.add(both.value.pcmSha256)
      values.alone.push((await time(sec, () => ffmpegAlone(ffmpeg, sounds, sec))).cpuPerHour)
      if (liquidsoap !== undefined) values.liquidsoap.push(await runLiquidsoap(liquidsoap, folder, files, sec))
    }
    if (computed.size !== 1) throw new Error("two runs of the programme differ")
    const growth: ReadonlyArray<Row> = whole
      ? [
          { what: `mix and encode ${sec / 4} s`, unit: "CPU s/h", values: [(await chain(sec / 4)).cpuPerHour] },
          { what: `mix and encode ${sec / 2} s`, unit: "CPU s/h", values: [(await chain(sec / 2)).cpuPerHour] },
          { what: `mix and encode ${sec} s`, unit: "CPU s/h", values: [median(values.wholeCpu)] },
          {
            what: "the chain in real time, one minute",
            unit: "CPU s/h",
            values: [await measurePaced(sounds, 60)],
            note: "with the threads around it"
          }
        ]
      : []
    const rows: ReadonlyArray<Row> = [
      { what: "mix only", unit: "CPU s/h", values: values.mixCpu },
      { what: "mix only, speed", unit: "× real time", values: values.mixSpeed },
      { what: "mix and encode AAC 128, AAC 64, MP3 128", unit: "CPU s/h", values: values.wholeCpu },
      { what: "mix and encode, speed", unit: "× real time", values: values.wholeSpeed },
      { what: "ffmpeg alone, the same renditions", unit: "CPU s/h", values: values.alone },
      {
        what: "Liquidsoap, the same programme and renditions",
        unit: "CPU s/h",
        values: values.liquidsoap,
        ...(liquidsoap === undefined ? { note: "not installed" } : { note: "without its start" })
      },
      ...growth
    ]
    return {
      bench: "playout",
      rows,
      goals: [
        {
          name: "whole chain / ffmpeg alone",
          direction: "at most",
          limit: 1.15,
          value: median(values.wholeCpu) / median(values.alone)
        },
        {
          name: "offline with encode (× real time)",
          direction: "at least",
          limit: 40,
          value: median(values.wholeSpeed)
        },
        {
          name: "offline without encode (× real time)",
          direction: "at least",
          limit: 300,
          value: median(values.mixSpeed)
        },
        {
          name: "whole chain / Liquidsoap",
          direction: "at most",
          limit: 0.5,
          value: liquidsoap === undefined ? null : median(values.wholeCpu) / median(values.liquidsoap)
        }
      ],
      computed: hash([...computed][0]!)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
