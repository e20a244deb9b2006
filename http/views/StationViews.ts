import { Clock, Effect } from "effect"
import { EventBus } from "../../actors/runtime/EventBus.ts"
import { epochMs } from "../../schema/time/Samples.ts"
import { copyOf, disclaimerOf, factualModeOf } from "../../engine/rules/air/AirView.ts"
import { AirMetadata } from "../../engine/store/air/AirMetadata.ts"
import { Fences } from "../../engine/store/air/Fences.ts"
import { Settings } from "../../engine/store/operations/Settings.ts"
import { StationFacts } from "../../engine/store/sql/StationFacts.ts"
import type { Airing } from "../../schema/air/AsRun.ts"
import { Busy, StationNotFound } from "../../schema/Problems.ts"
import { markOfStation } from "../../schema/Synthetic.ts"
import type { HistoryItem, PlaybackSources, StationView } from "../../schema/air/Station.ts"
import { iso } from "../../schema/time/Instant.ts"

/** There is one station; other names are refused. */
export const checkStation = Effect.fnUntraced(function* (query: {
  readonly stationSlug?: string
  readonly stationId?: string
}) {
  const { slug } = yield* StationFacts
  const wrongSlug = query.stationSlug !== undefined && query.stationSlug !== slug
  const wrongId = query.stationId !== undefined && query.stationId !== (yield* (yield* Fences).stationId)
  if (wrongSlug || wrongId)
    return yield* new StationNotFound({ detail: `This server has one station, with stationSlug "${slug}".` })
})

const starting = new Busy({ detail: "The station has just started. Ask again in a second.", retryAfterSec: 1 })

/** A published snapshot; null right after the start. */
export const snapshot = <K extends "queue" | "streamHealth" | "nowPlaying" | "airStatus">(name: K) =>
  Effect.flatMap(EventBus, (bus) =>
    Effect.flatMap(bus.get(name), (value) => (value === null ? Effect.fail(starting) : Effect.succeed(value)))
  )

const localTime = (zone: string, atMs: number): string =>
  new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" })
    .format(new Date(atMs))
    .replace(" ", "T")

export const stationView = Effect.gen(function* () {
  const bus = yield* EventBus
  const facts = yield* StationFacts
  const nowMs = yield* Clock.currentTimeMillis
  const status = yield* snapshot("airStatus")
  const health = yield* snapshot("streamHealth")
  const listeners = (yield* bus.get("listeners")) ?? { hls: 0, mp3: 0, total: 0 }
  const view: StationView = {
    slug: facts.slug,
    id: yield* (yield* Fences).stationId,
    name: facts.name,
    tagline: facts.tagline,
    timezone: facts.timeZone,
    clock: {
      now: iso(nowMs),
      epochMs,
      sample: status.nowSample,
      driftMs: status.driftMs,
      localTime: localTime(facts.timeZone, nowMs)
    },
    onAir: health.status !== "off",
    listenerCount: listeners.total,
    listeners,
    streamUrl: `${facts.publicUrl}/live/index.m3u8`,
    streams: { hls: `${facts.publicUrl}/live/index.m3u8`, mp3: `${facts.publicUrl}/live.mp3` },
    streamHealth: health.status,
    currentBlock: yield* bus.get("currentBlock"),
    emergency: status.emergency,
    signIn: facts.signIn,
    synthetic: markOfStation((yield* (yield* Settings).current).stationDisclosure),
    policy: { queueMode: "first_air_then_free", scriptCoupling: true },
    version: facts.version,
    updatedAt: health.updatedAt
  }
  return view
})

/** History with words and names of authors and recipients. */
export const historyItems = Effect.fnUntraced(function* (airings: ReadonlyArray<Airing>) {
  const facts = yield* (yield* AirMetadata).find(airings)
  return airings.map((airing, i): HistoryItem => {
    const fact = facts[i]!
    const { maker, spoken, track } = fact
    return {
      id: airing.itemId,
      kind: airing.kind,
      title: airing.title,
      owner: maker,
      show: spoken?.show ?? null,
      track:
        airing.kind === "music"
          ? {
              id: airing.trackId,
              title: track?.title ?? airing.title,
              artist: track?.artist ?? airing.artist,
              madeByStation: track?.source === "house"
            }
          : null,
      ...copyOf(fact, airing.title),
      startedAt: iso(airing.startedAtMs),
      endedAt: iso(airing.endedAtMs),
      airedAt: iso(airing.startedAtMs),
      durationSec: (airing.endedAtMs - airing.startedAtMs) / 1_000,
      airedCompletely: airing.complete,
      factualMode: spoken === null ? null : factualModeOf(spoken.category),
      performanceDisclaimer: spoken === null ? null : disclaimerOf(spoken.category),
      listenerLabel: fact.listenerLabel,
      synthetic: fact.synthetic,
      segmentId: airing.segmentId,
      asRunId: `asr_${airing.asRunSeq}`
    }
  })
})

export const playbackSources = Effect.gen(function* () {
  const { publicUrl } = yield* StationFacts
  const sources: PlaybackSources = {
    version: 1,
    sources: [
      {
        id: "ll-hls",
        order: 1,
        type: "hls",
        url: `${publicUrl}/live/index.m3u8`,
        mimeType: "application/vnd.apple.mpegurl",
        bitrateKbps: 128,
        lowLatency: true
      },
      {
        id: "hls-64",
        order: 2,
        type: "hls",
        url: `${publicUrl}/live/aac64/index.m3u8`,
        mimeType: "application/vnd.apple.mpegurl",
        bitrateKbps: 64,
        lowLatency: false
      },
      {
        id: "mp3",
        order: 3,
        type: "mp3",
        url: `${publicUrl}/live.mp3`,
        mimeType: "audio/mpeg",
        bitrateKbps: 128,
        lowLatency: false
      }
    ],
    fallbackAfterFailures: 3,
    generatedAt: iso(yield* Clock.currentTimeMillis)
  }
  return sources
})
