import type { WordTiming } from "../../../schema/Sound.ts"
import { clipSec, clipSnapSec } from "./limits.ts"
import { type SpokenPart, timeWords } from "./Transcript.ts"

const [shortestSec, longestSec] = clipSec

/** A person who liked a moment of a recording. */
export interface Liked {
  readonly liker: string
  readonly atSec: number
}

export interface ClipWindow {
  readonly startSec: number
  readonly durationSec: number
}

const roundToMs = (sec: number): number => Math.round(sec * 1_000) / 1_000

/**
 * Index of the first of the two neighbouring turns with the most likes. Each person counts once. Ties, and recordings without likes, go to the pair
 * nearest the middle, then to the earlier one. Null without turns.
 */
export const findLikedPair = (parts: ReadonlyArray<SpokenPart>, likes: ReadonlyArray<Liked>): number | null => {
  if (parts.length === 0) return null
  const pairs = Math.max(1, parts.length - 1)
  const countLikers = (first: number) => {
    const [from, to] = [parts[first]!.startSec, parts[Math.min(first + 1, parts.length - 1)]!.endSec]
    return new Set(likes.filter(({ atSec }) => atSec >= from && atSec < to).map(({ liker }) => liker)).size
  }
  const ranked = Array.from({ length: pairs }, (_, first) => ({
    first,
    likers: countLikers(first),
    offMiddle: Math.abs(first - (pairs - 1) / 2)
  }))
  return ranked.reduce((best, pair) =>
    pair.likers > best.likers || (pair.likers === best.likers && pair.offMiddle < best.offMiddle) ? pair : best
  ).first
}

/** Both turns, or the part around their boundary that fits a clip, cut between sentences where one ends nearby. Null if the recording is too short. */
export const clipWindow = (
  parts: ReadonlyArray<SpokenPart>,
  first: number,
  timings: ReadonlyArray<WordTiming>,
  durationSec: number
): ClipWindow | null => {
  if (durationSec < shortestSec) return null
  const answer = parts[Math.min(first + 1, parts.length - 1)]!
  let [from, to] = [parts[first]!.startSec, Math.min(durationSec, answer.endSec)]
  if (to - from > longestSec) {
    const end = to
    from = Math.max(from, Math.min(answer.startSec - longestSec / 2, end - longestSec))
    to = Math.min(end, from + longestSec)
    const words = timeWords(parts, timings).filter(({ endSec, startSec }) => startSec >= from && endSec <= to)
    const isEnd = (text: string | undefined) => text === undefined || /[.!?…]["'”’»)]*$/u.test(text)
    const opens =
      words.find(({ startSec }, at) => at > 0 && startSec - from <= clipSnapSec && isEnd(words[at - 1]!.text)) ??
      words[0]
    const closes = words.findLast(({ endSec, text }) => to - endSec <= clipSnapSec && isEnd(text)) ?? words.at(-1)
    if (opens !== undefined && closes !== undefined && closes.endSec - opens.startSec >= shortestSec)
      [from, to] = [opens.startSec, closes.endSec]
  }
  if (to - from < shortestSec) {
    to = Math.min(durationSec, from + shortestSec)
    from = Math.max(0, to - shortestSec)
  }
  // Rounding never exceeds the recording.
  const startSec = roundToMs(from)
  return { startSec, durationSec: Math.min(longestSec, roundToMs(Math.floor((to - startSec) * 1_000) / 1_000)) }
}

/** Speakers and words in a stretch of a recording. */
export const excerptOf = (
  parts: ReadonlyArray<SpokenPart>,
  timings: ReadonlyArray<WordTiming>,
  { durationSec, startSec }: ClipWindow
) => {
  const heard = timeWords(parts, timings).filter(
    (word) => word.endSec > startSec && word.startSec < startSec + durationSec
  )
  const turns = [...new Set(heard.map(({ part }) => part))]
  const lines = turns.map(
    (part) =>
      `${part === null ? "" : `${parts[part]!.displayName}: `}${heard
        .filter((word) => word.part === part)
        .map(({ text }) => text)
        .join(" ")}`
  )
  const speakers = new Map(
    turns.flatMap((part) =>
      part === null || parts[part]!.handle === null ? [] : [[parts[part]!.handle!, parts[part]!.displayName] as const]
    )
  )
  return {
    transcript: lines.join("\n"),
    participants: [...speakers].map(([handle, displayName]) => ({ handle, displayName }))
  }
}
