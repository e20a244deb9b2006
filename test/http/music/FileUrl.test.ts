import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, expect } from "vitest"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { type Answer, call } from "../../support/http/SegmentHttp.ts"
import { UploadScript } from "../../support/media/UploadDoubles.ts"
import { mp3 } from "../../support/music/SubmissionScene.ts"
import { QuietStation } from "../../support/station/QuietStation.ts"

/** A stranger's server: `/hops/3` redirects three times, `/endless` never ends. */
const files = new Map<string, string | Buffer>()
const server = createServer((request, response) => {
  const path = request.url!
  const [, left] = /^\/hops\/(\d+)$/.exec(path) ?? []
  if (left !== undefined) {
    response.writeHead(302, { location: Number(left) === 0 ? "/song.mp3" : `/hops/${Number(left) - 1}` }).end()
  } else if (path === "/inwards") response.writeHead(302, { location: "http://169.254.169.254/latest" }).end()
  else if (path === "/endless") {
    response.writeHead(200, { "content-type": "audio/mpeg" })
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(1_048_576, 0xff)));
    }
    response.on("drain", more)
    more()
  } else if (files.has(path)) response.writeHead(200).end(files.get(path))
  else response.writeHead(404).end()
}).listen(0, "127.0.0.1")
await once(server, "listening")
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
const create = (key: string, fileUrl: string, more: object = {}) =>
  call("POST", "/api/v1/tracks", { key, body: { title: "Low water", genre: "jazz", fileUrl, ...more } })
const refused = ({ body, status }: Answer) => [status, body.code, body.errors?.[0]?.pointer]
const used = (key: string) =>
  Effect.map(
    call("GET", "/api/v1/agents/me", { key }),
    ({ body }) => body.contribution.quotas.find(({ name }: { readonly name: string }) => name === "tracks_per_day").used
  )

layer(QuietStation.pipe(Layer.provideMerge(AgentHttp({ ALLOW_PRIVATE_CALLBACKS: "on" }))), {
  excludeTestServices: true
})("a track by its address", (it) => {
  it.effect("is fetched while the agent waits, over three redirects at most, and its owner's words beat its tags", () =>
    Effect.gen(function* () {
      const { id, key } = yield* arrive()
      const script = yield* UploadScript
      files.set("/song.mp3", mp3())
      script.facts = {
        title: "A tag",
        artist: "Somebody",
        genre: "Polka",
        lyrics: "La la",
        language: "en",
        bpm: 96.5,
        musicalKey: "A minor",
        energy: 0.4,
        isInstrumental: false,
        coverKey: null
      }
      const made = yield* create(key, `${base}/hops/2`, { bpm: 77, language: "de" })
      script.facts = null
      expect([made.status, made.body.track]).toMatchObject([
        201,
        {
          source: "file_url",
          approvalStatus: "pending_review",
          title: "Low water",
          bpm: 77,
          language: "de",
          musicalKey: "A minor",
          energy: 0.4,
          lyrics: "La la",
          isInstrumental: false,
          createdBy: { agentId: id }
        }
      ])
      const changed = yield* call("PATCH", `/api/v1/tracks/${made.body.track.id}`, { key, body: { bpm: null } })
      expect([changed.body.track.bpm, changed.body.track.musicalKey]).toEqual([null, "A minor"])
      const { track } = (yield* call("PATCH", `/api/v1/tracks/${made.body.track.id}`, {
        key,
        body: { isInstrumental: true, musicalKey: "C major" }
      })).body
      expect(track).toMatchObject({ isInstrumental: true, musicalKey: "C major", energy: 0.4, bpm: null })
      // The bytes are the station's own copy: the address is nowhere.
      expect(JSON.stringify(made.body)).not.toContain(base)
      expect(refused(yield* create(key, `${base}/song.mp3`))).toEqual([409, "DUPLICATE_CONTENT_HASH", undefined])
      expect(yield* used(key)).toBe(1)
    })
  )

  it.effect("is refused when it leads nowhere, too far, too long or to something else, and costs nothing", () =>
    Effect.gen(function* () {
      const { key } = yield* arrive()
      files.set("/list.mp3", "#EXTM3U\n#EXTINF:10,\nfile:///etc/passwd\n")
      files.set("/empty.mp3", "")
      files.set("/short.mp3", mp3("shrt"))
      files.set("/bad.mp3", mp3("bad"))
      const url = (code: string, status = 400) => [status, code, "/fileUrl"]
      for (const [path, expected] of [
        ["/hops/3", url("INVALID_FIELD")],
        ["/nothing.mp3", url("INVALID_FIELD")],
        ["/empty.mp3", url("INVALID_FIELD")],
        ["/inwards", url("INVALID_FIELD")],
        ["/endless", url("INVALID_FIELD")],
        ["/list.mp3", url("INVALID_FILE_TYPE")],
        ["/short.mp3", [400, "TRACK_TOO_SHORT", "/file"]],
        ["/bad.mp3", [400, "INVALID_FIELD", "/file"]]
      ] as const)
        expect([path, refused(yield* create(key, `${base}${path}`))]).toEqual([path, expected])
      for (const address of ["http://radio.example/a.mp3", "file:///etc/passwd", "ftp://radio.example/a.mp3", "a.mp3"])
        expect([address, refused(yield* create(key, address))]).toEqual([address, url("INVALID_FIELD")])
      expect(yield* used(key)).toBe(0)
    })
  )
})
