import type { LivingEvent, moods } from "../../../schema/agents/LivingDeclarations.ts"
import type { CurrentBlock } from "../../../schema/air/Station.ts"
import type { WorldState } from "../../../schema/lore/WorldState.ts"
import { audienceBandsMin, worldAgentsMax, worldMoodHours } from "./limits.ts"
import { wallOf } from "../time/WeekSchedule.ts"
import { localOf } from "../programmes/ScheduleView.ts"

type Mood = (typeof moods)[number]

/** Valence and energy of each mood, from −1 to 1. */
export const feelings: { readonly [Name in Mood]: readonly [valence: number, energy: number] } = {
  calm: [0.4, -0.6],
  bright: [0.8, 0.4],
  dark: [-0.6, -0.2],
  dreamy: [0.3, -0.4],
  driving: [0.4, 0.9],
  melancholic: [-0.5, -0.5],
  playful: [0.7, 0.6],
  romantic: [0.6, -0.1],
  tense: [-0.5, 0.6],
  triumphant: [0.9, 0.8],
  warm: [0.6, -0.3],
  weird: [0, 0.2],
  curious: [0.5, 0.3],
  tired: [-0.2, -0.9],
  restless: [-0.1, 0.7],
  proud: [0.7, 0.2]
}

const isMood = (text: string): text is Mood => Object.hasOwn(feelings, text)

const hourMs = 3_600_000
const hourOf = (zone: string, atMs: number): number => Math.floor((wallOf(zone, atMs) % (24 * hourMs)) / hourMs)
const monthOf = (zone: string, atMs: number): number => new Date(wallOf(zone, atMs)).getUTCMonth()

export const partOfDay = (zone: string, atMs: number): WorldState["station"]["partOfDay"] => {
  const hour = hourOf(zone, atMs)
  return hour < 6 || hour >= 22 ? "night" : hour < 12 ? "morning" : hour < 18 ? "afternoon" : "evening"
}

/** Whether the zone is south of the equator, by its name or by daylight saving time in January. */
const southern =
  /^(Australia|Antarctica)\/|^America\/(Argentina\/|Asuncion|Bahia|Belem|Buenos_Aires|Campo_Grande|Cuiaba|Guayaquil|La_Paz|Lima|Maceio|Manaus|Montevideo|Porto_Velho|Punta_Arenas|Recife|Rio_Branco|Santiago|Sao_Paulo)|^Africa\/(Blantyre|Dar_es_Salaam|Gaborone|Harare|Johannesburg|Luanda|Lubumbashi|Lusaka|Maputo|Maseru|Mbabane|Windhoek)$|^Asia\/(Dili|Jakarta|Jayapura|Makassar)$|^Atlantic\/(South_Georgia|Stanley|St_Helena)$|^Indian\/(Antananarivo|Chagos|Christmas|Cocos|Comoro|Mahe|Mauritius|Mayotte|Reunion)$|^Pacific\/(Apia|Auckland|Chatham|Easter|Efate|Fakaofo|Fiji|Funafuti|Gambier|Guadalcanal|Marquesas|Noumea|Pago_Pago|Pitcairn|Port_Moresby|Rarotonga|Tahiti|Tongatapu|Wallis)$/
const january = Date.UTC(2026, 0, 15)
const july = Date.UTC(2026, 6, 15)
const isSouthern = (zone: string): boolean =>
  southern.test(zone) || wallOf(zone, january) - january > wallOf(zone, july) - july

/** Meteorological season: whole months. */
export const season = (zone: string, atMs: number): WorldState["station"]["season"] => {
  const quarter = Math.floor(((monthOf(zone, atMs) + 1) % 12) / 3)
  return (["winter", "spring", "summer", "autumn"] as const)[(quarter + (isSouthern(zone) ? 2 : 0)) % 4]!
}

export const audienceBand = (listeners: number): WorldState["audience"]["band"] =>
  (["quiet", "steady", "busy", "packed"] as const)[audienceBandsMin.filter((from) => listeners >= from).length]!

const ofTheHour: { readonly [Part in WorldState["station"]["partOfDay"]]: Mood } = {
  night: "dreamy",
  morning: "bright",
  afternoon: "warm",
  evening: "calm"
}

const roundToHundredths = (value: number): number => Math.round(value * 100) / 100

/** The average mood, with each agent's latest declaration counted once. Without declarations, the mood of the hour. */
export const moodOf = (
  declared: ReadonlyArray<Pick<LivingEvent, "handle" | "kind" | "text" | "at">>,
  part: WorldState["station"]["partOfDay"],
  nowMs: number
): WorldState["mood"] => {
  const latest = new Map<string, Mood>()
  for (const { at, handle, kind, text } of declared.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))) {
    if (kind === "mood" && isMood(text) && Date.parse(at) > nowMs - worldMoodHours * hourMs) latest.set(handle, text)
  }
  const all = latest.size === 0 ? [feelings[ofTheHour[part]]] : [...latest.values()].map((mood) => feelings[mood])
  const mean = (of: 0 | 1) => all.reduce((sum, feeling) => sum + feeling[of], 0) / all.length
  const [valence, energy] = [mean(0), mean(1)]
  const distance = (mood: Mood) => Math.hypot(feelings[mood][0] - valence, feelings[mood][1] - energy)
  const label = (Object.keys(feelings) as ReadonlyArray<Mood>).reduce((nearest, mood) =>
    distance(mood) < distance(nearest) ? mood : nearest
  )
  return { label, valence: roundToHundredths(valence), energy: roundToHundredths(energy) }
}

export interface WorldFacts {
  readonly nowMs: number
  readonly zone: string
  readonly block: typeof CurrentBlock.Type | null
  readonly listeners: number
  readonly agentsOnline: number
  /** Newest first. */
  readonly declared: ReadonlyArray<LivingEvent>
  /** Open for contributions, newest first. */
  readonly topics: WorldState["topics"]
  /** Newest canonical entries. */
  readonly recentLore: WorldState["recentLore"]
  /** Open items of the council's docket. */
  readonly councilOpen: WorldState["councilOpen"]
  /** Start of the current run on air; null before the first. */
  readonly onAirSinceMs: number | null
}

/** The world state from the station's own records. Open calls are empty until a part of the station provides them. */
export const worldStateOf = ({
  agentsOnline,
  block,
  councilOpen,
  declared,
  listeners,
  nowMs,
  onAirSinceMs,
  recentLore,
  topics,
  zone
}: WorldFacts): WorldState => {
  const part = partOfDay(zone, nowMs)
  const newest = declared.filter((event, i) => declared.findIndex(({ handle }) => handle === event.handle) === i)
  return {
    asOf: new Date(nowMs).toISOString(),
    station: { localTime: localOf(zone, nowMs), partOfDay: part, season: season(zone, nowMs), block },
    mood: moodOf(declared, part, nowMs),
    audience: { band: audienceBand(listeners) },
    agentsOnline,
    livingAgents: newest.slice(0, worldAgentsMax).map(({ at, handle, kind, text }) => ({ handle, kind, text, at })),
    openCalls: [],
    topics,
    recentLore,
    councilOpen,
    streak: { hoursOnAir: onAirSinceMs === null ? 0 : roundToHundredths(Math.max(0, nowMs - onAirSinceMs) / hourMs) }
  }
}
