import { useState } from "preact/hooks"
import type { ClipView, ListedReplay } from "../../../schema/panels/Replay.ts"
import type { Show } from "../../../schema/programmes/Show.ts"
import { Button } from "../parts/Button.tsx"
import { Face } from "../parts/Face.tsx"
import { Loaded } from "../parts/Loaded.tsx"
import { Tabs } from "../parts/Tabs.tsx"
import { markText } from "../parts/Mark.tsx"
import { clockText } from "../player/Programme.ts"
import type { PlaceProps, Radio } from "../player/Radio.ts"
import { useAsk } from "../station/useAsk.ts"
import { addressOf } from "../usePlace.ts"
import { type Paged, usePages } from "../station/usePages.ts"
import { Aside } from "./Aside.tsx"
import { Replay } from "./Replay.tsx"

const kinds = [
  { key: "panels", title: "Panels" },
  { key: "clips", title: "Clips" },
  { key: "shows", title: "Shows" }
] as const
type Kind = (typeof kinds)[number]["key"]
const day = (at: string): string =>
  new Date(at).toLocaleDateString([], { day: "numeric", month: "long", year: "numeric" })
const showQuery = (slug: string | null): string => (slug === null ? "" : `&showSlug=${encodeURIComponent(slug)}`)
const markLinesOf = (synthetic: ListedReplay["synthetic"]) => (synthetic == null ? [] : [markText(synthetic)])
const nextOf = (cursor: string | undefined) => (cursor === undefined ? null : { cursor })
const More = ({ asked: { busy, loadMore } }: { readonly asked: Pick<Paged<unknown>, "busy" | "loadMore"> }) =>
  loadMore === null ? null : (
    <Button kind="quiet" busy={busy} onClick={loadMore}>
      Earlier
    </Button>
  )
const Feed = ({ path }: { readonly path: string }) => (
  <p class="buttons replay-take">
    <a class="button button-quiet" href={path}>
      Podcast feed (RSS)
    </a>
  </p>
)
const Panels = ({ slug }: { readonly slug: string | null }) => {
  const asked = usePages<{ readonly replays: ReadonlyArray<ListedReplay>; readonly nextCursor?: string }, ListedReplay>(
    `/api/replays?limit=20${showQuery(slug)}`,
    ({ nextCursor, replays }) => ({ rows: replays, next: nextOf(nextCursor) })
  )
  return (
    <>
      <Loaded
        asked={asked}
        isEmpty={(rows) => rows.length === 0}
        empty={
          <>
            <strong>No panels yet.</strong>Panels appear here after they have aired.
          </>
        }
      >
        {(rows) => (
          <ol class="rows replay-rows">
            {rows.map(({ airedAt, durationSec, id, participants, synthetic, title }) => (
              <li key={id}>
                <span>
                  <a class="row-title wrap" href={addressOf("replays", id)}>
                    {title}
                  </a>
                  <span class="row-note wrap">
                    {[
                      participants.map(({ displayName }) => displayName).join(", "),
                      day(airedAt),
                      ...markLinesOf(synthetic)
                    ].join(" · ")}
                  </span>
                </span>
                <span class="row-figure">{clockText(durationSec * 1000)}</span>
              </li>
            ))}
          </ol>
        )}
      </Loaded>
      <More asked={asked} />
    </>
  )
}
const Clips = ({ radio, slug }: { readonly radio: Radio; readonly slug: string | null }) => {
  const asked = usePages<{ readonly clips: ReadonlyArray<ClipView>; readonly nextCursor?: string }, ClipView>(
    `/api/clips?limit=20${showQuery(slug)}`,
    ({ clips, nextCursor }) => ({ rows: clips, next: nextOf(nextCursor) })
  )
  return (
    <>
      <Loaded
        asked={asked}
        isEmpty={(rows) => rows.length === 0}
        empty={
          <>
            <strong>No clips yet.</strong>After a panel airs, its two best-liked turns become a clip.
          </>
        }
      >
        {(rows) => (
          <ul class="replay-clips">
            {rows.map(
              ({
                audioUrl,
                coverUrl,
                durationSec,
                id,
                participants,
                publishedAt,
                replayId,
                synthetic,
                title,
                transcript
              }) => (
                <li key={id}>
                  <div class="replay-clip">
                    <Face name={participants[0]?.displayName ?? title} url={coverUrl} />
                    <span class="clip">
                      {replayId === null ? (
                        <span class="row-title wrap">{title}</span>
                      ) : (
                        <a class="row-title wrap" href={addressOf("replays", replayId)}>
                          {title}
                        </a>
                      )}
                      <span class="row-note wrap">
                        {[
                          ...participants.map(({ displayName }) => displayName),
                          `${Math.round(durationSec)} seconds`,
                          day(publishedAt),
                          ...markLinesOf(synthetic)
                        ].join(" · ")}
                      </span>
                    </span>
                  </div>
                  <Aside radio={radio} url={audioUrl} label={`Clip: ${title}`} />
                  <details class="now-script">
                    <summary>Read it</summary>
                    <p class="wrap voice-text">{transcript}</p>
                  </details>
                </li>
              )
            )}
          </ul>
        )}
      </Loaded>
      <More asked={asked} />
    </>
  )
}
const ListedShows = () => {
  const asked = usePages<{ readonly shows: ReadonlyArray<Show>; readonly nextCursor?: string }, Show>(
    "/api/shows?limit=50",
    ({ nextCursor, shows }) => ({ rows: shows, next: nextOf(nextCursor) })
  )
  return (
    <>
      <Loaded
        asked={asked}
        isEmpty={(rows) => rows.length === 0}
        empty={
          <>
            <strong>No shows yet.</strong>Recurring programmes appear here.
          </>
        }
      >
        {(rows) => (
          <ul class="rows replay-rows">
            {rows.map(({ format, hostHandle, id, slug, tagline, title }) => (
              <li key={id}>
                <span>
                  <a class="row-title wrap" href={addressOf("shows", slug)}>
                    {title}
                  </a>
                  <span class="row-note wrap">
                    {[...(tagline === null ? [] : [tagline]), `@${hostHandle}`].join(" · ")}
                  </span>
                </span>
                <span class="row-note">{format?.replaceAll("_", " ") ?? ""}</span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <More asked={asked} />
    </>
  )
}
const All = ({ begin, radio }: { readonly begin: Kind; readonly radio: Radio }) => {
  const [kind, setKind] = useState<Kind>(begin)
  return (
    <section class="part">
      <h3 class="unseen">Kinds of recordings</h3>
      <Tabs label="Kinds of recordings" of={kinds} chosen={kind} choose={setKind}>
        {kind === "panels" ? (
          <Panels slug={null} />
        ) : kind === "clips" ? (
          <Clips radio={radio} slug={null} />
        ) : (
          <ListedShows />
        )}
      </Tabs>
      <Feed path="/podcast.xml" />
    </section>
  )
}
const AShow = ({ radio, slug }: { readonly radio: Radio; readonly slug: string }) => {
  const asked = useAsk<{ readonly show: Show }>(`/api/shows/${encodeURIComponent(slug)}`)
  return (
    <>
      <p class="voice-back">
        <a href={addressOf("replays")}>All panels, clips and shows</a>
      </p>
      <Loaded asked={asked}>
        {({ show: { description, hostHandle, status, tagline, title } }) => (
          <>
            <section class="part">
              <h3 class="replay-title wrap">{title}</h3>
              <p class="note">
                With <a href={addressOf("voices", hostHandle)}>{`@${hostHandle}`}</a>
                {status === "active" ? "" : status === "paused" ? ". It is paused." : ". It has ended."}
              </p>
              {tagline === null ? null : <p class="voice-line wrap">{tagline}</p>}
              {description === null ? null : <p class="wrap voice-text">{description}</p>}
              <Feed path={`/shows/${encodeURIComponent(slug)}/podcast.xml`} />
            </section>
            <section class="part">
              <h3>Panels</h3>
              <Panels slug={slug} />
            </section>
            <section class="part">
              <h3>Clips</h3>
              <Clips radio={radio} slug={slug} />
            </section>
          </>
        )}
      </Loaded>
    </>
  )
}
/** The shows, or one of them with its panels and clips. */
export const Shows = ({ radio, rest: [slug] }: PlaceProps) =>
  slug === undefined ? <All begin="shows" radio={radio} /> : <AShow key={slug} radio={radio} slug={slug} />

/** The second at which a replay begins, from its address. */
const secOf = (part: string | undefined): number | null =>
  part !== undefined && /^\d{1,6}$/.test(part) ? Number(part) : null

/** Panels with transcripts, clips, and their shows. */
export const Replays = ({ radio, rest: [which = "panels", sec] }: PlaceProps) => {
  const begin = kinds.find(({ key }) => key === which)?.key
  if (begin !== undefined) return <All key={begin} begin={begin} radio={radio} />
  return <Replay key={`${which}/${sec ?? ""}`} id={which} fromSec={secOf(sec)} radio={radio} />
}
