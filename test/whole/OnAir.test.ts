import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { decodeMono, ffmpegPath } from "../../bench/instruments/ears/Decode.ts"
import { recordHls } from "../../bench/instruments/ears/Recorder.ts"
import { startStation } from "../../bench/instruments/servers/Station.ts"
import { becomeAgent, call } from "../../bench/instruments/clients/Stranger.ts"
import { aacFrameSamples, segmentFrames } from "../../engine/rules/air/limits.ts"
import { parseTags, probeTags, readTimedTags } from "../support/media/ForeignTags.ts"
import { inDatabaseOf } from "../support/sql/OwnDatabase.ts"
import { waitMs } from "../../bench/instruments/Patience.ts"
import {
  enterStation,
  isReady,
  findLongestSilenceSec,
  playlist,
  askUntil,
  type WholeStation,
  testSettings
} from "../support/station/WholeStation.ts"

/**
 * Beyond this something waits that should not, however busy the machine is: `bench restart` and `bench boot` measure how long it takes. It is also what
 * `deploy/` allows a stop, before it kills the station.
 */
const waitMaxMs = 20_000
/** Milliseconds until the MP3 stream has sent audible sound. */
const firstSoundMs = async (base: string, sinceMs: number): Promise<number> => {
  const response = await askUntil(async () => {
    const found = await fetch(`${base}/live.mp3`)
    return found.ok ? found : undefined
  }, 10)
  const reader = response.body!.getReader()
  const chunks: Array<Uint8Array> = []
  for (;;) {
    const { done, value } = await reader.read()
    if (done) throw new Error("the MP3 stream ended before there was a sound")
    const atMs = performance.now() - sinceMs
    chunks.push(value)
    const pcm = await decodeMono(Buffer.concat(chunks)).catch(() => undefined)
    if (pcm?.some((sample) => Math.abs(sample) > 0.001) === true) {
      await reader.cancel()
      return atMs
    }
  }
}
const ofStation = {
  digitalSourceType: "http://cv.iptc.org/newscodes/digitalsourcetype/compositeSynthetic",
  generator: "Longwave",
  disclosure: "A radio station made by AI agents. Its voices and much of its music are made by machines."
}
const here = (program: string) => spawnSync("which", [program]).status === 0

interface Player {
  readonly name: string
  readonly program: string
  readonly play: (url: string) => ReadonlyArray<string>
  /** Error output of each player; empty output means that it played. */
  readonly trouble: RegExp
}

const playSec = 6

const players: ReadonlyArray<Player> = [
  {
    name: "ffmpeg",
    program: await ffmpegPath(),
    // At listening speed: without that, it would read the whole window at once.
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

/** Plays until the player ends by itself, or is stopped after this much. */
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

describe("a station process", () => {
  let whole: WholeStation
  beforeAll(async () => {
    whole = await enterStation()
  }, 300_000)
  afterAll(() => whole.leave(), 300_000)

  it("is heard without silence, and its HLS and clock agree", async () => {
    const { base } = whole.station
    const stop = new AbortController()
    const recorded = recordHls(base, "aac128", stop.signal)
    const first = await playlist(base)
    await askUntil(async () => ((await playlist(base)).next > first.next + 1 ? true : undefined))
    stop.abort()
    const hls = await recorded
    const pcm = await decodeMono(hls.bytes)
    expect(hls.segments).toBeGreaterThanOrEqual(2)
    expect(Math.abs(pcm.length - hls.segments * segmentFrames * aacFrameSamples)).toBeLessThanOrEqual(
      2 * aacFrameSamples
    )
    expect(findLongestSilenceSec(pcm)).toBeLessThan(1)

    const file = join(whole.folder, "recorded.mp4")
    await writeFile(file, hls.bytes)
    const items = await readTimedTags(hls.bytes)
    const told = await (await fetch(`${base}/live/aac128/index.m3u8`)).text()
    expect(items.length).toBeGreaterThanOrEqual(2)
    for (const { digitalSourceType, disclosure, generator, title } of items) {
      expect([title, generator]).not.toContain("")
      expect(digitalSourceType).toMatch(
        /^http:\/\/cv\.iptc\.org\/newscodes\/digitalsourcetype\/(algorithmicMedia|compositeSynthetic)$/
      )
      expect(disclosure).toMatch(/^(AI voice|Composed by the station|Made by the station)\. /)
      expect(told).toContain(
        `X-DIGITAL-SOURCE-TYPE="${digitalSourceType}",X-GENERATOR="${generator}",X-DISCLOSURE="${disclosure}"`
      )
    }
    expect([
      await probeTags(file),
      await probeTags(`${base}/live/index.m3u8`),
      await probeTags(`${base}/live.mp3`)
    ]).toEqual([ofStation, ofStation, ofStation])
    const master = await (await fetch(`${base}/live/index.m3u8`)).text()
    expect(
      [...master.matchAll(/#EXT-X-SESSION-DATA:DATA-ID="longwave\.(\w+)",VALUE="([^"]*)"/g)].map(([, name, value]) => [
        name,
        value
      ])
    ).toEqual(Object.entries(ofStation))
    expect((await call(base, "GET", "/api/station")).body["synthetic"]).toEqual(ofStation)
    expect((await call(base, "GET", "/api/now-playing")).body["item"]).toMatchObject({
      synthetic: {
        digitalSourceType: expect.stringContaining("http://cv.iptc.org/"),
        generator: expect.any(String),
        disclosure: expect.any(String)
      }
    })
  }, 300_000)

  it("marks every file of a voice, as two independent parsers read it", async () => {
    const { base, dataDir } = whole.station
    const agent = await becomeAgent(base, "avocet")
    const spoken = await askUntil(() =>
      call(base, "POST", "/api/v1/agents/me/tts/station/generate", {
        bearer: agent.apiKey,
        body: { category: "station_id", title: "A first word", scriptText: "This is Avocet, and this is Longwave." }
      })
    )
    const mark = {
      digitalSourceType: "http://cv.iptc.org/newscodes/digitalsourcetype/algorithmicMedia",
      generator: "eSpeak NG",
      disclosure: "AI voice. Spoken by a speech synthesizer for the AI agent @avocet."
    }
    expect(spoken.body["segment"]).toMatchObject({ synthetic: mark })
    const url = new URL(String(spoken.body["audioUrl"]))
    const copy = join(whole.folder, "copy.mp3")
    await writeFile(
      copy,
      new Uint8Array(
        await (
          await fetch(new URL(url.pathname, base), { headers: { authorization: `Bearer ${agent.apiKey}` } })
        ).arrayBuffer()
      )
    )
    const flac = join(dataDir, "media", url.pathname.split("/").at(-1)!.replace(/mp3$/, "flac"))
    expect([await probeTags(copy), await parseTags(copy), await probeTags(flac), await parseTags(flac)]).toEqual([
      mark,
      mark,
      mark,
      mark
    ])
    const sample = join(whole.folder, "sample.mp3")
    await writeFile(
      sample,
      await askUntil(async () => {
        const found = await fetch(`${base}/media/voices/voice_alder.mp3`)
        return found.ok ? new Uint8Array(await found.arrayBuffer()) : undefined
      })
    )
    const ofHouse = { ...mark, disclosure: "AI voice. Spoken by a speech synthesizer for the station." }
    expect([await probeTags(sample), await parseTags(sample)]).toEqual([ofHouse, ofHouse])
  }, 300_000)

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

  it("refuses a stranger without a key with a problem", async () => {
    const response = await fetch(`${whole.station.base}/api/v1/agents/me`)
    expect(response.status).toBe(401)
    expect(response.headers.get("content-type")).toContain("application/problem+json")
    expect(response.headers.get("www-authenticate")).toContain("resource_metadata=")
    expect(await response.json()).toMatchObject({ status: 401, code: "INVALID_API_KEY", errors: [] })
  })

  it("stops in order under load: accepted work is finished and stored, the rest is refused", async () => {
    const { base, operator, port } = whole.station
    const agent = await becomeAgent(base, "redshank")
    const author = await becomeAgent(base, "whimbrel")
    const posted = await call(base, "POST", "/api/v1/social/posts", {
      bearer: author.apiKey,
      body: { body: "Low water at four, and nobody on the mud but us." }
    })
    const postId = (posted.body["post"] as { readonly id: string }).id
    const register = (handle: string) =>
      fetch(`${base}/api/v1/agents/register`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          type: "anonymous",
          agent: { handle, displayName: "Stint", bio: "One of many.", role: "hybrid" }
        })
      })
    const leave = new AbortController()
    const staying = await Promise.all([
      fetch(`${base}/live.mp3`, { signal: leave.signal }),
      fetch(`${base}/api/station/now-playing`, { headers: { accept: "text/event-stream" }, signal: leave.signal })
    ])
    expect(staying.map(({ status }) => status)).toEqual([200, 200])
    // Listeners read their answers: fetch fails an assertion of its own when a server ends a body that nobody reads.
    for (const { body } of staying) body!.pipeTo(new WritableStream()).catch(() => undefined)
    const answered: Array<readonly [handle: string, status: number]> = []
    const load = Array.from({ length: 4 }, async (_, caller) => {
      for (let n = 0; ; n++) {
        const response = await register(`stint-${caller}-${n}`).catch(() => undefined)
        if (response === undefined) return
        answered.push([`stint-${caller}-${n}`, response.status])
        await response.arrayBuffer().catch(() => undefined)
        // Told to come back later: asking on without a pause would take the time that the accepted work needs.
        if (response.status === 503) return
      }
    })
    /** Switches something on and off until the station refuses; resolves to the last state that it confirmed. */
    const toggle = async (turn: (isOn: boolean) => readonly [method: string, path: string, body?: object]) => {
      for (let isOn = false; ; isOn = !isOn) {
        const [method, path, body] = turn(!isOn)
        const response = await fetch(`${base}/api/v1/agents/me${path}`, {
          method,
          headers: { authorization: `Bearer ${agent.apiKey}`, "content-type": "application/json" },
          ...(body === undefined ? {} : { body: JSON.stringify(body) })
        }).catch(() => undefined)
        if (response === undefined) return isOn
        await response.arrayBuffer()
        if (response.status === 503) return isOn
        if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`)
      }
    }
    const liking = toggle((isOn) => ["POST", `/engage/posts/${postId}`, { action: isOn ? "like" : "clear" }])
    const following = toggle((isOn) => [isOn ? "POST" : "DELETE", "/follow/whimbrel"])
    await waitMs(1_000)
    const spoken = call(base, "POST", "/api/v1/agents/me/tts/station/generate", {
      bearer: agent.apiKey,
      body: { category: "station_id", title: "A last word", scriptText: "This is Redshank, and this was Longwave." }
    })
    spoken.catch(() => undefined)
    // An engine is speaking, or has spoken.
    await askUntil(async () => {
      const rows = await inDatabaseOf(
        whole.station.dataDir,
        (sql) =>
          sql`SELECT 1 FROM speech_holds WHERE agent_id = ${agent.agentId} UNION ALL SELECT 1 FROM segments WHERE agent_id = ${agent.agentId}`
      )
      return rows.length > 0 ? true : undefined
    }, 10)
    const toldMs = performance.now()
    await whole.station.stop("SIGTERM")
    const tookMs = performance.now() - toldMs
    leave.abort()
    await Promise.all(load)
    const [isLiked, isFollowed] = await Promise.all([liking, following])
    const kept = answered.filter(([, status]) => status === 201).map(([handle]) => handle)
    console.log(
      `ended ${(tookMs / 1_000).toFixed(2)} s after SIGTERM; ${kept.length} commands done, ${answered.length - kept.length} refused`
    )
    expect(whole.station.process.exitCode).toBe(0)
    expect(tookMs).toBeLessThan(waitMaxMs)
    expect(answered.filter(([, status]) => status !== 201 && status !== 503)).toEqual([])
    expect((await spoken).status).toBeLessThan(300)

    whole.station = await startStation({ dataDir: join(whole.folder, "var"), port, operator, env: testSettings })
    await isReady(base)
    expect(kept.length).toBeGreaterThan(0)
    expect(await Promise.all(kept.slice(-20).map(async (handle) => (await register(handle)).status))).toEqual(
      kept.slice(-20).map(() => 409)
    )
    const read = async (path: string) => (await call(base, "GET", path, { bearer: agent.apiKey })).body
    expect(await read("/api/segments")).toMatchObject({ segments: [{ title: "A last word" }] })
    expect(await read("/api/v1/agents/whimbrel/posts")).toMatchObject({
      posts: [{ counts: { likes: Number(isLiked) } }]
    })
    const { following: followed } = await read("/api/v1/agents/me/following")
    expect(followed).toHaveLength(Number(isFollowed))
  }, 300_000)

  it("sounds again after SIGKILL, with numbers from the clock, and keeps acknowledged work", async () => {
    const { base, operator, port } = whole.station
    const agent = await becomeAgent(base, "kestrel")
    const before = await playlist(base)
    await whole.station.stop("SIGKILL")
    whole.station = await startStation({ dataDir: join(whole.folder, "var"), port, operator, env: testSettings })
    const soundMs = await firstSoundMs(base, whole.station.startedAtMs)
    console.log(`sound ${soundMs.toFixed(0)} ms after the process was started`)
    expect(soundMs).toBeLessThan(waitMaxMs)
    const after = await askUntil(async () => {
      const found = await playlist(base)
      return Number.isNaN(found.next) ? undefined : found
    })
    expect(after.next).toBeGreaterThanOrEqual(before.next)
    await isReady(base)
    const me = await call(base, "GET", "/api/v1/agents/me", { bearer: agent.apiKey })
    expect(me.body["agent"]).toMatchObject({ id: agent.agentId, handle: "kestrel" })
  }, 300_000)

  it("stops in order on SIGTERM", async () => {
    const started = performance.now()
    await whole.station.stop("SIGTERM")
    expect(whole.station.process.exitCode).toBe(0)
    expect(performance.now() - started).toBeLessThan(waitMaxMs)
  }, 300_000)
})
