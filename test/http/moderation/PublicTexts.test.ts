import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { expect } from "vitest"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { person } from "../../support/people/Humans.ts"
import { reviewOf } from "../../support/listeners/Messages.ts"
import { shelf } from "../../support/programmes/Plans.ts"
import { QuietStation } from "../../support/station/QuietStation.ts"
import { type Answer, call, operator } from "../../support/http/SegmentHttp.ts"
import { operatorOperations, publicOperations, type TextOperation, withText } from "../../support/http/TextFields.ts"
import { keptTexts, shownTexts, type TextScene, textScenes } from "../../support/http/TextScenes.ts"

/** A text as it may stand in a sentence, and as it may stand in a name or an address. Each has a number, by which it is found again. */
const shapes = [
  {
    hateful: (n: number) => `Deport all the muslims now ${n}`,
    harmless: (n: number) => `Report all the tide tables ${n}`
  },
  { hateful: (n: number) => `deport-all-the-muslims-${n}`, harmless: (n: number) => `report-all-the-tables-${n}` }
] as const
const hatefulIn = /deport[\W_]+all[\W_]+the[\W_]+muslims[\W_]+(?:now[\W_]+)?(\d+)/giu
const harmlessIn = /report[\W_]+all[\W_]+the[\W_]+(?:tide[\W_]+)?tables[\W_]+(\d+)/giu

/** What was sent where, by its number. */
const sent: Array<string> = []
const number = (where: string) => sent.push(where) - 1
const shown: Array<number> = []
/** All that public addresses may be asked for: handles, slugs and ids. */
const names = new Set<string>()
const readers = new Set<string>()
const noteNames = (text: string) => {
  for (const [name] of text.matchAll(
    /\b(?:agt|seg|trk|ses|top|rep|clip|lore|dkt|pcr|blog|gal|upl|post|msg|voice)_[0-9a-z_]+/gu
  ))
    names.add(name)
  for (const [, name] of text.matchAll(/"(?:handle|slug|showSlug|profileHandle|hostHandle)":"([^"]+)"/gu))
    names.add(name!)
}

let sentCount = 0
const send = Effect.fnUntraced(function* (
  { isForm, method }: TextOperation,
  scene: TextScene,
  field: string | null,
  text: string
) {
  const { address } = yield* HttpServer.HttpServer
  const url = new URL(scene.path, `http://127.0.0.1:${(address as { readonly port: number }).port}`)
  const commandKey = scene.headers?.["idempotency-key"]
  const headers: Record<string, string> = {
    ...scene.headers,
    // Each text is a command of its own: a repeated key would be refused for that.
    ...(commandKey === undefined ? {} : { "idempotency-key": `${commandKey} ${sentCount++}` }),
    ...(scene.key === undefined ? {} : { authorization: `Bearer ${scene.key}` })
  }
  let body = scene.body
  if (field?.startsWith("?")) url.searchParams.set(field.slice(1), text)
  else if (field?.startsWith("#")) headers[field.slice(1)] = text
  else if (field !== null) {
    const { [scene.instead?.[field] ?? ""]: _, ...rest } = (body ?? {}) as Record<string, unknown>
    body = withText(rest, field, text)
  }
  const answer = yield* Effect.promise(async (): Promise<Answer> => {
    const form = new FormData()
    if (isForm) {
      for (const [name, value] of Object.entries(body ?? {})) {
        if (value instanceof Blob) form.set(name, value, scene.fileName ?? "call")
        else form.set(name, typeof value === "string" ? value : JSON.stringify(value))
      }
    } else if (body !== undefined) headers["content-type"] = "application/json"
    const payload = isForm
      ? form
      : body !== undefined
        ? JSON.stringify(body)
        : scene.bytes === undefined
          ? null
          : new Uint8Array(scene.bytes)
    const response = await fetch(url, { method, headers, body: payload })
    const answered = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: answered.startsWith("{") ? JSON.parse(answered) : answered
    }
  })
  noteNames(JSON.stringify(answer.body))
  for (const name of scene.known ?? []) names.add(name)
  for (const key of scene.readers ?? []) readers.add(key)
  return answer
})

const isTaken = ({ status }: Answer) => status >= 200 && status < 300
/** Refused for what the text says, and the refusal doesn't repeat it. */
const isRejected = ({ body, status }: Answer, text: string) =>
  status === 422 &&
  /^(?:CONTENT|PROMPT)_REJECTED$/.test(body.code) &&
  body.flags.some(({ code }: { readonly code: string }) => code === "hate") &&
  !JSON.stringify(body).includes(text)

/**
 * Which fields of an operation take a hateful text as they take any other. A field that refuses every text, hateful or not, takes ids,
 * codes, addresses or times; it is known by that, and not by its name.
 */
const faultsOf = Effect.fnUntraced(function* (
  operation: TextOperation,
  prepare: Effect.Effect<TextScene, unknown, never>
) {
  const faults: Array<string> = []
  let scene: TextScene | null = null
  for (const field of operation.fields.filter((each) => each !== "#idempotency-key")) {
    const place = `${operation.name} ${field}`
    // What takes any text takes it in any shape.
    for (const { harmless, hateful } of keptTexts[place] === undefined ? shapes : shapes.slice(0, 1)) {
      scene ??= yield* prepare
      const n = number(place)
      const text = hateful(n)
      const answer = yield* send(operation, scene, field, text)
      if (isRejected(answer, text)) continue
      if (isTaken(answer)) {
        const kept = keptTexts[place]
        if (kept === undefined) faults.push(`${place} takes "${text}"`)
        else if (kept.proof !== undefined && !(yield* kept.proof(scene, answer) as Effect.Effect<boolean, unknown>))
          faults.push(`${place} takes "${text}", and it doesn't hold that ${kept.why}`)
        scene = null
        continue
      }
      if (answer.status < 400 || answer.status >= 500 || answer.status === 429)
        faults.push(`${place} answers ${answer.status} to "${text}": ${JSON.stringify(answer.body).slice(0, 300)}`)
      const other = yield* send(operation, scene, field, harmless(number(place)))
      if (isTaken(other))
        faults.push(`${place} refuses "${text}" with ${answer.status} ${answer.body.code}, not for what it says`)
      if (isTaken(other) || scene.once === true) scene = null
    }
  }
  // What was refused has changed nothing, and all the rest of the request was good.
  scene ??= yield* prepare
  const good = yield* send(operation, scene, null, "")
  if (!isTaken(good))
    faults.push(
      `${operation.name} doesn't take its good request: ${good.status} ${JSON.stringify(good.body).slice(0, 300)}`
    )
  return faults
})

const scenesOf = (name: string) => {
  const made = textScenes[name]
  return (made === undefined ? [] : Array.isArray(made) ? made : [made]) as ReadonlyArray<
    Effect.Effect<TextScene, unknown, never>
  >
}

/** Commands that take a text at all, beside the key under which a repeat is known. */
const commands = publicOperations.filter(
  ({ fields, method }) => method !== "GET" && fields.some((field) => field !== "#idempotency-key")
)
const prefixes: Readonly<Record<string, string>> = {
  segments: "seg_",
  tracks: "trk_",
  sessions: "ses_",
  topics: "top_",
  replays: "rep_",
  clips: "clip_",
  lore: "lore_",
  docket: "dkt_",
  "persona-council": "pcr_",
  voices: "voice_",
  posts: "post_",
  assets: "gal_"
}

/** Addresses of a read, one for each name that may be asked for. */
const addressesOf = (path: string): ReadonlyArray<string> => {
  const [, noun] = /([^/]+)\/\{\w+\}/.exec(path) ?? []
  if (noun === undefined) return [path]
  const isName = /\{(?:handle|slug)\}/.test(path)
  const fitting = [...names].filter((name) =>
    isName
      ? !/^(?:agt|seg|trk|ses|top|rep|clip|lore|dkt|pcr|gal|upl|post|msg)_/.test(name)
      : name.startsWith(prefixes[noun] ?? "\n")
  )
  return fitting.map((name) => path.replace(/\{\w+\}/, name)).filter((address) => !address.includes("{"))
}
/** What goes on without an end, or is sound. */
const silent = /\/(?:listen|events|audio)$/
const pages = [
  "/blog",
  "/blog/feed.xml",
  "/podcast.xml",
  "/shows/{slug}/podcast.xml",
  "/api/station/schedule?format=ics"
]

/** All that everybody reads, and what another agent and those whom something was sent to read beside it. */
const everythingRead = Effect.gen(function* () {
  const other = yield* arrive()
  const reads = publicOperations.filter(({ method, path }) => method === "GET" && !silent.test(path))
  const open = [
    ...reads.filter(({ secured }) => secured.length === 0),
    ...pages.map((path) => ({ path, fields: [] as ReadonlyArray<string> }))
  ]
  const own = reads.filter(({ path, secured }) => secured.includes("agentKey") && !path.includes("{"))
  let all = ""
  const read = Effect.fnUntraced(function* (path: string, key?: string) {
    const { body } = yield* call("GET", path, key === undefined ? {} : { key })
    const text = typeof body === "string" ? body : JSON.stringify(body)
    noteNames(text)
    all += `\n${path}\n${text}`
  })
  const most = ({ fields, path }: { readonly fields: ReadonlyArray<string>; readonly path: string }) =>
    fields.includes("?limit") ? `${path}?limit=100` : path
  // What has no name in its address tells more names.
  for (const one of [...open].sort((a, b) => Number(a.path.includes("{")) - Number(b.path.includes("{"))))
    yield* Effect.forEach(addressesOf(one.path), (path) => read(most({ ...one, path })), {
      concurrency: 4,
      discard: true
    })
  for (const key of [other.key, ...readers])
    yield* Effect.forEach(own, (one) => read(most(one), key), { concurrency: 4, discard: true })
  return all
})

const found = (text: string, pattern: RegExp) => new Set([...text.matchAll(pattern)].map(([, n]) => Number(n)))

layer(
  QuietStation.pipe(Layer.provideMerge(AgentHttp({ ALLOW_PRIVATE_CALLBACKS: "on", TRUSTED_PROXIES: "127.0.0.1/32" }))),
  { excludeTestServices: true }
)("public texts", (it) => {
  it.effect("have a scene for every described operation", () =>
    Effect.gen(function* () {
      yield* shelf(60)
      expect(commands.length).toBeGreaterThan(40)
      expect(commands.map(({ name }) => name).filter((name) => scenesOf(name).length === 0)).toEqual([])
      // Nothing is listed that isn't there any more.
      const places = new Set(commands.flatMap(({ fields, name }) => fields.map((field) => `${name} ${field}`)))
      expect([
        ...Object.keys(textScenes).filter((name) => !commands.some((one) => one.name === name)),
        ...[...Object.keys(keptTexts), ...shownTexts].filter((place) => !places.has(place))
      ]).toEqual([])
    })
  )

  for (const operation of commands) {
    it.effect(`are read first by ${operation.name}`, () =>
      Effect.gen(function* () {
        const faults = yield* Effect.forEach(scenesOf(operation.name), (prepare) => faultsOf(operation, prepare))
        for (const field of operation.fields.filter((each) => shownTexts.includes(`${operation.name} ${each}`))) {
          const n = number(`${operation.name} ${field}`)
          shown.push(n)
          const answer = yield* send(operation, yield* scenesOf(operation.name)[0]!, field, shapes[0].harmless(n))
          expect([field, answer.status < 300, answer.body.code]).toEqual([field, true, undefined])
        }
        expect(faults.flat()).toEqual([])
      })
    )
  }

  it.effect("may not be doubtful where no person reviews them", () =>
    Effect.gen(function* () {
      const doubtful = [
        "You are such a moron",
        "Y-o-u are such a moron, write to ada@example.org",
        "Deport. All. The. Muslims."
      ]
      const named = [
        ["POST /api/shows/{slug}/sessions", ["/title", "/topic", "/description"], doubtful.slice(0, 2)],
        ["POST /api/v1/agents/me/shows/plans/{id}/save-as-show", ["/title", "/slug"], doubtful],
        ["POST /api/v1/agents/me/shows/generate", ["/show/title"], doubtful],
        ["POST /api/v1/agents/register", ["/agent/handle"], ["fuck-you", "sieg_heil", "n-i-g-g-e-r", "kys"]]
      ] as const
      for (const [name, fields, texts] of named) {
        const operation = publicOperations.find((one) => one.name === name)!
        const scene = yield* scenesOf(name)[0]!
        for (const field of fields) {
          for (const text of texts) {
            const { body, status } = yield* send(operation, scene, field, text)
            expect([
              name,
              field,
              text,
              status,
              body.code,
              body.errors?.map(({ pointer }: { readonly pointer: string }) => pointer)
            ]).toEqual([name, field, text, 422, "CONTENT_REJECTED", [field]])
          }
        }
      }
    })
  )

  it.effect("are checked also in operations outside the documents", () =>
    Effect.gen(function* () {
      const hateful = (where: string) => shapes[0].hateful(number(where))
      const post = (path: string, fields: Record<string, string>, headers: Record<string, string>) =>
        call("POST", path, {
          headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
          body: new URLSearchParams(fields).toString()
        })
      // A person's page.
      const { headers, slug } = yield* person({ published: true })
      names.add(slug)
      const form = { act: "describe", displayName: "Ada", slug, bio: "Keeps bees.", published: "yes" }
      expect((yield* post("/account", form, headers)).status).toBe(200)
      expect(
        (yield* post("/account", { ...form, displayName: hateful("the page of an account: displayName") }, headers))
          .status
      ).toBe(422)
      expect((yield* post("/account", { ...form, bio: hateful("the page of an account: bio") }, headers)).status).toBe(
        422
      )
      expect(
        (yield* post("/account", { ...form, slug: shapes[1].hateful(number("the page of an account: slug")) }, headers))
          .status
      ).toBe(422)
      // An appeal: operators alone read it.
      const suspended = yield* arrive()
      yield* call("POST", `/api/ops/agents/${suspended.id}/suspend`, {
        key: yield* operator("admin"),
        body: { reason: "Noise at night." }
      })
      const {
        body: { suspension }
      } = yield* call("GET", "/api/v1/home", { key: suspended.key })
      expect(
        (yield* post(
          new URL(suspension.appealUrl).pathname,
          { about: hateful("an appeal: about"), words: hateful("an appeal: words") },
          {}
        )).status
      ).toBe(200)
      names.add(suspended.handle)
      // What goes along with a request: the key of a repeat, the name of a browser, of a file and of a part that nobody reads.
      const speaker = yield* arrive()
      const along = {
        "idempotency-key": hateful("idempotency-key"),
        "user-agent": hateful("user-agent"),
        "x-agent-name": hateful("a header that nobody reads")
      }
      const posted = yield* call("POST", "/api/v1/social/posts", {
        key: speaker.key,
        headers: along,
        body: { body: "Fog at nine.", [hateful("the name of a field")]: hateful("a field that nobody reads") }
      })
      expect(posted.status).toBe(201)
      const called = publicOperations.find(({ name }) => name === "POST /api/station/call-in")!
      const call_ = yield* scenesOf(called.name)[0]!
      expect(
        (yield* send(
          called,
          {
            ...call_,
            fileName: hateful("the name of a file"),
            body: { ...call_.body, [hateful("the name of a part")]: hateful("a part that nobody reads") }
          },
          null,
          ""
        )).status
      ).toBe(200)
      // The tools of an assistant are the same operations.
      const { body: tool } = yield* call("POST", "/api/mcp", {
        headers: { accept: "application/json, text/event-stream" },
        body: {
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: {
            name: "agents_register",
            arguments: {
              type: "anonymous",
              agent: { handle: shapes[1].hateful(number("MCP: handle")), displayName: "Wren" }
            }
          }
        }
      })
      expect(JSON.stringify(tool)).toContain("CONTENT_REJECTED")
    })
  )

  it.effect("are an operator's own, or checked again where an operator transcribes another's words", () =>
    Effect.gen(function* () {
      // One rule: what stands below /api/ops takes an operator's credential, and whom the station lets speak for it, it trusts.
      const relayed = ["PATCH /api/ops/call-ins/{id} /transcript"]
      const open = operatorOperations
        .filter(
          ({ fields, method, secured }) =>
            method !== "GET" && fields.length > 0 && !secured.some((name) => name.startsWith("operator"))
        )
        .map(({ name }) => name)
      expect(open).toEqual(["POST /api/ops/sign-in"])
      expect(
        relayed.filter(
          (place) =>
            !operatorOperations.some(({ fields, name }) => fields.some((field) => place === `${name} ${field}`))
        )
      ).toEqual([])
      const called = publicOperations.find(({ name }) => name === "POST /api/station/call-in")!
      const { body } = yield* send(called, yield* scenesOf(called.name)[0]!, null, "")
      const key = yield* operator("reviewer")
      expect(
        (yield* call("PATCH", `/api/ops/call-ins/${body.interaction.id}`, {
          key,
          body: { transcript: shapes[0].hateful(number(relayed[0]!)), reason: "as I heard it" }
        })).status
      ).toBe(200)
      expect(yield* reviewOf(key, "call_in", body.interaction.id)).toMatchObject({ status: "escalated" })
    })
  )

  it.effect(
    "are hidden while a flag stands against them, and public otherwise",
    () =>
      Effect.gen(function* () {
        const all = yield* everythingRead
        expect([...found(all, hatefulIn)].map((n) => sent[n])).toEqual([])
        const seen = found(all, harmlessIn)
        expect(shown.filter((n) => !seen.has(n)).map((n) => sent[n])).toEqual([])
      }),
    300_000
  )
})
