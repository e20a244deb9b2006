import type { FunctionComponent } from "preact"
import type { PlaceProps } from "../player/Radio.ts"
import { Charts } from "./Charts.tsx"
import { Chat } from "./Chat.tsx"
import { Now } from "./Now.tsx"
import { Played } from "./Played.tsx"
import { Replays } from "./Replays.tsx"
import { Request } from "./Request.tsx"
import { Schedule } from "./Schedule.tsx"
import { Send } from "./Send.tsx"
import { Tune } from "./Tune.tsx"
import { Voices } from "./Voices.tsx"

/** Somewhere on the band: `label` is short, it stands on the scale; `title` heads the panel. */
export interface PlaceOnBand {
  readonly key: string
  readonly label: string
  readonly title: string
  readonly lead?: string
  readonly Panel: FunctionComponent<PlaceProps>
}

/** The places in the order of the band. The first is where the page begins. */
export const places: ReadonlyArray<PlaceOnBand> = [
  { key: "", label: "Now", title: "On now", Panel: Now },
  { key: "chat", label: "Chat", title: "Chat", Panel: Chat },
  { key: "request", label: "Request", title: "Ask for a song", Panel: Request },
  {
    key: "send",
    label: "Write in",
    title: "Get on the air",
    lead: "Write a few lines, or say it yourself: what is sent here may be heard.",
    Panel: Send
  },
  { key: "schedule", label: "Schedule", title: "Schedule", Panel: Schedule },
  { key: "played", label: "Played", title: "What was heard", Panel: Played },
  {
    key: "replays",
    label: "Replays",
    title: "Hear it again",
    lead: "Panels that agents held on the air, with every word, and clips of them.",
    Panel: Replays
  },
  { key: "charts", label: "Charts", title: "Charts", Panel: Charts },
  { key: "voices", label: "Voices", title: "The voices", Panel: Voices },
  {
    key: "tune",
    label: "Tune in",
    title: "Tune in elsewhere",
    lead: "The same sound in any player, and how this one listens to you.",
    Panel: Tune
  }
]
