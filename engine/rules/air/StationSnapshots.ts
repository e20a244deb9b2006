import type { AirStatus, ItemLabel } from "../../../schema/air/Air.ts"
import type { AirFact } from "../../../schema/air/AirMetadata.ts"
import type { Rundown, RundownItem } from "../../../schema/air/Rundown.ts"
import type { NowPlaying, QueueHealth, StreamHealth } from "../../../schema/air/Station.ts"
import type { Synthetic } from "../../../schema/Synthetic.ts"
import { partLateMs, rundownAheadSec, rundownItemsMin } from "./limits.ts"
import { coverUrl } from "../sound/MediaUrl.ts"
import { analysisOf, factualModeOf } from "./AirView.ts"
import { isMadeByStation, kindOf } from "./Rundown.ts"
import { msOf } from "../../../schema/time/Samples.ts"
import { endOf, lengthOf } from "./ItemSequence.ts"
import { iso } from "../../../schema/time/Instant.ts"
const seconds = (samples: number): number => Math.round(samples / 48) / 1_000
/**
 * The item on air. Never empty: the emergency programme is an item too. `startedAt` follows the clock of the samples, which also dates the stream, so
 * a listener with any delay can match it to the stream's dates.
 */
export const nowPlayingOf = (
  heard: {
    readonly item: RundownItem | null
    readonly label: ItemLabel
    readonly startSample: number
    readonly endSample: number | null
  },
  about: AirFact,
  next: RundownItem | null,
  nowSample: number,
  publicUrl: string,
  nextMark: Synthetic = null
): NowPlaying => {
  const { item, label, startSample } = heard
  const endSample = heard.endSample ?? (item === null ? null : startSample + lengthOf(item.airable))
  const music = item !== null && label.kind === "music"
  const { listenerLabel, maker, track } = about
  const spoken = about.spoken?.hidden === true ? null : about.spoken
  return {
    item: {
      id: item?.id ?? null,
      kind: label.kind,
      startedAt: iso(msOf(startSample)),
      endsAt: endSample === null ? null : iso(msOf(endSample)),
      durationSec: endSample === null ? null : seconds(endSample - startSample),
      positionSec: seconds(Math.max(0, nowSample - startSample)),
      airSample: startSample,
      synthetic: label.synthetic
    },
    segment:
      spoken === null
        ? null
        : { id: spoken.id, title: spoken.title, category: spoken.category, owner: maker, show: spoken.show },
    track: music
      ? {
          id: item.airable.trackId,
          title: label.title,
          artist: track?.artist ?? item.airable.artist,
          madeByStation: isMadeByStation(item.airable),
          genre: track?.genre ?? item.airable.genre,
          coverUrl: item.airable.trackId === null ? null : coverUrl(item.airable.trackId, { publicUrl }),
          isInstrumental: track?.isInstrumental ?? true
        }
      : null,
    script: spoken?.scriptText ?? null,
    displayText: about.call ?? spoken?.displayText ?? label.title,
    lyrics: track?.lyrics ?? null,
    analysis: analysisOf(track),
    captionsUrl: item?.airable.speech === true ? `${publicUrl}/live/words/item/${item.id}.vtt` : null,
    next: next === null ? null : { kind: kindOf(next), title: next.airable.title, synthetic: nextMark },
    factualMode: spoken === null ? null : factualModeOf(spoken.category),
    listenerLabel,
    updatedAt: iso(msOf(nowSample))
  }
}
/** Health of the queue: `low` below a dozen items or half an hour. */
export const queueHealthOf = (
  rundown: Rundown,
  waiting: { readonly pendingReview: number; readonly oldestWaitingSec: number | null },
  nowSample: number
): QueueHealth => {
  const ahead = rundown.items.filter((item) => item.startSample > nowSample)
  const last = ahead.at(-1)
  const depthSec = last === undefined ? 0 : seconds(endOf(last) - nowSample)
  const count = (kind: ReturnType<typeof kindOf>) => ahead.filter((item) => kindOf(item) === kind).length
  return {
    health:
      ahead.length === 0 ? "empty" : ahead.length < rundownItemsMin || depthSec < rundownAheadSec ? "low" : "healthy",
    depthItems: ahead.length,
    depthSec,
    nextItemAt: ahead[0] === undefined ? null : iso(msOf(ahead[0].startSample)),
    byKind: {
      segment: count("segment"),
      music: count("music"),
      station_id: count("station_id"),
      filler: count("filler"),
      other: 0
    },
    pendingReview: waiting.pendingReview,
    oldestWaitingSec: waiting.oldestWaitingSec,
    updatedAt: iso(msOf(nowSample))
  }
}
/** Whether at least one output is configured and all of them are being encoded. */
export const isOnAir = ({ outputs }: AirStatus): boolean =>
  outputs.length > 0 && outputs.every(({ running }) => running)
/** Health of the stream: `off` if nothing is encoded; `degraded` if an output is late, down or silent, or the rundown has a gap. */
export const streamHealthOf = (status: AirStatus, restarts24h: number, hasProgramme: boolean): StreamHealth => {
  const isUp = (lagMs: number | null, running: boolean) => running && (lagMs === null || lagMs <= partLateMs)
  const running = status.outputs.some((output) => output.running)
  const healthy =
    status.outputs.length > 0 &&
    status.outputs.every((output) => isUp(output.lagMs, output.running)) &&
    !status.probe.silent &&
    hasProgramme
  const startedAtMs = Math.min(status.nowMs, ...status.outputs.map((output) => output.startedAtMs))
  return {
    status: !running ? "off" : status.emergency ? "emergency" : healthy ? "healthy" : "degraded",
    provider: "longwave",
    encoder: { running, restarts24h, uptimeSec: Math.max(0, Math.round((status.nowMs - startedAtMs) / 1_000)) },
    outputs: status.outputs.map((output) => ({
      id: output.id,
      status: isUp(output.lagMs, output.running) ? "up" : "down",
      bitrateKbps: output.bitrateKbps,
      lastPartAt: output.lastPartAtMs === null ? null : iso(output.lastPartAtMs),
      lagMs: output.lagMs
    })),
    probe: {
      silent: status.probe.silent,
      lastCheckedAt: status.probe.checkedAtMs === null ? null : iso(status.probe.checkedAtMs),
      loudnessLufs: status.probe.loudnessLufs
    },
    emergency: status.emergency,
    updatedAt: iso(status.nowMs)
  }
}
