import { useEffect, useState } from "preact/hooks"
import type { SongRequestView, TerminalSongRequest } from "../../../schema/music/SongRequest.ts"
import { useAsk } from "../station/useAsk.ts"

export interface Asked {
  readonly request: typeof SongRequestView.Type | null
  readonly recentTerminal?: ReadonlyArray<typeof TerminalSongRequest.Type>
}

const everyMs = 15_000

const when: Readonly<Record<(typeof SongRequestView.Type)["etaLabel"], string>> = {
  on_air: "On the air now",
  up_next: "Up next",
  within_15_min: "Within 15 minutes",
  within_1_hour: "Within the hour",
  later: "Later",
  unknown: "Time not known yet"
}

const why: Readonly<Record<NonNullable<(typeof SongRequestView.Type)["etaReason"]>, string>> = {
  in_rundown: "It is in the programme.",
  separation: "The song or its artist was on the air recently and can't repeat yet.",
  request_quota: "The requests for this hour are already full.",
  live_show: "The current show takes no requests.",
  queue_full: "Other requests are ahead of yours.",
  expired: "The request has expired."
}

const over: Readonly<Record<string, string>> = {
  fulfilled: "was played for you",
  expired: "could not be played in time",
  cancelled: "was taken off the list"
}

const clock = (at: string): string => new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })

/** Expected time of a request in words, with the clock time if known. */
export const expectedText = ({
  estimatedPlayAt,
  etaLabel,
  etaReason
}: Pick<typeof SongRequestView.Type, "estimatedPlayAt" | "etaLabel" | "etaReason">): string =>
  [
    estimatedPlayAt === null || etaLabel === "on_air"
      ? when[etaLabel]
      : `${when[etaLabel]}, at about ${clock(estimatedPlayAt)}`,
    ...(etaReason === null ? [] : [why[etaReason]])
  ]
    .join(". ")
    .replace(/\.\. /, ". ")

/** The listener's latest request: refreshed while it waits, and when another item begins. */
export const useRequest = (heardAt: unknown, turn: number) => {
  const [tick, setTick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTick((was) => was + 1), everyMs)
    return () => clearInterval(timer)
  }, [])
  return useAsk<Asked>("/api/station/song-requests/status?includeTerminal=1", `${String(heardAt)} ${turn} ${tick}`)
}

export const RequestStatus = ({ asked }: { readonly asked: Asked | null }) => {
  const request = asked?.request ?? null
  const last = asked?.recentTerminal?.[0] ?? null
  return (
    <section class="part request-status" aria-live="polite">
      <h3>Your request</h3>
      {request === null ? null : (
        <>
          <p class="row-title wrap">{request.track.title}</p>
          <p class="request-when wrap">{expectedText(request)}</p>
          <p class="note">{request.queueDisclaimer}</p>
        </>
      )}
      {request !== null ? null : last === null ? (
        <p class="note">No request yet. Choose a song, and its expected time appears here.</p>
      ) : (
        <p class="wrap">
          <strong>{last.track.title}</strong>
          {` ${over[last.status] ?? "is over"}${last.terminalAt === null ? "" : `, ${clock(last.terminalAt)}`}.`}
        </p>
      )}
    </section>
  )
}
