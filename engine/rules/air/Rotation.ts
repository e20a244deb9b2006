import type { Airable, Candidate, Play } from "../../../schema/air/Rundown.ts"
import {
  agentSeparationMs,
  artistSeparationMs,
  rotationWeightMax,
  rotationWeightMin,
  topicSeparationMs,
  trackSeparationMs
} from "./limits.ts"

/** How music is chosen: shares of the classes, distances that have to lie between two airings, and the seed of every draw. */
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
const relaxed = (rule: Rule): string => `relaxed: ${rule} separation`

/** When each was heard, so that a candidate looks at what concerns it and not at all that was. */
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

const near = (
  times: ReadonlyMap<string, ReadonlyArray<number>>,
  name: string | null,
  atMs: number,
  distanceMs: number
): boolean => name !== null && times.get(name)?.some((time) => Math.abs(atMs - time) < distanceMs) === true

const breaks = (rules: RotationRules, heard: Heard, atMs: number, airable: Airable): ReadonlySet<Rule> => {
  const { agentMs, artistMs, topicMs, trackMs } = rules.separation
  const broken = new Set<Rule>()
  if (near(heard.assets, airable.assetId, atMs, trackMs)) broken.add("track")
  if (near(heard.artists, airable.artist, atMs, artistMs)) broken.add("artist")
  if (near(heard.agents, airable.agentId, atMs, agentMs)) broken.add("agent")
  if (near(heard.topics, airable.topic, atMs, topicMs)) broken.add("topic")
  return broken
}

/** Whether it would come too near to what is heard by a rule that its trace doesn't say was given up: what stands before it has changed. */
export const hasSlipped = (
  rules: RotationRules,
  plays: ReadonlyArray<Play>,
  atMs: number,
  { airable, trace }: { readonly airable: Airable; readonly trace: ReadonlyArray<string> }
): boolean => {
  const { agentMs, artistMs, topicMs, trackMs } = rules.separation
  const slips = (rule: Rule, distanceMs: number, name: string | null, of: (play: Play) => string | null): boolean =>
    name !== null &&
    plays.some((play) => of(play) === name && Math.abs(atMs - play.atMs) < distanceMs) &&
    !trace.includes(relaxed(rule))
  return (
    slips("track", trackMs, airable.assetId, ({ assetId }) => assetId) ||
    slips("artist", artistMs, airable.artist, ({ artist }) => artist) ||
    slips("agent", agentMs, airable.agentId, ({ agentId }) => agentId) ||
    slips("topic", topicMs, airable.topic, ({ topic }) => topic)
  )
}

/** How long it has rested, stretched by its weight: votes can hurry an airing, never force it. */
const rest = (candidate: Candidate, heard: Heard, atMs: number): number => {
  const last = Math.max(
    candidate.lastPlayedMs ?? Number.NEGATIVE_INFINITY,
    ...(heard.assets.get(candidate.airable.assetId) ?? [])
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
  const heard = heardOf(plays)
  const rated = candidates.map((candidate) => ({
    candidate,
    broken: breaks(rules, heard, atMs, candidate.airable),
    rest: rest(candidate, heard, atMs),
    fits: genres.length === 0 || (candidate.airable.genre !== null && genres.includes(candidate.airable.genre)),
    chance: draw(rules.seed, turn, candidate.airable.assetId)
  }))
  const classes = classOrder(rules, turn, [...new Set(candidates.map((candidate) => candidate.rotationClass))])
  for (let given = 0; given <= relaxing.length; given++) {
    const givenUp = new Set<Rule>(relaxing.slice(0, given))
    // Where artists or tracks come too soon, the block's taste is given up first: a few songs that fit would go round and round.
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
            .map(relaxed),
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
