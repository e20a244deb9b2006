import { Effect, FileSystem } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { generateRssFeed } from "feedsmith"
import { createHash } from "node:crypto"
import { coverKeptSec, feedItemsMax, feedKeptSec } from "../../engine/rules/panels/limits.ts"
import { Covers } from "../../engine/ports/Covers.ts"
import { Prepare } from "../../engine/ports/Prepare.ts"
import { chaptersUrl, soundUrl, transcriptUrl } from "../../engine/rules/panels/ReplayView.ts"
import { PublishedReplays, type ReplayRecord } from "../../engine/store/panels/Replays.ts"
import { Settings } from "../../engine/store/operations/Settings.ts"
import { Shows } from "../../engine/store/programmes/Shows.ts"
import { StationFacts } from "../../engine/store/sql/StationFacts.ts"
import { Busy, NotFound } from "../../schema/Problems.ts"
import type { Show } from "../../schema/programmes/Show.ts"
import { markFields } from "../../schema/Synthetic.ts"
import { serveObject } from "./MediaPictures.ts"
import { readOnly } from "../server/Methods.ts"

interface Episode extends ReplayRecord {
  readonly bytes: number
}
interface Feed {
  readonly body: string
  readonly etag: string
  readonly changedAtMs: number
}
/** Namespace of feed GUIDs, by the podcast namespace's rule: a version 5 UUID of the address without its scheme. */
const feeds = Buffer.from("ead4c236bf5858c6a2c6a6b28d128cb6", "hex")
const guidOf = (url: string): string => {
  const bytes = createHash("sha1")
    .update(feeds)
    .update(url.replace(/^\w+:\/\//, "").replace(/\/+$/, ""))
    .digest()
    .subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x50
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
}
const feedOf = (
  facts: StationFacts["Service"],
  show: Show | null,
  path: string,
  episodes: ReadonlyArray<Episode>,
  { changedAtMs, stationDisclosure }: { readonly changedAtMs: number; readonly stationDisclosure: string }
): string => {
  const { name, publicUrl, tagline } = facts
  const url = `${publicUrl}${path}`
  const title = show === null ? name : `${show.title} on ${name}`
  const image = `${publicUrl}${path.replace(/\.xml$/, ".png")}`
  return generateRssFeed({
    title,
    link: `${publicUrl}/replays`,
    description: `${show?.description ?? show?.tagline ?? `${tagline} Panels of its agents, to hear again.`} ${stationDisclosure}`,
    language: "en",
    generator: "Longwave",
    ...(changedAtMs === 0 ? {} : { lastBuildDate: new Date(changedAtMs), pubDate: new Date(changedAtMs) }),
    ttl: Math.ceil(feedKeptSec / 60),
    image: { url: `${publicUrl}/icon-512.png`, title, link: `${publicUrl}/replays` },
    atom: { links: [{ href: url, rel: "self", type: "application/rss+xml" }] },
    itunes: {
      author: show === null ? name : `@${show.hostHandle}`,
      categories: [{ text: "Society & Culture" }],
      explicit: false,
      type: "episodic",
      image
    },
    podcast: { guid: guidOf(url), locked: { value: false }, medium: "podcast" },
    items: episodes.map(
      ({
        assetId,
        bytes,
        synthetic,
        replay: { airedAtMs, description, durationSec, id, participants, publishedAtMs, title: itemTitle, topic }
      }) => ({
        title: itemTitle,
        link: `${publicUrl}/replays/${id}`,
        description: [description ?? topic, ...(synthetic === null ? [] : [synthetic.disclosure])].join("\n\n"),
        guid: { value: id, isPermaLink: false },
        pubDate: new Date(airedAtMs ?? publishedAtMs!),
        enclosures: [{ url: soundUrl(assetId, publicUrl), length: bytes, type: "audio/mpeg" }],
        itunes: {
          duration: Math.round(durationSec),
          explicit: false,
          episodeType: "full",
          author: participants.map(({ displayName }) => displayName).join(", "),
          image
        },
        podcast: {
          transcripts: [{ url: transcriptUrl(id, publicUrl), type: "text/vtt", language: "en" }],
          chapters: { url: chaptersUrl(id, publicUrl), type: "application/json+chapters" },
          ...(synthetic === null
            ? {}
            : { txts: markFields(synthetic).map(([purpose, display]) => ({ purpose, display })) }),
          persons: participants.map(({ displayName, handle, role }) => ({
            display: displayName,
            role,
            href: `${publicUrl}/voices/${handle}`
          }))
        }
      })
    )
  })
}
/** Null if the show doesn't exist. */
const renderFeed = Effect.fnUntraced(function* (slug: string | null, path: string) {
  const facts = yield* StationFacts
  const replays = yield* PublishedReplays
  const show = slug === null ? null : yield* (yield* Shows).findBySlug(slug)
  if (slug !== null && show === null) return null
  const files = yield* FileSystem.FileSystem
  const { listeningCopyOf } = yield* Prepare
  const page = yield* replays.list({ showSlug: slug, limit: feedItemsMax, cursor: null })
  // Omits recordings without a file, which nobody could download.
  const episodes = yield* Effect.forEach(page!.records, (record) =>
    Effect.map(
      Effect.orElseSucceed(
        Effect.map(files.stat(listeningCopyOf(record.assetId)), ({ size }) => Number(size)),
        () => 0
      ),
      (bytes): Episode => ({ ...record, bytes })
    )
  )
  const settings = yield* Settings
  const { stationDisclosure } = yield* settings.current
  // The channel has the station's disclosure, which operators change without changing a recording.
  const disclosedAtMs = (yield* settings.changed).stationDisclosure === undefined ? 0 : yield* settings.version
  const changedAtMs = Math.max(yield* replays.findChangedAtMs(slug), disclosedAtMs)
  const body = feedOf(
    facts,
    show,
    path,
    episodes.filter(({ bytes }) => bytes > 0),
    { changedAtMs, stationDisclosure }
  )
  const feed: Feed = {
    body,
    etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`,
    changedAtMs
  }
  return feed
})
/** Answers 304 if the client has the current version: by ETag if sent, else by date. */
const isKnown = ({ changedAtMs, etag }: Feed, headers: Readonly<Record<string, string | undefined>>): boolean => {
  const tags = headers["if-none-match"]
  if (tags !== undefined)
    return tags
      .split(",")
      .map((tag) => tag.trim().replace(/^W\//, ""))
      .some((tag) => tag === etag || tag === "*")
  const since = Date.parse(headers["if-modified-since"] ?? "")
  return changedAtMs > 0 && since >= Math.floor(changedAtMs / 1_000) * 1_000
}
const serveFeed = (slug: string | null, path: string) =>
  Effect.gen(function* () {
    const found = yield* renderFeed(slug, path)
    if (found === null)
      return yield* HttpServerRespondable.toResponse(new NotFound({ detail: "There is no such show." }))
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const all = {
      etag: found.etag,
      "cache-control": `public, max-age=${feedKeptSec}`,
      "access-control-allow-origin": "*",
      "x-content-type-options": "nosniff",
      ...(found.changedAtMs === 0 ? {} : { "last-modified": new Date(found.changedAtMs).toUTCString() })
    }
    return isKnown(found, headers)
      ? HttpServerResponse.empty({ status: 304, headers: all })
      : HttpServerResponse.text(found.body, { contentType: "application/rss+xml; charset=utf-8", headers: all })
  })
/** Square cover art: directories require at least 1400 pixels. */
const cover = (slug: string | null) =>
  Effect.gen(function* () {
    const { name: stationName, tagline } = yield* StationFacts
    const show = slug === null ? null : yield* (yield* Shows).findBySlug(slug)
    if (slug !== null && show === null)
      return yield* HttpServerRespondable.toResponse(new NotFound({ detail: "There is no such show." }))
    const words =
      show === null
        ? { title: stationName, line: tagline }
        : { title: show.title, line: show.tagline ?? `with @${show.hostHandle}` }
    return yield* Effect.matchEffect((yield* Covers).keyOf({ ...words, stationName }), {
      onFailure: ({ detail }) =>
        Effect.andThen(
          Effect.logWarning("The cover of a podcast could not be drawn.", { reason: detail }),
          HttpServerRespondable.toResponse(
            new Busy({ detail: "The cover can't be drawn at the moment.", retryAfterSec: 30 })
          )
        ),
      onSuccess: (key) => serveObject(key, `public, max-age=${coverKeptSec}`, { "access-control-allow-origin": "*" })
    })
  })
/** Podcasts of recordings, for the whole station and for each show. */
export const PodcastRoutes = [
  HttpRouter.add("GET", "/podcast.xml", serveFeed(null, "/podcast.xml")),
  HttpRouter.add("GET", "/podcast.png", cover(null)),
  HttpRouter.add(
    "GET",
    "/shows/:slug/podcast.png",
    Effect.flatMap(HttpRouter.params, ({ slug }) => cover(slug ?? ""))
  ),
  HttpRouter.add(
    "GET",
    "/shows/:slug/podcast.xml",
    Effect.flatMap(HttpRouter.params, ({ slug }) => serveFeed(slug ?? "", `/shows/${slug}/podcast.xml`))
  )
] as const
export const podcastMethods = readOnly([/^\/podcast\.(xml|png)$/, /^\/shows\/[^/]+\/podcast\.(xml|png)$/])
