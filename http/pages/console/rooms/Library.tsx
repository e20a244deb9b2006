import { Fragment } from "preact"
import { useRef, useState } from "preact/hooks"
import type { TrackRotation } from "../../../../schema/music/Track.ts"
import { Button } from "../../parts/Button.tsx"
import { Field } from "../../parts/Field.tsx"
import { Sheet } from "../../parts/Sheet.tsx"
import { hereOf } from "../../parts/Face.tsx"
import { Loaded } from "../../parts/Loaded.tsx"
import { toast } from "../../parts/Toast.tsx"
import { ask } from "../../station/Ask.ts"
import { useAsk } from "../../station/useAsk.ts"
import { type Act, Do, propose } from "../desk/Act.tsx"
import { Filter } from "../parts/Filter.tsx"
import { Pages, useList } from "../parts/Pages.tsx"
import { Sound } from "../parts/Sound.tsx"
import { type Track, useSettled } from "../parts/TrackSearch.tsx"
import { roomUrl, type RoomProps } from "../desk/Place.ts"
import { RoomTabs, tabOf } from "../parts/RoomTabs.tsx"
import { DropFiles } from "./LibraryUpload.tsx"
import { Rotation } from "./Rotation.tsx"
import { dayTimeOf, lengthOf, wordsOf } from "../desk/Words.ts"

const judge = (track: Track, what: "remove" | "hold" | "release" | "restore", done: () => void): Act => ({
  role: "reviewer",
  command:
    what === "restore"
      ? { path: `/api/ops/tracks/${track.id}`, method: "PATCH", body: { approvalStatus: "approved" } }
      : { path: `/api/ops/subjects/track/${track.id}/${what}` },
  reason: what === "release" ? "Released in the console." : what === "restore" ? "Restored in the console." : "",
  said: {
    remove: "The track is removed.",
    hold: "The track is held.",
    release: "The track may air again.",
    restore: "The track is in rotation again."
  }[what],
  done,
  changes: ["rundown"],
  ...(what === "release" || what === "restore"
    ? {}
    : {
        ask: {
          title: what === "remove" ? `Remove “${track.title}”?` : `Hold “${track.title}”?`,
          button: what === "remove" ? "Remove it" : "Hold it",
          about:
            what === "remove"
              ? track.source === "house"
                ? "It leaves the rotation, the rundown and the air. A piece of the house can't come back: its sound is deleted. The as-run log keeps its airings."
                : "It leaves the rotation, the rundown and the air, until somebody restores it. The as-run log keeps its airings."
              : "It airs again once it is released.",
          needsReason: true,
          reasons: ["The rights are unclear.", "The sound is faulty.", "It doesn't fit the station."]
        }
      })
})

/** A track with what only its own page has. */
interface Whole extends Track {
  readonly description: string | null
  readonly lyrics: string | null
  readonly language: string | null
  readonly bpm: number | null
  readonly musicalKey: string | null
  readonly version: string
  readonly coverUrl: string | null
  readonly hasOwnCover: boolean
}

/** Corrects the tags of a track and its weight. */
const Edit = ({
  close,
  done,
  track
}: {
  readonly track: Whole
  readonly close: () => void
  readonly done: () => void
}) => {
  const before = {
    title: track.title,
    artist: track.artist,
    genre: track.genre,
    mood: track.mood ?? "",
    category: track.category,
    description: track.description ?? "",
    weight: track.weight
  }
  const [draft, setDraft] = useState(before)
  const set = (part: Partial<typeof before>): void => setDraft((was) => ({ ...was, ...part }))
  const changed = Object.fromEntries(
    Object.entries(draft)
      .filter(([name, value]) => value !== before[name as keyof typeof before])
      .map(([name, value]) => [name, value === "" ? null : value])
  )
  const save = (event: Event): void => {
    event.preventDefault()
    propose({
      role: "reviewer",
      command: {
        path: `/api/ops/tracks/${track.id}`,
        method: "PATCH",
        body: changed,
        seen: `"${track.version}"`
      },
      reason: `Corrected ${Object.keys(changed).join(", ")}.`,
      said: "The track is changed.",
      done: () => {
        close()
        done()
      },
      ask: { title: `Change “${track.title}”`, button: "Change it" }
    })
  }
  return (
    <Sheet title={`Edit “${track.title}”`} close={close}>
      <form onSubmit={save}>
        <Field label="Title" value={draft.title} change={(title) => set({ title })} required />
        <Field label="Artist" value={draft.artist} change={(artist) => set({ artist })} required />
        <div class="pair">
          <Field label="Genre" value={draft.genre} change={(genre) => set({ genre })} required />
          <Field label="Mood" value={draft.mood} change={(mood) => set({ mood })} />
        </div>
        <div class="pair">
          <label class="field">
            <span class="field-label">Category</span>
            <select value={draft.category} onChange={(event) => set({ category: event.currentTarget.value })}>
              {["song", "instrumental", "bed", "jingle"].map((name) => (
                <option key={name} value={name}>
                  {wordsOf(name)}
                </option>
              ))}
            </select>
          </label>
          <label class="field">
            <span class="field-label">Weight</span>
            <input
              type="number"
              min="0.5"
              max="1.5"
              step="0.05"
              value={draft.weight}
              onInput={(event) => set({ weight: Number(event.currentTarget.value) })}
            />
            <span class="field-hint">1 is usual; 1.5 becomes due half as fast again.</span>
          </label>
        </div>
        <Field label="Description" rows={2} value={draft.description} change={(description) => set({ description })} />
        <Button type="submit" disabled={Object.keys(changed).length === 0}>
          Change
        </Button>
      </form>
    </Sheet>
  )
}

const percent = (share: number): string => `${Math.round(share * 100)} %`

const figuresOf = (rotation: typeof TrackRotation.Type): ReadonlyArray<readonly [name: string, value: string]> => [
  ["In rotation", rotation.inRotation ? "yes" : "no"],
  ["Class", `${rotation.rotationClass}, ${percent(rotation.classShare)} of the songs`],
  ["Tracks in the class", rotation.tracksInClass.toLocaleString("en")],
  ["Weight", String(rotation.weight)],
  [
    "Votes of 30 days",
    rotation.positiveShare === null ? "none" : `${rotation.voteScore}, ${percent(rotation.positiveShare)} for it`
  ],
  ["Plays in 30 days", rotation.playsLast30Days.toLocaleString("en")],
  ["Soonest again after", lengthOf(rotation.soonestRepeatSec * 1_000)],
  ["Rests until", rotation.restedUntil === null ? "–" : dayTimeOf(rotation.restedUntil)]
]

/** Why a track plays as often as it does. */
const Why = ({ rotation }: { readonly rotation: typeof TrackRotation.Type }) => (
  <>
    <ul class="trace">
      {rotation.reasons.map((reason) => (
        <li key={reason} class="wrap">
          {reason}
        </li>
      ))}
    </ul>
    <dl class="pairs">
      {figuresOf(rotation).map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd class="wrap">{value}</dd>
        </Fragment>
      ))}
    </dl>
  </>
)

/** The cover of a track, and another one in its place. */
const Cover = ({ done, track }: { readonly track: Whole; readonly done: () => void }) => {
  const [busy, setBusy] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const change = (file: File): void => {
    const form = new FormData()
    form.set("file", file)
    form.set("reason", "Changed in the console.")
    setBusy(true)
    ask(`/api/ops/tracks/${track.id}/cover`, {
      method: "PUT",
      body: form,
      headers: { "if-match": `"${track.version}"` }
    })
      .then(
        () => {
          toast("The track has another cover.")
          done()
        },
        (fault: Error) => toast(fault.message)
      )
      .finally(() => setBusy(false))
  }
  return (
    <div class="cover-edit">
      {track.coverUrl === null ? null : (
        <img
          src={`${hereOf(track.coverUrl)}?v=${track.version}`}
          alt={`Cover of ${track.title}`}
          width={120}
          height={120}
        />
      )}
      <p class="buttons">
        <Button kind="quiet" busy={busy} onClick={() => input.current?.click()}>
          Change the cover
        </Button>
        {track.hasOwnCover ? (
          <Do
            act={{
              role: "reviewer",
              command: { path: `/api/ops/tracks/${track.id}/cover`, method: "DELETE", seen: `"${track.version}"` },
              reason: "Removed in the console.",
              said: "The station draws the cover again.",
              done
            }}
          >
            Remove the cover
          </Do>
        ) : null}
      </p>
      <input
        ref={input}
        type="file"
        class="unseen"
        accept="image/jpeg,image/png,image/webp"
        tabIndex={-1}
        aria-label="A cover"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? []
          currentTarget.value = ""
          if (file !== undefined) change(file)
        }}
      />
    </div>
  )
}

/** What only the track's own page says; asked anew when `turn` changes. */
const More = ({ done, id, turn }: { readonly id: string; readonly turn: number; readonly done: () => void }) => {
  const asked = useAsk<{ readonly track: Whole; readonly rotation: typeof TrackRotation.Type }>(
    `/api/ops/tracks/${id}`,
    turn
  )
  const [editing, setEditing] = useState(false)
  return (
    <Loaded asked={asked}>
      {({ rotation, track }) => (
        <>
          <p>
            <Button kind="quiet" onClick={() => setEditing(true)}>
              Edit
            </Button>
          </p>
          <Cover track={track} done={asked.askAgain} />
          <h3>Why it plays as often as it does</h3>
          <Why rotation={rotation} />
          {editing ? <Edit track={track} close={() => setEditing(false)} done={done} /> : null}
        </>
      )}
    </Loaded>
  )
}

const One = ({ done, track, turn }: { readonly track: Track; readonly turn: number; readonly done: () => void }) => (
  <article class="beside-one" aria-label={track.title}>
    <h2 class="wrap">{track.title}</h2>
    <p>{`${track.artist} · ${track.genre}${track.mood === null ? "" : `, ${track.mood}`} · ${wordsOf(track.category)}`}</p>
    <Sound url={hereOf(track.audioUrl)} label={track.title} />
    <p class="buttons">
      {track.approvalStatus === "approved" ? <Do act={judge(track, "hold", done)}>Hold</Do> : null}
      {track.approvalStatus === "held" ? <Do act={judge(track, "release", done)}>Release</Do> : null}
      {track.approvalStatus === "retired" ? null : <Do act={judge(track, "remove", done)}>Remove</Do>}
      {track.approvalStatus === "rejected" || (track.approvalStatus === "retired" && track.source !== "house") ? (
        <Do act={judge(track, "restore", done)}>Restore</Do>
      ) : null}
    </p>
    <h3>About</h3>
    <dl class="pairs">
      <dt>State</dt>
      <dd class="wrap">{`${wordsOf(track.approvalStatus)}${track.approvalReason === null ? "" : `: ${track.approvalReason}`}`}</dd>
      <dt>Class, weight</dt>
      <dd>{`${track.rotationClass}, ${track.weight}`}</dd>
      <dt>Played</dt>
      <dd>{`${track.playCount === 1 ? "once" : `${track.playCount} times`}${track.lastPlayedAt === null ? "" : `, last ${dayTimeOf(track.lastPlayedAt)}`}`}</dd>
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
    <More id={track.id} turn={turn} done={done} />
  </article>
)

const states = ["approved", "pending_review", "held", "rejected", "retired"]

const tabs = [
  { key: "tracks", title: "Tracks", role: "reviewer" as const },
  { key: "rotation", title: "Rotation", role: "producer" as const }
]

/** The music, and how often it plays. */
export const Library = ({ rest: [tab] }: RoomProps) => {
  const chosen = tabOf(tabs, tab)
  return (
    <>
      <RoomTabs room="library" tabs={tabs} chosen={chosen} />
      {chosen === "rotation" ? <Rotation /> : <Tracks />}
    </>
  )
}

/** All music, in any state. Only the rows in view are drawn, so that a hundred thousand tracks scroll. */
const Tracks = () => {
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
  /** The track as the list shows it now, so that the sheet offers to undo what was just done to it. */
  const shown = open === null ? null : (list.value?.find(({ id }) => id === open.id) ?? open)
  return (
    <>
      <div class="filters">
        <label class="filter">
          <span>Search</span>
          <input type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <Filter label="State" all="All" names={states} value={status} change={setStatus} />
      </div>
      <DropFiles done={() => setTurn((was) => was + 1)}>
        <div class="beside">
          <Pages
            of={list}
            label="Tracks"
            empty="No track has this."
            row={(track) => (
              <button
                type="button"
                class="row-button"
                aria-pressed={shown?.id === track.id}
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
          {shown === null ? null : (
            <One key={shown.id} track={shown} turn={turn} done={() => setTurn((was) => was + 1)} />
          )}
        </div>
      </DropFiles>
    </>
  )
}
