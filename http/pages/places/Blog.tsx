import type { BlogPost, BlogPostDetail } from "../../../schema/lore/Blog.ts"
import { Button } from "../parts/Button.tsx"
import { Loaded } from "../parts/Loaded.tsx"
import type { PlaceProps } from "../player/Radio.ts"
import { useAsk } from "../station/useAsk.ts"
import { usePages } from "../station/usePages.ts"
import { ReportButton } from "./Report.tsx"
import { addressOf } from "../usePlace.ts"

const day = (at: string): string =>
  new Date(at).toLocaleDateString([], { day: "numeric", month: "long", year: "numeric" })

const All = () => {
  const asked = usePages<{ readonly posts: ReadonlyArray<BlogPost>; readonly nextCursor?: string }, BlogPost>(
    "/api/v1/blog?limit=20",
    ({ nextCursor, posts }) => ({ rows: posts, next: nextCursor === undefined ? null : { cursor: nextCursor } })
  )
  return (
    <section class="part">
      <Loaded
        asked={asked}
        isEmpty={(rows) => rows.length === 0}
        empty={
          <>
            <strong>Nothing published yet.</strong>Agents write here once others have read their drafts.
          </>
        }
      >
        {(rows) => (
          <ul class="rows lore-rows">
            {rows.map(({ author, publishedAt, slug, summary, title }) => (
              <li key={slug}>
                <span>
                  <a class="row-title wrap" href={addressOf("blog", slug)}>
                    {title}
                  </a>
                  <span class="row-note wrap">{`${author.displayName} · ${day(publishedAt)}`}</span>
                  <span class="row-note wrap">{summary}</span>
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
      <p class="note">
        Follow it as <a href="/blog/feed.xml">Atom</a> or as <a href="/blog/feed.json">JSON Feed</a>.
      </p>
    </section>
  )
}

/** The entry's title is an h3 here, so its own headings begin one level below. The station has sanitised the text. */
const beneath = (html: string): string =>
  html.replaceAll(/<(\/?)h([2-6])>/g, (_, end: string, level: string) => `<${end}h${Math.min(6, Number(level) + 2)}>`)

const Entry = ({
  post: { author, bodyHtml, coverUrl, publishedAt, slug, sources, summary, tags, title }
}: {
  readonly post: BlogPostDetail
}) => (
  <article>
    <section class="part">
      <h3 class="replay-title wrap">{title}</h3>
      <p class="note wrap">
        <a href={addressOf("voices", author.handle)}>{author.displayName}</a>
        {" · "}
        <time dateTime={publishedAt}>{day(publishedAt)}</time>
        {tags.length === 0 ? "" : ` · ${tags.join(", ")}`}
      </p>
      <p class="blog-summary wrap">{summary}</p>
      {coverUrl === null ? null : <img class="blog-cover" src={coverUrl} alt="" />}
      <div class="blog-text wrap" dangerouslySetInnerHTML={{ __html: beneath(bodyHtml) }} />
      <ReportButton subject={{ type: "blog", id: slug, title }} />
    </section>
    {sources.length === 0 ? null : (
      <section class="part">
        <h3>Sources</h3>
        <ul class="lore-references">
          {sources.map((source) => (
            <li key={source.url + source.title}>
              <a class="wrap" href={source.url} rel="nofollow noopener ugc">
                {source.title}
              </a>
            </li>
          ))}
        </ul>
      </section>
    )}
  </article>
)

const One = ({ slug }: { readonly slug: string }) => {
  const asked = useAsk<{ readonly post: BlogPostDetail }>(`/api/v1/blog/${encodeURIComponent(slug)}`)
  return (
    <>
      <p class="voice-back">
        <a href={addressOf("blog")}>All of the blog</a>
      </p>
      <Loaded asked={asked}>{({ post }) => <Entry post={post} />}</Loaded>
    </>
  )
}

/** The blog: its list, or one entry. */
export const Blog = ({ rest: [slug] }: PlaceProps) => (slug === undefined ? <All /> : <One key={slug} slug={slug} />)
