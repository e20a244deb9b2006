import {
  fingerprintOtherMin,
  uploadBitrateMinKbps,
  uploadLoudnessLufs,
  uploadRateMinHz,
  uploadSec
} from "../../engine/rules/segments/limits.ts"
import {
  clippedMaxPct,
  dcOffsetMax,
  innerSilenceMusicMaxSec,
  innerSilenceSpeechMaxSec,
  masteredLufs
} from "../../engine/rules/sound/limits.ts"
import type { Unairable } from "../../engine/ports/Prepare.ts"
import { Qc, QcCheck, type QcCode, type UploadPurpose } from "../../schema/segments/Upload.ts"
import type { Loudness } from "../../schema/Sound.ts"
import { isOtherLength, type ProbedSound } from "./ForeignSound.ts"
import type { Findings } from "../prepare/Quality.ts"

/** All findings of a recording that could be decoded. */
export interface HeardUpload {
  readonly contentType: string
  readonly byteSize: number
  readonly probed: ProbedSound
  readonly found: Findings
  /** Null if its samples can't be measured. */
  readonly loudness: Loudness | null
  /** Difference to the most similar recording of about the same length, 0 to 1; null without one. */
  readonly different: number | null
}

const codes: ReadonlyArray<QcCode> = [
  "container",
  "decodes",
  "duration",
  "sample_rate",
  "channels",
  "bitrate",
  "loudness",
  "clipping",
  "inner_silence",
  "dc_offset",
  "copy"
]

const roundOrNull = (value: number | null, digits: number): number | null =>
  value === null || !Number.isFinite(value) ? null : Number(value.toFixed(digits))
const check = (code: QcCode, passed: boolean, measured: number | null, limit: number | null, detail: string) =>
  new QcCheck({ code, passed, measured: roundOrNull(measured, 3), limit: roundOrNull(limit, 3), detail })
const named = { speech: "Speech", music: "Music", sample: "A sample" } as const

/** True bit rate of an MP3: that of its header, or less if bytes are missing. */
const bitrateOf = ({ byteSize, found, probed }: HeardUpload): number => {
  const held = Math.round((byteSize * 8) / Math.max(0.001, found.lengthSec) / 1_000)
  return Math.min(probed.bitrateKbps ?? held, held)
}

const isMp3 = ({ codec }: ProbedSound) => /^mp[123]/.test(codec)

const checksOf = (purpose: UploadPurpose, heard: HeardUpload): ReadonlyArray<QcCheck> => {
  const { contentType, different, found, loudness, probed } = heard
  const [leastSec, mostSec] = uploadSec[purpose]
  const [leastLufs, mostLufs] = uploadLoudnessLufs
  const [rateMin, bitrateMin] = [uploadRateMinHz[purpose], uploadBitrateMinKbps[purpose]]
  const silenceMaxSec = purpose === "speech" ? innerSilenceSpeechMaxSec : innerSilenceMusicMaxSec
  const lufs = loudness?.integratedLufs ?? null
  const sec = found.lengthSec
  // Only the beginning was decoded if it is too long.
  const breaksOff = sec <= mostSec && isOtherLength(probed.durationSec, sec)
  const kbps = bitrateOf(heard)
  return [
    check("container", true, null, null, `It is ${contentType}, as announced.`),
    check(
      "decodes",
      found.finite && !breaksOff,
      sec,
      probed.durationSec,
      !found.finite
        ? "It has samples that are not finite numbers."
        : breaksOff
          ? `It says that it lasts ${probed.durationSec!.toFixed(1)} s, and ${sec.toFixed(1)} s are in it.`
          : `${sec.toFixed(1)} s were decoded.`
    ),
    check(
      "duration",
      sec >= leastSec && sec <= mostSec,
      sec,
      sec < leastSec ? leastSec : mostSec,
      `It lasts ${sec > mostSec ? `more than ${mostSec}` : sec.toFixed(1)} s. ${named[purpose]} may last ${leastSec} to ${mostSec} s.`
    ),
    check(
      "sample_rate",
      probed.sampleRateHz >= rateMin,
      probed.sampleRateHz,
      rateMin,
      `It has ${probed.sampleRateHz} Hz. ${named[purpose]} needs at least ${rateMin} Hz.`
    ),
    check(
      "channels",
      true,
      probed.channels,
      8,
      `It has ${probed.channels === 1 ? "one channel" : `${probed.channels} channels`}, and is aired in two.`
    ),
    isMp3(probed)
      ? check(
          "bitrate",
          kbps >= bitrateMin,
          kbps,
          bitrateMin,
          `It has ${kbps} kbps. ${named[purpose]} needs at least ${bitrateMin} kbps where it is an MP3.`
        )
      : check("bitrate", true, probed.bitrateKbps, null, "Only an MP3 has a least bit rate."),
    check(
      "loudness",
      lufs !== null && lufs >= leastLufs && lufs <= mostLufs,
      lufs,
      lufs !== null && lufs > mostLufs ? mostLufs : leastLufs,
      lufs === null
        ? "Its loudness could not be measured."
        : `It has ${lufs.toFixed(1)} LUFS, heard from two speakers. From ${leastLufs} to ${mostLufs} LUFS the station brings it to ${masteredLufs[purpose === "speech" ? "speech" : "music"]} LUFS.`
    ),
    check(
      "clipping",
      found.clippedPct <= clippedMaxPct,
      found.clippedPct,
      clippedMaxPct,
      `${found.clippedPct.toFixed(2)} % of its samples are clipped; ${clippedMaxPct} % may be.`
    ),
    check(
      "inner_silence",
      found.innerSilenceSec <= silenceMaxSec,
      found.innerSilenceSec,
      silenceMaxSec,
      `It falls silent for ${found.innerSilenceSec.toFixed(1)} s; ${silenceMaxSec} s it may.`
    ),
    check(
      "dc_offset",
      found.dcOffset <= dcOffsetMax,
      found.dcOffset,
      dcOffsetMax,
      `Its DC offset is ${found.finite ? found.dcOffset.toFixed(3) : "no number"}; ${dcOffsetMax} it may be.`
    ),
    check(
      "copy",
      different === null || different > fingerprintOtherMin,
      different,
      fingerprintOtherMin,
      different === null
        ? "The station has no recording about as long."
        : different > fingerprintOtherMin
          ? `${Math.round(different * 100)} % of its fingerprint differ from the likest recording that the station has; of a copy it is ${fingerprintOtherMin * 100} % at most.`
          : "It sounds like a recording that the station has already. Send one of its own."
    )
  ]
}

const figures = {
  loudnessLufs: null,
  truePeakDbtp: null,
  sampleRateHz: null,
  channels: null,
  bitrateKbps: null,
  silenceSec: null,
  clippedPct: null
}

/** Every check of a decoded recording. */
export const qcOf = (purpose: UploadPurpose, heard: HeardUpload): Qc => {
  const checks = checksOf(purpose, heard)
  const { found, loudness, probed } = heard
  return new Qc({
    passed: checks.every(({ passed }) => passed),
    checks,
    loudnessLufs: roundOrNull(loudness?.integratedLufs ?? null, 2),
    truePeakDbtp: roundOrNull(loudness?.truePeakDbtp ?? null, 2),
    sampleRateHz: probed.sampleRateHz,
    channels: probed.channels,
    bitrateKbps: isMp3(probed) ? bitrateOf(heard) : probed.bitrateKbps,
    silenceSec: roundOrNull(found.innerSilenceSec, 2),
    clippedPct: roundOrNull(found.clippedPct, 4)
  })
}

/** Nothing could be measured: it isn't what it claims, or can't be decoded. */
export const unmeasuredQc = (why: "container" | "decodes", detail: string, contentType: string): Qc =>
  new Qc({
    passed: false,
    ...figures,
    checks: codes.map((code) =>
      code === why
        ? check(code, false, null, null, detail)
        : code === "container"
          ? check(code, true, null, null, `It is ${contentType}, as announced.`)
          : check(
              code,
              false,
              null,
              null,
              why === "container"
                ? "It was not looked at: it is not what it was announced as."
                : "It was not looked at: the recording can't be decoded."
            )
    )
  })

const codeOf: Readonly<Record<Unairable["code"], QcCode>> = {
  silent: "loudness",
  not_a_number: "decodes",
  too_short: "duration",
  too_long: "duration",
  clipped: "clipping",
  inner_silence: "inner_silence",
  dc_offset: "dc_offset",
  undecodable: "decodes",
  length_mismatch: "decodes"
}

/** The same, with the reason why mastering failed. */
export const refusedQc = (qc: Qc, { code, detail }: Unairable): Qc =>
  new Qc({
    ...qc,
    passed: false,
    checks: qc.checks.map((each) =>
      each.code === codeOf[code] && each.passed ? new QcCheck({ ...each, passed: false, detail }) : each
    )
  })
