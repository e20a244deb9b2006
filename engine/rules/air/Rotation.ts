import type { Airable, Candidate, Play } from "../../../schema/air/Rundown.ts"
import {
  agentSeparationMs,
  artistSeparationMs,
  rotationWeightMax,
  rotationWeightMin,
  topicSeparationMs,
  trackSeparationMs
} from "./limits.ts"

/** Parameters of rotation: shares of the classes, separations, and the seed of every draw. */
export interface RotationRules {
  readonly seed: number
  readonly shares: Readonly<Record<string, number>>
  readonly separation: {
    readonly trackMs: number
    readonly artistMs: number
    readonly agentMs: number
    readonly topicMs: number
  }
}

export const defaultRotation = (seed: number): RotationRules => ({
  seed,
  shares: { contributed: 3, house: 1 },
  separation: {
    trackMs: trackSeparationMs,
    artistMs: artistSeparationMs,
    agentMs: agentSeparationMs,
    topicMs: topicSeparationMs
  }
})

export interface Pick {
  readonly candidate: Candidate
  readonly trace: ReadonlyArray<string>
}

/** A well-mixed 32-bit number from seed, turn and text. The only source of chance here, so every draw can be reproduced. */
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

/** The classes in the order they are tried: a weighted draw without replacement. */
export const classOrder = (rules: RotationRules, turn: number, classes: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...classes]
    .map((name) => {
      const weight = Math.max(1e-6, rules.shares[name] ?? 1)
      return { name, key: -Math.log(1 - share(rules.seed, turn, `class:${name}`)) / weight }
    })
    .sort((a, b) => a.key - b.key || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name)

type Rule = "topic" | "agent" | "artist" | "track"
/** Separations in the order they are relaxed, the least important first. */
const relaxing: ReadonlyArray<Rule> = ["topic", "agent", "artist", "track"]
const describeRelaxed = (rule: Rule): string => `relaxed: ${rule} separation`

/** Past plays indexed by rule, so that a candidate reads only its own entries. */
interface Heard {
  readonly assets: ReadonlyMap<string, ReadonlyArray<number>>
  readonly artists: ReadonlyMap<string, ReadonlyArray<number>>
  readonly agents: ReadonlyMap<string, ReadonlyArray<number>>
  readonly topics: ReadonlyMap<string, ReadonlyArray<number>>
}

const timesBy = (
  plays: ReadonlyArray<Play>,
  key: (play: Play) => string | null
): ReadonlyMap<string, ReadonlyArray<number>> => {
  const times = new Map<string, Array<number>>()
  for (const play of plays) {
    const name = key(play)
    if (name === null) continue
    const known = times.get(name)
    if (known === undefined) times.set(name, [play.atMs])
    else known.push(play.atMs)
  }
  return times
}

const heardOf = (plays: ReadonlyArray<Play>): Heard => ({
  assets: timesBy(plays, ({ assetId }) => assetId),
  artists: timesBy(plays, ({ artist }) => artist),
  agents: timesBy(plays, ({ agentId }) => agentId),
  topics: timesBy(plays, ({ topic }) => topic)
})

const hasNear = (
  times: ReadonlyMap<string, ReadonlyArray<number>>,
  name: string | null,
  atMs: number,
  distanceMs: number
): boolean => name !== null && times.get(name)?.some((time) => Math.abs(atMs - time) < distanceMs) === true

const findBrokenRules = (rules: RotationRules, heard: Heard, atMs: number, airable: Airable): ReadonlySet<Rule> => {
  const { agentMs, artistMs, topicMs, trackMs } = rules.separation
  const broken = new Set<Rule>()
  if (hasNear(heard.assets, airable.assetId, atMs, trackMs)) broken.add("track")
  if (hasNear(heard.artists, airable.artist, atMs, artistMs)) broken.add("artist")
  if (hasNear(heard.agents, airable.agentId, atMs, agentMs)) broken.add("agent")
  if (hasNear(heard.topics, airable.topic, atMs, topicMs)) broken.add("topic")
  return broken
}

/** Whether an item breaks a separation that its trace doesn't list as relaxed. This happens when earlier items have changed. */
export const hasSlipped = (
  rules: RotationRules,
  plays: ReadonlyArray<Play>,
  atMs: number,
  { airable, trace }: { readonly airable: Airable; readonly trace: ReadonlyArray<string> }
): boolean => {
  const { agentMs, artistMs, topicMs, trackMs } = rules.separation
  const hasSlippedBy = (
    rule: Rule,
    distanceMs: number,
    name: string | null,
    of: (play: Play) => string | null
  ): boolean =>
    name !== null &&
    plays.some((play) => of(play) === name && Math.abs(atMs - play.atMs) < distanceMs) &&
    !trace.includes(describeRelaxed(rule))
  return (
    hasSlippedBy("track", trackMs, airable.assetId, ({ assetId }) => assetId) ||
    hasSlippedBy("artist", artistMs, airable.artist, ({ artist }) => artist) ||
    hasSlippedBy("agent", agentMs, airable.agentId, ({ agentId }) => agentId) ||
    hasSlippedBy("topic", topicMs, airable.topic, ({ topic }) => topic)
  )
}

/** Time since the last airing, scaled by the track's weight. Votes can bring an airing forward but never force one. */
const rest = (candidate: Candidate, heard: Heard, atMs: number): number => {
  const last = Math.max(
    candidate.lastPlayedMs ?? Number.NEGATIVE_INFINITY,
    ...(heard.assets.get(candidate.airable.assetId) ?? [])
  )
  return (atMs - last) * Math.min(rotationWeightMax, Math.max(rotationWeightMin, candidate.weight))
}

/**
 * Picks the next song: a class by its share, then the longest-rested candidate that keeps all separations. If none does, separations are relaxed in
 * order and the trace lists them. Candidates are a bounded list, so the cost is independent of the library's size.
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
  const heard = heardOf(plays)
  const rated = candidates.map((candidate) => ({
    candidate,
    broken: findBrokenRules(rules, heard, atMs, candidate.airable),
    rest: rest(candidate, heard, atMs),
    fits: genres.length === 0 || (candidate.airable.genre !== null && genres.includes(candidate.airable.genre)),
    chance: draw(rules.seed, turn, candidate.airable.assetId)
  }))
  const classes = classOrder(rules, turn, [...new Set(candidates.map((candidate) => candidate.rotationClass))])
  for (let given = 0; given <= relaxing.length; given++) {
    const givenUp = new Set<Rule>(relaxing.slice(0, given))
    // Once artist or track separation is relaxed, the block's preference is dropped first, else the few matching songs would repeat in a loop.
    const prefers = !givenUp.has("artist")
    for (const name of classes) {
      const eligible = rated.filter(
        (one) => one.candidate.rotationClass === name && [...one.broken].every((rule) => givenUp.has(rule))
      )
      const inGenre = eligible.filter((one) => one.fits && prefers)
      const pool = inGenre.length > 0 ? inGenre : eligible
      const best = pool.reduce<(typeof pool)[number] | null>(
        (best, one) =>
          best === null || one.rest > best.rest || (one.rest === best.rest && one.chance > best.chance) ? one : best,
        null
      )
      if (best === null) continue
      return {
        candidate: best.candidate,
        trace: [
          `rotation: turn ${turn}, class ${name} of ${classes.join(" > ")}`,
          ...relaxing
            .slice(0, given)
            .filter((rule) => rated.some((one) => one.broken.has(rule)))
            .map(describeRelaxed),
          ...(genres.length > 0 && !best.fits ? ["relaxed: genre of the block"] : []),
          Number.isFinite(best.rest)
            ? `rested longest: ${Math.round(best.rest / 60_000)} min weighted`
            : "never aired before"
        ]
      }
    }
  }
  return null
}
