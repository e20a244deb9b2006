import type { Airing, AiringState, AiringSubject } from "../../../schema/air/Airing.ts"
import type { RundownItem } from "../../../schema/air/Rundown.ts"
import type { ItemId } from "../../../schema/Ids.ts"
import { airedShareMin, songRequestDisplacementsMax, songRequestHeardMs } from "./limits.ts"

/** `Expire` ends an airing without a place; `Stop` ends it in every state. */
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
/** A request refers to a sound with its own airing: the request can end while the sound goes on. */
const ofWishes: { readonly [Step in AiringStep]?: Transitions } = {
  Withdraw: { ...table.Withdraw, airing: "withdrawn" },
  Stop: { ...table.Stop, airing: "expired" }
}

/** The state after a step; null if the step isn't allowed. */
export const airingStep = (subject: AiringSubject, from: AiringState, step: AiringStep): AiringState | null =>
  ((subject === "song_request" ? ofWishes[step] : undefined) ?? table[step])[from] ?? null

/** The states from which a step is allowed. */
export const airingStepFrom = (subject: AiringSubject, step: AiringStep): ReadonlyArray<AiringState> =>
  (Object.keys({ ...table[step], ...(subject === "song_request" ? ofWishes[step] : {}) }) as Array<AiringState>).filter(
    (from) => airingStep(subject, from, step) !== null
  )

/** The length that has to be heard for the airing to count, in ms. */
const heardMinMs = (subject: AiringSubject, lengthMs: number): number =>
  subject === "song_request" ? Math.min(songRequestHeardMs, lengthMs / 2) : lengthMs * airedShareMin

/** Whether enough was heard to count: half of it; of a requested song 30 s or half. */
export const isHeard = (subject: AiringSubject, heardMs: number, lengthMs: number): boolean =>
  heardMs >= heardMinMs(subject, lengthMs)

/** The heard part of an item that has ended. */
export interface Heard {
  readonly sinceMs: number
  readonly endedAtMs: number
  readonly heardMs: number
  readonly lengthMs: number
  /** Heard to its end. */
  readonly complete: boolean
}
export type AiringEvent = { readonly atMs: number } & (
  | { readonly _tag: "Offer" }
  | { readonly _tag: "Place"; readonly placement: ItemId; readonly expectedAtMs: number }
  | { readonly _tag: "Begin" }
  /** It lost its place, or began and wasn't heard. */
  | { readonly _tag: "Displace"; readonly reason: string }
  /** No rundown holds it and nobody withdrew it: the station was down. */
  | { readonly _tag: "Reclaim" }
  | { readonly _tag: "End"; readonly heard: Heard }
  | { readonly _tag: "GiveUp"; readonly reason: string }
  | { readonly _tag: "Withdraw"; readonly reason: string | null }
  | { readonly _tag: "Expire" }
  | { readonly _tag: "Stop" }
)

const noPlace = { placement: null, expectedAtMs: null }

/** Back to the queue. A request that loses its place for the third time fails. */
const displace = (airing: Airing, reason: string): Airing | null => {
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

/** The state after the sound ended. Speech cut before it counts airs once more; after that the heard part is its airing. */
const finish = (airing: Airing, heard: Heard): Airing | null => {
  const to = airingStep(airing.subject, airing.state, "Finish")
  if (to === null) return null
  const counts = heard.complete || isHeard(airing.subject, heard.heardMs, heard.lengthMs)
  if (airing.subject === "song_request")
    return counts
      ? {
          ...airing,
          state: to,
          endedAtMs: Math.round(heard.sinceMs + heardMinMs(airing.subject, heard.lengthMs)),
          complete: heard.complete,
          reason: null
        }
      : displace(airing, "DISPLACED")
  if (!counts && !airing.cut) return displace(airing, "CUT")
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

const findNext = (airing: Airing, event: AiringEvent): Airing | null => {
  const { state, subject } = airing
  if (event._tag === "Displace") return displace(airing, event.reason)
  if (event._tag === "Reclaim") {
    const lost = displace(airing, "DISPLACED")
    if (lost === null || subject !== "song_request") return lost
    return { ...lost, state: "waiting", displacements: airing.displacements, reason: airing.reason }
  }
  if (event._tag === "End") return finish(airing, event.heard)
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

/** The airing after an event; null if the event doesn't apply in its state. */
export const applyEvent = (airing: Airing, event: AiringEvent): Airing | null => {
  const next = findNext(airing, event)
  if (next === null) return null
  const isWait = next.state === "waiting" && event._tag !== "Offer" && event._tag !== "End"
  return isWait || next.state === airing.state ? next : { ...next, changedAtMs: event.atMs }
}

/** The ids of the airings that an item serves. */
export const airingsOf = ({ airable: { segmentId }, songRequestIds = [] }: RundownItem): ReadonlyArray<string> => [
  ...(segmentId === null ? [] : [segmentId]),
  ...songRequestIds
]

/** A new airing in the queue. */
export const offerAiring = (id: string, subject: AiringSubject, atMs: number): Airing => ({
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
