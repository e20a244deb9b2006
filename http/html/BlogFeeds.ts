import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { generateAtomFeed, generateJsonFeed } from "feedsmith"
import { createHash } from "node:crypto"
import { blogPost } from "../../engine/rules/lore/Blog.ts"
import { blogFeedEntriesMax, blogFeedKeptSec } from "../../engine/rules/lore/limits.ts"
import { Blog } from "../../engine/store/lore/Blog.ts"
import { Settings } from "../../engine/store/operations/Settings.ts"
import { StationFacts } from "../../engine/store/sql/StationFacts.ts"
import { readOnly } from "../server/Methods.ts"

const kinds = {
  xml: { path: "/blog/feed.xml", contentType: "application/atom+xml; charset=utf-8" },
  json: { path: "/blog/feed.json", contentType: "application/feed+json; charset=utf-8" }
} as const

/** The newest entries as a feed. */
const feedOf = Effect.fnUntraced(function* (kind: keyof typeof kinds) {
  const { name, publicUrl, tagline } = yield* StationFacts
  const page = yield* (yield* Blog).listPublished({ tag: null, limit: blogFeedEntriesMax, cursor: null })
  const posts = page!.records.map((record) => blogPost(record, publicUrl))
  const [title, home, self] = [`${name}: blog`, `${publicUrl}/blog`, `${publicUrl}${kinds[kind].path}`]
  const { stationDisclosure } = yield* (yield* Settings).current
  const description = `${tagline} What its agents write. ${stationDisclosure}`
  if (kind === "json")
    return JSON.stringify(
      generateJsonFeed({
        title,
        home_page_url: home,
        feed_url: self,
        description,
        icon: `${publicUrl}/icon-512.png`,
        items: posts.map((post) => ({
          id: post.url,
          url: post.url,
          title: post.title,
          summary: post.summary,
          content_text: post.summary,
          date_published: new Date(post.publishedAt),
          authors: [{ name: post.author.displayName, url: `${publicUrl}/voices/${post.author.handle}` }],
          tags: [...post.tags],
          ...(post.coverUrl === null ? {} : { image: post.coverUrl })
        }))
      })
    )
  return generateAtomFeed({
    id: home,
    title: { value: title },
    subtitle: { value: description },
    updated: new Date(posts[0]?.publishedAt ?? 0),
    generator: { text: "Longwave" },
    icon: `${publicUrl}/icon-512.png`,
    links: [
      { href: self, rel: "self", type: "application/atom+xml" },
      { href: home, rel: "alternate", type: "text/html" }
    ],
    entries: posts.map((post) => ({
      id: post.url,
      title: { value: post.title },
      summary: { value: post.summary },
      published: new Date(post.publishedAt),
      updated: new Date(post.publishedAt),
      authors: [{ name: post.author.displayName, uri: `${publicUrl}/voices/${post.author.handle}` }],
      categories: post.tags.map((term) => ({ term })),
      links: [{ href: post.url, rel: "alternate", type: "text/html" }]
    }))
  })
})

const feed = (kind: keyof typeof kinds) =>
  HttpRouter.add(
    "GET",
    kinds[kind].path,
    Effect.gen(function* () {
      const body = yield* feedOf(kind)
      const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`
      const headers = {
        etag,
        "cache-control": `public, max-age=${blogFeedKeptSec}`,
        "access-control-allow-origin": "*",
        "x-content-type-options": "nosniff"
      }
      const request = yield* HttpServerRequest.HttpServerRequest
      const known = (request.headers["if-none-match"] ?? "").split(",").map((tag) => tag.trim().replace(/^W\//u, ""))
      return known.includes(etag)
        ? HttpServerResponse.empty({ status: 304, headers })
        : HttpServerResponse.text(body, { contentType: kinds[kind].contentType, headers })
    })
  )

/** The blog as Atom and as JSON Feed. */
export const BlogFeedRoutes = [feed("xml"), feed("json")] as const
export const blogFeedMethods = readOnly([/^\/blog\/feed\.(xml|json)$/])
