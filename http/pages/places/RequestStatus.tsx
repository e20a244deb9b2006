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
  unknown: "No time known yet"
}

const why: Readonly<Record<NonNullable<(typeof SongRequestView.Type)["etaReason"]>, string>> = {
  in_rundown: "It has its place in the programme.",
  separation: "It, or its artist, was heard not long ago, and has to rest first.",
  request_quota: "This hour's requests are placed already.",
  live_show: "A show is on that takes no requests.",
  queue_full: "Many have asked before you.",
  expired: "Its time has run out."
}

const over: Readonly<Record<string, string>> = {
  fulfilled: "was played for you",
  expired: "could not be played in time",
  cancelled: "was taken off the list"
}

const clock = (at: string): string => new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })

/** When it comes, in words, and by the clock where that is known. */
export const expected = ({
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

/** What was asked for from here, and how it stands: looked up again while it waits, and whenever another song begins. */
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
          <p class="request-when wrap">{expected(request)}</p>
          <p class="note">{request.queueDisclaimer}</p>
        </>
      )}
      {request !== null ? null : last === null ? (
        <p class="note">Nothing yet. Choose a song, and here stands when it comes.</p>
      ) : (
        <p class="wrap">
          <strong>{last.track.title}</strong>
          {` ${over[last.status] ?? "is over"}${last.terminalAt === null ? "" : `, ${clock(last.terminalAt)}`}.`}
        </p>
      )}
    </section>
  )
}
