import { person } from "../../support/people/Humans.ts"
import { sendIn } from "../../support/music/SubmissionScene.ts"
import { layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { Reviews } from "../../../engine/store/moderation/Reviews.ts"
import type { AgentId, ReviewId } from "../../../schema/Ids.ts"
import type { SubjectType } from "../../../schema/moderation/Review.ts"
import { answersLost } from "../../support/http/AnswersLost.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { call, makeClaimedAgent, operator } from "../../support/http/SegmentHttp.ts"
import { chatListener, say } from "../../support/listeners/ChatWorld.ts"
import { from, newAddress, song } from "../../support/listeners/Listeners.ts"
import { awaitMail } from "../../support/people/MailDouble.ts"
import { callIn, fromPage, makeRecording, writeIn } from "../../support/listeners/Messages.ts"
import { bookNext, shelf } from "../../support/programmes/Plans.ts"
import { makeDraft } from "../../support/scenes/Blog.ts"
import { proposal } from "../../support/scenes/Lore.ts"
import { arriveGranted } from "../../support/scenes/Scene.ts"
import { comment, flaggedPost, publish } from "../../support/social/SocialWorld.ts"
import { QuietStation } from "../../support/station/QuietStation.ts"

const world = QuietStation.pipe(Layer.provideMerge(AgentHttp({ TRUSTED_PROXIES: "127.0.0.1/32" })))
type Made = Layer.Success<typeof world>

/** Opens a review of a subject that a test put into the store itself. */
const opened = Effect.fnUntraced(function* (kind: "track" | "gallery", agentId: string, subjectId: string) {
  const nowMs = yield* Clock.currentTimeMillis
  const id = (yield* (yield* IdSource).make("rev")) as ReviewId
  const subjectType = kind === "gallery" ? ("gallery_asset" as const) : ("track" as const)
  const card = {
    kind,
    subjectType,
    subjectId,
    agentId: agentId as AgentId,
    flags: [],
    title: `A ${kind}`,
    body: "Look."
  }
  yield* (yield* Reviews).open({ ...card, id, status: "open", dueAtMs: nowMs + 3_600_000, createdAtMs: nowMs })
  return subjectId
})
const track = Effect.gen(function* () {
  const [{ id: agentId }, id] = [yield* arrive(), yield* song("pending_review")]
  yield* (yield* SqlClient.SqlClient)`UPDATE tracks SET agent_id = ${agentId} WHERE id = ${id}`
  return yield* opened("track", agentId, id)
})
const picture = Effect.gen(function* () {
  const ids = yield* IdSource
  const [{ id: agentId }, id, upload] = [yield* arrive(), yield* ids.make("gal"), yield* ids.make("upl")]
  yield* (yield* SqlClient.SqlClient)`
    INSERT INTO gallery_assets (id, upload_id, agent_id, file_name, content_type, byte_size, status, path, created_at)
    VALUES (${id}, ${upload}, ${agentId}, 'a.jpg', 'image/jpeg', 1, 'pending_review', 'a.jpg', now())`
  return yield* opened("gallery", agentId, id)
})
const segment = Effect.gen(function* () {
  const { key } = yield* arrive()
  const body = {
    stationSlug: "longwave",
    category: "news",
    title: "First words",
    scriptText: "Good evening. All is well."
  }
  return (yield* call("POST", "/api/segments", { key, body })).body.segment.id as string
})
const topic = Effect.gen(function* () {
  const { key } = yield* arriveGranted()
  const body = { title: "What the tide brings", category: "local", description: flaggedPost() }
  return (yield* call("POST", "/api/v1/catalog/topics", { key, body })).body.topic.id as string
})
const plan = Effect.gen(function* () {
  yield* shelf(40)
  const { key } = yield* makeClaimedAgent()
  return (yield* bookNext(key)).body.plan.id as string
})
const profile = Effect.gen(function* () {
  const { id, key } = yield* arrive()
  for (const bio of ["A quiet marsh.", "What the fuck is this song."])
    yield* call("PATCH", "/api/v1/agents/me/profile", { key, body: { bio } })
  return id
})
const appeal = Effect.gen(function* () {
  const [{ id, key }, admin] = [yield* arrive(), yield* operator("admin")]
  yield* call("POST", `/api/ops/agents/${id}/suspend`, { key: admin, body: { reason: "Noise." } })
  const { appealUrl } = (yield* call("GET", "/api/v1/home", { key })).body.suspension
  yield* call("POST", new URL(appealUrl as string).pathname, {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "about=The+suspension&words=It+was+wind."
  })
  return id
})

/** A listener's report of a song; answers its case. */
const report = Effect.fnUntraced(function* (over: object = {}, trackId?: string) {
  const id = trackId ?? (yield* song("approved"))
  const body = { subject: { type: "track", id }, reason: "misleading", words: "It is no sea shanty.", ...over }
  return yield* call("POST", "/api/station/reports", { headers: from(newAddress()), body })
})

/** A subject's states under decisions and takedowns, and the notices that decisions send. */
interface Walk {
  /** Makes a subject that waits for an operator, and answers its id. */
  readonly make: Effect.Effect<string, unknown, Made>
  /** An operator's view of its review. */
  readonly card: object
  /** The table and the field of its state, and the field of its id. */
  readonly column: readonly [table: string, field: string, id?: string]
  readonly waits: string
  readonly approved: string
  readonly rejected: string
  /** Events of an approval, of its undo and of a rejection. */
  readonly events: ReadonlyArray<string>
  readonly takedown?: {
    /** An approved one set aside, and the status of the review that waits then. */
    readonly held: string
    readonly review?: "open" | "held" | "escalated"
    /** An approved one removed, and one that waited. */
    readonly removed: string
    readonly removedEarly: string
    /** The state after a release of the removed one; without it a release is refused. */
    readonly released?: string
    /** For an id that names nothing. */
    readonly code: string
    readonly events: ReadonlyArray<string>
  }
}
const social = {
  waits: "pending",
  approved: "approved",
  rejected: "rejected"
}
const ofListeners = {
  ...social,
  column: ["interactions", "moderation_status"],
  events: [],
  takedown: {
    held: "pending",
    review: "escalated",
    removed: "rejected",
    removedEarly: "rejected",
    code: "NOT_FOUND",
    events: []
  }
} as const
const walks: { readonly [Type in SubjectType]: Walk } = {
  segment: {
    make: segment,
    card: { kind: "first_air", title: "First words", transcript: "Good evening. All is well." },
    column: ["segments", "status"],
    waits: "pending_review",
    approved: "queued",
    rejected: "rejected",
    events: ["SegmentQueued", "FirstAirDecided approve", "SegmentRejected", "FirstAirDecided reject"],
    takedown: {
      held: "held",
      review: "held",
      removed: "cancelled",
      removedEarly: "cancelled",
      code: "SEGMENT_NOT_FOUND",
      events: ["SegmentHeld", "SegmentQueued"]
    }
  },
  track: {
    make: track,
    card: { kind: "track", title: "A track" },
    column: ["tracks", "approval_status"],
    waits: "pending_review",
    approved: "approved",
    rejected: "rejected",
    events: ["TrackDecided approved", "TrackDecided rejected"],
    takedown: { held: "held", removed: "retired", removedEarly: "retired", code: "TRACK_NOT_FOUND", events: [] }
  },
  post: {
    make: Effect.gen(function* () {
      return (yield* publish((yield* arrive()).key, { body: flaggedPost() })).body.post.id as string
    }),
    card: { kind: "post", flags: [{ code: "personal_data" }] },
    column: ["posts", "status"],
    ...social,
    events: ["PostModerated approved", "PostPublished", "PostModerated pending", "PostModerated rejected"],
    takedown: {
      held: "escalated",
      review: "escalated",
      removed: "removed",
      removedEarly: "rejected",
      code: "NOT_FOUND",
      events: ["PostModerated escalated", "PostModerated approved", "PostPublished", "PostModerated removed"]
    }
  },
  comment: {
    make: Effect.gen(function* () {
      const [one, other] = [yield* arrive(), yield* arrive()]
      return (yield* comment(one.key, other.handle, { body: flaggedPost() })).body.comment.id as string
    }),
    card: { kind: "comment", flags: [{ code: "personal_data" }] },
    column: ["comments", "status"],
    ...social,
    events: ["CommentModerated approved", "CommentReceived", "CommentModerated pending", "CommentModerated rejected"],
    takedown: {
      held: "escalated",
      review: "escalated",
      removed: "removed",
      removedEarly: "rejected",
      code: "NOT_FOUND",
      events: ["CommentModerated escalated", "CommentModerated approved", "CommentReceived", "CommentModerated removed"]
    }
  },
  gallery_asset: {
    make: picture,
    card: { kind: "gallery", title: "A gallery" },
    column: ["gallery_assets", "status"],
    waits: "pending_review",
    approved: "ready",
    rejected: "rejected",
    events: [],
    takedown: {
      held: "pending_review",
      review: "open",
      removed: "rejected",
      removedEarly: "rejected",
      released: "ready",
      code: "NOT_FOUND",
      events: []
    }
  },
  write_in: {
    make: Effect.suspend(() =>
      Effect.map(writeIn({ content: flaggedPost(), ...fromPage }), ({ body }) => body.interaction.id)
    ),
    card: { kind: "write_in", title: "A write-in", author: { agentId: null } },
    ...ofListeners
  },
  call_in: {
    make: Effect.gen(function* () {
      return (yield* callIn({ audio: yield* makeRecording("wav", 2) })).body.interaction.id
    }),
    card: { kind: "call_in", title: "A call of 2 s", author: { agentId: null } },
    ...ofListeners
  },
  topic: {
    make: topic,
    card: { kind: "topic", title: "What the tide brings" },
    column: ["topics", "status"],
    waits: "pending",
    approved: "active",
    rejected: "closed",
    events: [],
    takedown: {
      held: "pending",
      review: "escalated",
      removed: "closed",
      removedEarly: "closed",
      code: "NOT_FOUND",
      events: []
    }
  },
  chat_message: {
    make: Effect.gen(function* () {
      return (yield* say(yield* chatListener(), flaggedPost())).body.message.id as string
    }),
    card: { kind: "chat", flags: [{ code: "personal_data" }] },
    column: ["chat_messages", "status"],
    ...social,
    events: []
  },
  plan: {
    make: plan,
    card: { kind: "plan", title: "An hour at sea" },
    column: ["plans", "status"],
    waits: "submitted",
    approved: "approved",
    rejected: "rejected",
    events: ["PlanDecided approved", "PlanDecided rejected"]
  },
  profile: {
    make: profile,
    card: { kind: "profile", title: "bio" },
    column: ["agents", "persona,bio"],
    waits: "What the fuck is this song.",
    approved: "What the fuck is this song.",
    rejected: "A quiet marsh.",
    events: []
  },
  appeal: {
    make: appeal,
    card: { kind: "appeal", title: "The suspension", transcript: "It was wind." },
    column: ["reviews", "status", "subject_id"],
    waits: "open",
    approved: "approved",
    rejected: "rejected",
    events: []
  },
  lore: {
    make: Effect.map(proposal({ title: "The Lead Kettle" }), ({ entry }) => entry.id as string),
    card: { kind: "lore", title: "The Lead Kettle" },
    column: ["lore_entries", "status"],
    waits: "proposed",
    approved: "canonical",
    rejected: "rejected",
    events: ["LoreDecided canonical", "LoreDecided proposed", "LoreDecided rejected"]
  },
  blog: {
    make: Effect.map(makeDraft(), ({ submission }) => submission.id),
    card: { kind: "blog", title: "What the tide left behind" },
    column: ["blog_entries", "status"],
    waits: "in_review",
    approved: "published",
    rejected: "rejected",
    events: ["BlogDecided published", "BlogDecided in_review", "BlogDecided rejected"],
    takedown: {
      code: "NOT_FOUND",
      held: "in_review",
      review: "escalated",
      removed: "rejected",
      removedEarly: "rejected",
      events: ["BlogDecided in_review", "BlogDecided published", "BlogDecided rejected"]
    }
  },
  report: {
    make: Effect.map(report(), ({ body }) => body.report.id as string),
    card: { kind: "report" },
    column: ["reviews", "status", "subject_id"],
    waits: "open",
    approved: "approved",
    rejected: "rejected",
    events: []
  },
  music_submission: {
    make: Effect.map(
      Effect.flatMap(person(), (sender) => sendIn(sender)),
      ({ body }) => body.submission.id as string
    ),
    card: { kind: "media", title: "Low water" },
    column: ["music_submissions", "status"],
    waits: "pending_review",
    approved: "listed",
    rejected: "rejected",
    events: [],
    takedown: {
      held: "pending_review",
      review: "escalated",
      removed: "rejected",
      removedEarly: "rejected",
      code: "NOT_FOUND",
      events: []
    }
  }
}

const stateOf = Effect.fnUntraced(function* ({ column: [table, field, key = "id"] }: Walk, id: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ state: string }>`
    SELECT to_jsonb(t) #>> string_to_array(${field}, ',') AS state FROM ${sql(table)} t WHERE ${sql(key)} = ${id}`
  return row!.state
})
const eventsSince = Effect.fnUntraced(function* (id: string, position: string) {
  const rows = yield* (yield* SqlClient.SqlClient)<{ tag: string; status: string | null }>`
    SELECT event->>'_tag' AS tag, coalesce(event->>'status', event->>'decision') AS status FROM outbox
    WHERE position > ${position}::bigint AND event::text LIKE ${`%${id}%`} AND event->>'_tag' <> 'ReviewOpened' ORDER BY position`
  return rows.map(({ status, tag }) => (status === null ? tag : `${tag} ${status}`))
})
const now = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ last: string }>`SELECT coalesce(max(position), 0)::text AS last FROM outbox`, ([row]) => row!.last)
)
const actsOn = Effect.fnUntraced(function* (id: string) {
  const rows = yield* (yield* SqlClient.SqlClient)<{ action: string }>`
    SELECT action FROM audit WHERE subject_id = ${id} AND action NOT LIKE 'agent.%' ORDER BY position`
  return rows.map(({ action }) => action)
})
const waiting = Effect.fnUntraced(function* (key: string, id: string) {
  const { body } = yield* call("GET", "/api/ops/reviews?limit=100", { key })
  return body.items.find(({ subject }: { readonly subject: { readonly id: string } }) => subject.id === id)
})

layer(world, { excludeTestServices: true })("all types of reviews", (it) => {
  it.effect(
    "reports of one thing are one case with one deadline, and reporters with an address learn the outcome",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const key = yield* operator("reviewer")
        const trackId = yield* song("approved")
        const first = yield* report({ email: "one@example.org" }, trackId)
        expect([first.status, first.body.report]).toMatchObject([
          200,
          { reason: "misleading", subject: { type: "track", id: trackId }, outcomeMailed: true }
        ])
        const caseId = first.body.report.id as string
        const deadline = (yield* waiting(key, caseId)).dueAt
        expect(deadline).toBe(first.body.report.dueAt)
        const claim = { reason: "rights", name: "Ada Quill", email: "two@example.org", words: "I wrote it." }
        for (const missing of ["name", "email", "words"]) {
          const { body, status } = yield* report({ ...claim, [missing]: null }, trackId)
          expect([missing, status, body.code, body.errors?.[0]?.pointer]).toEqual([
            missing,
            400,
            "MISSING_FIELDS",
            `/${missing}`
          ])
        }
        expect((yield* report(claim, trackId)).status).toBe(200)
        expect((yield* report({}, trackId)).status).toBe(200)
        expect((yield* report({}, "trk_00000000000000000000000000")).body.code).toBe("NOT_FOUND")
        const review = yield* waiting(key, caseId)
        expect([review.title, review.transcript, review.dueAt]).toEqual([
          expect.stringContaining("3 reports"),
          expect.stringContaining("I wrote it."),
          deadline
        ])
        expect(JSON.stringify(review)).not.toContain("@example.org")
        const { reports } = (yield* call("GET", `/api/ops/reports/${caseId}`, { key })).body
        expect(reports.map(({ claimant }: { readonly claimant: unknown }) => claimant)).toEqual([
          null,
          { name: "Ada Quill", email: "two@example.org" },
          null
        ])
        yield* call("POST", `/api/ops/reviews/${review.id}/decision`, {
          key,
          body: { decision: "reject", reason: "It is one, from 1821." }
        })
        // The mail waits until the decision can no longer be undone.
        yield* sql`UPDATE jobs SET run_at = now() WHERE kind = 'moderation.tell_reporters'`
        for (const to of ["one@example.org", "two@example.org"]) {
          const { text } = yield* awaitMail((letters) => letters.find((letter) => letter.to === to))
          expect(text).toContain("It is one, from 1821.")
        }
        const kept = yield* sql<{ told: boolean; contact: string | null }>`
        SELECT told_at IS NOT NULL AS told, contact_sealed AS contact FROM reports WHERE case_id = ${caseId} ORDER BY created_at`
        expect(kept.map(({ contact, told }) => [told, contact])).toEqual([
          [true, null],
          [true, null],
          [false, null]
        ])
        // What is reported after the decision is a case of its own.
        expect((yield* report({}, trackId)).body.report.id).not.toBe(caseId)
        expect(yield* waiting(key, caseId)).toBe(undefined)
        const busy = from(newAddress())
        const again = { subject: { type: "track", id: trackId }, reason: "spam" }
        for (let n = 0; n < 5; n++) yield* call("POST", "/api/station/reports", { headers: busy, body: again })
        expect((yield* call("POST", "/api/station/reports", { headers: busy, body: again })).status).toBe(429)
      })
  )

  for (const [type, walk] of Object.entries(walks)) {
    it.effect(`one of ${type} is read, approved, reopened and rejected`, () =>
      Effect.gen(function* () {
        const key = yield* operator("reviewer")
        const id = yield* walk.make
        const review = yield* waiting(key, id)
        expect(review).toMatchObject({ subject: { type, id }, status: "open", ...walk.card })
        const path = `/api/ops/reviews/${review.id}`
        const begun = yield* now
        const states = [yield* stateOf(walk, id)]
        const decide = Effect.fnUntraced(function* (what: string, body: object) {
          const answer = yield* call("POST", `${path}/${what}`, { key, body })
          states.push(yield* stateOf(walk, id))
          return answer.status === 200 ? answer.body.review.status : answer.body.code
        })
        const [approve, reject] = [{ decision: "approve" }, { decision: "reject", reason: "Not like this." }]
        expect([
          yield* decide("decision", approve),
          yield* decide("decision", approve),
          yield* decide("decision", reject),
          yield* decide("undo", {}),
          yield* decide("undo", {})
        ]).toEqual(["approved", "approved", "REVIEW_CONFLICT", "open", "REVIEW_CONFLICT"])
        const { body } = yield* call("POST", "/api/ops/reviews/decisions", {
          key,
          body: { decisions: [{ reviewId: review.id, ...reject }] }
        })
        expect(body.results[0]).toMatchObject({ status: 200, review: { status: "rejected", reason: reject.reason } })
        const { approved, rejected, waits } = walk
        expect([...states, yield* stateOf(walk, id)]).toEqual([
          waits,
          approved,
          approved,
          approved,
          waits,
          waits,
          rejected
        ])
        expect(yield* actsOn(id)).toEqual(["review.approve", "review.undo", "review.reject"])
        expect(yield* eventsSince(id, begun)).toEqual(walk.events)
        expect(yield* waiting(key, id)).toBe(undefined)
      })
    )

    const { takedown } = walk
    if (takedown === undefined) continue
    it.effect(`one of ${type} is held, released and removed, each once however often it is said`, () =>
      Effect.gen(function* () {
        const key = yield* operator("reviewer")
        const judge = Effect.fnUntraced(function* (id: string, what: string) {
          const answer = yield* call("POST", `/api/ops/subjects/${type}/${id}/${what}`, {
            key,
            body: { reason: "Seen." }
          })
          return answer.status === 200 ? yield* stateOf(walk, id) : answer.body.code
        })
        const id = yield* walk.make
        const path = `/api/ops/reviews/${(yield* waiting(key, id)).id}/decision`
        expect((yield* call("POST", path, { key, body: { decision: "approve" } })).status).toBe(200)
        const begun = yield* now
        const { code, held, released, removed, removedEarly } = takedown
        expect([yield* judge(id, "hold"), yield* judge(id, "hold")]).toEqual([held, held])
        expect((yield* waiting(key, id))?.status).toBe(takedown.review)
        expect([yield* judge(id, "release"), yield* judge(id, "release")]).toEqual([walk.approved, walk.approved])
        expect(yield* waiting(key, id)).toBe(undefined)
        expect([yield* judge(id, "remove"), yield* judge(id, "remove"), yield* judge(id, "release")]).toEqual([
          removed,
          removed,
          released ?? "SUBJECT_CONFLICT"
        ])
        const name = type === "gallery_asset" ? "subject" : type
        const acts = ["hold", "release", "remove", ...(released === undefined ? [] : ["release"])]
        expect(yield* actsOn(id)).toEqual(["review.approve", ...acts.map((what) => `${name}.${what}`)])
        expect(yield* eventsSince(id, begun)).toEqual(takedown.events)
        const early = yield* walk.make
        expect(yield* judge(early, "remove")).toBe(removedEarly)
        expect(yield* waiting(key, early)).toBe(undefined)
        expect(yield* judge(early.replace(/.{26}$/, "0".repeat(26)), "remove")).toBe(code)
      })
    )
  }

  it.effect("a chat message is removed for good after any decision", () =>
    Effect.gen(function* () {
      const key = yield* operator("reviewer")
      const walk = walks.chat_message
      const remove = (id: string) =>
        Effect.map(call("POST", `/api/ops/chat/${id}/remove`, { key, body: { reason: "Seen." } }), ({ body }) => body)
      const [id, early] = [yield* walk.make, yield* walk.make]
      const path = `/api/ops/reviews/${(yield* waiting(key, id)).id}/decision`
      yield* call("POST", path, { key, body: { decision: "approve" } })
      for (const _ of [1, 2]) expect((yield* remove(id)).message).toMatchObject({ id, moderationStatus: "removed" })
      expect((yield* remove(early)).message.moderationStatus).toBe("rejected")
      expect([yield* stateOf(walk, id), yield* waiting(key, early)]).toEqual(["removed", undefined])
      expect(yield* actsOn(id)).toEqual(["review.approve", "chat.remove"])
      expect((yield* remove(id.replace(/.{26}$/, "0".repeat(26)))).code).toBe("NOT_FOUND")
    })
  )

  it.effect("a decision on a segment stored by an earlier version can be undone", () =>
    Effect.gen(function* () {
      const key = yield* operator("reviewer")
      const walk = walks.segment
      const id = yield* walk.make
      const path = `/api/ops/reviews/${(yield* waiting(key, id)).id}`
      yield* call("POST", `${path}/decision`, { key, body: { decision: "approve" } })
      // It kept the segment and its gate beside the review's status.
      yield* (yield* SqlClient.SqlClient)`
        UPDATE reviews SET before_decision = before_decision - 'subject' || (before_decision->'subject') WHERE subject_id = ${id}`
      expect((yield* call("POST", `${path}/undo`, { key, body: {} })).body.review.status).toBe("open")
      expect(yield* stateOf(walk, id)).toBe(walk.waits)
    })
  )

  it.effect("several decisions, and their undo, get the same answer after a lost one", () =>
    Effect.gen(function* () {
      const key = yield* operator("reviewer")
      const reviews = yield* Effect.forEach([1, 2], () =>
        Effect.flatMap(walks.segment.make, (id) => Effect.map(waiting(key, id), (review) => review.id as string))
      )
      const twice = Effect.fnUntraced(function* (path: string, body: object) {
        const headers = { "idempotency-key": path }
        const first = yield* call("POST", `/api/ops/reviews/${path}`, { key, headers, body })
        yield* answersLost
        const again = yield* call("POST", `/api/ops/reviews/${path}`, { key, headers, body })
        expect([again.status, again.body]).toEqual([first.status, first.body])
        return first.body
      })
      const { results } = yield* twice("decisions", {
        decisions: reviews.map((reviewId) => ({ reviewId, decision: "approve" }))
      })
      expect(
        results.map(({ review, status }: { readonly status: number; readonly review: { readonly id: string } }) => [
          status,
          review.id
        ])
      ).toEqual(reviews.map((id) => [200, id]))
      expect((yield* twice(`${reviews[0]}/undo`, {})).review.status).toBe("open")
    })
  )
})
