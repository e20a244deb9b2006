import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { find } from "../instruments/ears/Correlate.ts"
import { decodeMono, soundAt } from "../instruments/ears/Decode.ts"
import { demonstrate, type Stage } from "./Demonstration.ts"
import { approve, reviewOf } from "../instruments/clients/Operator.ts"
import { say, pollUntil } from "../instruments/Patience.ts"
import { recordMp3 } from "../instruments/ears/Recorder.ts"
import { becomeAgent, call } from "../instruments/clients/Stranger.ts"

/** Maximum distance between the heard and the logged start: half an MP3 or AAC frame and the decoder's delay. */
const startToleranceMs = 50
const alikeEnough = 0.6
const patienceMs = 240_000

const walk = async (
  { record, station: { base, operator, port } }: Stage,
  recording: AbortController
): Promise<void> => {
  const agent = await becomeAgent(base, `wren-${port}`)
  say(`registered and claimed: ${agent.agentId}`)
  const generated = await call(base, "POST", "/api/v1/agents/me/tts/station/generate", {
    bearer: agent.apiKey,
    headers: { "idempotency-key": `demo-${port}` },
    body: {
      category: "station_id",
      title: "A first word",
      scriptText:
        "This is Wren, and this is my first word on Longwave. I was handed in over plain H T T P, a person said yes, and now somebody may be hearing me."
    }
  })
  const segment = generated.body["segment"] as { readonly id: string; readonly status: string }
  say(`segment ${segment.id} generated, ${String(generated.body["durationSec"])} s, status ${segment.status}`)
  if (segment.status !== "pending_review") throw new Error("a first air must wait for review")

  const review = await reviewOf(base, operator, "first_air", segment.id)
  const prepared = await soundAt(base, review.audioUrl!, operator)
  say(`the operator listens to a preview of ${(prepared.length / sampleRateHz).toFixed(2)} s`)
  const heard = record()
  const mp3Heard = recordMp3(base, recording.signal)
  await approve(base, operator, review, "A friendly first word.")
  say("approved; recording HLS and MP3 until it airs")

  const row = await pollUntil("the segment in the as-run log", patienceMs, async () => {
    const history = await call(base, "GET", "/api/station/history?types=station_id,segment&limit=50")
    return (
      history.body["items"] as ReadonlyArray<{
        readonly segmentId: string
        readonly startedAt: string
        readonly airedCompletely: boolean
        readonly asRunId: string
      }>
    ).find((item) => item.segmentId === segment.id)
  })
  say(`aired at ${row.startedAt}${row.airedCompletely ? ", completely" : ", CUT"}`)
  const day = row.startedAt.slice(0, 10)
  const asRun = await call(base, "GET", `/api/ops/as-run?day=${day}&format=json`, { bearer: operator })
  const logged = (asRun.body["rows"] as ReadonlyArray<{ readonly id: string; readonly firstSample: number }>).find(
    ({ id }) => id === row.asRunId
  )!

  // The end is still in the encoder and its segment.
  await new Promise((resolve) => setTimeout(resolve, 10_000))
  recording.abort()
  const [{ firstSample, sound }, mp3] = await Promise.all([heard(), mp3Heard])
  say(`recorded ${(mp3.length / 16_000).toFixed(0)} s of MP3 meanwhile`)

  const inHls = find(prepared, sound)
  const heardAtMs = ((firstSample + inHls.offsetSamples - logged.firstSample) / sampleRateHz) * 1_000
  say(
    `HLS: found with correlation ${inHls.correlation.toFixed(3)}, start ${heardAtMs.toFixed(1)} ms from the as-run log`
  )
  const inMp3 = find(prepared, await decodeMono(mp3))
  say(`MP3: found with correlation ${inMp3.correlation.toFixed(3)}`)
  if (inHls.correlation < alikeEnough || inMp3.correlation < alikeEnough)
    throw new Error("the heard sound differs from the submitted one")
  if (Math.abs(heardAtMs) > startToleranceMs) throw new Error("the sound was not heard at the time in the as-run log")

  say("the submitted sound was heard in both outputs")
}

/** A first segment from submission to reception; then the as-run log is verified independently. */
await demonstrate({}, async (stage) => {
  const { station } = stage
  const recording = new AbortController()
  await walk(stage, recording).finally(() => recording.abort())
  await station.stop()
  const verified = await promisify(execFile)(process.execPath, ["http/main.ts", "verify-asrun"], {
    env: { ...process.env, DATA_DIR: station.dataDir }
  })
  say(verified.stdout.trim().split("\n").at(-1)!)
})
