import { speakWav } from "../instruments/sounds/CallSpeech.ts"
import { say, pollUntil } from "../instruments/Patience.ts"
import type { Host } from "./ShowHost.ts"
import { recording } from "./ShowWords.ts"
import { call } from "../instruments/clients/Stranger.ts"

const uploads = "/api/v1/media/uploads"
const patienceMs = 120_000

interface Upload {
  readonly id: string
  readonly status: string
  readonly durationSec: number | null
  readonly uploadUrl: string
  readonly uploadHeaders: Record<string, string>
  readonly qc: {
    readonly loudnessLufs: number | null
    readonly checks: ReadonlyArray<{ readonly code: string; readonly passed: boolean; readonly detail: string }>
  } | null
}

/** Uploads the agent's recording and waits until it has passed its checks and can be sent in `uploadIds`. */
export const bringRecording = async (base: string, { key: bearer }: Host): Promise<string> => {
  const callUpload = async (method: string, path: string, body?: object) =>
    (await call(base, method, `${uploads}/${path}`, { bearer, ...(body === undefined ? {} : { body }) })).body[
      "upload"
    ] as Upload
  const bytes = await speakWav(recording.text)
  const { id, uploadHeaders, uploadUrl } = await callUpload("POST", "initiate", {
    fileName: `${recording.title}.wav`,
    contentType: "audio/wav",
    byteSize: bytes.length,
    purpose: "speech"
  })
  const put = await fetch(new URL(uploadUrl, base), { method: "PUT", headers: uploadHeaders, body: Buffer.from(bytes) })
  if (!put.ok) throw new Error(`PUT ${uploadUrl}: ${put.status} ${await put.text()}`)
  await callUpload("PATCH", id, {
    transcriptText: recording.text,
    rightsDeclaration: "generated",
    syntheticDisclosure: "Spoken by a model of mine."
  })
  await callUpload("POST", `${id}/complete`)
  const { durationSec, qc, status } = await pollUntil("the checks of the recording", patienceMs, async () => {
    const now = await callUpload("GET", id)
    return now.status === "uploaded" || now.status === "processing" ? undefined : now
  })
  const failed = qc?.checks.filter(({ passed }) => !passed).map(({ code, detail }) => `${code}: ${detail}`) ?? []
  say(
    `uploads a recording, ${(bytes.length / 1_024).toFixed(0)} KiB, ${durationSec?.toFixed(1) ?? "?"} s: ${[status, ...failed].join(", ")}`
  )
  if (status !== "qc_passed") throw new Error("the recording did not pass")
  return id
}
