import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sampleRateHz } from "../engine/Limits.ts"
import { Mixer } from "../media/Mixer.ts"
import { OfflineReader } from "../media/OfflineReader.ts"
import { renderProgramme } from "../media/Programme.ts"
import { AirItem, AirPlan, ItemLabel, StagedSound } from "../schema/Air.ts"
import { CuePoints } from "../schema/Sound.ts"
import { ffmpegPath } from "./Decode.ts"
import { hash, median, type Report, type Row } from "./Report.ts"

const trackSec = 45
const crossSec = 4
/** A border of AAC and of MP3 frames, in the middle of nowhere. */
const startSample = 1_024 * 1_152 * 1_000

const ulid = (n: number) => n.toString().padStart(26, "0")

/** CPU seconds of this process and of all children that have ended; Linux only. */
const cpuSec = (): number => {
  const fields = readFileSync("/proc/self/stat", "utf8").replace(/^.*\) /, "").split(" ")
  return [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field]), 0) / 100
}

/** A chord with a beat, its own for each `n`: something an encoder has to work at. */
const soundFile = async (folder: string, n: number, sec: number, speech: boolean): Promise<StagedSound> => {
  const length = sec * sampleRateHz
  const pcm = new Int16Array(length * 2)
  let noise = n + 1
  for (let at = 0; at < length; at++) {
    const t = at / sampleRateHz
    noise = (Math.imul(noise, 1_664_525) + 1_013_904_223) | 0
    const beat = Math.exp(-8 * (t * 2 % 1)) * noise / 2 ** 31
    const tone = Math.sin(2 * Math.PI * (110 + 13 * n) * t) + 0.5 * Math.sin(2 * Math.PI * (331 + 17 * n) * t)
    pcm[at * 2] = 32_767 * (0.12 * tone + 0.1 * beat)
    pcm[at * 2 + 1] = 32_767 * (0.12 * tone - 0.1 * beat)
  }
  const path = join(folder, `${n}.s16`)
  await writeFile(path, new Uint8Array(pcm.buffer))
  return new StagedSound({
    assetId: `mas_${ulid(n)}`, path, lengthSamples: length, pcmSha256: "", gainDb: 0,
    cue: new CuePoints({ cueIn: 0, introEnd: 0, segue: length - crossSec * sampleRateHz, cueOut: length }),
    envelope: new Uint8Array(sec * 100).fill(speech ? 128 : 0)
  })
}

/** The reference programme: six tracks that cross, a voice over a bed after each, round and round. */
const programme = async (folder: string, sec: number) => {
  const tracks = await Promise.all(Array.from({ length: 6 }, (_, n) => soundFile(folder, n, trackSec, false)))
  const voice = await soundFile(folder, 7, 12, true)
  const bed = await soundFile(folder, 8, 10, false)
  const items: Array<AirItem> = []
  let at = startSample
  for (let n = 0; at < startSample + sec * sampleRateHz; n++) {
    const isVoice = n % 4 === 3
    const sound = isVoice ? voice : tracks[n % 6]!
    items.push(new AirItem({
      itemId: `itm_${ulid(n)}`, label: new ItemLabel({ title: `Item ${n}`, artist: null, kind: isVoice ? "segment" : "music" }), sound, startSample: at,
      speech: isVoice, bed: isVoice ? bed : null, trace: []
    }))
    at += sound.lengthSamples - crossSec * sampleRateHz
  }
  return () => {
    const mixer = new Mixer({ startSample, read: new OfflineReader() })
    mixer.plan(new AirPlan({ fence: 0, revision: 0, entry: "boundary", items }))
    return mixer
  }
}

const timed = async <A>(run: () => A | Promise<A>): Promise<{ readonly value: A; readonly cpu: number; readonly wall: number }> => {
  const cpu = cpuSec()
  const wall = performance.now()
  const value = await run()
  return { value, cpu: cpuSec() - cpu, wall: (performance.now() - wall) / 1_000 }
}

const mixOnly = (mixer: Mixer, samples: number): void => {
  const block = new Float32Array(4_800 * 2)
  for (let done = 0; done < samples; done += 4_800) mixer.render(block, 4_800)
}

/** ffmpeg alone making the same three renditions of the same length of sound. */
const ffmpegAlone = async (ffmpeg: string, folder: string, sec: number): Promise<void> => {
  const child = spawn(ffmpeg, [
    "-v", "error", "-y", "-stream_loop", "-1", "-f", "s16le", "-ar", String(sampleRateHz), "-ac", "2", "-i", join(folder, "0.s16"),
    "-t", String(sec), "-c:a", "aac", "-b:a", "128k", "-f", "adts", "/dev/null",
    "-t", String(sec), "-c:a", "aac", "-b:a", "64k", "-f", "adts", "/dev/null",
    "-t", String(sec), "-c:a", "libmp3lame", "-b:a", "128k", "-reservoir", "0", "-f", "mp3", "/dev/null"
  ], { stdio: "ignore" })
  await once(child, "exit")
}

/** P3: the reference programme through the real chain, offline, beside ffmpeg alone. Liquidsoap has no row yet: not measured. */
export const run = async (size: "whole" | "small"): Promise<Report> => {
  const sec = size === "whole" ? 600 : 20
  const rounds = size === "whole" ? 3 : 1
  const perHour = 3_600 / sec
  const folder = await mkdtemp(join(tmpdir(), "longwave-playout-"))
  try {
    const ffmpeg = await ffmpegPath()
    const mixer = await programme(folder, sec)
    const values: Record<"mixCpu" | "mixSpeed" | "wholeCpu" | "wholeSpeed" | "alone", Array<number>> = { mixCpu: [], mixSpeed: [], wholeCpu: [], wholeSpeed: [], alone: [] }
    const computed = new Set<string>()
    for (let round = 0; round < rounds; round++) {
      const mixed = await timed(() => mixOnly(mixer(), sec * sampleRateHz))
      values.mixCpu.push(mixed.cpu * perHour)
      values.mixSpeed.push(sec / mixed.wall)
      const whole = await timed(() => renderProgramme({ source: mixer(), ffmpeg, startSample, samples: sec * sampleRateHz }))
      values.wholeCpu.push(whole.cpu * perHour)
      values.wholeSpeed.push(sec / whole.wall)
      computed.add(whole.value.pcmSha256)
      const alone = await timed(() => ffmpegAlone(ffmpeg, folder, sec))
      values.alone.push(alone.cpu * perHour)
    }
    if (computed.size !== 1) throw new Error("the same programme gave different sound")
    const rows: ReadonlyArray<Row> = [
      { what: "mix only", unit: "CPU s/h", values: values.mixCpu },
      { what: "mix only, speed", unit: "× real time", values: values.mixSpeed },
      { what: "mix and encode AAC 128, AAC 64, MP3 128", unit: "CPU s/h", values: values.wholeCpu },
      { what: "mix and encode, speed", unit: "× real time", values: values.wholeSpeed },
      { what: "ffmpeg alone, the same renditions", unit: "CPU s/h", values: values.alone },
      { what: "Liquidsoap", unit: "CPU s/h", values: [], note: "no script for it yet" }
    ]
    return {
      bench: "playout",
      rows,
      goals: [
        { name: "whole chain / ffmpeg alone", direction: "at most", limit: 1.15, value: median(values.wholeCpu) / median(values.alone) },
        { name: "offline with encode (× real time)", direction: "at least", limit: 40, value: median(values.wholeSpeed) },
        { name: "offline without encode (× real time)", direction: "at least", limit: 300, value: median(values.mixSpeed) },
        { name: "whole chain / Liquidsoap", direction: "at most", limit: 0.5, value: null }
      ],
      computed: hash([...computed][0]!)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
