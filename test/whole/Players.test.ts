import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ffmpegPath } from "../../bench/instruments/Decode.ts"
import { enterStation, type WholeStation } from "../support/station/WholeStation.ts"

const here = (program: string) => spawnSync("which", [program]).status === 0

interface Player {
  readonly name: string
  readonly program: string
  readonly play: (url: string) => ReadonlyArray<string>
  /** What each of them says when something is wrong; silence means it played. */
  readonly trouble: RegExp
}

const playSec = 10

const players: ReadonlyArray<Player> = [
  {
    name: "ffmpeg",
    program: await ffmpegPath(),
    // At the pace of listening: as fast as it can it would be through the window at once.
    play: (url) => ["-v", "warning", "-re", "-i", url, "-t", String(playSec), "-f", "null", "-"],
    trouble: /error|invalid|failed|non[- ]monoton|discontinu/i
  },
  {
    name: "mpv",
    program: "mpv",
    play: (url) => ["--no-config", "--ao=null", "--vo=null", `--length=${playSec}`, "--msg-level=all=warn", url],
    trouble: /error|invalid|failed/i
  },
  {
    name: "GStreamer",
    program: "gst-launch-1.0",
    play: (url) => ["-q", "playbin3", `uri=${url}`, "audio-sink=fakesink sync=true", "video-sink=fakesink"],
    trouble: /error|erroneous/i
  }
]

/** Plays until the player ends by itself, or is told to once it has played long enough. */
const played = async (
  player: Player,
  url: string
): Promise<{ readonly said: string; readonly endedEarly: boolean }> => {
  const child = spawn(player.program, player.play(url), {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, HOME: "/tmp" }
  })
  const said: Array<Buffer> = []
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => said.push(text))
  const started = performance.now()
  const enough = setTimeout(() => child.kill("SIGINT"), (playSec + 2) * 1_000)
  await once(child, "exit")
  clearTimeout(enough)
  return { said: Buffer.concat(said).toString(), endedEarly: performance.now() - started < playSec * 500 }
}

describe("players people have", () => {
  let whole: WholeStation
  beforeAll(async () => {
    whole = await enterStation()
  }, 300_000)
  afterAll(() => whole?.leave(), 30_000)

  // One player at a time, on both outputs: more at once would measure the machine.
  for (const player of players) {
    it(`${player.name} plays HLS and MP3 without a word of trouble`, async (test) => {
      if (!player.program.startsWith("/") && !here(player.program)) {
        console.log(`skipped: ${player.program} isn't installed here`)
        return test.skip(`${player.program} isn't installed here`)
      }
      const results = await Promise.all(
        ["/live/index.m3u8", "/live.mp3"].map(async (path) => ({
          path,
          ...(await played(player, `${whole.station.base}${path}`))
        }))
      )
      expect(
        results
          .filter(({ endedEarly, said }) => endedEarly || player.trouble.test(said))
          .map(({ path, said }) => `${path}: ${said}`)
      ).toEqual([])
    }, 300_000)
  }
})
