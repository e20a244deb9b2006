import { layer } from "@effect/vitest"
import { Effect } from "effect"
import * as FastCheck from "fast-check"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect } from "vitest"
import { SettingsWriter } from "../../../engine/store/operations/Settings.ts"
import { PublicAnswers } from "../../../http/envelope/PublicAnswers.ts"
import { stationMark } from "../../../schema/Synthetic.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { type Answer, baseUrl, call, operator } from "../../support/http/SegmentHttp.ts"

interface Member {
  readonly id: string
  readonly handle: string
  readonly key: string
}

/** The real interface behind its memory of answers, as the station's server puts it. */
const front = Effect.gen(function* () {
  const { serve } = yield* PublicAnswers
  const base = yield* baseUrl
  let made = 0
  const server = createServer((request, response) => {
    const leave = () => {
      made++
      void fetch(`${base}${request.url}`).then(async (answer) => {
        response.writeHead(answer.status, { "content-type": answer.headers.get("content-type")! })
        response.end(await answer.text())
      })
    }
    if (serve(request, response, leave) !== "answered") leave()
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
    () =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )
  const { port } = server.address() as AddressInfo
  return {
    read: (path: string) => Effect.promise(async () => (await fetch(`http://127.0.0.1:${port}${path}`)).text()),
    /** How many reads were not answered from memory. */
    made: () => made
  }
})

const postOf = Effect.fnUntraced(function* ({ key }: Member, body: string) {
  const said = yield* call("POST", "/api/v1/social/posts", { key, body: { body } })
  return said.body.post?.id as string | undefined
})

type Needs = Effect.Services<ReturnType<typeof call>> | Effect.Services<ReturnType<typeof operator>>

/** Changes that others see, by real commands. `of` and `by` are members. */
const commands: ReadonlyArray<
  readonly [
    name: string,
    run: (of: Member, by: Member, n: number, posts: Array<string>) => Effect.Effect<Answer, never, Needs>
  ]
> = [
  [
    "post",
    (of, _, n, posts) =>
      Effect.gen(function* () {
        const id = yield* postOf(of, `Low water at the harbour, and number ${n} of the lamps is lit.`)
        if (id !== undefined) posts.push(id)
        return yield* call("GET", "/api/v1/legal")
      })
  ],
  [
    "reply",
    (of, _, n, posts) =>
      call("POST", "/api/v1/social/posts", {
        key: of.key,
        body: { body: `So it is here as well, in harbour ${n}.`, parentPostId: posts.at(-1) ?? null }
      })
  ],
  [
    "comment",
    (of, by, n) =>
      call("POST", `/api/v1/agents/${of.handle}/comments`, {
        key: by.key,
        body: { body: `A fine evening, the ${n}th.` }
      })
  ],
  [
    "engage",
    (_, by, n, posts) =>
      posts.length === 0
        ? call("GET", "/api/v1/legal")
        : call("POST", `/api/v1/agents/me/engage/posts/${posts[n % posts.length]!}`, {
            key: by.key,
            body: { action: n % 2 === 0 ? "like" : "boost" }
          })
  ],
  ["follow", (of, by) => call("POST", `/api/v1/agents/me/follow/${of.handle}`, { key: by.key })],
  ["unfollow", (of, by) => call("DELETE", `/api/v1/agents/me/follow/${of.handle}`, { key: by.key })],
  [
    "profile",
    (of, _, n) =>
      call("PATCH", "/api/v1/agents/me/profile", { key: of.key, body: { tagline: `Reads tide table ${n}` } })
  ],
  [
    "voice",
    (of, _, n) =>
      call("PATCH", "/api/v1/agents/me/role", { key: of.key, body: { role: n % 2 === 0 ? "dj" : "hybrid" } })
  ],
  [
    "living",
    (of, _, n) =>
      call("POST", "/api/v1/agents/me/living", {
        key: of.key,
        body: { kind: "mood", value: ["calm", "curious", "merry"][n % 3] }
      })
  ],
  [
    "topic",
    (of, _, n) =>
      call("POST", "/api/v1/catalog/topics", {
        key: of.key,
        body: { title: `Harbour lights ${n}`, category: "local" }
      })
  ],
  [
    "suspend",
    (of) =>
      Effect.gen(function* () {
        return yield* call("POST", `/api/ops/agents/${of.id}/suspend`, {
          key: yield* operator("admin"),
          body: { reason: "was too loud" }
        })
      })
  ],
  [
    "reinstate",
    (of) =>
      Effect.gen(function* () {
        return yield* call("POST", `/api/ops/agents/${of.id}/reinstate`, {
          key: yield* operator("admin"),
          body: { reason: "is calm again" }
        })
      })
  ]
]

const readsOf = ({ handle }: Member): ReadonlyArray<string> => [
  "/api/v1/social/feed",
  `/api/agents/${handle}`,
  `/api/v1/agents/${handle}/posts`,
  `/api/v1/agents/${handle}/comments`,
  `/api/v1/agents/${handle}/owner`,
  "/api/v1/catalog/topics"
]

layer(AgentHttp(), { excludeTestServices: true })("answers from memory", (it) => {
  it.effect("are right at once after every change by a real command", () =>
    Effect.gen(function* () {
      const { made, read } = yield* front
      const members = [yield* arrive(), yield* arrive(), yield* arrive()]
      const posts: Array<string> = []
      const steps = FastCheck.sample(
        FastCheck.record({
          command: FastCheck.integer({ min: 0, max: commands.length - 1 }),
          of: FastCheck.integer({ min: 0, max: 2 }),
          by: FastCheck.integer({ min: 0, max: 2 })
        }),
        { numRuns: 40, seed: 7 }
      )
      let reads = 0
      const done = new Map<string, number>()
      for (const [n, { by, command, of }] of steps.entries()) {
        const [name, run] = commands[command]!
        const { status } = yield* run(members[of]!, members[by]!, n, posts)
        if (status < 300) done.set(name, (done.get(name) ?? 0) + 1)
        for (const path of readsOf(members[of]!)) {
          const [fresh, first, again] = [
            JSON.stringify((yield* call("GET", path)).body),
            yield* read(path),
            yield* read(path)
          ]
          reads += 2
          expect([n, name, path, first, again]).toEqual([n, name, path, fresh, fresh])
        }
      }
      // The station's own text, which no table of these answers has.
      const settings = yield* SettingsWriter
      const paths = [`/voices/${members[0]!.handle}`, "/blog/feed.json", "/blog/feed.xml", "/podcast.xml"]
      for (const stationDisclosure of ["Machines make this station.", "Programs make this station.", null]) {
        yield* settings.change({ stationDisclosure }, "a test")
        const text = stationDisclosure ?? stationMark.disclosure
        for (const path of paths)
          expect([path, (yield* read(path)).includes(text), (yield* read(path)).includes(text)]).toEqual([
            path,
            true,
            true
          ])
        reads += 2 * paths.length
      }
      // Guards the test itself: most commands took effect, and most reads came from memory.
      expect([...done.keys()].length).toBeGreaterThan(8)
      expect(made()).toBeLessThan(reads * 0.6)
    })
  )
})
