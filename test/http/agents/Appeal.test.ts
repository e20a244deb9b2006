import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { awaitMail } from "../../support/people/MailDouble.ts"
import { call, operator } from "../../support/http/SegmentHttp.ts"

const base = "http://radio.test"
const page = (path: string) => call("GET", path, { headers: { accept: "text/html" } })
const send = (path: string, fields: Record<string, string>) =>
  call("POST", path, {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(fields).toString()
  })

/** A suspended agent, and the appeal address that it is given. */
const suspended = Effect.fnUntraced(function* (reason = "Noise at night.") {
  const agent = yield* arrive()
  expect(
    (yield* call("POST", `/api/ops/agents/${agent.id}/suspend`, { key: yield* operator("admin"), body: { reason } }))
      .status
  ).toBe(200)
  const { body, status } = yield* call("GET", "/api/v1/home", { key: agent.key })
  expect([status, body.code, body.suspension.reason, body.suspension.until]).toEqual([
    403,
    "AGENT_SUSPENDED",
    reason,
    null
  ])
  expect(body.suspension.appealUrl.startsWith(`${base}/appeal/${agent.id}.`)).toBe(true)
  return { ...agent, path: (body.suspension.appealUrl as string).slice(base.length) }
})

const appealsOf = Effect.fnUntraced(function* (agentId: string, key: string) {
  const { body } = yield* call("GET", "/api/ops/reviews?kind=appeal&limit=100", { key })
  return (
    body.items as ReadonlyArray<{ id: string; title: string; transcript: string; author: { agentId: string } }>
  ).filter(({ author }) => author.agentId === agentId)
})

layer(AgentHttp(), { excludeTestServices: true })("appeals", (it) => {
  it.effect(
    "go from the refusal to a person, and the answer appears at the same address and is mailed to the owner",
    () =>
      Effect.gen(function* () {
        const agent = yield* suspended()
        const letterOf = (subject: RegExp) =>
          awaitMail(
            (letters) =>
              letters.find((one) => one.to === `${agent.handle}@example.org` && subject.test(one.subject))?.text
          )
        const told = yield* letterOf(/is suspended$/)
        expect([told.includes("The reason: Noise at night."), told.includes(`${base}${agent.path}`)]).toEqual([
          true,
          true
        ])
        const empty = yield* page(agent.path)
        expect([empty.status, empty.headers.get("content-type"), empty.headers.get("cache-control")]).toEqual([
          200,
          "text/html; charset=utf-8",
          "no-store"
        ])
        expect(empty.body).toContain('<form method="post">')
        expect((yield* send(agent.path, { about: "", words: " " })).status).toBe(400)
        const sent = yield* send(agent.path, { about: "The suspension", words: "It was <b>wind</b>,\r\nnot noise." })
        expect([sent.status, sent.body.includes("is being reviewed")]).toEqual([200, true])
        yield* send(agent.path, { words: "And again." })
        const reviewer = yield* operator("reviewer")
        const [review, ...more] = yield* appealsOf(agent.id, reviewer)
        expect([more, review!.title, review!.transcript]).toEqual([
          [],
          "The suspension",
          "It was <b>wind</b>,\nnot noise."
        ])
        expect((yield* page(agent.path)).body).not.toContain("<form")
        expect(
          (yield* call("POST", `/api/ops/reviews/${review!.id}/decision`, {
            key: reviewer,
            body: { decision: "reject", reason: "We <heard> it." }
          })).status
        ).toBe(200)
        expect(yield* letterOf(/was rejected$/)).toContain("The answer: We <heard> it.")
        const answered = yield* page(agent.path)
        expect([
          answered.body.includes("We &lt;heard&gt; it."),
          answered.body.includes("<form"),
          answered.body.includes("We <heard>")
        ]).toEqual([true, true, false])
        expect((yield* call("POST", `/api/ops/reviews/${review!.id}/undo`, { key: reviewer })).status).toBe(200)
        expect((yield* page(agent.path)).body).toContain("is being reviewed")
      })
  )

  it.effect("need the agent's own link, and are limited to three a day", () =>
    Effect.gen(function* () {
      const [agent, other] = [yield* suspended(), yield* suspended()]
      const proof = agent.path.split(".").at(-1)!
      for (const path of [
        `/appeal/${other.id}.${proof}`,
        `/appeal/${agent.id}`,
        `/appeal/${agent.id}.`,
        "/appeal/agt_none.x"
      ]) {
        expect([path, (yield* page(path)).status, (yield* send(path, { words: "Let me in." })).status]).toEqual([
          path,
          404,
          404
        ])
      }
      const reviewer = yield* operator("reviewer")
      for (const words of ["One.", "Two.", "Three."]) {
        expect((yield* send(agent.path, { words })).status).toBe(200)
        const [review] = yield* appealsOf(agent.id, reviewer)
        yield* call("POST", `/api/ops/reviews/${review!.id}/decision`, {
          key: reviewer,
          body: { decision: "reject", reason: "No." }
        })
      }
      const fourth = yield* send(agent.path, { words: "Four <i>." })
      expect([fourth.status, fourth.body.includes("Four &lt;i&gt;.")]).toEqual([429, true])
      expect(yield* appealsOf(agent.id, reviewer)).toEqual([])
    })
  )

  it.effect("are open one at a time, however many are sent at once", () =>
    Effect.gen(function* () {
      const agent = yield* suspended()
      yield* Effect.forEach(
        Array.from({ length: 50 }, (_, n) => `Number ${n}.`),
        (words) => send(agent.path, { words }),
        { concurrency: "unbounded" }
      )
      expect((yield* appealsOf(agent.id, yield* operator("reviewer"))).length).toBe(1)
    })
  )
})
