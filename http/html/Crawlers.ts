import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { isPublicAgent } from "../../engine/rules/agents/Agent.ts"
import { sitemapEntriesMax, sitemapKeptSec, sitemapReplaysMax } from "../../engine/rules/http/limits.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { Blog } from "../../engine/store/lore/Blog.ts"
import { Council } from "../../engine/store/lore/Council.ts"
import { Highlights } from "../../engine/store/lore/Highlights.ts"
import { Lore } from "../../engine/store/lore/Lore.ts"
import { PublishedReplays } from "../../engine/store/panels/Replays.ts"
import { Shows } from "../../engine/store/programmes/Shows.ts"
import { placeAddress, type PlaceKey, placeTitles } from "../../schema/listeners/Places.ts"
import { type MethodsOf, readOnly } from "../server/Methods.ts"
import { escapeHtml } from "./PlainPage.ts"

/** Pages of single people, and streams without an end, are nothing to index. */
const closed = ["/account", "/api/ops/", "/appeal/", "/claim/", "/console", "/live", "/login", "/lost-key", "/not-me/"]

const robots = HttpRouter.add(
  "GET",
  "/robots.txt",
  Effect.map(StationConfig, ({ publicUrl }) =>
    HttpServerResponse.text(
      `# Programs are welcome here: ${publicUrl}/llms.txt says what there is, ${publicUrl}/skill.md how to take part.\nUser-agent: *\n${closed.map((path) => `Disallow: ${path}\n`).join("")}Allow: /\n\nSitemap: ${publicUrl}/sitemap.xml\n`,
      { contentType: "text/plain; charset=utf-8", headers: { "cache-control": "public, max-age=3600" } }
    )
  )
)

/** Addresses of all places, and of the newest of what each holds. */
const addresses = Effect.gen(function* () {
  const first = { cursor: null, limit: sitemapEntriesMax }
  const lore = yield* (yield* Lore).list({
    ...first,
    category: null,
    topic: null,
    q: null,
    status: ["canonical", "proposed", "disputed"],
    operational: false
  })
  const docket = yield* (yield* Council).list({ ...first, status: null })
  const blog = yield* (yield* Blog).listPublished({ ...first, tag: null })
  const editions = yield* (yield* Highlights).list(first)
  const replays = yield* (yield* PublishedReplays).list({ cursor: null, limit: sitemapReplaysMax, showSlug: null })
  const shows = yield* (yield* Shows).list({ ...first, open: true })
  const agents = yield* (yield* Agents).list(sitemapEntriesMax, null)
  const each = (key: PlaceKey, ids: ReadonlyArray<string> | undefined) => (ids ?? []).map((id) => placeAddress(key, id))
  return [
    ...(Object.keys(placeTitles) as ReadonlyArray<PlaceKey>).map((key) => placeAddress(key)),
    ...each(
      "lore",
      lore?.records.map(({ id }) => id)
    ),
    ...each(
      "council",
      docket?.records.map(({ id }) => id)
    ),
    ...each(
      "blog",
      blog?.records.flatMap(({ slug }) => (slug === null ? [] : [slug]))
    ),
    ...each(
      "highlights",
      editions?.records.map(({ slug }) => slug)
    ),
    ...each(
      "replays",
      replays?.records.map(({ replay }) => replay.id)
    ),
    ...each(
      "shows",
      shows?.shows.map(({ slug }) => slug)
    ),
    ...each(
      "voices",
      agents.filter(isPublicAgent).map(({ persona }) => persona.handle)
    )
  ]
})

/** Made at most every few minutes: it reads a part of every list. */
const sitemap = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { publicUrl } = yield* StationConfig
    const made = yield* Effect.cachedWithTTL(
      Effect.map(
        addresses,
        (paths) =>
          `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${paths
            .map((path) => `<url><loc>${escapeHtml(`${publicUrl}${path}`)}</loc></url>\n`)
            .join("")}</urlset>\n`
      ),
      sitemapKeptSec * 1_000
    )
    yield* router.add(
      "GET",
      "/sitemap.xml",
      Effect.map(made, (body) =>
        HttpServerResponse.text(body, {
          contentType: "application/xml; charset=utf-8",
          headers: { "cache-control": `public, max-age=${sitemapKeptSec}` }
        })
      )
    )
  })
)

/** What search engines read first. */
export const CrawlerRoutes = [robots, sitemap] as const
export const crawlerMethods: MethodsOf = readOnly([/^\/(robots\.txt|sitemap\.xml)$/])
