import { useEffect, useState } from "preact/hooks"
import type { CatalogTrack, MusicCatalogPage } from "../../../schema/music/MusicCatalog.ts"
import type { SongRequestView } from "../../../schema/music/SongRequest.ts"
import { ask } from "../station/Ask.ts"
import { useConsent } from "../Consent.tsx"
import { Button } from "../parts/Button.tsx"
import { Field } from "../parts/Field.tsx"
import { Loaded } from "../parts/Loaded.tsx"
import { Sheet } from "../parts/Sheet.tsx"
import { toast } from "../parts/Toast.tsx"
import { artistOf, clockText } from "../player/Programme.ts"
import type { PlaceProps } from "../player/Radio.ts"
import { useAsk } from "../station/useAsk.ts"
import { usePages } from "../station/usePages.ts"
import { expectedText, RequestStatus, useRequest } from "./RequestStatus.tsx"

const typingMs = 250

/** The value of a field after a pause in typing. */
const useSettled = (text: string): string => {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), typingMs)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

const describeTrack = ({ durationSec, genre, ...track }: CatalogTrack): string =>
  [artistOf(track), genre.replaceAll("_", " "), clockText(durationSec * 1000)].join(" · ")

const Confirm = ({
  close,
  onDone,
  track
}: {
  readonly track: CatalogTrack
  readonly close: () => void
  readonly onDone: () => void
}) => {
  const { agreed, fields } = useConsent()
  const [wrong, setWrong] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const send = async (): Promise<void> => {
    setBusy(true)
    try {
      const made = await ask<typeof SongRequestView.Type>(`/api/v1/tracks/${track.id}/request`, { body: agreed! })
      toast(`${track.title}: ${expectedText(made)}`)
      onDone()
    } catch (fault) {
      setWrong((fault as Error).message)
      setBusy(false)
    }
  }
  return (
    <Sheet title="Request this song" close={close}>
      <p class="row-title wrap">{track.title}</p>
      <p class="note wrap">{describeTrack(track)}</p>
      {fields}
      {wrong === null ? null : (
        <p class="failed wrap" role="alert">
          {wrong}
        </p>
      )}
      <div class="buttons">
        <Button busy={busy} disabled={agreed === null} onClick={() => void send()}>
          Request it
        </Button>
        <Button kind="quiet" onClick={close}>
          Not now
        </Button>
      </div>
    </Sheet>
  )
}

/** Search the music and request a song. */
export const Request = ({ radio: { heard } }: PlaceProps) => {
  const [text, setText] = useState("")
  const [genre, setGenre] = useState("")
  const [wanted, setWanted] = useState<CatalogTrack | null>(null)
  const [turn, setTurn] = useState(0)
  const settled = useSettled(text)
  const query = new URLSearchParams({
    ...(settled.trim() === "" ? {} : { q: settled }),
    ...(genre === "" ? {} : { genre }),
    limit: "30"
  })
  const { value: whole } = useAsk<typeof MusicCatalogPage.Type>("/api/station/music/catalog?limit=1")
  const catalog = usePages<typeof MusicCatalogPage.Type, CatalogTrack>(
    `/api/station/music/catalog?${query}`,
    ({ nextCursor, tracks }) => ({ rows: tracks, next: nextCursor === undefined ? null : { cursor: nextCursor } })
  )
  const { value: asked } = useRequest(heard?.startMs, turn)
  const waiting = asked?.request?.trackId ?? null
  return (
    <>
      <RequestStatus asked={asked} />
      <section class="part">
        <h3>The music</h3>
        <div class="request-search">
          <Field label="Song or artist" type="search" value={text} change={setText} max={100} />
          <label class="field">
            <span class="field-label">Genre</span>
            <select value={genre} onChange={(event) => setGenre(event.currentTarget.value)}>
              <option value="">All</option>
              {(whole?.genres ?? []).map(({ count, id }) => (
                <option key={id} value={id}>{`${id.replaceAll("_", " ")} (${count})`}</option>
              ))}
            </select>
          </label>
        </div>
        <Loaded
          asked={catalog}
          isEmpty={(rows) => rows.length === 0}
          empty={
            <>
              <strong>No song found.</strong>Try the first letters of its title or artist.
            </>
          }
        >
          {(rows) => (
            <ul class="rows request-rows">
              {rows.map((track) => (
                <li key={track.id}>
                  <span class="clip">
                    <span class="row-title clip">{track.title}</span>
                    <span class="row-note clip">{describeTrack(track)}</span>
                  </span>
                  {track.id === waiting ? (
                    <span class="row-figure">Requested</span>
                  ) : track.requestable ? (
                    <Button
                      kind="quiet"
                      onClick={() => setWanted(track)}
                      aria-label={`Request ${track.title}`}
                      disabled={waiting !== null}
                    >
                      Request
                    </Button>
                  ) : (
                    <span class="row-figure">Resting</span>
                  )}
                </li>
              ))}
            </ul>
          )}
        </Loaded>
        {catalog.loadMore === null ? null : (
          <Button kind="quiet" busy={catalog.busy} onClick={catalog.loadMore}>
            More songs
          </Button>
        )}
      </section>
      {wanted === null ? null : (
        <Confirm
          track={wanted}
          close={() => setWanted(null)}
          onDone={() => {
            setWanted(null)
            setTurn((was) => was + 1)
          }}
        />
      )}
    </>
  )
}
