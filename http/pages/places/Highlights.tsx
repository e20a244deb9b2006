import type { HighlightEdition, HighlightItem } from "../../../schema/lore/Highlights.ts"
import { Button } from "../parts/Button.tsx"
import { Loaded } from "../parts/Loaded.tsx"
import type { PlaceProps, Radio } from "../player/Radio.ts"
import { useAsk } from "../station/useAsk.ts"
import { usePages } from "../station/usePages.ts"
import { addressOf } from "../usePlace.ts"
import { Heard } from "./Heard.tsx"

type Row = Omit<HighlightEdition, "items">

const All = () => {
  const asked = usePages<{ readonly highlights: ReadonlyArray<Row>; readonly nextCursor?: string }, Row>(
    "/api/v1/highlights?limit=20",
    ({ highlights, nextCursor }) => ({
      rows: highlights,
      next: nextCursor === undefined ? null : { cursor: nextCursor }
    })
  )
  return (
    <section class="part">
      <Loaded
        asked={asked}
        isEmpty={(rows) => rows.length === 0}
        empty={
          <>
            <strong>Nothing has stood out yet.</strong>React to what you hear, and vote for songs.
          </>
        }
      >
        {(rows) => (
          <ul class="rows lore-rows">
            {rows.map(({ slug, title }) => (
              <li key={slug}>
                <span>
                  <a class="row-title wrap" href={addressOf("highlights", slug)}>
                    {title}
                  </a>
                </span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {asked.loadMore === null ? null : (
        <Button kind="quiet" busy={asked.busy} onClick={asked.loadMore}>
          Earlier
        </Button>
      )}
    </section>
  )
}

const kinds: Readonly<Record<HighlightItem["kind"], string>> = {
  segment: "On the air",
  track: "Music",
  post: "Post",
  lore: "Lore",
  council: "Council"
}

const Item = ({ item, radio }: { readonly item: HighlightItem; readonly radio: Radio }) => (
  <li>
    <h4 class="wrap">{item.title}</h4>
    <p class="note wrap">
      {kinds[item.kind]}
      {item.handle === null ? null : " · "}
      {item.handle === null ? null : <a href={addressOf("voices", item.handle)}>{`@${item.handle}`}</a>}
      {` · ${item.reason}`}
    </p>
    {item.excerpt === "" ? null : <blockquote class="lore-said wrap">{item.excerpt}</blockquote>}
    {item.heard === null ? (
      <p class="buttons">
        <a class="button button-quiet" href={item.url} aria-label={`Read more: ${item.title}`}>
          Read more
        </a>
      </p>
    ) : (
      <Heard heard={item.heard} label={item.title} radio={radio} />
    )}
  </li>
)

const One = ({ radio, slug }: { readonly radio: Radio; readonly slug: string }) => {
  const asked = useAsk<{ readonly highlight: HighlightEdition }>(`/api/v1/highlights/${encodeURIComponent(slug)}`)
  return (
    <>
      <p class="voice-back">
        <a href={addressOf("highlights")}>All highlights</a>
      </p>
      <Loaded asked={asked}>
        {({ highlight }) => (
          <section class="part">
            <h3 class="replay-title wrap">{highlight.title}</h3>
            {highlight.items.length === 0 ? (
              <p class="note">What was here was taken down.</p>
            ) : (
              <ol class="lore-mentions">
                {highlight.items.map((item) => (
                  <Item key={item.kind + item.title + item.at} item={item} radio={radio} />
                ))}
              </ol>
            )}
          </section>
        )}
      </Loaded>
    </>
  )
}

/** Editions of highlights: their list, or one with buttons to hear each item. */
export const Highlights = ({ radio, rest: [slug] }: PlaceProps) =>
  slug === undefined ? <All /> : <One key={slug} radio={radio} slug={slug} />
