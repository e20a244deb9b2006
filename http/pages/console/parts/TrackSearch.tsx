import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { Field } from "../../parts/Field.tsx"
import { Loaded } from "../../parts/Loaded.tsx"
import { useAsk } from "../../station/useAsk.ts"
import { lengthOf } from "../desk/Words.ts"

/** A track as operators see it, in any state. */
export interface Track {
  readonly id: string
  readonly title: string
  readonly artist: string
  readonly genre: string
  readonly mood: string | null
  readonly category: string
  readonly source: string
  readonly agentId: string | null
  readonly durationSec: number
  readonly approvalStatus: string
  readonly approvalReason: string | null
  readonly rotationClass: string
  readonly weight: number
  readonly playCount: number
  readonly lastPlayedAt: string | null
  readonly audioUrl: string
  readonly createdAt: string
}

export interface Tracks {
  readonly tracks: ReadonlyArray<Track>
  readonly nextCursor?: string
}

const settleMs = 250

/** A value that changes only once it has stayed the same for a moment. */
export const useSettled = <A,>(value: A): A => {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settleMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}

/** Searches the approved music; `of` draws what can be done with a track. */
export const TrackSearch = ({ of }: { readonly of: (track: Track) => ComponentChildren }) => {
  const [text, setText] = useState("")
  const q = useSettled(text.trim())
  const found = useAsk<Tracks>(
    `/api/ops/tracks?${new URLSearchParams({ status: "approved", limit: "20", ...(q === "" ? {} : { q }) })}`
  )
  return (
    <>
      <Field label="Search the library" type="search" hint="Title or artist" value={text} change={setText} />
      <Loaded asked={found} isEmpty={({ tracks }) => tracks.length === 0} empty="No approved track has this.">
        {({ tracks }) => (
          <ul class="rows found">
            {tracks.map((track) => (
              <li key={track.id}>
                <span class="row-figure">{lengthOf(track.durationSec * 1_000)}</span>
                <span class="clip">
                  <span class="row-title clip">{track.title}</span>
                  <span class="row-note clip">{`${track.artist} · ${track.genre}`}</span>
                </span>
                {of(track)}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </>
  )
}
