import type { Candidate, Play } from "../../schema/Rundown.ts"
import {
  agentSeparationMs, artistSeparationMs, rotationWeightMax, rotationWeightMin, topicSeparationMs, trackSeparationMs
} from "../Limits.ts"

/** How music is chosen: shares of the classes, distances that have to lie between two airings, and the seed of every draw. */
export interface RotationRules {
  readonly seed: number
  readonly shares: Readonly<Record<string, number>>
  readonly separation: { readonly trackMs: number; readonly artistMs: number; readonly agentMs: number; readonly topicMs: number }
}

export const defaultRotation = (seed: number): RotationRules => ({
  seed,
  shares: { contributed: 3, house: 1 },
  separation: { trackMs: trackSeparationMs, artistMs: artistSeparationMs, agentMs: agentSeparationMs, topicMs: topicSeparationMs }
})

export interface Pick {
  readonly candidate: Candidate
  readonly trace: ReadonlyArray<string>
}

/** A well-mixed 32-bit figure from seed, turn and text: the only chance there is, and anyone can draw it again. */
export const draw = (seed: number, turn: number, text: string): number => {
  let h = (seed ^ 0x9e3779b9) >>> 0
  for (const n of [turn, ...Array.from(text, (c) => c.codePointAt(0)!)]) {
    h = Math.imul(h ^ n, 0x85ebca6b) >>> 0
    h = (h ^ (h >>> 13)) >>> 0
  }
  h = Math.imul(h ^ (h >>> 16), 0xc2b2ae35) >>> 0
  return (h ^ (h >>> 16)) >>> 0
}

const share = (seed: number, turn: number, text: string): number => draw(seed, turn, text) / 0x1_0000_0000

/** Classes in the order in which they are asked: a weighted draw without putting back. */
export const classOrder = (rules: RotationRules, turn: number, classes: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...classes]
    .map((name) => {
      const weight = Math.max(1e-6, rules.shares[name] ?? 1)
      return { name, key: -Math.log(1 - share(rules.seed, turn, `class:${name}`)) / weight }
    })
    .sort((a, b) => a.key - b.key || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name)

type Rule = "topic" | "agent" | "artist" | "track"
/** What hurts least is given up first. */
const relaxing: ReadonlyArray<Rule> = ["topic", "agent", "artist", "track"]

const near = (plays: ReadonlyArray<Play>, atMs: number, distanceMs: number, same: (play: Play) => boolean): boolean =>
  plays.some((play) => same(play) && Math.abs(atMs - play.atMs) < distanceMs)

const breaks = (rules: RotationRules, plays: ReadonlyArray<Play>, atMs: number, { airable }: Candidate): ReadonlySet<Rule> => {
  const { agentMs, artistMs, topicMs, trackMs } = rules.separation
  const broken = new Set<Rule>()
  if (near(plays, atMs, trackMs, (play) => play.assetId === airable.assetId)) broken.add("track")
  if (airable.artist !== null && near(plays, atMs, artistMs, (play) => play.artist === airable.artist)) broken.add("artist")
  if (airable.agentId !== null && near(plays, atMs, agentMs, (play) => play.agentId === airable.agentId)) broken.add("agent")
  if (airable.topic !== null && near(plays, atMs, topicMs, (play) => play.topic === airable.topic)) broken.add("topic")
  return broken
}

/** How long it has rested, stretched by its weight: votes can hurry an airing, never force it. */
const rest = (candidate: Candidate, plays: ReadonlyArray<Play>, atMs: number): number => {
  const last = plays.reduce(
    (newest, play) => play.assetId === candidate.airable.assetId ? Math.max(newest, play.atMs) : newest,
    candidate.lastPlayedMs ?? Number.NEGATIVE_INFINITY
  )
  return (atMs - last) * Math.min(rotationWeightMax, Math.max(rotationWeightMin, candidate.weight))
}

/**
 * The next piece of music: a class by its share, in it the one that has rested longest and keeps every distance.
 * When none does, distances are given up one after the other, and the trace says which.
 * The candidates are a bounded list: the cost does not know how large the library is.
 */
export const pick = (ask: {
  readonly rules: RotationRules
  readonly turn: number
  readonly atMs: number
  readonly candidates: ReadonlyArray<Candidate>
  readonly plays: ReadonlyArray<Play>
  readonly genres: ReadonlyArray<string>
}): Pick | null => {
  const { atMs, candidates, genres, plays, rules, turn } = ask
  if (candidates.length === 0) return null
  const rated = candidates.map((candidate) => ({
    candidate,
    broken: breaks(rules, plays, atMs, candidate),
    rest: rest(candidate, plays, atMs),
    fits: genres.length === 0 || (candidate.airable.genre !== null && genres.includes(candidate.airable.genre)),
    chance: draw(rules.seed, turn, candidate.airable.assetId)
  }))
  const classes = classOrder(rules, turn, [...new Set(candidates.map((candidate) => candidate.rotationClass))])
  for (let given = 0; given <= relaxing.length; given++) {
    const relaxed = new Set<Rule>(relaxing.slice(0, given))
    // Where artists or tracks come too soon, the block's taste is given up first: a few songs that fit would go round and round.
    const prefers = !relaxed.has("artist")
    for (const name of classes) {
      const eligible = rated.filter((one) => one.candidate.rotationClass === name && [...one.broken].every((rule) => relaxed.has(rule)))
      const inGenre = eligible.filter((one) => one.fits && prefers)
      const pool = inGenre.length > 0 ? inGenre : eligible
      const best = pool.reduce<(typeof pool)[number] | null>((best, one) =>
        best === null || one.rest > best.rest || (one.rest === best.rest && one.chance > best.chance) ? one : best, null)
      if (best === null) continue
      return {
        candidate: best.candidate,
        trace: [
          `rotation: turn ${turn}, class ${name} of ${classes.join(" > ")}`,
          ...relaxing.slice(0, given).filter((rule) => rated.some((one) => one.broken.has(rule))).map((rule) => `relaxed: ${rule} separation`),
          ...(genres.length > 0 && !best.fits ? ["relaxed: genre of the block"] : []),
          Number.isFinite(best.rest) ? `rested longest: ${Math.round(best.rest / 60_000)} min weighted` : "never aired before"
        ]
      }
    }
  }
  return null
}
