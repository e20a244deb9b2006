import type { Airing, AiringState, AiringSubject } from "../../../schema/air/Airing.ts"
import type { RundownItem } from "../../../schema/air/Rundown.ts"
import type { ItemId } from "../../../schema/Ids.ts"
import { airedShareMin, songRequestDisplacementsMax, songRequestHeardMs } from "./limits.ts"

/** `Expire` ends what has no place, `Stop` whatever it has. */
export type AiringStep = "Offer" | "Place" | "Begin" | "Displace" | "Finish" | "GiveUp" | "Withdraw" | "Expire" | "Stop"

type Transitions = { readonly [From in AiringState]?: AiringState }
const table: { readonly [Step in AiringStep]: Transitions } = {
  Offer: { withdrawn: "waiting", failed: "waiting" },
  Place: { waiting: "placed", placed: "placed" },
  Begin: { placed: "airing" },
  Displace: { placed: "waiting", airing: "waiting" },
  Finish: { airing: "aired" },
  GiveUp: { waiting: "failed" },
  Withdraw: { waiting: "withdrawn", placed: "withdrawn" },
  Expire: { waiting: "expired" },
  Stop: { waiting: "expired", placed: "expired" }
}
/** A request is a wish for a sound of somebody else: it can end while that sound goes on. */
const ofWishes: { readonly [Step in AiringStep]?: Transitions } = {
  Withdraw: { ...table.Withdraw, airing: "withdrawn" },
  Stop: { ...table.Stop, airing: "expired" }
}

/** Where a step leads; null where it leads nowhere. */
export const airingStep = (subject: AiringSubject, from: AiringState, step: AiringStep): AiringState | null =>
  ((subject === "song_request" ? ofWishes[step] : undefined) ?? table[step])[from] ?? null

/** From which states a step may be taken. */
export const airingStepFrom = (subject: AiringSubject, step: AiringStep): ReadonlyArray<AiringState> =>
  (Object.keys({ ...table[step], ...(subject === "song_request" ? ofWishes[step] : {}) }) as Array<AiringState>).filter(
    (from) => airingStep(subject, from, step) !== null
  )

/** How much has to be heard of it so that it counts. */
const countsFromMs = (subject: AiringSubject, lengthMs: number): number =>
  subject === "song_request" ? Math.min(songRequestHeardMs, lengthMs / 2) : lengthMs * airedShareMin

/** So much of it was heard that it counts: half of it, of a requested song 30 s or half. */
export const isHeard = (subject: AiringSubject, heardMs: number, lengthMs: number): boolean =>
  heardMs >= countsFromMs(subject, lengthMs)

/** What was heard of an item that is over. */
export interface Heard {
  readonly sinceMs: number
  readonly endedAtMs: number
  readonly heardMs: number
  readonly lengthMs: number
  /** To its end. */
  readonly complete: boolean
}
export type AiringEvent = { readonly atMs: number } & (
  | { readonly _tag: "Offer" }
  | { readonly _tag: "Place"; readonly placement: ItemId; readonly expectedAtMs: number }
  | { readonly _tag: "Begin" }
  /** It has lost its place, or begun and not been heard. */
  | { readonly _tag: "Displace"; readonly reason: string }
  /** No rundown has it, and nobody took it out: the station was down. */
  | { readonly _tag: "Reclaim" }
  | { readonly _tag: "End"; readonly heard: Heard }
  | { readonly _tag: "GiveUp"; readonly reason: string }
  | { readonly _tag: "Withdraw"; readonly reason: string | null }
  | { readonly _tag: "Expire" }
  | { readonly _tag: "Stop" }
)

const noPlace = { placement: null, expectedAtMs: null }

/** Back to the queue. Whose request loses its place for a third time is told that it won't come. */
const displaced = (airing: Airing, reason: string): Airing | null => {
  const to = airingStep(airing.subject, airing.state, "Displace")
  if (to === null) return null
  const lost = { ...airing, ...noPlace, state: to, begunAtMs: null, cut: airing.cut || airing.state === "airing" }
  if (airing.subject !== "song_request") return { ...lost, reason }
  return {
    ...lost,
    state: airing.displacements >= songRequestDisplacementsMax ? "withdrawn" : to,
    displacements: Math.min(songRequestDisplacementsMax, airing.displacements + 1),
    reason: "DISPLACED"
  }
}

/** What the end of its sound means. Cut before it counts, speech airs once more; then what was heard of it is what aired. */
const ended = (airing: Airing, heard: Heard): Airing | null => {
  const to = airingStep(airing.subject, airing.state, "Finish")
  if (to === null) return null
  const counts = heard.complete || isHeard(airing.subject, heard.heardMs, heard.lengthMs)
  if (airing.subject === "song_request")
    return counts
      ? {
          ...airing,
          state: to,
          endedAtMs: Math.round(heard.sinceMs + countsFromMs(airing.subject, heard.lengthMs)),
          complete: heard.complete,
          reason: null
        }
      : displaced(airing, "DISPLACED")
  if (!counts && !airing.cut) return displaced(airing, "CUT")
  return {
    ...airing,
    expectedAtMs: null,
    state: to,
    endedAtMs: heard.endedAtMs,
    complete: heard.complete,
    cut: airing.cut || !counts,
    reason: counts ? null : "CUT"
  }
}

const after = (airing: Airing, event: AiringEvent): Airing | null => {
  const { state, subject } = airing
  if (event._tag === "Displace") return displaced(airing, event.reason)
  if (event._tag === "Reclaim") {
    const lost = displaced(airing, "DISPLACED")
    if (lost === null || subject !== "song_request") return lost
    return { ...lost, state: "waiting", displacements: airing.displacements, reason: airing.reason }
  }
  if (event._tag === "End") return ended(airing, event.heard)
  const to = airingStep(subject, state, event._tag)
  if (to === null) return null
  switch (event._tag) {
    case "Place":
      return { ...airing, state: to, placement: event.placement, expectedAtMs: event.expectedAtMs, reason: null }
    case "Begin":
      return { ...airing, state: to, begunAtMs: event.atMs, reason: null }
    case "Offer":
      return { ...airing, ...noPlace, state: to, reason: null }
    case "GiveUp":
      return { ...airing, ...noPlace, state: to, reason: event.reason }
    case "Withdraw":
      return { ...airing, ...noPlace, state: to, reason: event.reason }
    default:
      return { ...airing, ...noPlace, state: to }
  }
}

/** What an event makes of it; null where it changes nothing, because it can't happen there. */
export const moved = (airing: Airing, event: AiringEvent): Airing | null => {
  const next = after(airing, event)
  if (next === null) return null
  const isWait = next.state === "waiting" && event._tag !== "Offer" && event._tag !== "End"
  return isWait || next.state === airing.state ? next : { ...next, changedAtMs: event.atMs }
}

/** What an item is heard for, by the names of its airings. */
export const airingsOf = ({ airable: { segmentId }, songRequestIds = [] }: RundownItem): ReadonlyArray<string> => [
  ...(segmentId === null ? [] : [segmentId]),
  ...songRequestIds
]

/** A new one: it waits for its turn. */
export const offered = (id: string, subject: AiringSubject, atMs: number): Airing => ({
  id,
  subject,
  state: "waiting",
  placement: null,
  expectedAtMs: null,
  begunAtMs: null,
  endedAtMs: null,
  complete: null,
  cut: false,
  displacements: 0,
  reason: null,
  changedAtMs: atMs
})
