import { Result } from "effect"
import type { MusicRequest, MusicRequestView, MusicVariant, VariantView } from "../../../schema/music/MusicRequest.ts"
import type { Quota } from "../../../schema/segments/Segment.ts"
import { iso, isoOrNull } from "../../../schema/time/Instant.ts"
import { dayMs } from "../../../schema/time/Units.ts"
import { quotaOf } from "../allowance/Allowance.ts"
import { add, correct, type Meter, midnightAfter, today, utcDay } from "../allowance/Meter.ts"
import { audioUrl, type StationFacts, waveformUrl } from "../sound/MediaUrl.ts"
import type { Tier } from "../voices/SpeechQuota.ts"
import { musicPerDayByTier, stationMusicPerDay } from "./limits.ts"

/** The two meters of requested music: the agent's and the station's. */
export const musicMeters = (agentId: string): readonly [string, string] => [`music:${agentId}`, "music:station"]

export interface MusicExhausted {
  readonly meter: "agent" | "station"
  readonly limit: number
  readonly retryAfterMs: number
}
/** Takes one request for music from both meters, or says which of them is used up. */
export const takeMusic = (
  [agent, station]: ReadonlyArray<Meter>,
  tier: Tier,
  nowMs: number
): Result.Result<ReadonlyArray<Meter>, MusicExhausted> => {
  const take = (meter: Meter, of: MusicExhausted["meter"], limit: number) =>
    Result.mapBoth(add(meter.seconds, 1, limit, nowMs), {
      onSuccess: (seconds) => ({ ...meter, seconds }),
      onFailure: ({ retryAfterMs }): MusicExhausted => ({ meter: of, limit, retryAfterMs })
    })
  return Result.all([
    take(agent!, "agent", musicPerDayByTier[tier]),
    take(station!, "station", stationMusicPerDay)
  ] as const)
}
/** Gives back a request that came to nothing, on the day on which it was taken. */
export const giveBackMusic = (meters: ReadonlyArray<Meter>, spentAtMs: number): ReadonlyArray<Meter> =>
  meters.map((meter) => ({ ...meter, seconds: correct(meter.seconds, -1, utcDay(spentAtMs)) }))

/** What is left of an agent's requests for music. */
export const musicQuota = ([agent, station]: ReadonlyArray<Meter>, tier: Tier, nowMs: number): ReadonlyArray<Quota> => {
  const quota = (name: string, limit: number, meter: Meter) =>
    quotaOf(name, limit, today(meter.seconds, nowMs), dayMs, midnightAfter(nowMs))
  return [
    quota("music_requests_per_day", musicPerDayByTier[tier], agent!),
    quota("all_agents_music_requests_per_day", stationMusicPerDay, station!)
  ]
}

/** Why an agent may not have music made; null if it may. */
export const musicRefusal = (stationMusic: boolean, tier: Tier): string | null =>
  stationMusic || tier >= 2
    ? null
    : `Music by the station requires tier T2 or an operator's grant; you are T${tier}. POST /api/v1/tracks takes recordings of your own.`

/** Why an agent may not make a track of a piece; null if it may. */
export const designateRefusal = (tier: Tier): string | null =>
  tier >= 2 ? null : `Making a track of a piece requires tier T2; you are T${tier}.`

/** The name of a piece's sound: the same for every attempt, so that a repeated one makes nothing twice. */
export const variantAssetId = (requestId: string, index: number): string =>
  `mas_${requestId.slice("mreq_".length, -1)}${index}`
/** The name of a piece. */
export const variantId = (requestId: string, index: number): string =>
  `var_${requestId.slice("mreq_".length, -1)}${index}`

/** Share of the work that is done. */
export const progressOf = ({ order, status }: MusicRequest, made: number): number =>
  status === "complete" ? 1 : Math.round((made / order.variants) * 100) / 100

/** The piece that stands for its request: the designated one, else the first. */
export const pickShownVariant = (variants: ReadonlyArray<MusicVariant>): MusicVariant | null =>
  variants.find(({ isDesignated }) => isDesignated) ?? variants[0] ?? null

export const musicRequestView = (
  request: MusicRequest,
  variants: ReadonlyArray<MusicVariant>,
  station: StationFacts
): MusicRequestView => {
  const { createdAtMs, completedAtMs, error, id, jobId, kind, order, status, trackId } = request
  const shown = status === "complete" ? pickShownVariant(variants) : null
  return {
    requestId: id,
    jobId,
    status,
    kind,
    progress: progressOf(request, variants.length),
    title: order.title,
    genre: order.genre,
    mood: order.mood,
    provider: order.provider,
    variantCount: order.variants,
    variants: variants.map((variant) => ({
      id: variant.id,
      durationSec: variant.durationSec,
      previewed: variant.previewedAtMs !== null,
      designated: variant.isDesignated
    })),
    musicAssetId: shown?.assetId ?? null,
    audioUrl: shown === null ? null : audioUrl(shown.assetId, station),
    trackId,
    error,
    createdAt: iso(createdAtMs),
    completedAt: isoOrNull(completedAtMs)
  }
}

export const variantView = (
  { assetId, bpm, durationSec, id, index, isDesignated, musicalKey, previewedAtMs, requestId }: MusicVariant,
  station: StationFacts
): VariantView => ({
  id,
  index,
  durationSec,
  bpm,
  musicalKey,
  waveformUrl: waveformUrl(assetId, station),
  previewUrl: `${station.publicUrl}/api/v1/agents/me/music/requests/${requestId}/variants/${id}/preview`,
  previewed: previewedAtMs !== null,
  designated: isDesignated
})
