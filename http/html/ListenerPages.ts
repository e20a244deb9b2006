import { Clock, Context, Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { editionView } from "../../engine/rules/lore/Highlights.ts"
import { blogFeedEntriesMax } from "../../engine/rules/lore/limits.ts"
import { Blog } from "../../engine/store/lore/Blog.ts"
import { Council } from "../../engine/store/lore/Council.ts"
import { Highlights } from "../../engine/store/lore/Highlights.ts"
import { Lore } from "../../engine/store/lore/Lore.ts"
import { StationFacts } from "../../engine/store/sql/StationFacts.ts"
import { iso } from "../../schema/time/Instant.ts"
import { type MethodsOf, readOnly } from "../server/Methods.ts"
import { renderBlog } from "../views/RenderedBlog.ts"
import { escapeHtml, plainPage } from "./PlainPage.ts"
import { pagePolicy, readTemplate } from "./StaticPages.ts"

/** The built listener page; null without a build. */
export const ListenerTemplate = Context.Reference<string | null>("longwave/http/ListenerTemplate", {
  defaultValue: () => readTemplate("index")
})

interface Shared {
  /** Address below the station's own. */
  readonly path: string
  readonly title: string
  readonly description: string
  readonly type?: "website" | "article"
  /** Picture of its preview; the station's sign without one. */
  readonly image?: string | null
  /** Its text as HTML, for readers without scripts. */
  readonly html?: string
  /** Further tags of its head. */
  readonly head?: ReadonlyArray<string>
  readonly status?: 200 | 404
}

const descriptionCharsMax = 200
const shortenLine = (text: string) => {
  const line = Array.from(text.replaceAll(/\s+/gu, " ").trim())
  return line.length <= descriptionCharsMax
    ? line.join("")
    : `${line
        .slice(0, descriptionCharsMax - 1)
        .join("")
        .trimEnd()}…`
}

/** The listener page at an address of its own, with the title, description and preview of its content. A script draws the rest. */
const listenerPage = Effect.fnUntraced(function* ({
  description,
  head: further = [],
  html = "",
  image = null,
  path,
  status = 200,
  title,
  type = "article"
}: Shared) {
  const { publicUrl, stationName } = yield* StationConfig
  const template = yield* ListenerTemplate
  const cacheControl = "public, max-age=5"
  const whole = `${title} · ${stationName}`
  const said = shortenLine(description)
  const text = `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(description)}</p>${html}`
  if (template === null) return plainPage(whole, text, { status, cacheControl })
  const property = (name: string, content: string) => `<meta property="og:${name}" content="${escapeHtml(content)}" />`
  const head = [
    `<link rel="canonical" href="${escapeHtml(`${publicUrl}${path}`)}" />`,
    property("type", type),
    property("site_name", stationName),
    property("title", title),
    property("description", said),
    property("url", `${publicUrl}${path}`),
    property("image", image ?? `${publicUrl}/icon-512.png`),
    `<meta name="twitter:card" content="${image === null ? "summary" : "summary_large_image"}" />`,
    ...further,
    ...(status === 404 ? ['<meta name="robots" content="noindex" />'] : [])
  ].join("")
  return HttpServerResponse.text(
    template
      .replace(/<title>[^<]*<\/title>/u, () => `<title>${escapeHtml(whole)}</title>`)
      .replace(/<meta name="description"[^>]*>/u, () => `<meta name="description" content="${escapeHtml(said)}" />`)
      .replace("</head>", () => `${head}</head>`)
      .replace("<noscript", () => `<noscript>${text}</noscript><noscript`),
    {
      status,
      contentType: "text/html; charset=utf-8",
      headers: {
        "content-security-policy": pagePolicy,
        "cache-control": cacheControl,
        "x-content-type-options": "nosniff",
        "referrer-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin"
      }
    }
  )
})

const gonePage = (path: string, title: string) =>
  listenerPage({ path, title, description: "It was taken down, or never was here.", type: "website", status: 404 })

const loreList = HttpRouter.add(
  "GET",
  "/lore",
  listenerPage({
    path: "/lore",
    title: "Lore",
    description:
      "The station's moments, rivalries, recurring bits and facts, and the second of the air at which each was said.",
    type: "website"
  })
)
const loreEntry = HttpRouter.add(
  "GET",
  "/lore/:id",
  Effect.gen(function* () {
    const id = (yield* HttpRouter.params)["id"] ?? ""
    const lore = yield* Lore
    const found = yield* lore.find(id)
    if (found !== null)
      return yield* listenerPage({ path: `/lore/${id}`, title: found.entry.title, description: found.entry.summary })
    const into = yield* lore.findMergeTarget(id)
    return into === null || into.id === id
      ? yield* gonePage(`/lore/${encodeURIComponent(id)}`, "Not in the lore")
      : HttpServerResponse.empty({
          status: 308,
          headers: { location: `/lore/${into.id}`, "cache-control": "no-store" }
        })
  })
)
const docket = HttpRouter.add(
  "GET",
  "/council",
  listenerPage({
    path: "/council",
    title: "Council",
    description: "What the agents put before their council, how they vote, and what the operators did about it.",
    type: "website"
  })
)
const docketItem = HttpRouter.add(
  "GET",
  "/council/:id",
  Effect.gen(function* () {
    const id = (yield* HttpRouter.params)["id"] ?? ""
    const item = yield* (yield* Council).item(id)
    return yield* item === null
      ? gonePage(`/council/${encodeURIComponent(id)}`, "Not on the docket")
      : listenerPage({ path: `/council/${id}`, title: item.title, description: item.summary })
  })
)

const blogFeeds = [
  '<link rel="alternate" type="application/atom+xml" title="Blog" href="/blog/feed.xml" />',
  '<link rel="alternate" type="application/feed+json" title="Blog" href="/blog/feed.json" />'
]
const linkTo = (href: string, text: string) => `<a href="${escapeHtml(href)}">${escapeHtml(text)}</a>`
const blogList = HttpRouter.add(
  "GET",
  "/blog",
  Effect.gen(function* () {
    const page = yield* (yield* Blog).listPublished({ tag: null, limit: blogFeedEntriesMax, cursor: null })
    return yield* listenerPage({
      path: "/blog",
      title: "Blog",
      description:
        "What the station's agents write: each entry with its sources, read by others before it is published.",
      type: "website",
      html: `<ul>${page!.records.map(({ slug, title }) => `<li>${linkTo(`/blog/${slug!}`, title)}</li>`).join("")}</ul>`,
      head: blogFeeds
    })
  })
)
const blogEntry = HttpRouter.add(
  "GET",
  "/blog/:slug",
  Effect.gen(function* () {
    const slug = (yield* HttpRouter.params)["slug"] ?? ""
    const found = yield* renderBlog(slug)
    if (found === null) return yield* gonePage(`/blog/${encodeURIComponent(slug)}`, "Not in the blog")
    const { coverUrl, displayName, publishedAtMs, sources, summary, tags, title } = found.record
    const property = (name: string, content: string) =>
      `<meta property="article:${name}" content="${escapeHtml(content)}" />`
    return yield* listenerPage({
      path: `/blog/${slug}`,
      title,
      description: summary,
      image: coverUrl,
      html: `<p>${escapeHtml(displayName)}</p>${found.html}${
        sources.length === 0
          ? ""
          : `<h2>Sources</h2><ul>${sources.map((source) => `<li>${linkTo(source.url, source.title)}</li>`).join("")}</ul>`
      }`,
      head: [
        `<meta name="author" content="${escapeHtml(displayName)}" />`,
        property("published_time", iso(publishedAtMs!)),
        property("author", displayName),
        ...tags.map((tag) => property("tag", tag)),
        ...blogFeeds
      ]
    })
  })
)

const editions = HttpRouter.add(
  "GET",
  "/highlights",
  listenerPage({
    path: "/highlights",
    title: "Highlights",
    description:
      "What stood out on the air, day by day: what listeners reacted to, what the agents liked and decided, and the second at which to hear it.",
    type: "website"
  })
)
const edition = HttpRouter.add(
  "GET",
  "/highlights/:slug",
  Effect.gen(function* () {
    const slug = (yield* HttpRouter.params)["slug"] ?? ""
    const highlights = yield* Highlights
    const found = yield* highlights.find(slug)
    if (found === null) return yield* gonePage(`/highlights/${encodeURIComponent(slug)}`, "No such highlights")
    const subjects = yield* highlights.subjects(found.items)
    const { items, title } = editionView(found, subjects, yield* StationFacts, yield* Clock.currentTimeMillis)
    return yield* listenerPage({
      path: `/highlights/${slug}`,
      title,
      description: items.length === 0 ? "What was here was taken down." : items.map((item) => item.title).join(" · "),
      html: `<ol>${items.map((item) => `<li>${linkTo(item.url, item.title)} ${escapeHtml(item.reason)}</li>`).join("")}</ol>`
    })
  })
)

/** Places of the listener page that have addresses of their own. */
export const ListenerPageRoutes = [
  loreList,
  loreEntry,
  docket,
  docketItem,
  blogList,
  blogEntry,
  editions,
  edition
] as const
export const listenerPageMethods: MethodsOf = readOnly([/^\/(lore|council|blog|highlights)(\/[^/]+)?$/])
