import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdir, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { cpuSeconds } from "../instruments/Report.ts"

/** Path of the program; undefined if it is missing, and then not measured. */
export const liquidsoapPath = (): string | undefined => {
  const path = spawnSync("which", ["liquidsoap"], { encoding: "utf8" }).stdout.trim()
  return path === "" ? undefined : path
}

/** The same programme and renditions with Liquidsoap 2.1, without its clock: as fast as possible, until it is stopped. */
const script = `
settings.frame.audio.samplerate.set(48000)
settings.init.allow_root.set(true)
settings.log.level.set(1)
settings.log.file.set(false)
tracks = playlist(mode="normal", loop=true, reload_mode="never", "tracks.m3u")
music = crossfade(duration=4., fade_in=4., fade_out=4., tracks)
voice = playlist(mode="normal", loop=true, reload_mode="never", "voice.m3u")
bed = amplify(0.1, playlist(mode="normal", loop=true, reload_mode="never", "bed.m3u"))
speech = switch(track_sensitive=false, [({ int_of_float(source.time(music)) mod 123 > 111 }, add(normalize=false, [voice, bed]))])
s = mksafe(limit(smooth_add(duration=0.5, p=0.2, normal=music, special=speech), attack=5., threshold=-1.3))
clock.assign_new(sync="none", [s])
output.file.hls(playlist="live.m3u8", segment_duration=4., segments=6, fallible=false, "hls", [
  ("aac128", %ffmpeg(format="mpegts", %audio(codec="aac", samplerate=48000, channels=2, b="128k"))),
  ("aac64", %ffmpeg(format="mpegts", %audio(codec="aac", samplerate=48000, channels=2, b="64k")))], s)
output.file(%mp3(bitrate=128, samplerate=48000, stereo=true, internal_quality=5), "live.mp3", s)
`

const mp3BytesPerSec = 16_000
/** Loading its own library takes seconds of CPU and isn't part of a broadcast hour: CPU used before this point doesn't count. */
const warmSec = 5
const patienceMs = 240_000

/** `files` are the WAV files to play. Returns CPU seconds of a broadcast hour, over `sec` of the programme. */
export const runLiquidsoap = async (
  path: string,
  folder: string,
  files: { readonly tracks: ReadonlyArray<string>; readonly voice: string; readonly bed: string },
  sec: number
): Promise<number> => {
  await mkdir(join(folder, "hls"), { recursive: true })
  await writeFile(join(folder, "tracks.m3u"), files.tracks.join("\n"))
  await writeFile(join(folder, "voice.m3u"), files.voice)
  await writeFile(join(folder, "bed.m3u"), files.bed)
  await writeFile(join(folder, "programme.liq"), script)
  const output = join(folder, "live.mp3")
  await rm(output, { force: true })
  const child = spawn(path, ["programme.liq"], { cwd: folder, stdio: "ignore" })
  const startMs = performance.now()
  /** CPU used when this much was written. */
  const awaitWritten = async (wantedSec: number) => {
    for (;;) {
      const writtenSec = await stat(output).then(
        ({ size }) => size / mp3BytesPerSec,
        () => 0
      )
      if (writtenSec >= wantedSec) return { writtenSec, cpu: cpuSeconds(child.pid!) }
      if (child.exitCode !== null || performance.now() - startMs > patienceMs)
        throw new Error(`Liquidsoap wrote ${writtenSec} of ${wantedSec} s.`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  try {
    const from = await awaitWritten(warmSec)
    const to = await awaitWritten(from.writtenSec + sec)
    return ((to.cpu - from.cpu) * 3_600) / (to.writtenSec - from.writtenSec)
  } finally {
    // It may ignore the request to stop.
    const gone = once(child, "exit")
    if (child.kill("SIGKILL")) await gone
  }
}
