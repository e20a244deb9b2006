import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import { XMLParser, XMLValidator } from "fast-xml-parser"
import { execFile } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect } from "vitest"
import { CutClip, PackageReplay } from "../../../actors/panels/protocol/Jobs.ts"
import { replayJobs } from "../../../actors/panels/ReplayWorker.ts"
import { workDue } from "../../../actors/runtime/JobWorker.ts"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { PublishedReplaysWriter } from "../../../engine/store/panels/Replays.ts"
import { Ffmpeg, ffmpegLayer } from "../../../media/ffmpeg/Ffmpeg.ts"
import { mediaPaths } from "../../../media/storage/MediaStore.ts"
import type { AssetId } from "../../../schema/Ids.ts"
import type { NowPlaying } from "../../../schema/air/Station.ts"
import { AgentHttp } from "../../support/http/AgentHttp.ts"
import { signInListener } from "../../support/listeners/Listeners.ts"
import { airPanel, panelMark, panelSec, recordPanel } from "../../support/panels/Recordings.ts"
import { call, makeClaimedAgent, operator, askUntil } from "../../support/http/SegmentHttp.ts"

const run = promisify(execFile)
let master: Buffer | null = null
/** Stores a finished recording. It is silent, which is quick to make and enough for these tests. */
const sounding = Effect.fnUntraced(
  function* (assetId: AssetId) {
    const { dataDir } = yield* StationConfig
    const paths = mediaPaths(dataDir)
    const path = paths.masterOf(assetId)
    mkdirSync(paths.media, { recursive: true })
    if (master !== null) return writeFileSync(path, master)
    const { ffmpeg } = yield* Ffmpeg
    yield* Effect.promise(() =>
      run(ffmpeg, [
        "-v",
        "error",
        "-f",
        "lavfi",
        "-i",
        "anullsrc=r=48000:cl=stereo",
        "-t",
        String(panelSec),
        "-c:a",
        "flac",
        path
      ])
    )
    master = readFileSync(path)
  },
  Effect.provide(ffmpegLayer(null))
)
const path = (url: string) => new URL(url).pathname
const bytes = (url: string, headers: Record<string, string> = {}) =>
  Effect.flatMap(HttpServer.HttpServer, ({ address }) =>
    Effect.promise(async () => {
      const answer = await fetch(`http://127.0.0.1:${(address as { readonly port: number }).port}${url}`, { headers })
      return { status: answer.status, headers: answer.headers, body: Buffer.from(await answer.arrayBuffer()) }
    })
  )
/** Waits until everything derived from a recording exists, whichever worker made it. */
const made = Effect.fnUntraced(function* (replayId: string) {
  yield* workDue(replayJobs)
  const sql = yield* SqlClient.SqlClient
  yield* askUntil(
    sql`SELECT 1 FROM replays r JOIN clips c ON c.replay_id = r.id WHERE r.id = ${replayId} AND r.packaged_at IS NOT NULL AND c.status = 'ready'`,
    (rows) => rows.length > 0
  )
})
layer(AgentHttp(), { excludeTestServices: true })("recordings of panels and their clips", (it) => {
  it.effect("are published once aired, and withdrawn while hidden or held", () =>
    Effect.gen(function* () {
      const one = yield* recordPanel({ sound: sounding })
      const at = `/api/replays/${one.replayId}`
      expect([(yield* call("GET", at)).body.code, (yield* call("GET", "/api/replays")).body.replays]).toEqual([
        "NOT_FOUND",
        []
      ])
      yield* airPanel(one)
      yield* made(one.replayId)
      const { body, headers, status } = yield* call("GET", at)
      expect([status, headers.get("access-control-allow-origin"), headers.get("etag")?.startsWith("W/")]).toEqual([
        200,
        "*",
        true
      ])
      expect(body.replay).toMatchObject({
        id: one.replayId,
        sessionId: one.sessionId,
        showSlug: one.show.slug,
        title: "On quiet harbours",
        durationSec: 50,
        audioUrl: `http://radio.test/media/audio/${one.assetId}.mp3`,
        hlsUrl: `http://radio.test/replays/${one.replayId}/index.m3u8`,
        participants: [{ role: "host" }, { handle: one.guest.handle, displayName: "Bo <Baker> & Sons", role: "guest" }],
        airedAt: expect.stringMatching(/Z$/),
        synthetic: panelMark,
        publishedAt: expect.stringMatching(/Z$/)
      })
      expect(
        body.replay.turns.map(
          ({ handle, startSec, turnIndex }: { handle: string; startSec: number; turnIndex: number }) => [
            turnIndex,
            handle,
            startSec
          ]
        )
      ).toEqual([
        [0, one.host.handle, 5],
        [1, one.guest.handle, 15],
        [2, one.host.handle, 25],
        [3, one.guest.handle, 35]
      ])
      expect(
        body.replay.chapters.map(
          ({ durationSec, startSec, title }: { durationSec: number; startSec: number; title: string }) => [
            startSec,
            durationSec,
            title
          ]
        )
      ).toEqual([
        [0, 5, "Introduction"],
        [5, 10, "The host: Is the harbour quiet tonight?"],
        [15, 10, "Bo <Baker> & Sons: It is <quiet> & still."],
        [25, 10, "The host: Then we shall talk."],
        [35, 15, "Bo <Baker> & Sons: And of the sea."]
      ])
      const media = [
        path(body.replay.hlsUrl),
        path(body.replay.audioUrl),
        `${at}/transcript.vtt`,
        `${at}/chapters.json`,
        at
      ]
      const seen = () =>
        Effect.map(
          Effect.forEach(media, (url) => bytes(url)),
          (all) => all.map((answer) => answer.status)
        )
      const listed = (what: string) =>
        Effect.map(
          call("GET", `/api/${what}?showSlug=${one.show.slug}`),
          (answer) => answer.body[what].length as number
        )
      const everywhere = () =>
        Effect.all([
          seen(),
          listed("replays"),
          listed("clips"),
          Effect.map(call("GET", `/shows/${one.show.slug}/podcast.xml`), ({ body: xml }) =>
            (xml as string).includes(one.replayId)
          )
        ])
      expect(yield* everywhere()).toEqual([[200, 200, 200, 200, 200], 1, 1, true])
      const gone = [[404, 404, 404, 404, 404], 0, 0, false]

      const [producer, reviewer] = [yield* operator("producer"), yield* operator("reviewer")]
      const hide = (hidden: boolean, query = "") =>
        call("PATCH", `/api/ops/replays/${one.replayId}${query}`, {
          key: producer,
          body: { hidden, reason: "asked for" }
        })
      expect(
        (yield* call("PATCH", `/api/ops/replays/${one.replayId}`, { key: reviewer, body: { hidden: true } })).status
      ).toBe(403)
      expect((yield* hide(true, "?dryRun=true")).body).toMatchObject({
        dryRun: true,
        status: 200,
        wouldBe: { replay: { hidden: true } }
      })
      expect(yield* listed("replays")).toBe(1)
      expect((yield* hide(true)).body.replay).toMatchObject({
        id: one.replayId,
        hidden: true,
        held: false,
        packaged: true
      })
      expect((yield* hide(true)).status).toBe(200)
      expect(yield* everywhere()).toEqual(gone)
      expect(
        (yield* call("GET", "/api/ops/replays", { key: reviewer })).body.replays.map(
          ({ hidden }: { hidden: boolean }) => hidden
        )
      ).toEqual([true])
      yield* hide(false)
      expect(yield* listed("replays")).toBe(1)
      expect((yield* hide(true, "x")).status).toBe(404)

      const judge = (what: string) =>
        call("POST", `/api/ops/subjects/segment/${one.segmentId}/${what}`, {
          key: reviewer,
          body: { reason: "under review" }
        })
      expect((yield* judge("hold")).status).toBe(200)
      expect(yield* everywhere()).toEqual(gone)
      expect((yield* judge("release")).status).toBe(200)
      expect(yield* everywhere()).toEqual([[200, 200, 200, 200, 200], 1, 1, true])
      expect((yield* judge("remove")).status).toBe(200)
      expect(yield* everywhere()).toEqual(gone)
      const sql = yield* SqlClient.SqlClient
      expect(
        (yield* sql<{
          action: string
        }>`SELECT action FROM audit WHERE subject_id = ${one.replayId} ORDER BY position`).map(({ action }) => action)
      ).toEqual(["replay.hide", "replay.show"])
    })
  )

  it.effect("are packaged for any player, served whole or in ranges, and readable by any page", () =>
    Effect.gen(function* () {
      const one = yield* recordPanel({ sound: sounding })
      yield* airPanel(one)
      yield* made(one.replayId)
      const at = `/replays/${one.replayId}`
      const list = yield* bytes(`${at}/index.m3u8`, { "accept-encoding": "identity" })
      const text = list.body.toString()
      expect([
        list.status,
        list.headers.get("content-type"),
        list.headers.get("access-control-allow-origin"),
        list.headers.get("accept-ranges"),
        Number(list.headers.get("content-length"))
      ]).toEqual([200, "application/vnd.apple.mpegurl", "*", "bytes", list.body.length])
      expect(["#EXTM3U", "#EXT-X-PLAYLIST-TYPE:VOD", "#EXT-X-ENDLIST"].filter((line) => !text.includes(line))).toEqual(
        []
      )
      const lengths = [...text.matchAll(/#EXTINF:([\d.]+)/g)].map(([, sec]) => Number(sec))
      const names = text.split("\n").filter((line) => line.endsWith(".ts"))
      expect([
        names.length,
        names.length,
        Math.abs(lengths.reduce((sum, sec) => sum + sec, 0) - panelSec) < 0.2
      ]).toEqual([Math.ceil(panelSec / 6), lengths.length, true])
      expect(text.split("\n").find((line) => line.startsWith("#EXT-X-DATERANGE"))).toContain(
        `,X-DIGITAL-SOURCE-TYPE="${panelMark.digitalSourceType}",X-GENERATOR="A model, A composer",X-DISCLOSURE="AI voice. Spoken  twice . Composed by the station."`
      )
      expect(text.match(/#EXT-X-PROGRAM-DATE-TIME:/g)).toHaveLength(1)
      const packed = yield* bytes(`${at}/index.m3u8`, { "accept-encoding": "gzip" })
      expect([packed.headers.get("content-encoding"), packed.body.toString()]).toEqual(["gzip", text])

      const first = yield* bytes(`${at}/${names[0]}`)
      const ofTransport = Array.from({ length: first.body.length / 188 }, (_, n) => first.body[n * 188])
      expect([
        first.status,
        first.headers.get("content-type"),
        first.headers.get("access-control-allow-origin"),
        new Set(ofTransport),
        first.body.length % 188
      ]).toEqual([200, "video/MP2T", "*", new Set([0x47]), 0])
      const part = yield* bytes(`${at}/${names[0]}`, { range: "bytes=188-375" })
      expect([
        part.status,
        part.headers.get("content-range"),
        part.headers.get("content-length"),
        part.body.equals(first.body.subarray(188, 376))
      ]).toEqual([206, `bytes 188-375/${first.body.length}`, "188", true])
      const tail = yield* bytes(`${at}/${names[0]}`, { range: "bytes=-188" })
      expect([tail.status, tail.body.equals(first.body.subarray(-188))]).toEqual([206, true])
      const beyond = yield* bytes(`${at}/${names[0]}`, { range: `bytes=${first.body.length}-` })
      expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, `bytes */${first.body.length}`])
      expect([
        (yield* call("HEAD", `${at}/index.m3u8`)).status,
        (yield* call("OPTIONS", `${at}/index.m3u8`)).headers.get("allow"),
        (yield* call("POST", `${at}/index.m3u8`, { body: {} })).status
      ]).toEqual([200, "GET, HEAD, OPTIONS", 405])
      // Only the recording's files are served: neither hls-server's own page nor other requests.
      for (const other of [
        "/player.html",
        `${at}/player.html`,
        `${at}/index.m3u`,
        `${at}/s99999.ts`,
        `${at}/..%2f..%2findex.m3u8`,
        "/replays/rep_00000000000000000000000000/index.m3u8"
      ]) {
        expect([other, (yield* call("GET", other)).body.code]).toEqual([other, "NOT_FOUND"])
      }
      // An address of the page, which has no such recording.
      expect((yield* call("GET", "/replays/index.m3u8")).status).toBe(404)
      const { ffmpeg } = yield* Ffmpeg.pipe(Effect.provide(ffmpegLayer(null)))
      const { address } = yield* HttpServer.HttpServer
      const url = `http://127.0.0.1:${(address as { readonly port: number }).port}${at}/index.m3u8`
      const { stdout } = yield* Effect.promise(() =>
        run(ffmpeg, ["-v", "error", "-i", url, "-ac", "1", "-ar", "8000", "-f", "s16le", "pipe:1"], {
          encoding: "buffer",
          maxBuffer: 1 << 24
        })
      )
      const decoded = stdout.length / 16_000
      expect(Math.abs(decoded - panelSec)).toBeLessThan(0.2)
      // A store that fails halfway ends only this answer.
      const { dataDir } = yield* StationConfig
      const piece = join(mediaPaths(dataDir).media, "replays", one.assetId, names[1]!)
      rmSync(piece)
      mkdirSync(piece)
      expect(yield* Effect.exit(bytes(`${at}/${names[1]}`)).pipe(Effect.map((exit) => exit._tag))).toBe("Failure")
      rmSync(piece, { recursive: true })
      expect([(yield* call("GET", `${at}/${names[1]}`)).body.code, (yield* bytes(`${at}/${names[2]}`)).status]).toEqual(
        ["NOT_FOUND", 200]
      )
    })
  )

  it.effect("are a podcast of the station and of each show, which readers fetch again only after a change", () =>
    Effect.gen(function* () {
      const one = yield* recordPanel({ sound: sounding })
      const empty = yield* bytes(`/shows/${one.show.slug}/podcast.xml`)
      expect([empty.status, empty.headers.get("content-type"), XMLValidator.validate(empty.body.toString())]).toEqual([
        200,
        "application/rss+xml; charset=utf-8",
        true
      ])
      yield* airPanel(one)
      for (const [url, self] of [
        ["/podcast.xml", "http://radio.test/podcast.xml"],
        [`/shows/${one.show.slug}/podcast.xml`, `http://radio.test/shows/${one.show.slug}/podcast.xml`]
      ] as const) {
        const feed = yield* bytes(url)
        const xml = feed.body.toString()
        expect([url, feed.status, feed.headers.get("access-control-allow-origin"), XMLValidator.validate(xml)]).toEqual(
          [url, 200, "*", true]
        )
        const { rss } = new XMLParser({
          ignoreAttributes: false,
          attributeNamePrefix: "@",
          isArray: (name) => name === "item"
        }).parse(xml)
        expect([rss["@version"], rss["@xmlns:itunes"], rss["@xmlns:podcast"], rss["@xmlns:atom"]]).toEqual([
          "2.0",
          "http://www.itunes.com/dtds/podcast-1.0.dtd",
          "https://podcastindex.org/namespace/1.0",
          "http://www.w3.org/2005/Atom"
        ])
        expect(rss.channel["podcast:guid"]).toMatch(
          /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
        )
        expect(rss.channel["atom:link"]).toMatchObject({
          "@href": self,
          "@rel": "self",
          "@type": "application/rss+xml"
        })
        expect(rss.channel["itunes:image"]).toEqual({ "@href": self.replace(".xml", ".png") })
        const item = rss.channel.item.find(({ guid }: { guid: { "#text": string } }) => guid["#text"] === one.replayId)
        expect(item).toMatchObject({
          title: "On quiet harbours",
          guid: { "@isPermaLink": "false" },
          enclosure: { "@url": `http://radio.test/media/audio/${one.assetId}.mp3`, "@type": "audio/mpeg" },
          "itunes:duration": panelSec,
          "podcast:transcript": {
            "@url": `http://radio.test/api/replays/${one.replayId}/transcript.vtt`,
            "@type": "text/vtt"
          },
          "podcast:chapters": {
            "@url": `http://radio.test/api/replays/${one.replayId}/chapters.json`,
            "@type": "application/json+chapters"
          }
        })
        expect([
          item.description.endsWith(panelMark.disclosure),
          item["podcast:txt"].map((txt: Record<string, string>) => [txt["@purpose"], txt["#text"]]),
          rss.channel.description.includes("A radio station made by AI agents.")
        ]).toEqual([true, Object.entries(panelMark), true])
        expect(Number(item.enclosure["@length"])).toBe((yield* bytes(path(item.enclosure["@url"]))).body.length)
        const chapters = yield* bytes(path(item["podcast:chapters"]["@url"]))
        expect([chapters.headers.get("content-type"), JSON.parse(chapters.body.toString())]).toMatchObject([
          "application/json+chapters",
          {
            version: "1.2.0",
            podcastName: "Harbour Talk",
            chapters: [{ startTime: 0, endTime: 5, title: "Introduction" }, { startTime: 5 }, {}, {}, {}]
          }
        ])
        const captions = yield* bytes(path(item["podcast:transcript"]["@url"]))
        expect(captions.headers.get("content-type")).toBe("text/vtt; charset=utf-8")
        expect(captions.body.toString()).toContain(`\n\nNOTE ${panelMark.disclosure}\n\n`)
        expect(captions.body.toString()).toContain(
          "<v Bo &lt;Baker&gt; &amp; Sons>It is &lt;quiet&gt; &amp; still.</v>"
        )
      }
      const url = `/shows/${one.show.slug}/podcast.xml`
      // Podcast directories require a square of at least 1400 pixels. It is drawn at the first request, and kept.
      const covers = yield* Effect.forEach([1, 2], () => bytes(url.replace(".xml", ".png")))
      // A refusal says why.
      expect(covers.map(({ body, status }) => (status === 200 ? 200 : body.toString()))).toEqual([200, 200])
      expect(
        covers.map(({ body, headers, status }) => [
          status,
          headers.get("content-type"),
          headers.get("cache-control"),
          body.readUInt32BE(16),
          body.readUInt32BE(20)
        ])
      ).toEqual([1, 2].map(() => [200, "image/png", "public, max-age=86400", 1_400, 1_400]))
      expect([covers[0]!.body.equals(covers[1]!.body), (yield* bytes("/shows/nobodys/podcast.png")).status]).toEqual([
        true,
        404
      ])
      const feed = yield* bytes(url)
      const [etag, modified] = [feed.headers.get("etag")!, feed.headers.get("last-modified")!]
      const again = yield* bytes(url, { "if-none-match": `"other", W/${etag}` })
      expect([again.status, again.body.length, again.headers.get("etag")]).toEqual([304, 0, etag])
      expect((yield* bytes(url, { "if-modified-since": modified })).status).toBe(304)
      expect((yield* bytes(url, { "if-modified-since": "Thu, 01 Jan 1970 00:00:00 GMT" })).status).toBe(200)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE replays SET changed_at = changed_at - interval '1 hour' WHERE id = ${one.replayId}`
      yield* sql`UPDATE segments SET updated_at = updated_at - interval '1 hour' WHERE id = ${one.segmentId}`
      const before = (yield* bytes(url)).headers.get("last-modified")!
      yield* call("PATCH", `/api/ops/replays/${one.replayId}`, {
        key: yield* operator("producer"),
        body: { hidden: true }
      })
      expect([
        (yield* bytes(url, { "if-none-match": etag })).status,
        (yield* bytes(url, { "if-modified-since": before })).status
      ]).toEqual([200, 200])
      expect((yield* call("GET", "/shows/no-such-show/podcast.xml")).body.code).toBe("NOT_FOUND")
    })
  )

  it.effect("are listed page by page, by show, and refuse unknown cursors", () =>
    Effect.gen(function* () {
      const host = yield* makeClaimedAgent()
      const all = yield* Effect.forEach([1, 2, 3], () => Effect.tap(recordPanel({ host }), airPanel))
      const first = yield* call("GET", "/api/replays?limit=2")
      expect(first.body.replays.map(({ id }: { id: string }) => id)).toEqual([all[2]!.replayId, all[1]!.replayId])
      expect(first.body.replays[0].turns).toBe(undefined)
      const next = yield* call("GET", `/api/replays?limit=1&cursor=${first.body.nextCursor}`)
      expect(next.body.replays[0].id).toBe(all[0]!.replayId)
      for (const list of ["replays", "clips"]) {
        for (const query of ["cursor=rep_00000000000000000000000000", "cursor=%27", "limit=0", "limit=101"])
          expect([query, (yield* call("GET", `/api/${list}?${query}`)).body.code]).toEqual([query, "INVALID_FIELD"])
        expect((yield* call("GET", `/api/${list}?showSlug=nobodys`)).body).toEqual({ [list]: [] })
      }
      for (const id of ["rep_00000000000000000000000000", "x", "%27"])
        expect((yield* call("GET", `/api/replays/${id}`)).body.code).toBe("NOT_FOUND")
    })
  )

  const clipOf = (replayId: string) =>
    Effect.map(call("GET", "/api/clips?limit=100"), ({ body }) =>
      body.clips.find((clip: { replayId: string }) => clip.replayId === replayId)
    )

  it.effect("get a clip of the part that most listeners liked, else of the middle, once for each panel", () =>
    Effect.gen(function* () {
      const [plain, liked] = [yield* recordPanel({ sound: sounding }), yield* recordPanel({ sound: sounding })]
      const item = (segmentId: string) => ({
        item: { id: "itm_1", startedAt: new Date(Date.now() - 37_000).toISOString() },
        segment: { id: segmentId },
        track: null
      })
      yield* (yield* EventBus).put("nowPlaying", item(liked.segmentId) as unknown as NowPlaying)
      for (const value of ["love", "sad"]) {
        const { id: listenerId, token } = yield* signInListener()
        expect(
          (yield* call("POST", "/api/station/engage", {
            headers: { "x-listener-token": token },
            body: { listenerId, kind: "reaction", value }
          })).status
        ).toBe(200)
      }
      const sql = yield* SqlClient.SqlClient
      expect((yield* sql`SELECT 1 FROM replay_likes`).length).toBe(1)
      // Highlights count every reaction, at its second.
      expect(
        (yield* sql`SELECT 1 FROM reactions WHERE segment_id = ${liked.segmentId} AND at_sec BETWEEN 37 AND 200`).length
      ).toBe(2)
      for (const one of [plain, liked, liked]) yield* airPanel(one)
      yield* made(plain.replayId)
      yield* made(liked.replayId)
      expect((yield* sql`SELECT 1 FROM replay_likes`).length).toBe(0)
      expect((yield* sql`SELECT 1 FROM clips WHERE replay_id = ${liked.replayId}`).length).toBe(1)
      const [middle, favourite] = [yield* clipOf(plain.replayId), yield* clipOf(liked.replayId)]
      expect(middle).toMatchObject({
        title: "On quiet harbours",
        showSlug: plain.show.slug,
        segmentId: plain.segmentId,
        sessionId: plain.sessionId,
        startSec: 15,
        durationSec: 19.5,
        synthetic: panelMark,
        participants: [{ handle: plain.guest.handle }, { handle: plain.host.handle }]
      })
      expect(middle.transcript).toBe(
        "Bo <Baker> & Sons: It is <quiet> & still. Nobody sails.\nThe host: Then we shall talk. Of boats, and of people."
      )
      expect([favourite.startSec, favourite.durationSec]).toEqual([25, 19.5])
      expect((yield* bytes(path(favourite.audioUrl))).status).toBe(200)
    })
  )

  it.effect("get clips that producers make, name and hide", () =>
    Effect.gen(function* () {
      const one = yield* recordPanel({ sound: sounding })
      const key = yield* operator("producer")
      const make = (body: object, query = "", headers = {}) =>
        call("POST", `/api/ops/clips${query}`, {
          key,
          headers,
          body: { title: "Boats", startSec: 4, durationSec: 20, reason: "for the letter", ...body }
        })
      expect((yield* make({ replayId: one.replayId })).body.code).toBe("SUBJECT_CONFLICT")
      yield* airPanel(one)
      for (const [body, code] of [
        [{}, "MISSING_FIELDS"],
        [{ replayId: one.replayId, segmentId: one.segmentId }, "MISSING_FIELDS"],
        [{ replayId: "rep_none" }, "NOT_FOUND"],
        [{ segmentId: "seg_none" }, "SEGMENT_NOT_FOUND"],
        [{ replayId: one.replayId, startSec: 31 }, "SUBJECT_CONFLICT"],
        [{ replayId: one.replayId, durationSec: 14.9 }, "INVALID_FIELD"],
        [{ replayId: one.replayId, durationSec: 90.1 }, "INVALID_FIELD"],
        [{ replayId: one.replayId, startSec: -1 }, "INVALID_FIELD"],
        [{ replayId: one.replayId, title: "x".repeat(141) }, "INVALID_FIELD"],
        [{ replayId: one.replayId, title: " " }, "MISSING_FIELDS"]
      ] as const) {
        expect([body, (yield* make(body)).body.code]).toEqual([body, code])
      }
      expect((yield* make({ segmentId: one.segmentId }, "?dryRun=true")).body).toMatchObject({
        dryRun: true,
        status: 200,
        wouldBe: {
          clip: {
            title: "Boats",
            status: "making",
            byRule: false,
            replayId: one.replayId,
            participants: [{ handle: one.host.handle }, { handle: one.guest.handle }]
          }
        }
      })
      const asked = yield* make({ segmentId: one.segmentId }, "", { "idempotency-key": "boats" })
      const { id } = asked.body.clip
      expect((yield* make({ segmentId: one.segmentId }, "", { "idempotency-key": "boats" })).body.clip.id).toBe(id)
      yield* made(one.replayId)
      const all = () =>
        Effect.map(
          call("GET", `/api/ops/clips?showSlug=${one.show.slug}`, { key }),
          ({ body }) => body.clips as Array<{ id: string; status: string; title: string; hidden: boolean }>
        )
      yield* askUntil(all(), (clips) => clips.every(({ status }) => status === "ready"))
      expect((yield* all()).length).toBe(2)
      const shown = () =>
        Effect.map(call("GET", `/api/clips?showSlug=${one.show.slug}`), ({ body }) =>
          body.clips.find((clip: { id: string }) => clip.id === id)
        )
      expect(yield* shown()).toMatchObject({
        title: "Boats",
        startSec: 4,
        durationSec: 20,
        publishedAt: expect.stringMatching(/Z$/)
      })
      const audio = path((yield* shown()).audioUrl)
      const change = (body: object, clip = id) => call("PATCH", `/api/ops/clips/${clip}`, { key, body })
      expect([(yield* change({})).body.code, (yield* change({ hidden: true }, "clip_none")).body.code]).toEqual([
        "MISSING_FIELDS",
        "NOT_FOUND"
      ])
      expect((yield* change({ title: "Quiet boats", hidden: true, reason: "not yet" })).body.clip).toMatchObject({
        title: "Quiet boats",
        hidden: true
      })
      expect([yield* shown(), (yield* bytes(audio)).status]).toEqual([undefined, 404])
      yield* change({ hidden: false })
      expect([(yield* shown()).title, (yield* bytes(audio)).status]).toEqual(["Quiet boats", 200])
      const judge = (what: string) =>
        call("POST", `/api/ops/subjects/segment/${one.segmentId}/${what}`, { key, body: { reason: "under review" } })
      yield* judge("hold")
      expect([
        yield* shown(),
        (yield* bytes(audio)).status,
        (yield* make({ replayId: one.replayId })).body.code
      ]).toEqual([undefined, 404, "SUBJECT_CONFLICT"])
      yield* judge("release")
      expect((yield* bytes(audio)).status).toBe(200)
      // Other segments can be cut too: the same segment without its recording as a panel.
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM clips WHERE segment_id = ${one.segmentId}`
      yield* sql`DELETE FROM replays WHERE segment_id = ${one.segmentId}`
      yield* sql`UPDATE segments SET agent_show_id = ${one.show.id} WHERE id = ${one.segmentId}`
      const { clip } = (yield* make({ segmentId: one.segmentId, startSec: 0, durationSec: panelSec })).body
      expect(clip).toMatchObject({
        replayId: null,
        sessionId: null,
        showSlug: one.show.slug,
        participants: [{ handle: one.host.handle, displayName: "The host" }]
      })
      expect(clip.transcript).toMatch(/^The host: Is the harbour quiet tonight\? .* Good night\.$/)
    })
  )

  it.effect("are cut and packaged again after a killed worker, and given up without sources", () =>
    Effect.gen(function* () {
      const [left, gone] = [yield* recordPanel({ sound: sounding }), yield* recordPanel()]
      const [replays, sql] = [yield* PublishedReplaysWriter, yield* SqlClient.SqlClient]
      yield* airPanel(left)
      yield* made(left.replayId)
      // The state after a kill: the job is taken, neither done nor returned.
      const { id: clipId } = yield* clipOf(left.replayId)
      yield* sql`UPDATE replays SET packaged_at = NULL WHERE id = ${left.replayId}`
      yield* sql`UPDATE clips SET status = 'making', published_at = NULL WHERE id = ${clipId}`
      for (const [kind, key, payload] of [
        [PackageReplay, left.replayId, { replayId: left.replayId }],
        [CutClip, clipId, { clipId }]
      ] as const)
        yield* sql`INSERT INTO jobs (id, kind, key, payload, state, worker, run_at, tries, created_at)
            VALUES (${`wrk_${key}`}, ${kind.name}, ${key}, ${JSON.stringify(payload)}::text::jsonb, 'running', 'wkr_killed', now() + interval '1 hour', 1, now())`
      yield* workDue(replayJobs)
      expect([(yield* replays.find(left.replayId))!.packaged, yield* clipOf(left.replayId)]).toEqual([false, undefined])
      expect((yield* call("GET", `/api/replays/${left.replayId}`)).body.replay.hlsUrl).toBe(null)
      yield* sql`UPDATE jobs SET run_at = to_timestamp(0) WHERE worker = 'wkr_killed'`
      yield* made(left.replayId)
      expect((yield* clipOf(left.replayId)).id).toBe(clipId)

      yield* airPanel(gone)
      yield* workDue(replayJobs)
      const failed = yield* askUntil(
        sql<{ status: string }>`SELECT status FROM clips WHERE replay_id = ${gone.replayId}`,
        ([row]) => row?.status !== "making"
      )
      expect([failed[0]!.status, (yield* replays.find(gone.replayId))!.packaged]).toEqual(["failed", false])
      expect((yield* call("GET", `/api/replays/${gone.replayId}`)).status).toBe(200)
    })
  )
})
