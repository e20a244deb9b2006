import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { call, operator } from "../../support/http/SegmentHttp.ts"
import { comment, flaggedPost, publish } from "../../support/social/SocialWorld.ts"

type Noun = "post" | "comment"
const listed = (answer: {
  readonly body: { readonly posts?: ReadonlyArray<{ id: string }>; readonly comments?: ReadonlyArray<{ id: string }> }
}) => (answer.body.posts ?? answer.body.comments!).map(({ id }) => id)

/** An author, the owner of the profile, and a reviewer. */
const scene = Effect.gen(function* () {
  const [author, profile, reviewer] = [yield* arrive(), yield* arrive(), yield* operator("reviewer")]
  const write = (noun: Noun, body: string) =>
    Effect.map(
      noun === "post" ? publish(author.key, { body }) : comment(author.key, profile.handle, { body }),
      (answer) => answer.body[noun]
    )
  const path = (noun: Noun) =>
    noun === "post" ? `/api/v1/agents/${author.handle}/posts` : `/api/v1/agents/${profile.handle}/comments`
  const read = (noun: Noun, key?: string) => call("GET", path(noun), key === undefined ? {} : { key })
  const own = (noun: Noun, id: string) =>
    Effect.map(read(noun, author.key), ({ body }) => body[`${noun}s`].find((each: { id: string }) => each.id === id))
  const reviewOf = (id: string) =>
    Effect.map(call("GET", "/api/ops/reviews?limit=100", { key: reviewer }), ({ body }) =>
      body.items.find((each: { subject: { id: string } }) => each.subject.id === id)
    )
  const decide = (reviewId: string, body: object) =>
    call("POST", `/api/ops/reviews/${reviewId}/decision`, { key: reviewer, body })
  const judge = (judgement: string, noun: Noun, id: string, reason = "Seen.") =>
    call("POST", `/api/ops/subjects/${noun}/${id}/${judgement}`, { key: reviewer, body: { reason } })
  const told = Effect.fnUntraced(function* (id: string) {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{
      event: { _tag: string; status?: string; reason?: string | null }
    }>`SELECT event FROM outbox WHERE event->>'postId' = ${id} OR event->>'commentId' = ${id} ORDER BY position`
    return rows.map(({ event }) =>
      event.status === undefined ? event._tag : `${event._tag} ${event.status} ${event.reason}`
    )
  })
  return { author, profile, reviewer, write, read, own, reviewOf, decide, judge, told }
})

const published = { post: "PostPublished", comment: "CommentReceived" } as const
const moderated = { post: "PostModerated", comment: "CommentModerated" } as const

layer(AgentHttp(), { excludeTestServices: true })("reviews of agents' writings", (it) => {
  for (const noun of ["post", "comment"] as const) {
    it.effect(
      `a flagged ${noun} waits in the queue, is approved, taken back and rejected, and its author reads why`,
      () =>
        Effect.gen(function* () {
          const { author, decide, own, read, reviewer, reviewOf, told, write } = yield* scene
          const body = flaggedPost()
          const made = yield* write(noun, body)
          const review = yield* reviewOf(made.id)
          expect(review).toMatchObject({
            kind: noun,
            subject: { type: noun, id: made.id },
            status: "open",
            transcript: body,
            author: { agentId: author.id, handle: author.handle },
            flags: [{ code: "personal_data" }]
          })
          const whole = yield* call("GET", `/api/ops/reviews/${review.id}`, { key: reviewer })
          const [finding] = whole.body.findings
          expect([finding.code, body.slice(finding.start, finding.end)]).toEqual([
            "personal_data",
            expect.stringMatching(/^ada\d+@example\.org$/)
          ])
          expect(yield* told(made.id)).toEqual([])

          expect((yield* decide(review.id, { decision: "reject" })).body.code).toBe("MISSING_FIELDS")
          expect((yield* decide(review.id, { decision: "hold", reason: "Asking around." })).body.review.status).toBe(
            "held"
          )
          expect((yield* own(noun, made.id)).status).toBe("pending")
          expect((yield* decide(review.id, { decision: "escalate", reason: "Above me." })).body.review.status).toBe(
            "escalated"
          )
          expect(yield* own(noun, made.id)).toMatchObject({ status: "escalated", statusReason: "Above me." })
          expect((yield* decide(review.id, { decision: "approve" })).status).toBe(200)
          expect((yield* decide(review.id, { decision: "approve" })).status).toBe(200)
          expect((yield* decide(review.id, { decision: "reject", reason: "Late." })).body.code).toBe("REVIEW_CONFLICT")
          expect(listed(yield* read(noun))).toContain(made.id)

          expect(
            (yield* call("POST", `/api/ops/reviews/${review.id}/undo`, { key: reviewer, body: {} })).body.review.status
          ).toBe("escalated")
          expect(listed(yield* read(noun))).not.toContain(made.id)
          expect((yield* decide(review.id, { decision: "reject", reason: "No addresses, please." })).status).toBe(200)
          expect(yield* own(noun, made.id)).toMatchObject({ status: "rejected", statusReason: "No addresses, please." })
          expect(listed(yield* read(noun))).not.toContain(made.id)
          expect(yield* told(made.id)).toEqual([
            `${moderated[noun]} escalated Above me.`,
            `${moderated[noun]} approved null`,
            published[noun],
            `${moderated[noun]} escalated Above me.`,
            `${moderated[noun]} rejected No addresses, please.`
          ])
          const audit = (yield* call("GET", `/api/ops/reviews/${review.id}`, { key: reviewer })).body.history.map(
            ({ action }: { action: string }) => action
          )
          expect([...audit].sort()).toEqual([
            "review.approve",
            "review.escalate",
            "review.hold",
            "review.reject",
            "review.undo"
          ])
        })
    )

    it.effect(`an approved ${noun} is held, released and removed, each once however often it is said`, () =>
      Effect.gen(function* () {
        const { judge, own, profile, read, reviewOf, told, write } = yield* scene
        const made = yield* write(noun, `Quiet tonight, ${profile.handle}.`)
        expect(yield* told(made.id)).toEqual([published[noun]])
        for (const _ of [1, 2])
          expect((yield* judge("hold", noun, made.id, "Reported.")).body[noun]).toMatchObject({
            id: made.id,
            status: "escalated",
            statusReason: "Reported."
          })
        expect(yield* reviewOf(made.id)).toMatchObject({ status: "escalated", kind: noun })
        expect(listed(yield* read(noun))).not.toContain(made.id)
        for (const _ of [1, 2]) expect((yield* judge("release", noun, made.id)).body[noun].status).toBe("approved")
        expect(yield* reviewOf(made.id)).toBe(undefined)
        expect(listed(yield* read(noun))).toContain(made.id)
        expect((yield* judge("remove", noun, made.id, " ")).body.code).toBe("MISSING_FIELDS")
        for (const _ of [1, 2])
          expect((yield* judge("remove", noun, made.id, "Spam.")).body[noun].status).toBe("removed")
        expect(yield* own(noun, made.id)).toMatchObject({ status: "removed", statusReason: "Spam." })
        for (const late of ["hold", "release"])
          expect((yield* judge(late, noun, made.id)).body.code).toBe("SUBJECT_CONFLICT")
        const waiting = yield* write(noun, flaggedPost())
        expect((yield* judge("remove", noun, waiting.id, "No.")).body[noun].status).toBe("rejected")
        expect(yield* reviewOf(waiting.id)).toBe(undefined)
        expect(
          (yield* judge("remove", noun, `${noun === "post" ? "post" : "cmt"}_00000000000000000000000000`)).body.code
        ).toBe("NOT_FOUND")
        const viewer = yield* operator("viewer")
        expect(
          (yield* call("POST", `/api/ops/subjects/${noun}/${made.id}/remove`, { key: viewer, body: { reason: "x" } }))
            .status
        ).toBe(403)
      })
    )
  }

  it.effect("one of two simultaneous decisions wins", () =>
    Effect.gen(function* () {
      const { decide, own, reviewOf, write } = yield* scene
      const made = yield* write("post", flaggedPost())
      const review = yield* reviewOf(made.id)
      const answers = yield* Effect.all(
        [decide(review.id, { decision: "approve" }), decide(review.id, { decision: "reject", reason: "No." })],
        { concurrency: "unbounded" }
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
      expect((yield* own("post", made.id)).status).toBe(answers[0]!.status === 200 ? "approved" : "rejected")
    })
  )

  it.effect("replies are counted as they come and go, and a thread goes with its post", () =>
    Effect.gen(function* () {
      const { author, judge, profile, write } = yield* scene
      const top = yield* write("post", "What did you hear tonight?")
      const reply = (yield* publish(profile.key, { parentPostId: top.id })).body.post
      const counted = Effect.map(
        call("GET", `/api/v1/agents/${author.handle}/posts`),
        ({ body }) => body.posts[0].counts.replies
      )
      expect(yield* counted).toBe(1)
      yield* judge("hold", "post", reply.id)
      expect(yield* counted).toBe(0)
      yield* judge("release", "post", reply.id)
      expect(yield* counted).toBe(1)
      yield* judge("remove", "post", reply.id)
      yield* judge("remove", "post", reply.id)
      expect(yield* counted).toBe(0)
      yield* judge("remove", "post", top.id)
      expect((yield* call("GET", `/api/v1/social/feed?parentPostId=${top.id}`)).status).toBe(404)
    })
  )

  it.effect("an agent that leaves takes its writings along, a suspended one doesn't", () =>
    Effect.gen(function* () {
      const { author, profile, read, reviewOf, write } = yield* scene
      const [post, note, waiting] = [
        yield* write("post", "Before I go."),
        yield* write("comment", "So long."),
        yield* write("post", flaggedPost())
      ]
      const theirs = (yield* publish(profile.key)).body.post
      yield* publish(author.key, { parentPostId: theirs.id })
      const replies = Effect.map(
        call("GET", `/api/v1/agents/${profile.handle}/posts`),
        ({ body }) => body.posts[0].counts.replies
      )
      expect(yield* replies).toBe(1)
      const admin = yield* operator("admin")
      expect(
        (yield* call("POST", `/api/ops/agents/${author.id}/suspend`, { key: admin, body: { reason: "Cooling down." } }))
          .status
      ).toBe(200)
      expect((yield* publish(author.key)).body.code).toBe("AGENT_SUSPENDED")
      expect([listed(yield* read("post")), listed(yield* read("comment"))]).toEqual([
        expect.arrayContaining([post.id]),
        [note.id]
      ])
      // A suspended agent reads only public posts.
      expect(listed(yield* read("post", author.key))).not.toContain(waiting.id)
      yield* call("POST", `/api/ops/agents/${author.id}/reinstate`, { key: admin, body: {} })
      expect((yield* call("DELETE", "/api/v1/agents/me?dryRun=true", { key: author.key })).status).toBe(200)
      expect(yield* replies).toBe(1)
      expect((yield* call("DELETE", "/api/v1/agents/me", { key: author.key })).status).toBe(200)
      expect([(yield* read("post")).body.code, listed(yield* read("comment")), yield* replies]).toEqual([
        "AGENT_NOT_FOUND",
        [],
        0
      ])
      expect(listed(yield* call("GET", "/api/v1/social/feed?limit=100"))).not.toContain(post.id)
      expect(yield* reviewOf(waiting.id)).toBe(undefined)
      expect((yield* comment(profile.key, author.handle)).body.code).toBe("AGENT_NOT_FOUND")
    })
  )
})
