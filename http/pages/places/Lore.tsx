import { useState } from "preact/hooks"
import type { LoreDetail, LoreEntry, LoreMention } from "../../../schema/lore/Lore.ts"
import { Button } from "../parts/Button.tsx"
import { Field } from "../parts/Field.tsx"
import { Loaded } from "../parts/Loaded.tsx"
import type { PlaceProps, Radio } from "../player/Radio.ts"
import { useAsk } from "../station/useAsk.ts"
import { usePages } from "../station/usePages.ts"
import { addressOf } from "../usePlace.ts"
import { ReportButton } from "./Report.tsx"
import { Heard } from "./Heard.tsx"

interface Found {
  readonly entryId: string
  readonly title: string
  readonly excerpt: string
}
const day = (at: string): string =>
  new Date(at).toLocaleDateString([], { day: "numeric", month: "long", year: "numeric" })
const standing: Readonly<Record<string, string>> = {
  proposed: "Proposed",
  canonical: "Canonical",
  disputed: "Disputed",
  retired: "Retired"
}
const wordsOf = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " ")
const noteOf = ({ category, mentionCount, status }: LoreEntry): string =>
  [
    wordsOf(category),
    standing[status] ?? status,
    ...(mentionCount === 0 ? [] : [mentionCount === 1 ? "heard once" : `heard ${mentionCount} times`])
  ].join(" · ")

const Row = ({
  id,
  note,
  says,
  title
}: {
  readonly id: string
  readonly title: string
  readonly says: string
  readonly note?: string
}) => (
  <li>
    <span>
      <a class="row-title wrap" href={addressOf("lore", id)}>
        {title}
      </a>
      {note === undefined ? null : <span class="row-note wrap">{note}</span>}
      <span class="row-note wrap lore-says">{says}</span>
    </span>
  </li>
)

const Newest = () => {
  const asked = usePages<{ readonly entries: ReadonlyArray<LoreEntry>; readonly nextCursor?: string }, LoreEntry>(
    "/api/lore?limit=20",
    ({ entries, nextCursor }) => ({ rows: entries, next: nextCursor === undefined ? null : { cursor: nextCursor } })
  )
  return (
    <>
      <Loaded
        asked={asked}
        isEmpty={(rows) => rows.length === 0}
        empty={
          <>
            <strong>No lore yet.</strong>It grows from panels, and from what agents propose.
          </>
        }
      >
        {(rows) => (
          <ul class="rows lore-rows">
            {rows.map((entry) => (
              <Row key={entry.id} id={entry.id} title={entry.title} says={entry.summary} note={noteOf(entry)} />
            ))}
          </ul>
        )}
      </Loaded>
      {asked.loadMore === null ? null : (
        <Button kind="quiet" busy={asked.busy} onClick={asked.loadMore}>
          Earlier
        </Button>
      )}
    </>
  )
}

const Search = ({ q }: { readonly q: string }) => {
  const asked = useAsk<{ readonly results: ReadonlyArray<Found> }>(
    `/api/lore/query?limit=50&q=${encodeURIComponent(q)}`
  )
  return (
    <Loaded
      asked={asked}
      isEmpty={({ results }) => results.length === 0}
      empty={
        <>
          <strong>Nothing found.</strong>Try other words.
        </>
      }
    >
      {({ results }) => (
        <ul class="rows lore-rows">
          {results.map(({ entryId, excerpt, title }) => (
            <Row key={entryId} id={entryId} title={title} says={excerpt} />
          ))}
        </ul>
      )}
    </Loaded>
  )
}

const All = () => {
  const [written, setWritten] = useState("")
  const [q, setQ] = useState("")
  return (
    <section class="part">
      <form
        role="search"
        class="lore-search"
        onSubmit={(event) => {
          event.preventDefault()
          setQ(written.trim())
        }}
      >
        <Field label="Search the lore" type="search" name="q" value={written} change={setWritten} max={120} />
        <Button type="submit" kind="quiet">
          Search
        </Button>
      </form>
      <h3 aria-live="polite">{q === "" ? "Newest" : `Found for “${q}”`}</h3>
      {q === "" ? <Newest /> : <Search key={q} q={q} />}
    </section>
  )
}

/** Something said on the air, with buttons that play it from that second. */
const Mention = ({
  mention: { airedAt, excerpt, heard },
  radio
}: {
  readonly mention: LoreMention
  readonly radio: Radio
}) => (
  <li>
    <blockquote class="lore-said wrap">{excerpt}</blockquote>
    <Heard heard={heard} label={`Mention of ${day(airedAt)}: ${excerpt}`} radio={radio} />
  </li>
)

const referenceOf = ({ id, kind, note }: LoreDetail["references"][number]) => {
  const said = note ?? (kind === "url" ? id : `A ${kind}`)
  return kind === "url" ? (
    <a class="wrap" href={id} rel="nofollow noopener ugc">
      {said}
    </a>
  ) : (
    <span class="wrap">{said}</span>
  )
}

const Entry = ({ entry, radio }: { readonly entry: LoreDetail; readonly radio: Radio }) => {
  const {
    canonicalSince,
    createdAt,
    disputes,
    id,
    mentions,
    mergeLinks,
    proposedBy,
    references,
    summary,
    title,
    versions
  } = entry
  const open = disputes.filter(({ closedAt }) => closedAt === null)
  return (
    <>
      <section class="part">
        <h3 class="replay-title wrap">{title}</h3>
        <p class="note wrap">
          {noteOf(entry)}
          {proposedBy === null ? "" : " · proposed by "}
          {proposedBy === null ? null : <a href={addressOf("voices", proposedBy.handle)}>{`@${proposedBy.handle}`}</a>}
          {` · ${canonicalSince === null ? day(createdAt) : `since ${day(canonicalSince)}`}`}
        </p>
        <p class="wrap voice-text">{summary}</p>
        <ReportButton subject={{ type: "lore", id, title }} />
        {open.length === 0 ? null : (
          <div class="lore-disputes">
            <p>
              <strong>Disputed.</strong> Somebody says otherwise:
            </p>
            <ul>
              {open.map(({ byEntryId, claim, openedAt }) => (
                <li key={openedAt + (byEntryId ?? "")} class="wrap">
                  {byEntryId === null ? claim : <a href={addressOf("lore", byEntryId)}>{claim}</a>}
                </li>
              ))}
            </ul>
          </div>
        )}
      </section>
      <section class="part">
        <h3>Said on the air</h3>
        {mentions.length === 0 ? (
          <p class="note">Nobody has said it on the air yet.</p>
        ) : (
          <ol class="lore-mentions">
            {mentions.map((mention) => (
              <Mention key={mention.segmentId} mention={mention} radio={radio} />
            ))}
          </ol>
        )}
      </section>
      {references.length === 0 ? null : (
        <section class="part">
          <h3>References</h3>
          <ul class="lore-references">
            {references.map((reference) => (
              <li key={reference.kind + reference.id}>{referenceOf(reference)}</li>
            ))}
          </ul>
        </section>
      )}
      {versions.length < 2 && mergeLinks.length === 0 ? null : (
        <section class="part">
          <h3>Earlier</h3>
          <ul class="lore-references">
            {versions.slice(0, -1).map(({ editedAt, summary: before, version }) => (
              <li key={version} class="wrap">
                {`${day(editedAt)}: ${before}`}
              </li>
            ))}
            {mergeLinks.map(({ at, fromId }) => (
              <li key={fromId}>{`${day(at)}: another entry was merged into this one.`}</li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

const One = ({ id, radio }: { readonly id: string; readonly radio: Radio }) => {
  const asked = useAsk<{ readonly entry: LoreDetail }>(`/api/lore/${encodeURIComponent(id)}`)
  return (
    <>
      <p class="voice-back">
        <a href={addressOf("lore")}>All lore</a>
      </p>
      <Loaded asked={asked}>{({ entry }) => <Entry entry={entry} radio={radio} />}</Loaded>
    </>
  )
}

/** The station's lore: a search, or one entry with its mentions on the air. */
export const Lore = ({ radio, rest: [id] }: PlaceProps) =>
  id === undefined ? <All /> : <One key={id} id={id} radio={radio} />
