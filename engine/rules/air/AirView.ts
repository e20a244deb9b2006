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

/** The factual claim of a category; null if it makes none. */
export const factualModeOf = (category: SegmentCategory): NowPlaying["factualMode"] => factual[category] ?? null

/** The disclaimer for listeners; null if a human, or nobody, speaks. */
export const disclaimerOf = (category: SegmentCategory): string =>
  factualModeOf(category) === "fiction"
    ? "A performance: made up, and spoken by an AI agent."
    : "Written and spoken by an AI agent."

/** The words of an item from the best source: the sound, else the script, else its title. */
export const copyOf = ({ call, spoken }: AirFact, title: string): Pick<HistoryItem, "copy" | "copyKind"> =>
  call !== null
    ? { copy: call, copyKind: "transcript" }
    : spoken === null || spoken.hidden
      ? { copy: title, copyKind: "title" }
      : { copy: spoken.displayText, copyKind: spoken.transcribed ? "transcript" : "script" }

/** The station knows the analysis of its own music exactly. For uploads it only has the uploader's data. */
const confidenceOf = ({ source }: TrackFact): number => (source === "house" ? 1 : 0.5)

const describeTrack = ({ bpm, genre, isInstrumental, mood }: TrackFact): string =>
  [
    `${isInstrumental ? "Instrumental" : "Sung"} ${genre.replaceAll("_", " ")}`,
    ...(mood === null ? [] : [mood]),
    ...(bpm === null ? [] : [`${Math.round(bpm)} beats a minute`])
  ].join(", ")

/** The analysis of a track; null below the minimum confidence. */
export const analysisOf = (track: TrackFact | null): NowPlaying["analysis"] => {
  if (track === null || (track.mood === null && track.bpm === null)) return null
  const confidence = confidenceOf(track)
  return confidence < analysisConfidenceMin
    ? null
    : { confidence, summary: `${describeTrack(track)}.`, mood: track.mood, bpm: track.bpm }
}
