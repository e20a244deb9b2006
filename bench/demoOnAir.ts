import { execFile } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { sampleRateHz } from "../engine/Limits.ts"
import { find } from "./Correlate.ts"
import { decodeMono } from "./Decode.ts"
import { say, until } from "./Patience.ts"
import { recordHls, recordMp3 } from "./Recorder.ts"
import { inFolder, type RunningStation, startStation } from "./Station.ts"
import { becomeAgent, call } from "./Stranger.ts"

/** How far the heard start may lie from the logged one: half an MP3 or AAC frame and the decoder's own delay. */
const startToleranceMs = 50
const alikeEnough = 0.6
const patienceMs = 240_000

const walk = async (station: RunningStation, folder: string, recording: AbortController): Promise<void> => {
  const { base, operator, port } = station
  say(`starting a station in ${folder}`)
  await until("first part of the stream", patienceMs, async () => (await fetch(`${base}/live/aac128/index.m3u8`)).ok ? true : undefined)
  say("on the air: the HLS playlist answers")
  await until("the API", patienceMs, async () => (await fetch(`${base}/readyz`)).ok ? true : undefined)
  say("the API is ready")

  const agent = await becomeAgent(base, `wren-${port}`)
  say(`registered and claimed: ${agent.agentId}`)
  const generated = await call(base, "POST", "/api/v1/agents/me/tts/station/generate", {
    bearer: agent.apiKey,
    headers: { "idempotency-key": `demo-${port}` },
    body: {
      category: "station_id",
      title: "A first word",
      scriptText: "This is Wren, and this is my first word on Longwave. I was handed in over plain H T T P, a person said yes, and now somebody may be hearing me."
    }
  })
  const segment = generated.body["segment"] as { readonly id: string; readonly status: string }
  say(`segment ${segment.id} generated, ${String(generated.body["durationSec"])} s, status ${segment.status}`)
  if (segment.status !== "pending_review") throw new Error("a first air must wait for review")

  const reviews = await call(base, "GET", "/api/ops/reviews?kind=first_air", { bearer: operator })
  const review = (reviews.body["items"] as ReadonlyArray<{ readonly id: string; readonly audioUrl: string }>)[0]!
  const prepared = await decodeMono(Buffer.from(await (await fetch(new URL(review.audioUrl, base), { headers: { authorization: `Bearer ${operator}` } })).arrayBuffer()))
  say(`the operator hears a preview of ${(prepared.length / sampleRateHz).toFixed(2)} s`)
  const records = Promise.all([recordHls(base, "aac128", recording.signal), recordMp3(base, recording.signal)])
  await call(base, "POST", `/api/ops/reviews/${review.id}/decision`, { bearer: operator, body: { decision: "approve", reason: "A friendly first word." } })
  say("approved; recording HLS and MP3 until it airs")

  const row = await until("the segment in the as-run log", patienceMs, async () => {
    const history = await call(base, "GET", "/api/station/history?types=station_id,segment&limit=50")
    return (history.body["items"] as ReadonlyArray<{ readonly segmentId: string; readonly startedAt: string; readonly airedCompletely: boolean; readonly asRunId: string }>)
      .find((item) => item.segmentId === segment.id)
  })
  say(`aired at ${row.startedAt}${row.airedCompletely ? ", completely" : ", CUT"}`)
  const day = row.startedAt.slice(0, 10)
  const asRun = await call(base, "GET", `/api/ops/as-run?day=${day}&format=json`, { bearer: operator })
  const logged = (asRun.body["rows"] as ReadonlyArray<{ readonly id: string; readonly firstSample: number }>).find(({ id }) => id === row.asRunId)!

  // The last of it is still on its way through the encoder and the segment that holds it.
  await new Promise((resolve) => setTimeout(resolve, 10_000))
  recording.abort()
  const [hls, mp3] = await records
  await Promise.all([writeFile(join(folder, "heard.mp4"), hls.bytes), writeFile(join(folder, "heard.mp3"), mp3)])
  say(`recorded ${hls.segments} HLS segments and ${(mp3.length / 16_000).toFixed(0)} s of MP3`)

  const inHls = find(prepared, await decodeMono(hls.bytes))
  const heardAtMs = ((hls.firstSample + inHls.offsetSamples - logged.firstSample) / sampleRateHz) * 1_000
  say(`HLS: found with correlation ${inHls.correlation.toFixed(3)}, its start ${heardAtMs.toFixed(1)} ms from the as-run log's`)
  const inMp3 = find(prepared, await decodeMono(mp3))
  say(`MP3: found with correlation ${inMp3.correlation.toFixed(3)}`)
  if (inHls.correlation < alikeEnough || inMp3.correlation < alikeEnough) throw new Error("what was heard is not what was handed in")
  if (Math.abs(heardAtMs) > startToleranceMs) throw new Error("it was not heard when the as-run log says")

  say("what was handed in is what was heard")
}

await inFolder(async (folder) => {
  const station = await startStation({ dataDir: join(folder, "var") })
  const recording = new AbortController()
  try {
    await walk(station, folder, recording)
    await station.stop()
    const verified = await promisify(execFile)(process.execPath, ["http/main.ts", "verify-asrun"], { env: { ...process.env, DATA_DIR: station.dataDir } })
    say(verified.stdout.trim().split("\n").at(-1)!)
  } catch (cause) {
    console.error(station.output())
    throw cause
  } finally {
    recording.abort()
    await station.stop()
  }
})
