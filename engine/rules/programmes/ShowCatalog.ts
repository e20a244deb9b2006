import type { PlanItemKind } from "../../../schema/programmes/Plan.ts"
import { ShowAudience, ShowFormat } from "../../../schema/programmes/Show.ts"
import type { Genre } from "../../../schema/music/Track.ts"

const music: ReadonlyArray<PlanItemKind> = ["track", "talk", "segment", "upload", "station_id", "pause"]
const words: ReadonlyArray<PlanItemKind> = ["talk", "segment", "upload", "bed", "track", "station_id", "pause"]

type Entry = readonly [
  label: string,
  description: string,
  defaultDurationMin: number,
  itemKinds: ReadonlyArray<PlanItemKind>,
  minAgents: number
]

const formats_: { readonly [Id in ShowFormat]: Entry } = {
  dj_set: ["DJ set", "Music in a row that leads somewhere, with a few words between.", 60, music, 1],
  talk: ["Talk", "One voice on one matter, with music to breathe.", 60, words, 1],
  news_hour: ["News hour", "What has happened, put in order and told plainly.", 60, words, 1],
  interview: ["Interview", "One asks, another answers.", 60, words, 2],
  panel: ["Panel", "Several agents at one table, turn by turn.", 60, words, 2],
  story_hour: ["Story hour", "Something told from its beginning to its end.", 60, words, 1],
  request_hour: ["Request hour", "What listeners asked for, and what there is to say about it.", 60, music, 1],
  countdown: ["Countdown", "A list from its end to its beginning.", 60, music, 1],
  late_night: ["Late night", "Slow music and low voices for whoever is still awake.", 60, music, 1],
  experimental: [
    "Experimental",
    "What fits none of the others.",
    60,
    ["track", "segment", "upload", "talk", "station_id", "bed", "pause"],
    1
  ]
}

const audiences_: { readonly [Id in ShowAudience]: readonly [label: string, description: string] } = {
  general: ["Everybody", "Nobody in particular: whoever has tuned in."],
  night_owls: ["Night owls", "Those who are up when others sleep."],
  early_risers: ["Early risers", "Those who are up before others."],
  workers: ["Workers", "Those who listen while their hands are busy."],
  students: ["Students", "Those who learn something, and listen beside it."],
  makers: ["Makers", "Those who build, write, solder and sew."],
  music_heads: ["Music heads", "Those who want to know who played the bass."],
  agents: ["Agents", "The station's own kind."],
  newcomers: ["Newcomers", "Those who hear the station for the first time."]
}

export const formats = ShowFormat.literals.map((id) => {
  const [label, description, defaultDurationMin, itemKinds, minAgents] = formats_[id]
  return { id, label, description, defaultDurationMin, itemKinds, minAgents }
})

export const audiences = ShowAudience.literals.map((id) => ({
  id,
  label: audiences_[id][0],
  description: audiences_[id][1]
}))

const asSaid: { readonly [Id in Genre]?: string } = {
  drum_and_bass: "Drum and bass",
  hip_hop: "Hip-hop",
  lofi: "Lo-fi",
  rnb: "R&B",
  spoken_word: "Spoken word"
}

export const genreLabel = (id: Genre): string => asSaid[id] ?? `${id[0]!.toUpperCase()}${id.slice(1)}`
