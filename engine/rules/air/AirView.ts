import type { AirFact, TrackFact } from "../../../schema/air/AirMetadata.ts"
import type { SegmentCategory } from "../../../schema/segments/Segment.ts"
import type { HistoryItem, NowPlaying } from "../../../schema/air/Station.ts"
import { analysisConfidenceMin } from "./limits.ts"

const factual: Partial<Record<SegmentCategory, NonNullable<NowPlaying["factualMode"]>>> = {
  news: "factual",
  weather: "factual",
  announcement: "factual",
  commentary: "opinion",
  interview: "opinion",
  panel: "opinion",
  panel_turn: "opinion",
  story: "fiction",
  comedy: "fiction",
  poetry: "fiction"
}

/** How far what is said claims to be true; null where nothing is claimed. */
export const factualModeOf = (category: SegmentCategory): NowPlaying["factualMode"] => factual[category] ?? null

/** What listeners are told of a performance; null where a person, or nobody, speaks. */
export const disclaimerOf = (category: SegmentCategory): string =>
  factualModeOf(category) === "fiction"
    ? "A performance: made up, and spoken by an AI agent."
    : "Written and spoken by an AI agent."

/** The words of what was heard, from where they are known best: from the sound, from the script, or only by its title. */
export const copyOf = ({ call, spoken }: AirFact, title: string): Pick<HistoryItem, "copy" | "copyKind"> =>
  call !== null
    ? { copy: call, copyKind: "transcript" }
    : spoken === null || spoken.hidden
      ? { copy: title, copyKind: "title" }
      : { copy: spoken.displayText, copyKind: spoken.transcribed ? "transcript" : "script" }

/** What the house composed it knows; what was handed in, it has only been told. */
const confidenceOf = ({ source }: TrackFact): number => (source === "house" ? 1 : 0.5)

const inWords = ({ bpm, genre, isInstrumental, mood }: TrackFact): string =>
  [
    `${isInstrumental ? "Instrumental" : "Sung"} ${genre.replaceAll("_", " ")}`,
    ...(mood === null ? [] : [mood]),
    ...(bpm === null ? [] : [`${Math.round(bpm)} beats a minute`])
  ].join(", ")

/** What music is like, where the station is sure enough of it. */
export const analysisOf = (track: TrackFact | null): NowPlaying["analysis"] => {
  if (track === null || (track.mood === null && track.bpm === null)) return null
  const confidence = confidenceOf(track)
  return confidence < analysisConfidenceMin
    ? null
    : { confidence, summary: `${inWords(track)}.`, mood: track.mood, bpm: track.bpm }
}
