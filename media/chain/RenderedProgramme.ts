import { createHash } from "node:crypto"
import { aacFrameSamples, encoderBehindMaxSec } from "../../engine/rules/air/limits.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import type { AirSource } from "../mixer/AirSource.ts"
import { AirChain, type AirSinks } from "./AirChain.ts"
import { mp3FrameSamples } from "../encode/Mp3Frames.ts"
import { PcmRing } from "../encode/PcmRing.ts"
import { systemTime } from "../clock/StationClock.ts"
import { callAfter } from "../clock/Ticker.ts"

export interface RenderedProgramme {
  readonly pcmSha256: string
  readonly samples: number
  readonly parts: number
  readonly mp3Frames: number
}
const drainPollMs = 2
/**
 * Renders a stretch of the broadcast through the whole chain, faster than real time: mixed, encoded in every rendition, packed into parts.
 * `source` begins at `startSample`, a border of AAC frames.
 */
export const renderProgramme = async (ask: {
  readonly source: AirSource
  readonly ffmpeg: string
  readonly startSample: number
  readonly samples: number
  readonly sinks?: Partial<AirSinks>
}): Promise<RenderedProgramme> => {
  const ring = new PcmRing()
  ring.begin(ask.startSample)
  const hash = createHash("sha256")
  const frame = Math.ceil(ask.startSample / aacFrameSamples)
  let parts = 0
  let mp3Frames = 0
  const chain = new AirChain({
    source: ask.source,
    ring,
    ffmpeg: ask.ffmpeg,
    monoMs: systemTime.monoMs,
    nextAacFrame: { aac128: frame, aac64: frame },
    nextMp3Frame: Math.ceil(ask.startSample / mp3FrameSamples),
    sinks: {
      onPart: (part) => {
        parts += 1
        ask.sinks?.onPart?.(part)
      },
      onMp3: (first, frames) => {
        mp3Frames += frames.length
        ask.sinks?.onMp3?.(first, frames)
      },
      onEvent: (event) => ask.sinks?.onEvent?.(event),
      onPcm: (block) => {
        hash.update(new Uint8Array(block.buffer, block.byteOffset, block.byteLength))
        ask.sinks?.onPcm?.(block)
      }
    }
  })
  const to = ask.startSample + ask.samples
  while (ring.writtenTo < to || !chain.fed) {
    chain.renderTo(Math.min(to, ring.writtenTo + encoderBehindMaxSec * sampleRateHz))
    await new Promise<void>((resolve) => {
      callAfter(drainPollMs, resolve)
    })
  }
  await chain.finish()
  return { pcmSha256: hash.digest("hex"), samples: ask.samples, parts, mp3Frames }
}
