import { layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { purgeSubmissions } from "../../../actors/music/SubmissionWorker.ts"
import { submissionsAllowance } from "../../../engine/rules/music/Adoption.ts"
import { meterOf } from "../../../engine/rules/allowance/Allowance.ts"
import { today } from "../../../engine/rules/allowance/Meter.ts"
import { Meters } from "../../../engine/store/sql/Meters.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { type Answer, call, callForm, operator, askUntil } from "../../support/http/SegmentHttp.ts"
import { song } from "../../support/listeners/Listeners.ts"
import { completeAndPreview, musician } from "../../support/music/MusicScene.ts"
import { printSounds } from "../../../actors/music/PrintWorker.ts"
import { printOf, UploadScript } from "../../support/media/UploadDoubles.ts"
import {
  adopt,
  adopter,
  board,
  boardOf,
  decide,
  sendInListed,
  mp3,
  ownOf,
  reviewOfSubmission,
  sendIn,
  withdraw
} from "../../support/music/SubmissionScene.ts"
import { person } from "../../support/people/Humans.ts"
import { QuietStation } from "../../support/station/QuietStation.ts"

const refused = ({ body, status }: Answer) => [status, body.code]
const trackOf = (id: string) => Effect.map(call("GET", `/api/v1/tracks/${id}`), ({ body }) => body.track ?? body)
const rows = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql<{ id: string; status: string; assetId: string | null }>`SELECT id, status, asset_id FROM music_submissions`
)
const stateOf = (id: string) => Effect.map(rows, (all) => all.find((one) => one.id === id))
/** What an agent was told of its adoptions. */
const toldOf = Effect.fnUntraced(function* (agentId: string) {
  const found = yield* (yield* SqlClient.SqlClient)<{ status: string; trackId: string | null }>`
    SELECT event->>'status' AS status, event->>'trackId' AS track_id FROM outbox
    WHERE event->>'_tag' = 'AdoptionDecided' AND event->>'agentId' = ${agentId} ORDER BY position`
  return found.map(({ status, trackId }) => (trackId === null ? status : `${status} as a track`))
})
/** Recordings that a person has sent in today. */
const spent = Effect.fnUntraced(function* (humanId: string) {
  const [meter] = yield* (yield* Meters).read([meterOf(submissionsAllowance, humanId)])
  return today(meter!.seconds, yield* Clock.currentTimeMillis)
})

layer(QuietStation.pipe(Layer.provideMerge(AgentHttp())), { excludeTestServices: true })("the adoption board", (it) => {
  it.effect("brings a listener's recording on air: sent in, heard, adopted, approved, and credited to no person", () =>
    Effect.gen(function* () {
      const sender = yield* person({ displayName: "Quilla Marsh" })
      const agent = yield* adopter
      const sent = yield* sendIn(sender, {
        genre: "LoFi",
        mood: "calm",
        note: "Played on the pier.",
        syntheticDisclosure: "A program mixed it."
      })
      const { id } = sent.body.submission
      expect([sent.status, sent.body.submission]).toMatchObject([
        201,
        { title: "Low water", genre: "lofi", mood: "calm", status: "pending_review", trackId: null, durationSec: 30 }
      ])
      const isShown = Effect.map(boardOf(agent.key, "?limit=100"), ({ body }) =>
        body.submissions.find((row: { readonly id: string }) => row.id === id)
      )
      const preview = (key: string) => call("GET", `${board}/submissions/${id}/preview`, { key })
      // Nobody but the operators hears it before it was reviewed.
      expect([yield* isShown, (yield* preview(agent.key)).status, refused(yield* adopt(agent.key, id))]).toEqual([
        undefined,
        404,
        [404, "NOT_FOUND"]
      ])
      const first = yield* reviewOfSubmission(id)
      expect(first).toMatchObject({ kind: "media", author: { agentId: null }, title: "Low water" })
      expect(first.transcript).toContain("note: Played on the pier.")
      yield* decide(id, "approve")

      const row = yield* isShown
      expect(row).toMatchObject({
        id,
        title: "Low water",
        note: "Played on the pier.",
        durationSec: 30,
        adopted: false
      })
      expect(JSON.stringify(row)).not.toMatch(/Quilla|usr_|human/)
      expect((yield* preview(agent.key)).status).toBe(200)
      expect((yield* adopt(agent.key, id, {}, "?dryRun=true")).body).toMatchObject({
        dryRun: true,
        wouldBe: { adoption: { submissionId: id, status: "operator_review" } }
      })
      expect((yield* isShown).adopted).toBe(false)
      const { adoption } = (yield* adopt(agent.key, id, { pitch: "For the hours after midnight." })).body
      expect(adoption).toMatchObject({ submissionId: id, status: "operator_review", trackId: null })
      expect((yield* adopt(agent.key, id)).body.adoption).toEqual(adoption)
      expect((yield* isShown).adopted).toBe(true)
      const second = yield* reviewOfSubmission(id)
      expect(second).toMatchObject({ kind: "music_adoption", author: { handle: agent.handle } })
      expect(second.transcript).toMatch(/^pitch: For the hours after midnight\./)
      expect((yield* ownOf(sender))[0].status).toBe("adopted")

      yield* decide(id, "approve")
      const { trackId } = (yield* ownOf(sender))[0]
      const track = yield* trackOf(trackId)
      expect(track).toMatchObject({
        title: "Low water",
        artist: `Listener submission, brought by @${agent.handle}`,
        createdBy: null,
        madeByStation: false,
        approvalStatus: "approved",
        genre: "lofi"
      })
      expect(JSON.stringify(track)).not.toMatch(/Quilla|usr_/)
      // The listener said that a machine took part: the sound carries the mark.
      expect(track.synthetic).toMatchObject({
        disclosure: "AI music. Sent in by a listener, who says: A program mixed it."
      })
      expect(yield* isShown).toBe(undefined)
      expect((yield* boardOf(agent.key)).body.adoptions[0]).toMatchObject({
        id: adoption.id,
        status: "approved",
        trackId
      })
      expect(yield* toldOf(agent.id)).toEqual(["approved as a track"])
      const inbox = yield* askUntil(
        call("GET", "/api/v1/inbox", { key: agent.key }),
        ({ body }) => body.items.length > 0
      )
      expect(inbox.body.items[0]).toMatchObject({
        id: `adoption:${adoption.id}`,
        preview: "Low water: approved, it plays in the rotation with your name in its credit.",
        action: { method: "GET", path: board }
      })

      // Undone within ten minutes, then approved again: the same track.
      const key = yield* operator("reviewer")
      expect((yield* call("POST", `/api/ops/reviews/${second.id}/undo`, { key, body: {} })).status).toBe(200)
      expect((yield* trackOf(trackId)).code).toBe("TRACK_NOT_FOUND")
      yield* decide(id, "approve")
      expect((yield* trackOf(trackId)).approvalStatus).toBe("approved")
      yield* (yield* SqlClient.SqlClient)`UPDATE tracks SET play_count = 1 WHERE id = ${trackId}`
      expect(refused(yield* call("POST", `/api/ops/reviews/${second.id}/undo`, { key, body: {} }))).toEqual([
        409,
        "REVIEW_CONFLICT"
      ])
    })
  )

  it.effect("lets operators read all recordings, and decide on them and their adoptions by their own ids", () =>
    Effect.gen(function* () {
      const sender = yield* person({ displayName: "Quilla Marsh" })
      const agent = yield* adopter
      const key = yield* operator("reviewer")
      const ops = "/api/ops/music"
      const { id } = (yield* sendIn(sender, {})).body.submission
      const decideOn = (path: string, body: object, headers: Record<string, string> = {}) =>
        call("POST", `${ops}/${path}/decision`, { key, body, headers })
      const listed = (query: string) => call("GET", `${ops}/submissions?${query}`, { key })
      const findIn = (query: string) =>
        Effect.map(listed(`limit=100&${query}`), ({ body }) =>
          body.submissions.find((one: { readonly id: string }) => one.id === id)
        )
      const first = yield* findIn("status=pending_review")
      expect(first).toMatchObject({
        title: "Low water",
        status: "pending_review",
        sentBy: expect.stringMatching(/^usr_/),
        audioUrl: expect.stringMatching(/^http/),
        adoption: null,
        review: { kind: "media", status: "open" }
      })
      expect(yield* findIn("status=listed")).toBe(undefined)
      const page = (yield* listed("limit=1")).body
      expect([page.submissions.length, (yield* listed(`limit=1&cursor=${page.submissions[0].id}`)).status]).toEqual([
        1, 200
      ])
      expect(refused(yield* listed("cursor=sub_x"))).toEqual([400, "INVALID_FIELD"])

      const at = `submissions/${id}`
      expect(refused(yield* decideOn(at, { decision: "reject" }))).toEqual([400, "MISSING_FIELDS"])
      expect(refused(yield* decideOn("submissions/sub_x", { decision: "approve" }))).toEqual([404, "NOT_FOUND"])
      expect(refused(yield* decideOn(at, { decision: "approve" }, { "if-match": '"older"' }))).toEqual([
        412,
        "PRECONDITION_FAILED"
      ])
      const again = { "idempotency-key": `${id} listed` }
      const approved = yield* decideOn(at, { decision: "approve" }, again)
      expect([approved.status, approved.body]).toMatchObject([
        200,
        { submission: { id, status: "listed", review: null }, review: { id: first.review.id, status: "approved" } }
      ])
      expect((yield* decideOn(at, { decision: "approve" }, again)).body).toEqual(approved.body)
      expect(refused(yield* decideOn(at, { decision: "reject", reason: "No." }))).toEqual([409, "REVIEW_CONFLICT"])

      const { adoption } = (yield* adopt(agent.key, id, { pitch: "For the hours after midnight." })).body
      expect(yield* findIn("status=adopted")).toMatchObject({
        adoption: {
          id: adoption.id,
          agentId: agent.id,
          handle: agent.handle,
          pitch: "For the hours after midnight.",
          status: "operator_review"
        },
        review: { kind: "music_adoption" }
      })
      expect(refused(yield* decideOn("adoptions/adp_x", { decision: "approve" }))).toEqual([404, "NOT_FOUND"])
      const returned = yield* decideOn(`adoptions/${adoption.id}`, { decision: "request_changes", reason: "Say when." })
      expect(returned.body.submission).toMatchObject({ status: "listed", adoption: null })
      const { adoption: second } = (yield* adopt(agent.key, id)).body
      const { submission } = (yield* decideOn(`adoptions/${second.id}`, { decision: "approve" })).body
      expect(submission).toMatchObject({ status: "approved", adoption: { status: "approved" } })
      expect((yield* trackOf(submission.trackId)).approvalStatus).toBe("approved")
    })
  )

  it.effect("is for agents of T1 with the scope, and one agent alone adopts", () =>
    Effect.gen(function* () {
      const { id } = yield* sendInListed()
      const [low, dj] = yield* Effect.all([arrive(), arrive({ role: "dj" })])
      yield* call("PUT", `/api/ops/agents/${dj.id}/grants`, {
        key: yield* operator("producer"),
        body: { tierPin: 3 }
      })
      for (const { key } of [low, dj])
        expect(
          (yield* Effect.all([
            boardOf(key),
            call("GET", `${board}/submissions/${id}/preview`, { key }),
            adopt(key, id)
          ])).map(refused)
        ).toEqual(Array.from({ length: 3 }, () => [403, "FORBIDDEN"]))
      const agents = yield* Effect.all(Array.from({ length: 6 }, () => adopter))
      // At the same moment, all of them.
      const answers = yield* Effect.all(
        agents.map(({ key }) => adopt(key, id)),
        { concurrency: "unbounded" }
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409])
      expect(answers.filter(({ status }) => status === 409).map(({ body }) => body.code)).toEqual(
        Array.from({ length: 5 }, () => "ALREADY_ADOPTED")
      )
      const winner = agents[answers.findIndex(({ status }) => status === 200)]!
      const sql = yield* SqlClient.SqlClient
      expect(yield* sql`SELECT adopted_by FROM music_submissions WHERE id = ${id}`).toEqual([{ adoptedBy: winner.id }])
      expect(yield* sql`SELECT 1 FROM reviews WHERE subject_id = ${id} AND kind = 'music_adoption'`).toHaveLength(1)

      // Not like this: the recording is on the board again, for anybody.
      yield* decide(id, "request_changes", "Tell us when it should play.")
      expect(yield* toldOf(winner.id)).toEqual(["returned"])
      const other = agents.find((agent) => agent !== winner)!
      expect((yield* adopt(other.key, id)).status).toBe(200)
      yield* decide(id, "reject", "Too loud a hum.")
      expect([yield* toldOf(other.id), (yield* boardOf(other.key)).body.adoptions[0].status]).toEqual([
        ["rejected"],
        "rejected"
      ])
      expect(refused(yield* adopt(winner.key, id))).toEqual([404, "NOT_FOUND"])
      expect(refused(yield* adopt(winner.key, "sub_x"))).toEqual([404, "NOT_FOUND"])
    })
  )

  it.effect("gives an agent five at once, and takes back what one that leaves had adopted", () =>
    Effect.gen(function* () {
      const agent = yield* adopter
      const ids = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => Effect.map(sendInListed(), ({ id }) => id))
      for (const id of ids.slice(0, 5)) expect((yield* adopt(agent.key, id)).status).toBe(200)
      expect(refused(yield* adopt(agent.key, ids[5]!))).toEqual([403, "FORBIDDEN"])
      yield* decide(ids[0]!, "reject")
      expect((yield* adopt(agent.key, ids[5]!)).status).toBe(200)
      expect((yield* call("DELETE", "/api/v1/agents/me", { key: agent.key })).status).toBe(200)
      const states = yield* Effect.map(rows, (all) =>
        ids.slice(1).map((id) => all.find((one) => one.id === id)!.status)
      )
      expect(states).toEqual(Array.from({ length: 5 }, () => "listed"))
      expect(yield* reviewOfSubmission(ids[1]!)).toBe(undefined)
      expect((yield* adopt((yield* adopter).key, ids[1]!)).status).toBe(200)
    })
  )

  it.effect("takes nothing that is no music, and keeps nothing of it", () =>
    Effect.gen(function* () {
      const sender = yield* person()
      const script = yield* UploadScript
      const before = (yield* rows).length
      const playlist = `#EXTM3U\n#EXTINF:10,\nfile:///etc/passwd\n`
      for (const [bytes, fields, status, code] of [
        [playlist, {}, 400, "INVALID_FILE_TYPE"],
        ["PK\u0003\u0004zip", {}, 400, "INVALID_FILE_TYPE"],
        ["", {}, 400, "INVALID_FILE_TYPE"],
        [mp3("shrt"), {}, 400, "TRACK_TOO_SHORT"],
        [mp3("bad"), {}, 400, "INVALID_FIELD"],
        [mp3(), { title: null }, 400, "MISSING_FIELDS"],
        [mp3(), { title: "x".repeat(141) }, 400, "INVALID_FIELD"],
        [mp3(), { note: "x".repeat(501) }, 400, "INVALID_FIELD"],
        [mp3(), { genre: "marching" }, 400, "INVALID_GENRE"],
        [mp3(), { rightsDeclaration: "somebody's" }, 400, "INVALID_FIELD"],
        [mp3(), { rightsAttested: null }, 400, "MISSING_FIELDS"],
        [mp3(), { rightsAttested: "false" }, 400, "MISSING_FIELDS"],
        [mp3(), { rightsAttested: '"true"' }, 400, "INVALID_FIELD"],
        [mp3(), { note: "Deport all the muslims now" }, 422, "CONTENT_REJECTED"],
        [null, {}, 400, "MISSING_FIELDS"]
      ] as const) {
        const answer = yield* sendIn(sender, fields as Record<string, string | null>, bytes)
        expect([String(bytes).slice(0, 10), fields, ...refused(answer)]).toEqual([
          String(bytes).slice(0, 10),
          fields,
          status,
          code
        ])
      }
      expect(
        refused(yield* call("POST", "/api/account/music-submissions", { headers: sender.headers, body: {} }))
      ).toEqual([415, "UNSUPPORTED_MEDIA_TYPE"])
      expect([(yield* rows).length, yield* spent(sender.id), yield* ownOf(sender)]).toEqual([before, 0, []])

      // A disk that is full: nothing is lost but the try.
      script.fault = "disk_full"
      const bytes = mp3()
      expect(refused(yield* sendIn(sender, {}, bytes))).toEqual([503, "BUSY"])
      script.fault = "none"
      expect([(yield* rows).length, yield* spent(sender.id)]).toEqual([before, 0])
      const rehearsed = yield* sendIn(sender, {}, bytes, { path: "/api/account/music-submissions?dryRun=true" })
      expect([rehearsed.status, rehearsed.body.status, (yield* rows).length, yield* spent(sender.id)]).toEqual([
        200,
        201,
        before,
        0
      ])
      const again = { more: { "idempotency-key": "the-same" } }
      const [one, two] = [yield* sendIn(sender, {}, bytes, again), yield* sendIn(sender, {}, bytes, again)]
      expect([one.status, two.status, two.body.submission.id]).toEqual([201, 201, one.body.submission.id])
      // The same bytes, from anybody.
      for (const who of [sender, yield* person()])
        expect(refused(yield* sendIn(who, {}, bytes))).toEqual([409, "DUPLICATE_CONTENT_HASH"])
      yield* sendIn(sender)
      yield* sendIn(sender)
      expect(refused(yield* sendIn(sender))).toEqual([429, "RATE_LIMITED"])
      expect(yield* ownOf(sender)).toHaveLength(3)
    })
  )

  it.effect("takes no copy of the station's own music, of generated pieces or of others' recordings", () =>
    Effect.gen(function* () {
      const script = yield* UploadScript
      const sql = yield* SqlClient.SqlClient
      const { key } = yield* musician()
      const { variants } = yield* completeAndPreview(key)
      const [variant] = yield* sql<{
        assetId: string
      }>`SELECT asset_id FROM music_variants WHERE id = ${variants[0]!.id}`
      const [house] = yield* sql<{ assetId: string }>`SELECT asset_id FROM tracks WHERE id = ${yield* song()}`
      const copies = [variant!.assetId, house!.assetId].map((assetId) => {
        const bytes = mp3()
        script.prints.set(assetId, printOf(bytes))
        return { assetId, bytes }
      })
      yield* sql`UPDATE assets SET length_samples = ${30 * 48_000}, fingerprint = NULL WHERE id IN ${sql.in(copies.map(({ assetId }) => assetId))}`
      yield* sql`UPDATE tracks SET source = 'house', category = 'song' WHERE asset_id = ${house!.assetId}`
      let left = copies.length
      for (let n = 0; left > 0 && n < 50; n++) {
        yield* printSounds()
        const found =
          yield* sql`SELECT 1 FROM assets WHERE fingerprint IS NULL AND id IN ${sql.in(copies.map(({ assetId }) => assetId))}`
        left = found.length
      }
      const sender = yield* person()
      const agent = yield* arrive()
      for (const { bytes } of copies) {
        const answer = yield* sendIn(sender, {}, bytes)
        expect([...refused(answer), answer.body.errors[0].pointer]).toEqual([400, "INVALID_FIELD", "/file"])
        const form = new FormData()
        for (const [name, value] of Object.entries({ title: "Mine", genre: "jazz" })) form.set(name, value)
        form.set("file", new Blob([bytes], { type: "audio/mpeg" }), "mine.mp3")
        expect(refused(yield* callForm("/api/v1/tracks", agent.key, form))).toEqual([400, "INVALID_FIELD"])
      }
      // A listener's recording that an agent sends as its own, in other bytes.
      const bytes = mp3()
      expect((yield* sendIn(sender, {}, bytes)).status).toBe(201)
      const form = new FormData()
      for (const [name, value] of Object.entries({ title: "Mine", genre: "jazz" })) form.set(name, value)
      form.set("file", new Blob([`${bytes} `], { type: "audio/mpeg" }), "mine.mp3")
      expect(refused(yield* callForm("/api/v1/tracks", agent.key, form))).toEqual([400, "INVALID_FIELD"])
    })
  )

  it.effect("is left at once by what its sender withdraws, also during a review, and its sound is deleted", () =>
    Effect.gen(function* () {
      const agent = yield* adopter
      const script = yield* UploadScript
      const { id, sender } = yield* sendInListed()
      const stranger = yield* person()
      expect(refused(yield* withdraw(stranger, id))).toEqual([404, "NOT_FOUND"])
      yield* adopt(agent.key, id)
      const review = yield* reviewOfSubmission(id)
      expect((yield* withdraw(sender, id, "?dryRun=true")).body.wouldBe.submission.status).toBe("withdrawn")
      expect((yield* stateOf(id))!.status).toBe("adopted")
      // The reviewer decides at the moment of the withdrawal: one of the two is too late.
      const key = yield* operator("reviewer")
      const [gone, decision] = yield* Effect.all(
        [
          withdraw(sender, id),
          call("POST", `/api/ops/reviews/${review.id}/decision`, { key, body: { decision: "approve" } })
        ],
        { concurrency: "unbounded" }
      )
      expect([gone.status, [200, 409].includes(decision.status)]).toEqual([200, true])
      expect([(yield* stateOf(id))!.status, yield* reviewOfSubmission(id)]).toEqual(["withdrawn", undefined])
      const told = yield* toldOf(agent.id)
      expect(told.at(-1)).toMatch(/^withdrawn/)
      const { trackId } = (yield* ownOf(sender))[0]
      if (trackId !== null) expect((yield* trackOf(trackId)).code).toBe("TRACK_NOT_FOUND")
      expect((yield* withdraw(sender, id)).body.submission.status).toBe("withdrawn")
      expect(yield* toldOf(agent.id)).toEqual(told)

      // What plays in the rotation leaves it as well.
      const { id: heard, sender: owner } = yield* sendInListed()
      yield* adopt(agent.key, heard)
      yield* decide(heard, "approve")
      const track = (yield* ownOf(owner))[0].trackId
      expect((yield* trackOf(track)).approvalStatus).toBe("approved")
      yield* withdraw(owner, heard)
      expect((yield* trackOf(track)).code).toBe("TRACK_NOT_FOUND")

      const nowMs = yield* Clock.currentTimeMillis
      yield* purgeSubmissions(nowMs)
      expect((yield* stateOf(heard))!.assetId).not.toBe(null)
      yield* purgeSubmissions(nowMs + 25 * 3_600_000)
      expect([(yield* stateOf(id))!.assetId, (yield* stateOf(heard))!.assetId]).toEqual([null, null])
      expect(script.discarded).toEqual(expect.arrayContaining([id, heard]))
      yield* purgeSubmissions(nowMs + 31 * 86_400_000)
      expect([yield* stateOf(id), yield* stateOf(heard)]).toEqual([undefined, undefined])
    })
  )

  it.effect("forgets a person that leaves, and keeps what has aired as nobody's", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const agent = yield* adopter
      const sender = yield* person()
      const title = "A song of Quilla's own"
      const note = "Quilla wrote it"
      const ids: Array<string> = []
      for (let n = 0; n < 3; n++) {
        const { id } = (yield* sendIn(sender, { title: `${title} ${n}`, note })).body.submission
        ids.push(id)
        yield* decide(id, "approve")
        if (n > 0) yield* adopt(agent.key, id)
      }
      const [waiting, adopted, aired] = ids as [string, string, string]
      yield* decide(aired, "approve")
      const { trackId } = (yield* ownOf(sender)).find(({ id }: { readonly id: string }) => id === aired)
      yield* sql`UPDATE tracks SET play_count = 1 WHERE id = ${trackId}`
      const file = (yield* call("GET", "/api/account/export", { headers: sender.headers })).body
      expect(file.records.music_submissions.map(({ note: said }: { readonly note: string }) => said)).toEqual([
        note,
        note,
        note
      ])
      expect(JSON.stringify(file)).not.toContain("fingerprint")
      expect((yield* call("DELETE", "/api/account/me", { headers: sender.headers })).status).toBe(200)
      expect([(yield* stateOf(waiting))!.status, (yield* stateOf(adopted))!.status, yield* stateOf(aired)]).toEqual([
        "withdrawn",
        "withdrawn",
        undefined
      ])
      expect([yield* reviewOfSubmission(adopted), (yield* toldOf(agent.id)).at(-1)]).toEqual([undefined, "withdrawn"])
      for (const table of ["music_submissions", "reviews"]) {
        const found =
          yield* sql`SELECT 1 FROM ${sql(table)} t WHERE t::text LIKE ${`%${sender.id}%`} OR t::text LIKE '%Quilla%'`
        expect([table, found.length]).toEqual([table, 0])
      }
      expect((yield* trackOf(trackId)).approvalStatus).toBe("approved")
      yield* purgeSubmissions((yield* Clock.currentTimeMillis) + 3_600_000)
      expect((yield* stateOf(waiting))!.assetId).toBe(null)
    })
  )

  it.effect("finds nothing left of a process that died while it examined, and lets its sender try again", () =>
    Effect.gen(function* () {
      const sender = yield* person()
      const script = yield* UploadScript
      const sql = yield* SqlClient.SqlClient
      const bytes = mp3()
      const { id } = (yield* sendIn(sender, {}, bytes)).body.submission
      // As it stands when the process dies: the row, and files of which nobody knows more.
      yield* sql`UPDATE music_submissions SET status = 'examining', asset_id = NULL, fingerprint = NULL WHERE id = ${id}`
      yield* sql`DELETE FROM reviews WHERE subject_id = ${id}`
      expect([yield* ownOf(sender), refused(yield* withdraw(sender, id))]).toEqual([[], [404, "NOT_FOUND"]])
      const again = yield* sendIn(sender, {}, bytes)
      expect([again.status, script.discarded.includes(id), yield* stateOf(id)]).toEqual([201, true, undefined])
      const other = again.body.submission.id
      yield* sql`UPDATE music_submissions SET status = 'examining' WHERE id = ${other}`
      const nowMs = yield* Clock.currentTimeMillis
      yield* purgeSubmissions(nowMs)
      expect((yield* stateOf(other))!.status).toBe("examining")
      yield* purgeSubmissions(nowMs + 2 * 3_600_000)
      expect([yield* stateOf(other), script.discarded.includes(other)]).toEqual([undefined, true])
    })
  )
})
