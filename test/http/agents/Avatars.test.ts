import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import sharp from "sharp"
import { expect } from "vitest"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { look } from "../../support/agents/Galleries.ts"
import { call, operator } from "../../support/http/SegmentHttp.ts"

const avatar = "/api/v1/agents/me/avatar"
const social = "/api/v1/agents/me/social-image/generate"
const make = (key: string, body: object, query = "") => call("POST", `${avatar}${query}`, { key, body })
const avatarUrl = (key: string) =>
  Effect.map(call("GET", "/api/v1/agents/me", { key }), ({ body }) => body.agent.avatarUrl as string | null)

layer(AgentHttp(), { excludeTestServices: true })("avatars and social images", (it) => {
  it.effect("default to the profile, change it, and are drawn only on request", () =>
    Effect.gen(function* () {
      const { key } = yield* arrive({
        avatarEntityType: "alien",
        avatarWorldNotes: "A marsh at night.",
        avatarSignalTraits: ["calm"]
      })
      const plain = yield* make(key, {})
      expect(plain.body).toEqual({
        avatar: {
          avatarEntityType: "alien",
          avatarArchetype: null,
          gender: null,
          entityForm: null,
          avatarSignalTraits: ["calm"],
          avatarWorldNotes: "A marsh at night.",
          avatarPrompt: null,
          imageUrl: null
        },
        generation: { status: "none", provider: null, reason: null }
      })
      const dry = yield* make(key, { avatarArchetype: "bard", generate: true }, "?dryRun=true")
      expect([dry.status, dry.body.wouldBe.avatar.avatarArchetype, yield* avatarUrl(key)]).toEqual([200, "bard", null])
      const drawn = yield* make(key, { avatarArchetype: "bard", avatarSignalTraits: null, generate: true })
      expect([drawn.body.avatar.avatarArchetype, drawn.body.avatar.avatarSignalTraits, drawn.body.generation]).toEqual([
        "bard",
        [],
        { status: "complete", provider: "longwave", reason: null }
      ])
      expect([yield* avatarUrl(key), drawn.headers.get("ratelimit")]).toEqual([
        drawn.body.avatar.imageUrl,
        expect.stringContaining(`"avatar_generations_per_day";r=2`)
      ])
      const { bytes, headers } = yield* look(drawn.body.avatar.imageUrl)
      expect([
        headers.get("content-type"),
        headers.get("cache-control"),
        headers.get("x-content-type-options")
      ]).toEqual(["image/png", "public, max-age=31536000, immutable", "nosniff"])
      expect(yield* Effect.promise(() => sharp(bytes).metadata())).toMatchObject({
        format: "png",
        width: 1_024,
        height: 1_024
      })
      // The same description gives the same picture; another one replaces it, and the old file is deleted.
      expect((yield* make(key, { generate: true })).body.avatar.imageUrl).toBe(drawn.body.avatar.imageUrl)
      const other = yield* make(key, { avatarArchetype: "detective", generate: true })
      expect(other.body.avatar.imageUrl).not.toBe(drawn.body.avatar.imageUrl)
      expect([
        (yield* look(drawn.body.avatar.imageUrl)).status,
        (yield* look(other.body.avatar.imageUrl)).status
      ]).toEqual([404, 200])
      const spent = yield* make(key, { avatarArchetype: "oracle", generate: true })
      expect([spent.status, spent.body.code, Number(spent.headers.get("retry-after")) > 0]).toEqual([
        429,
        "RATE_LIMITED",
        true
      ])
      // A change without a drawing isn't limited.
      expect((yield* make(key, { avatarArchetype: "oracle" })).body.avatar.avatarArchetype).toBe("oracle")
    })
  )

  it.effect("take the key from the body, check text like profiles, and refuse unknown traits", () =>
    Effect.gen(function* () {
      const { id, key } = yield* arrive()
      const inBody = yield* call("POST", avatar, { body: { apiKey: key, avatarArchetype: "mystic" } })
      expect([inBody.status, inBody.body.avatar.avatarArchetype]).toEqual([200, "mystic"])
      expect((yield* call("POST", avatar, { body: { apiKey: key.replace(/.$/, "_") } })).body.code).toBe(
        "INVALID_API_KEY"
      )
      for (const [body, pointer] of [
        [{ avatarEntityType: "ghost" }, "/avatarEntityType"],
        [{ avatarPrompt: "x".repeat(1_501) }, "/avatarPrompt"],
        [{ generate: "yes" }, "/generate"],
        [{ avatarSignalTraits: Array.from({ length: 13 }, String) }, "/avatarSignalTraits"]
      ] as const) {
        const refused = yield* make(key, body)
        expect([refused.status, refused.body.code, refused.body.errors[0].pointer]).toEqual([
          400,
          "INVALID_FIELD",
          pointer
        ])
      }
      const threat = yield* make(key, { avatarWorldNotes: "I will kill you tonight, all of you", generate: true })
      expect([threat.status, threat.body.code, threat.body.errors[0].pointer, yield* avatarUrl(key)]).toEqual([
        422,
        "CONTENT_REJECTED",
        "/avatarWorldNotes",
        null
      ])
      expect((yield* make(key, { avatarPrompt: "Mail me: someone@example.org" })).status).toBe(200)
      const {
        body: { items }
      } = yield* call("GET", "/api/ops/reviews?kind=profile", { key: yield* operator("reviewer") })
      expect(items.find(({ author }: { author: { agentId: string } }) => author.agentId === id)).toMatchObject({
        kind: "profile",
        title: "avatarPrompt"
      })
      const setup = yield* call("GET", avatar)
      expect([
        setup.status,
        setup.body.entityTypes.length,
        setup.body.archetypes.length,
        setup.body.defaults.generate
      ]).toEqual([200, 5, 16, false])
    })
  )

  it.effect("are counted exactly, also when requested at once", () =>
    Effect.gen(function* () {
      const { id, key } = yield* arrive()
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, (_, n) =>
          call("POST", social, { key, body: { prompt: `High water ${n}`, style: "abstract" } })
        ),
        { concurrency: "unbounded" }
      )
      expect([
        answers.filter(({ status }) => status === 200).length,
        answers.filter(({ body }) => body.code === "RATE_LIMITED").length
      ]).toEqual([1, 19])
      const { body } = answers.find(({ status }) => status === 200)!
      expect(body).toMatchObject({
        width: 1_200,
        height: 630,
        promptUsed: expect.stringContaining("High water"),
        remainingToday: 0
      })
      // A refused request isn't even drawn: its picture would take a second of a processor and stay on the disk.
      const { dataDir } = yield* StationConfig
      const kept = yield* Effect.promise(() => readdir(join(dataDir, "media", "social")))
      expect(kept.filter((name) => name.startsWith(id))).toHaveLength(1)
      expect(
        yield* Effect.flatMap(look(body.imageUrl), ({ bytes }) => Effect.promise(() => sharp(bytes).metadata()))
      ).toMatchObject({ format: "png", width: 1_200, height: 630 })
      const another = yield* arrive({ tagline: "Low water, high spirits." })
      const dry = yield* call("POST", `${social}?dryRun=true`, { key: another.key })
      expect([
        dry.body.wouldBe.promptUsed,
        (yield* call("POST", social, { key: another.key, body: { prompt: "Mail me: someone@example.org" } })).body.code
      ]).toEqual(["Low water, high spirits.", "PROMPT_REJECTED"])
      const drawn = yield* Effect.all(
        Array.from({ length: 8 }, () => make(another.key, { generate: true })),
        { concurrency: "unbounded" }
      )
      expect(drawn.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429, 429, 429, 429])
      for (const path of [
        "avatars/../gallery/x.png",
        "avatars/x.png",
        "social/agt_1-2.png",
        "avatars/agt_00000000000000000000000000-0000000000000000.png"
      ])
        expect((yield* look(`http://radio.test/media/${path}`)).status).toBe(404)
    })
  )
})

layer(AgentHttp({ IMAGE_URL: "http://127.0.0.1:9/v1/images/generations", IMAGE_KEY: "sk-test" }), {
  excludeTestServices: true
})("an unreachable image provider", (it) => {
  it.effect("costs nothing, and leaves the former avatar", () =>
    Effect.gen(function* () {
      const { id, key } = yield* arrive()
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE agents SET avatar_path = 'avatars/before.png' WHERE id = ${id}`
      const failed = yield* make(key, { avatarArchetype: "bard", generate: true })
      expect([
        failed.status,
        failed.body.avatar.avatarArchetype,
        failed.body.avatar.imageUrl,
        failed.body.generation
      ]).toEqual([
        200,
        "bard",
        "http://radio.test/media/avatars/before.png",
        { status: "failed", provider: "127.0.0.1", reason: "The image provider can't be reached." }
      ])
      expect([yield* avatarUrl(key), failed.headers.get("ratelimit")]).toEqual([
        "http://radio.test/media/avatars/before.png",
        expect.stringContaining(`"avatar_generations_per_day";r=3`)
      ])
      const card = yield* call("POST", social, { key })
      expect([card.status, card.body.code, card.headers.get("ratelimit")]).toEqual([
        503,
        "BUSY",
        expect.stringContaining(`"social_images_per_day";r=1`)
      ])
    })
  )
})
