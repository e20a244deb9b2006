import { useState } from "preact/hooks"
import type { TrackRotation } from "../../../../schema/music/Track.ts"
import { hereOf } from "../../parts/Face.tsx"
import { Loaded } from "../../parts/Loaded.tsx"
import { useAsk } from "../../station/useAsk.ts"
import { type Act, Do } from "../desk/Act.tsx"
import { Pages, useList } from "../parts/Pages.tsx"
import { Sound } from "../parts/Sound.tsx"
import { type Track, useSettled } from "../parts/TrackSearch.tsx"
import { roomUrl } from "../desk/Place.ts"
import { dayTimeOf, lengthOf, wordsOf } from "../desk/Words.ts"

const judge = (track: Track, what: "remove" | "hold" | "release", done: () => void): Act => ({
  role: "reviewer",
  command: { path: `/api/ops/subjects/track/${track.id}/${what}` },
  reason: what === "release" ? "Released in the console." : "",
  said: { remove: "The track is removed.", hold: "The track is held.", release: "The track may air again." }[what],
  done,
  changes: ["rundown"],
  ...(what === "release"
    ? {}
    : {
        ask: {
          title: what === "remove" ? `Remove “${track.title}” for good?` : `Hold “${track.title}”?`,
          button: what === "remove" ? "Remove it" : "Hold it",
          about:
            what === "remove"
              ? "It leaves the rotation, the rundown and the air, and can't be brought back. The as-run log keeps its airings."
              : "It airs again once it is released.",
          needsReason: true,
          reasons: ["The rights are unclear.", "The sound is faulty.", "It doesn't fit the station."]
        }
      })
})

interface TrackAnswer {
  readonly rotation: typeof TrackRotation.Type
}

/** Why a track plays as often as it does. */
const Rotation = ({ id }: { readonly id: string }) => {
  const asked = useAsk<TrackAnswer>(`/api/v1/tracks/${id}`)
  return (
    <Loaded asked={asked}>
      {({ rotation }) => (
        <dl class="pairs">
          {Object.entries(rotation).map(([name, value]) => (
            <>
              <dt>{wordsOf(name.replaceAll(/([A-Z])/g, " $1").toLowerCase())}</dt>
              <dd class="wrap">{typeof value === "object" ? JSON.stringify(value) : String(value ?? "–")}</dd>
            </>
          ))}
        </dl>
      )}
    </Loaded>
  )
}

const One = ({ done, track }: { readonly track: Track; readonly done: () => void }) => (
  <article class="beside-one" aria-label={track.title}>
    <h2 class="wrap">{track.title}</h2>
    <p>{`${track.artist} · ${track.genre}${track.mood === null ? "" : `, ${track.mood}`} · ${wordsOf(track.category)}`}</p>
    <Sound url={hereOf(track.audioUrl)} label={track.title} />
    <p class="buttons">
      {track.approvalStatus === "approved" ? <Do act={judge(track, "hold", done)}>Hold</Do> : null}
      {track.approvalStatus === "held" ? <Do act={judge(track, "release", done)}>Release</Do> : null}
      <Do act={judge(track, "remove", done)}>Remove</Do>
    </p>
    <h3>About</h3>
    <dl class="pairs">
      <dt>State</dt>
      <dd class="wrap">{`${wordsOf(track.approvalStatus)}${track.approvalReason === null ? "" : `: ${track.approvalReason}`}`}</dd>
      <dt>Class, weight</dt>
      <dd>{`${track.rotationClass}, ${track.weight}`}</dd>
      <dt>Played</dt>
      <dd>{`${track.playCount} times${track.lastPlayedAt === null ? "" : `, last ${dayTimeOf(track.lastPlayedAt)}`}`}</dd>
      <dt>From</dt>
      <dd>
        {wordsOf(track.source)}
        {track.agentId === null ? null : (
          <>
            {", "}
            <a href={roomUrl("people", "agents", track.agentId)}>its agent</a>
          </>
        )}
      </dd>
      <dt>Added</dt>
      <dd>{dayTimeOf(track.createdAt)}</dd>
    </dl>
    {track.approvalStatus === "approved" ? (
      <>
        <h3>Why it plays as often as it does</h3>
        <Rotation id={track.id} />
      </>
    ) : null}
  </article>
)

const states = ["approved", "pending_review", "held", "rejected", "removed"]

/** All music, in any state. Only the rows in view are drawn, so that a hundred thousand tracks scroll. */
export const Library = () => {
  const [text, setText] = useState("")
  const [status, setStatus] = useState("")
  const [open, setOpen] = useState<Track | null>(null)
  const [turn, setTurn] = useState(0)
  const q = useSettled(text.trim())
  const query = new URLSearchParams({
    limit: "100",
    ...(q === "" ? {} : { q }),
    ...(status === "" ? {} : { status })
  })
  const list = useList<Track>(`/api/ops/tracks?${query}`, "tracks", turn)
  return (
    <>
      <div class="filters">
        <label class="filter">
          <span>Search</span>
          <input type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <label class="filter">
          <span>State</span>
          <select value={status} onChange={(event) => setStatus(event.currentTarget.value)}>
            <option value="">All</option>
            {states.map((name) => (
              <option key={name} value={name}>
                {wordsOf(name)}
              </option>
            ))}
          </select>
        </label>
      </div>
      <div class="beside">
        <Pages
          of={list}
          label="Tracks"
          empty="No track has this."
          row={(track) => (
            <button
              type="button"
              class="row-button"
              aria-pressed={open?.id === track.id}
              onClick={() => setOpen(track)}
            >
              <span class="row-figure">{lengthOf(track.durationSec * 1_000)}</span>
              <span class="clip">
                <span class="row-title clip">{track.title}</span>
                <span class="row-note clip">{`${track.artist} · ${track.genre}`}</span>
              </span>
              <span class={`state state-${track.approvalStatus}`}>{wordsOf(track.approvalStatus)}</span>
            </button>
          )}
        />
        {open === null ? null : (
          <One
            key={open.id}
            track={open}
            done={() => {
              setOpen(null)
              setTurn((was) => was + 1)
            }}
          />
        )}
      </div>
    </>
  )
}
