import { dropTargetForExternal } from "@atlaskit/pragmatic-drag-and-drop/external/adapter"
import { containsFiles, getFiles } from "@atlaskit/pragmatic-drag-and-drop/external/file"
import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import type { Genre, TrackCategory } from "../../../../schema/music/Track.ts"
import type { RightsDeclaration } from "../../../../schema/segments/Upload.ts"
import { Button } from "../../parts/Button.tsx"
import { Choice, Field } from "../../parts/Field.tsx"
import { Sheet } from "../../parts/Sheet.tsx"
import { ask, newKey } from "../../station/Ask.ts"
import { touch } from "../desk/Live.ts"
import { hasRole } from "../desk/Session.ts"
import { wordsOf } from "../desk/Words.ts"

// Complete, because it names every genre.
const genres = Object.keys({
  ambient: 1,
  blues: 1,
  classical: 1,
  country: 1,
  dance: 1,
  disco: 1,
  drum_and_bass: 1,
  dub: 1,
  electronic: 1,
  experimental: 1,
  folk: 1,
  funk: 1,
  gospel: 1,
  hip_hop: 1,
  house: 1,
  indie: 1,
  jazz: 1,
  latin: 1,
  lofi: 1,
  metal: 1,
  pop: 1,
  punk: 1,
  reggae: 1,
  rnb: 1,
  rock: 1,
  soul: 1,
  soundtrack: 1,
  spoken_word: 1,
  synthwave: 1,
  techno: 1,
  trance: 1,
  world: 1
} satisfies Record<Genre, 1>)
const categories: ReadonlyArray<TrackCategory> = ["song", "instrumental", "bed", "jingle"]
const rights = {
  own_work: "It is the station's own work",
  licensed: "The station has a licence",
  public_domain: "It is in the public domain",
  generated: "A machine made it"
} satisfies Record<RightsDeclaration, string>

/** One file on its way into the library. */
interface Sent {
  readonly file: File
  readonly key: string
  readonly state: "waits" | "goes" | "done" | "refused"
  readonly detail: string
}

const stateWords: Readonly<Record<Sent["state"], string>> = {
  waits: "waits",
  goes: "is sent, measured and mastered",
  done: "is in rotation",
  refused: "was refused"
}

const Upload = ({
  close,
  files,
  done
}: {
  readonly files: ReadonlyArray<File>
  readonly close: () => void
  readonly done: () => void
}) => {
  const [genre, setGenre] = useState("")
  const [category, setCategory] = useState("song")
  const [artist, setArtist] = useState("")
  const [declared, setDeclared] = useState("")
  const [isMine, setIsMine] = useState(false)
  const [sent, setSent] = useState<ReadonlyArray<Sent>>(
    files.map((file) => ({ file, key: newKey(), state: "waits", detail: "" }))
  )
  const [busy, setBusy] = useState(false)
  const note = (file: File, state: Sent["state"], detail = ""): void =>
    setSent((was) => was.map((one) => (one.file === file ? { ...one, state, detail } : one)))
  const isOver = sent.every(({ state }) => state === "done" || state === "refused")
  const upload = async (event: Event): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    // One after the other: each is mastered while its request waits.
    for (const { file, key, state } of sent) {
      if (state === "done") continue
      note(file, "goes")
      const form = new FormData()
      for (const [name, value] of Object.entries({
        genre,
        category,
        artist: artist.trim(),
        rightsDeclaration: declared
      }))
        if (value !== "") form.set(name, value)
      form.set("reason", "Added in the console.")
      form.set("file", file)
      try {
        await ask("/api/ops/tracks", { body: form, key })
        note(file, "done")
      } catch (fault) {
        note(file, "refused", (fault as Error).message)
      }
    }
    setBusy(false)
    touch("rundown")
    done()
  }
  return (
    <Sheet title={files.length === 1 ? "Add a track" : `Add ${files.length} tracks`} close={close}>
      <form onSubmit={(event) => void upload(event)}>
        <p class="ask-about">Titles are read from the tags of the files, or from their names.</p>
        <div class="pair">
          <label class="field">
            <span class="field-label">Genre</span>
            <select required value={genre} onChange={(event) => setGenre(event.currentTarget.value)}>
              <option value="">Choose one</option>
              {genres.map((name) => (
                <option key={name} value={name}>
                  {wordsOf(name)}
                </option>
              ))}
            </select>
          </label>
          <label class="field">
            <span class="field-label">Category</span>
            <select value={category} onChange={(event) => setCategory(event.currentTarget.value)}>
              {categories.map((name) => (
                <option key={name} value={name}>
                  {wordsOf(name)}
                </option>
              ))}
            </select>
          </label>
        </div>
        <Field label="Artist" hint="Without one, the artist of the tags." value={artist} change={setArtist} />
        <label class="field">
          <span class="field-label">Rights</span>
          <select required value={declared} onChange={(event) => setDeclared(event.currentTarget.value)}>
            <option value="">Choose one</option>
            {Object.entries(rights).map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <Choice checked={isMine} change={setIsMine} required>
          I answer for the rights of these files
        </Choice>
        <ul class="history" role="status">
          {sent.map(({ detail, file, state }) => (
            <li key={file.name}>
              <span class="wrap">{file.name}</span>{" "}
              <span class="note wrap">{detail === "" ? stateWords[state] : `${stateWords[state]}: ${detail}`}</span>
            </li>
          ))}
        </ul>
        <p class="buttons">
          {isOver ? (
            <Button onClick={close}>Done</Button>
          ) : (
            <Button type="submit" busy={busy} disabled={genre === "" || declared === "" || !isMine}>
              Add to the library
            </Button>
          )}
          {isOver ? null : (
            <Button kind="plain" onClick={close}>
              Cancel
            </Button>
          )}
        </p>
      </form>
    </Sheet>
  )
}

/** Takes files that are dropped on its content, or chosen with its button. */
export const DropFiles = ({ children, done }: { readonly children: ComponentChildren; readonly done: () => void }) => {
  const zone = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setIsOver] = useState(false)
  const [files, setFiles] = useState<ReadonlyArray<File>>([])
  const mayAdd = hasRole("producer")
  useEffect(() => {
    if (zone.current === null || !mayAdd) return
    return dropTargetForExternal({
      element: zone.current,
      canDrop: containsFiles,
      onDragEnter: () => setIsOver(true),
      onDragLeave: () => setIsOver(false),
      onDrop: ({ source }) => {
        setIsOver(false)
        setFiles(getFiles({ source }))
      }
    })
  }, [mayAdd])
  if (!mayAdd) return <>{children}</>
  return (
    <div ref={zone} class={`drop-zone${isOver ? " drop-zone-over" : ""}`}>
      <p class="buttons">
        <Button kind="quiet" onClick={() => input.current?.click()}>
          Add tracks
        </Button>
        <span class="note">or drop MP3 or WAV files here</span>
        <input
          ref={input}
          type="file"
          class="unseen"
          accept="audio/mpeg,audio/wav,.mp3,.wav"
          multiple
          tabIndex={-1}
          aria-label="Files to add"
          onChange={({ currentTarget }) => {
            setFiles([...(currentTarget.files ?? [])])
            currentTarget.value = ""
          }}
        />
      </p>
      {children}
      {files.length === 0 ? null : <Upload files={files} close={() => setFiles([])} done={done} />}
    </div>
  )
}
