import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { Audit } from "../../../engine/store/sql/Audit.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { look } from "../../support/agents/Galleries.ts"
import { from, newAddress, signInListener } from "../../support/listeners/Listeners.ts"
import {
  callIn,
  consent,
  decideMessage,
  messageOf,
  makeRecording,
  reviewOf,
  type SoundKind
} from "../../support/listeners/Messages.ts"
import { baseUrl, call, operator, askUntil } from "../../support/http/SegmentHttp.ts"
import { showOf } from "../../support/programmes/Shows.ts"

const page = { source: "web", consent }
/** Files that a refused recording or a dry run left in the store. */
const kept = Effect.map(StationConfig, ({ dataDir }) =>
  ["calls/incoming", "calls"].flatMap((folder) => {
    const path = join(dataDir, "media", folder)
    return existsSync(path) ? readdirSync(path).filter((name) => name !== "incoming") : []
  })
)

layer(AgentHttp({ TRUSTED_PROXIES: "127.0.0.1/32" }), { excludeTestServices: true })("call-ins", (it) => {
  it.effect("accepts the formats of browsers' recorders, and measures them", () =>
    Effect.gen(function* () {
      for (const kind of ["webm", "ogg", "mp4", "mp3", "wav"] as ReadonlyArray<SoundKind>) {
        const audio = yield* makeRecording(kind, 3)
        const sent = yield* callIn({ audio, parts: { ...page, durationSec: 99 } })
        expect([kind, sent.status, sent.body.detail]).toEqual([kind, 200, undefined])
        expect(Math.abs(sent.body.durationSec - 3)).toBeLessThan(0.15)
        expect(sent.body).toMatchObject({
          transcript: null,
          interaction: { type: "call_in", content: null, visibility: "private", moderationStatus: "pending" },
          confirmation: { status: "received" }
        })
      }
      const live = yield* callIn({ audio: yield* makeRecording("webm", 2, ["-live", "1"]), parts: page })
      expect([live.status, Math.round(live.body.durationSec)]).toEqual([200, 2])
      expect((yield* kept).every((name) => /^int_[0-9a-z]{26}\.flac$/.test(name))).toBe(true)
    })
  )

  it.effect("needs consent and the notice of recording", () =>
    Effect.gen(function* () {
      const audio = yield* makeRecording("wav", 1.5)
      const before = yield* kept
      const noNotice = { acknowledged: true, disclosureVersion: consent.disclosureVersion }
      for (const parts of [
        { source: "web" },
        { source: "web", consent: { ...consent, acknowledged: false } },
        { source: "web", consent: noNotice }
      ] as ReadonlyArray<Record<string, unknown>>) {
        const refused = yield* callIn({ audio, parts })
        expect([refused.status, refused.body.code]).toEqual([400, "BROADCAST_CONSENT_REQUIRED"])
      }
      expect(yield* kept).toEqual(before)
      const ops = yield* operator("reviewer")
      const { token } = yield* signInListener({ displayName: "Ada" })
      const named = yield* callIn({
        audio,
        parts: { source: JSON.stringify("web"), consent, attribution: { useDisplayName: true } },
        headers: { authorization: `Bearer ${token}`, ...from(newAddress()) }
      })
      expect([named.status, (yield* messageOf(ops, named.body.interaction.id)).label]).toEqual([200, "Ada"])
      const elsewhere = yield* callIn({ audio, parts: {} })
      expect([elsewhere.status, (yield* messageOf(ops, elsewhere.body.interaction.id)).label]).toEqual([
        200,
        "a listener"
      ])
      const sql = yield* SqlClient.SqlClient
      expect(
        yield* sql`SELECT recording_notice_version FROM call_ins WHERE interaction_id = ${named.body.interaction.id}`
      ).toEqual([{ recordingNoticeVersion: consent.recordingNoticeVersion }])
    })
  )

  it.effect(
    "refuses too long, mislabelled and silent files, and keeps nothing of them",
    () =>
      Effect.gen(function* () {
        const before = yield* kept
        const wav = yield* makeRecording("wav", 2)
        const refused = (audio: { readonly bytes: Uint8Array; readonly type: string } | string | undefined) =>
          Effect.map(callIn({ ...(audio === undefined ? {} : { audio }), parts: page }), ({ body, status }) => [
            status,
            body.code,
            body.errors?.[0]?.pointer,
            String(body.detail).split(":")[0]
          ])
        const invalid = (why: string) => [400, "INVALID_FIELD", "/audio", why]
        expect(yield* refused(yield* makeRecording("mp3", 121, ["-b:a", "16k"]))).toEqual(invalid("too_long"))
        // A browser's recording states no length; its length is measured.
        expect(
          yield* refused(
            yield* makeRecording("webm", 121, ["-compression_level", "0", "-b:a", "8k", "-ar", "8000", "-live", "1"])
          )
        ).toEqual(invalid("too_long"))
        // A small file that decodes to a long sound.
        expect(yield* refused(yield* makeRecording("mp3", 400, ["-ar", "8000", "-b:a", "8k"]))).toEqual(
          invalid("too_long")
        )
        expect(yield* refused(yield* makeRecording("wav", 0.5))).toEqual(invalid("too_short"))
        expect(yield* refused({ bytes: wav.bytes, type: "audio/webm" })).toEqual(invalid("wrong_type"))
        expect(
          yield* refused({ bytes: Buffer.from("#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n"), type: "audio/wav" })
        ).toEqual(invalid("wrong_type"))
        expect(
          yield* refused({
            bytes: Buffer.from("ffconcat version 1.0\nfile /etc/passwd\n"),
            type: "application/octet-stream"
          })
        ).toEqual(invalid("wrong_type"))
        expect(
          yield* refused({ bytes: Buffer.concat([wav.bytes.subarray(0, 44), Buffer.alloc(40)]), type: "audio/wav" })
        ).toSatisfy((answer: ReadonlyArray<unknown>) => answer[0] === 400)
        // A header that claims a minute for two seconds of sound.
        const lying = yield* makeRecording("webm", 2)
        lying.bytes.writeDoubleBE(60_000, lying.bytes.indexOf(Buffer.from([0x44, 0x89, 0x88])) + 3)
        expect(yield* refused(lying)).toEqual(invalid("length_mismatch"))
        expect(yield* refused("not a file")).toEqual([400, "INVALID_FIELD", "/audio", "/audio"])
        expect((yield* refused(undefined)).slice(0, 3)).toEqual([400, "MISSING_FIELDS", "/audio"])
        const huge = yield* callIn({ audio: { bytes: new Uint8Array(13 * 1_048_576), type: "audio/wav" }, parts: page })
        expect([huge.status, huge.body.code]).toEqual([413, "PAYLOAD_TOO_LARGE"])
        const justOver = yield* callIn({
          audio: { bytes: new Uint8Array(12 * 1_048_576 + 100), type: "audio/wav" },
          parts: page
        })
        expect([justOver.status, justOver.body.code]).toEqual([413, "PAYLOAD_TOO_LARGE"])
        const asJson = yield* call("POST", "/api/station/call-in", { body: {} })
        expect([asJson.status, asJson.body.code]).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"])
        const broken = yield* call("POST", "/api/station/call-in", {
          body: "no parts at all",
          headers: { "content-type": "multipart/form-data; boundary=x" }
        })
        expect(broken.status).toBe(400)
        const notJson = yield* callIn({ audio: wav, parts: { ...page, consent: "{" } })
        expect([notJson.status, notJson.body.code, notJson.body.errors[0].pointer]).toEqual([
          400,
          "INVALID_FIELD",
          "/consent"
        ])
        expect((yield* callIn({ audio: wav, parts: page, path: "/api/shows/night-watch/call-in" })).body.code).toBe(
          "SHOW_NOT_FOUND"
        )
        expect(yield* kept).toEqual(before)
      }),
    300_000
  )

  it.effect("reaches the host of a show after a person has heard it", () =>
    Effect.gen(function* () {
      const { handle, key } = yield* arrive()
      const { slug } = yield* showOf(handle)
      const called = yield* callIn({
        audio: yield* makeRecording("wav", 2),
        parts: page,
        path: `/api/shows/${slug}/call-in`
      })
      expect([called.status, called.body.interaction.moderationStatus]).toEqual([200, "pending"])
      const { id } = called.body.interaction as { readonly id: string }
      const desk = Effect.map(
        call("GET", "/api/v1/inbox", { key }),
        ({ body }) => body.listenerMessages.map((item: { readonly id: string }) => item.id) as ReadonlyArray<string>
      )
      expect(yield* desk).toEqual([])
      expect((yield* decideMessage(yield* operator("reviewer"), "call_in", id, "approve")).status).toBe(200)
      expect(yield* askUntil(desk, (items) => items.length > 0)).toEqual([`listener_msg:${id}`])
    })
  )

  it.effect(
    "allows a guest one call a day under concurrency, apart from write-ins",
    () =>
      Effect.gen(function* () {
        const audio = yield* makeRecording("mp3", 1.2)
        const headers = from(newAddress())
        const dry = yield* callIn({ audio, parts: page, headers, path: "/api/station/call-in?dryRun=true" })
        expect([dry.status, dry.body.dryRun, dry.body.wouldBe.durationSec > 1]).toEqual([200, true, true])
        const before = yield* kept
        const all = yield* Effect.forEach(Array.from({ length: 100 }), () => callIn({ audio, parts: page, headers }), {
          concurrency: 50
        })
        expect(all.filter(({ status }) => status === 200).length).toBe(1)
        expect(all.filter(({ status }) => status === 429).length).toBe(99)
        expect((yield* kept).length).toBe(before.length + 1)
        expect(
          (yield* call("POST", "/api/station/write-in", {
            body: { content: "Hello", ...page, consent: { acknowledged: true } },
            headers
          })).status
        ).toBe(200)
        const keyed = { ...from(newAddress()), "idempotency-key": "call-once" }
        const [one, two] = [
          yield* callIn({ audio, parts: page, headers: keyed }),
          yield* callIn({ audio, parts: page, headers: keyed })
        ]
        expect([two.status, two.body.interaction.id, two.body.durationSec]).toEqual([
          200,
          one.body.interaction.id,
          one.body.durationSec
        ])
      }),
    300_000
  )

  it.effect("checks five recordings of a caller an hour, accepted or not", () =>
    Effect.gen(function* () {
      const audio = yield* makeRecording("mp3", 1.2)
      const headers = from(newAddress())
      const answers = yield* Effect.forEach(Array.from({ length: 6 }), () =>
        callIn({ audio, parts: page, headers, path: "/api/station/call-in?dryRun=true" })
      )
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429])
      expect(answers.at(-1)!.body).toMatchObject({
        code: "RATE_LIMITED",
        detail: "The limit is 5 call checks in an hour."
      })
      // Refused before the recording is read: this one never ends.
      const base = yield* baseUrl
      const unread = yield* Effect.promise(() =>
        fetch(`${base}/api/station/call-in?dryRun=true`, {
          method: "POST",
          headers: { ...headers, "content-type": "multipart/form-data; boundary=never" },
          body: new ReadableStream({ start: (body) => body.enqueue(Buffer.from("--never\r\n")) }),
          duplex: "half"
        } as RequestInit)
      )
      expect(unread.status).toBe(429)
    })
  )

  it.effect("waits for a person who hears, transcribes and decides it; only reviewers hear it before", () =>
    Effect.gen(function* () {
      const ops = yield* operator("reviewer")
      const {
        body: {
          interaction: { id }
        }
      } = yield* callIn({ audio: yield* makeRecording("webm", 2), parts: page })
      const review = yield* reviewOf(ops, "call_in", id)
      const url = review!["audioUrl"] as string
      expect([review!["transcript"], (yield* messageOf(ops, id)).call]).toEqual([
        "",
        expect.objectContaining({ transcriptStatus: "awaiting", airStatus: "off", audioUrl: url })
      ])
      const own = { authorization: `Bearer ${ops}` }
      const [whole, part] = [yield* look(url, own), yield* look(url, { ...own, range: "bytes=0-3" })]
      expect([
        whole.status,
        whole.headers.get("cache-control"),
        whole.headers.get("content-type"),
        part.status,
        part.bytes.toString()
      ]).toEqual([200, "private, no-store", "audio/flac", 206, "fLaC"])
      expect([
        (yield* look(url)).status,
        (yield* look(url, { authorization: `Bearer ${yield* operator("viewer")}` })).status,
        (yield* look(url.replace(/int_../, "int_zz"), own)).status
      ]).toEqual([404, 404, 404])
      const write = (transcript: string, path = "") =>
        call("PATCH", `/api/ops/call-ins/${id}${path}`, { key: ops, body: { transcript } })
      expect([
        (yield* write("Hello")).status,
        (yield* call("PATCH", "/api/ops/call-ins/int_x", { key: ops, body: { transcript: "x" } })).status
      ]).toEqual([200, 404])
      expect((yield* write("Something else", "?dryRun=true")).body.wouldBe.message.content).toBe("Something else")
      const flagged = yield* write("Call me at +44 20 7946 0958, or I will kill you.")
      expect([
        flagged.body.message.call.transcriptStatus,
        flagged.body.message.moderationStatus,
        flagged.body.message.flags.length > 0
      ]).toEqual(["ready", "escalated", true])
      expect(yield* reviewOf(ops, "call_in", id)).toMatchObject({
        status: "escalated",
        transcript: "Call me at +44 20 7946 0958, or I will kill you."
      })
      expect((yield* decideMessage(ops, "call_in", id, "approve")).body.review.status).toBe("approved")
      const made = yield* askUntil(messageOf(ops, id), ({ call: { airStatus } }) => airStatus === "queued")
      expect([made.moderationStatus, made.visibility]).toEqual(["approved", "desk"])
      const held = yield* call("POST", `/api/ops/subjects/call_in/${id}/hold`, {
        key: ops,
        body: { reason: "listen again" }
      })
      expect([held.body.message.moderationStatus, held.body.message.call.airStatus]).toEqual(["pending", "off"])
      expect(
        (yield* call("POST", `/api/ops/subjects/call_in/${id}/release`, { key: ops, body: {} })).body.message
          .moderationStatus
      ).toBe("approved")
      yield* askUntil(messageOf(ops, id), ({ call: { airStatus } }) => airStatus === "queued")
      expect(
        (yield* call("POST", `/api/ops/subjects/call_in/${id}/remove`, { key: ops, body: { reason: "no" } })).body
          .message.call.airStatus
      ).toBe("off")
      const acts = yield* (yield* Audit).list({
        actor: null,
        subject: id,
        fromMs: null,
        toMs: null,
        limit: 100,
        cursor: null
      })
      expect(acts!.rows.map(({ action }) => action)).toEqual([
        "call_in.remove",
        "call_in.release",
        "call_in.hold",
        "review.approve",
        "call_in.transcript",
        "call_in.transcript"
      ])
      expect(JSON.stringify(acts)).not.toContain("kill you")
    })
  )
})
