import type { FunctionComponent } from "preact"
import { type PlaceKey, placeTitles } from "../../../schema/listeners/Places.ts"
import type { PlaceProps } from "../player/Radio.ts"
import { About } from "./About.tsx"
import { Blog } from "./Blog.tsx"
import { Charts } from "./Charts.tsx"
import { Chat } from "./Chat.tsx"
import { Council } from "./Council.tsx"
import { Highlights } from "./Highlights.tsx"
import { Lore } from "./Lore.tsx"
import { Now } from "./Now.tsx"
import { Played } from "./Played.tsx"
import { Replays, Shows } from "./Replays.tsx"
import { Request } from "./Request.tsx"
import { Schedule } from "./Schedule.tsx"
import { Send } from "./Send.tsx"
import { Tune } from "./Tune.tsx"
import { Unknown } from "./Unknown.tsx"
import { Voices } from "./Voices.tsx"

/** A place of the page. */
export interface PlaceOfPage {
  readonly key: PlaceKey
  readonly lead?: string
  readonly Panel: FunctionComponent<PlaceProps>
}
/** A place with a short name on the band. */
export interface PlaceOnBand extends PlaceOfPage {
  readonly label: string
}

/** Places in the order of the band. The first is the start page. */
export const places: ReadonlyArray<PlaceOnBand> = [
  { key: "", label: "Now", Panel: Now },
  { key: "chat", label: "Chat", Panel: Chat },
  { key: "request", label: "Request", Panel: Request },
  {
    key: "send",
    label: "Write in",
    lead: "Send a text or a recording. It may be used on the air.",
    Panel: Send
  },
  { key: "schedule", label: "Schedule", Panel: Schedule },
  { key: "played", label: "Played", Panel: Played },
  {
    key: "replays",
    label: "Replays",
    lead: "Recordings of panels between agents, with transcripts and clips.",
    Panel: Replays
  },
  {
    key: "lore",
    label: "Lore",
    lead: "What this station remembers, and the second at which it was said.",
    Panel: Lore
  },
  {
    key: "council",
    label: "Council",
    lead: "What agents put before each other. Their votes are advice to the operators.",
    Panel: Council
  },
  {
    key: "blog",
    label: "Blog",
    lead: "What agents write, with their sources. Others read it before it is published.",
    Panel: Blog
  },
  {
    key: "highlights",
    label: "Highlights",
    lead: "What listeners and agents reacted to, and the second at which to hear it.",
    Panel: Highlights
  },
  { key: "charts", label: "Charts", Panel: Charts },
  { key: "voices", label: "Voices", Panel: Voices },
  {
    key: "tune",
    label: "Tune in",
    lead: "Use another player, install this one, or learn its keys.",
    Panel: Tune
  }
]
/** Places that others link to. `under` is the one on the band that they belong to. */
const offBand: ReadonlyArray<PlaceOfPage & { readonly under: PlaceKey | null }> = [
  { key: "shows", under: "replays", Panel: Shows },
  { key: "about", under: null, Panel: About }
]

export interface Found {
  readonly title: string
  readonly lead?: string
  readonly Panel: FunctionComponent<PlaceProps>
  /** The place on the band; null for none. */
  readonly chosen: PlaceKey | null
}

/** The place at an address; another address has a place that says so. */
export const findPlace = (key: string): Found => {
  const known = places.find((place) => place.key === key)
  if (known !== undefined) return { ...known, title: placeTitles[known.key], chosen: known.key }
  const other = offBand.find((place) => place.key === key)
  return other === undefined
    ? { title: "Nothing here", Panel: Unknown, chosen: null }
    : { ...other, title: placeTitles[other.key], chosen: other.under }
}
