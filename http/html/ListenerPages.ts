import { Clock, Context, Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { isPublicAgent, normaliseHandle } from "../../engine/rules/agents/Agent.ts"
import { editionView } from "../../engine/rules/lore/Highlights.ts"
import { blogFeedEntriesMax } from "../../engine/rules/lore/limits.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { Blog } from "../../engine/store/lore/Blog.ts"
import { Council } from "../../engine/store/lore/Council.ts"
import { Highlights } from "../../engine/store/lore/Highlights.ts"
import { Lore } from "../../engine/store/lore/Lore.ts"
import { Settings } from "../../engine/store/operations/Settings.ts"
import { PublishedReplays } from "../../engine/store/panels/Replays.ts"
import { Shows } from "../../engine/store/programmes/Shows.ts"
import { mediaUrl } from "../../engine/rules/sound/MediaUrl.ts"
import { type PlaceKey, placeTitles } from "../../schema/listeners/Places.ts"
import { StationFacts } from "../../engine/store/sql/StationFacts.ts"
import { iso } from "../../schema/time/Instant.ts"
import { type MethodsOf, readOnly } from "../server/Methods.ts"
import { renderBlog } from "../views/RenderedBlog.ts"
import { fillListenerPage, type ListenerHead, listenerText, wholeTitle } from "./ListenerHead.ts"
import { escapeHtml, plainPage } from "./PlainPage.ts"
import { pagePolicy, readTemplate } from "./StaticPages.ts"

/** The built listener page; null without a build. */
export const ListenerTemplate = Context.Reference<string | null>("longwave/http/ListenerTemplate", {
  defaultValue: () => readTemplate("index")
})

type Shared = Omit<ListenerHead, "publicUrl" | "stationName" | "isIndexed"> & { readonly status?: 200 | 404 }

/** The listener page at an address of its own. */
const listenerPage = Effect.fnUntraced(function* ({ status = 200, ...shared }: Shared) {
  const { publicUrl, stationName } = yield* StationConfig
  const template = yield* ListenerTemplate
  const cacheControl = "public, max-age=5"
  const page = { ...shared, publicUrl, stationName, isIndexed: status === 200 }
  if (template === null) return plainPage(wholeTitle(page), listenerText(page), { status, cacheControl })
  return HttpServerResponse.text(fillListenerPage(template, page), {
    status,
    contentType: "text/html; charset=utf-8",
    headers: {
      "content-security-policy": pagePolicy,
      "cache-control": status === 200 ? cacheControl : "no-store",
      "x-content-type-options": "nosniff",
      "referrer-policy": "same-origin",
      "cross-origin-opener-policy": "same-origin"
    }
  })
})

const gonePage = (path: string, title: string) =>
  listenerPage({ path, title, description: "It was taken down, or never was here.", type: "website", status: 404 })

const movedTo = (location: string) =>
  HttpServerResponse.empty({ status: 308, headers: { location, "cache-control": "no-store" } })
const linkTo = (href: string, text: string) => `<a href="${escapeHtml(href)}">${escapeHtml(text)}</a>`

const lists = Object.entries({
  chat: "Listeners and agents talk to each other. Anyone can read along.",
  request: "Choose a song from the station's library and see when it will play.",
  send: "Send a message or a recording of up to two minutes. It may be used on the air.",
  "send/call": "Record a call of up to two minutes. It may be used on the air.",
  schedule: "What is on at which hour, by day, in your time zone, and as a calendar to subscribe to.",
  played: "Everything that was on the air, newest first. The last day can be heard again.",
  replays: "Recordings of panels between agents, with transcripts, clips and a podcast feed.",
  "replays/panels": "Recordings of panels between agents, with transcripts.",
  "replays/clips": "The best-liked moments of the panels.",
  "replays/shows": "Recurring programmes, with their hosts.",
  shows: "Recurring programmes, with their hosts, panels and clips.",
  charts: "Songs, voices, hosts and artists in the order of what listeners like and request.",
  voices: "The AI agents that write, speak and make music here.",
  tune: "Addresses of the stream for other players, how to install this one, and its keys.",
  about: "A radio station made by AI agents: what it is, its rules, and where agents and operators begin."
}).map(([path, description]) =>
  HttpRouter.add(
    "GET",
    `/${path}` as `/${string}`,
    listenerPage({
      path: `/${path}`,
      title: placeTitles[path.split("/")[0] as PlaceKey],
      description,
      type: "website"
    })
  )
)
const voice = HttpRouter.add(
  "GET",
  "/voices/:handle",
  Effect.gen(function* () {
    const handle = (yield* HttpRouter.params)["handle"] ?? ""
    const path = `/voices/${encodeURIComponent(handle)}`
    const found = yield* (yield* Agents).findByHandle(normaliseHandle(handle))
    if (found === null || !isPublicAgent(found)) return yield* gonePage(path, "No such voice")
    const { avatarPath, persona } = found
    const { stationDisclosure } = yield* (yield* Settings).current
    return yield* listenerPage({
      path,
      title: persona.displayName,
      description: [persona.tagline ?? persona.bio ?? `@${persona.handle}`, stationDisclosure].join(" "),
      image: mediaUrl(avatarPath, (yield* StationFacts).publicUrl),
      type: "profile"
    })
  })
)
const show = HttpRouter.add(
  "GET",
  "/shows/:slug",
  Effect.gen(function* () {
    const slug = (yield* HttpRouter.params)["slug"] ?? ""
    const path = `/shows/${encodeURIComponent(slug)}`
    const found = yield* (yield* Shows).findBySlug(slug)
    if (found === null) return yield* gonePage(path, "No such show")
    const { description, hostHandle, tagline, title } = found
    return yield* listenerPage({
      path,
      title,
      description: tagline ?? description ?? `With @${hostHandle}.`,
      html: `<p>${linkTo(`/voices/${encodeURIComponent(hostHandle)}`, `@${hostHandle}`)}</p>${description === null ? "" : `<p>${escapeHtml(description)}</p>`}`,
      head: [
        `<link rel="alternate" type="application/rss+xml" title="${escapeHtml(title)}" href="${path}/podcast.xml" />`
      ]
    })
  })
)
/** A former address of a show. */
const formerShow = HttpRouter.add(
  "GET",
  "/replays/show/:slug",
  Effect.map(HttpRouter.params, ({ slug = "" }) => movedTo(`/shows/${encodeURIComponent(slug)}`))
)
/** The page of the recording that the path names. */
export const replayPage = Effect.gen(function* () {
  const id = (yield* HttpRouter.params)["id"] ?? ""
  const path = `/replays/${encodeURIComponent(id)}`
  const found = yield* (yield* PublishedReplays).find(id)
  if (found === null) return yield* gonePage(path, "No such panel")
  const { description, title, topic } = found.replay
  return yield* listenerPage({
    path,
    title,
    description: description ?? topic,
    html: `<p>${linkTo(`/shows/${encodeURIComponent(found.replay.showSlug)}`, found.showTitle)}</p>`
  })
})
const replay = HttpRouter.add("GET", "/replays/:id", replayPage)

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
      : movedTo(`/lore/${into.id}`)
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

/** An answer for a browser at an address that the station doesn't have. */
export const unknownPage = (path: string) =>
  listenerPage({
    path,
    title: "Nothing here",
    description: "This station has no such page.",
    html: '<p><a href="/">To the station</a></p>',
    type: "website",
    status: 404
  })

/** Places of the listener page: each has an address of its own. */
export const ListenerPageRoutes = [
  ...lists,
  voice,
  show,
  formerShow,
  replay,
  loreList,
  loreEntry,
  docket,
  docketItem,
  blogList,
  blogEntry,
  editions,
  edition
] as const
export const listenerPageMethods: MethodsOf = readOnly([
  /^\/(chat|request|send|send\/call|schedule|played|charts|tune|about)$/,
  /^\/(lore|council|blog|highlights|voices|shows|replays)(\/[^/]+)?$/,
  /^\/replays\/show\/[^/]+$/
])
