import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { FrameChecker } from "../../../bench/instruments/sounds/NumberedFrames.ts"
import { fenceClaimedBy, fenceHeader, fenceProofHeader } from "../../../schema/air/Fence.ts"
import { bodyOf, client, get, soundOf } from "../../support/http/ListenServer.ts"
import { airOfCutOff, edgeSecret, edgeServer, originServer } from "../../support/http/OriginServer.ts"

const ask = (url: string, init: RequestInit = {}) =>
  Effect.promise(async () => {
    const response = await fetch(url, init)
    return {
      status: response.status,
      headers: response.headers,
      body: Buffer.from(await response.arrayBuffer())
    }
  })
const textOf = (url: string) => Effect.map(ask(url), ({ body }) => body.toString())
const hintOf = (playlist: string) => /PRELOAD-HINT:TYPE=PART,URI="(p\d+\.\d+\.m4s)"/.exec(playlist)?.[1]
const until = (holds: () => boolean | Promise<boolean>) =>
  Effect.promise(async () => {
    while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5))
  })
/** Asks for the part after next, which both have to wait for. */
const blocked = ({ msn, part }: { readonly msn: number; readonly part: number }) =>
  `/live/aac128/index.m3u8?_HLS_msn=${msn}&_HLS_part=${part}`

describe("an edge", () => {
  it.live("fetches each part once for all its players, and answers what the origin answers", () =>
    Effect.gen(function* () {
      const origin = yield* originServer(5)
      const edge = yield* edgeServer([origin.url])
      const place = origin.next()
      const player = Effect.gen(function* () {
        const playlist = yield* textOf(`${edge.url}${blocked(place)}`)
        const names = [...playlist.matchAll(/^s\d+\.m4s$|(?<=URI=")p\d+\.\d+\.m4s(?=",IND)/gm)].map(([name]) => name)
        return yield* Effect.forEach(names, (name) => ask(`${edge.url}/live/aac128/${name}`))
      })
      const players = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 50 }, () => player),
          { concurrency: "unbounded" }
        )
      )
      yield* until(() => origin.asked.includes(blocked(place)))
      origin.feed(2)
      const heard = yield* Fiber.join(players)
      expect(heard.length).toBe(50)
      expect(origin.sentTwice()).toEqual([])
      expect(heard.flat().every(({ body, status }) => status === 200 && body.length > 0)).toBe(true)
      for (const path of [
        "/live/index.m3u8",
        "/live/aac64/index.m3u8",
        "/live/aac128/init.mp4",
        `/live/aac128/s${place.msn - 1}.m4s`,
        `/live/aac128/p${place.msn}.0.m4s`,
        `/live/words/s${place.msn - 1}.vtt`
      ]) {
        const [theirs, ours] = yield* Effect.all([ask(`${origin.url}${path}`), ask(`${edge.url}${path}`)])
        expect([path, ours.status, ours.body.equals(theirs.body)]).toEqual([path, theirs.status, true])
        for (const name of ["content-type", "cache-control", fenceHeader])
          if (path !== "/live/index.m3u8" || name !== fenceHeader)
            expect([path, name, ours.headers.get(name)]).toEqual([path, name, theirs.headers.get(name)])
      }
    })
  )

  it.live(
    "holds a blocking reload until the part exists, refuses one too far ahead, and answers for what is gone itself",
    () =>
      Effect.gen(function* () {
        const origin = yield* originServer()
        const edge = yield* edgeServer([origin.url])
        const place = origin.next()
        const waiting = yield* Effect.forkChild(textOf(`${edge.url}${blocked(place)}&_HLS_skip=YES`))
        const asked = origin.asked.length
        const status = (path: string) => Effect.map(ask(`${edge.url}${path}`), ({ status }) => status)
        expect(yield* status(blocked({ msn: place.msn + 3, part: 0 }))).toBe(400)
        expect(yield* status("/live/aac128/p1.0.m4s")).toBe(404)
        expect(yield* status(`/live/aac128/p${place.msn + 1}.5.m4s`)).toBe(404)
        expect(yield* status("/live/aac128/s1.m4s")).toBe(404)
        expect(origin.asked.slice(asked).filter((path) => path.includes("/p1.") || path.includes("/s1."))).toEqual([])
        origin.feed()
        const text = yield* Fiber.join(waiting)
        expect(hintOf(text)).toBe(`p${place.msn}.${place.part + 1}.m4s`)
        expect(text).toBe(yield* textOf(`${origin.url}${blocked(place)}&_HLS_skip=YES`))
      })
  )

  it.live("sends the origin's MP3 frames, each once, with its titles and headers", () =>
    Effect.gen(function* () {
      const origin = yield* originServer(5)
      const before = yield* textOf(`${origin.url}/live/index.m3u8`)
      origin.disclose("Машины делают это радио.")
      const edge = yield* edgeServer([origin.url])
      const checker = new FrameChecker()
      const listener = yield* client(edge.port, get("/live.mp3"))
      yield* listener.head
      origin.feed(12)
      checker.take(bodyOf(yield* listener.readUntil(soundOf(150 * 384))))
      expect([checker.faults, checker.strayBytes]).toEqual([0, 0])
      const head = (url: string) =>
        Effect.map(ask(`${url}/live.mp3`, { method: "HEAD" }), ({ headers }) =>
          [...headers].filter(([name]) => name.startsWith("icy") || name === fenceHeader)
        )
      expect(yield* head(edge.url)).toEqual(yield* head(origin.url))
      expect(Buffer.from(new Headers(yield* head(edge.url)).get("icy-disclosure")!, "latin1").toString()).toBe(
        "Машины делают это радио."
      )
      const playlist = yield* textOf(`${edge.url}/live/index.m3u8`)
      expect([before, playlist].map((text) => text.includes('VALUE="Машины делают это радио."'))).toEqual([false, true])
      const { body } = yield* ask(`${edge.url}/live/aac128/init.mp4`)
      expect(body.includes("Машины делают это радио.")).toBe(true)
    })
  )

  it.live("takes the other origin when the first dies, with the same numbers and every frame once", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* originServer(5), yield* originServer(5)]
      const edge = yield* edgeServer([first.url, second.url])
      const checker = new FrameChecker()
      const listener = yield* client(edge.port, get("/live.mp3"))
      yield* listener.head
      for (const origin of [first, second]) origin.feed(4)
      yield* listener.readUntil(soundOf(60 * 384))
      const place = first.next()
      const waiting = yield* Effect.forkChild(textOf(`${edge.url}${blocked({ ...place, part: place.part + 1 })}`))
      yield* first.kill
      second.setFence(6)
      second.feed(4)
      const text = yield* Fiber.join(waiting)
      expect(text).toContain("## longwave-fence:6")
      expect(hintOf(text)).toBe(`p${second.next().msn}.${second.next().part}.m4s`)
      const sound = yield* listener.readUntil(soundOf((3 * 12 + 4) * 384 + 100 * 384))
      checker.take(bodyOf(sound))
      expect([checker.faults, checker.strayBytes]).toEqual([0, 0])
    })
  )

  it.live("loses no frame of a takeover of almost five seconds", () =>
    Effect.gen(function* () {
      const [first, second] = [yield* originServer(5), yield* originServer(5)]
      const edge = yield* edgeServer([first.url, second.url])
      const checker = new FrameChecker()
      const listener = yield* client(edge.port, get("/live.mp3"))
      yield* listener.head
      for (const origin of [first, second]) origin.feed(4)
      yield* listener.readUntil(soundOf(60 * 384))
      const [before, missed] = [bodyOf(yield* listener.readUntil(() => true)).length / 384, 14]
      second.feed(missed)
      yield* first.kill
      checker.take(bodyOf(yield* listener.readUntil(soundOf((before + missed * 14) * 384))))
      expect([checker.faults, checker.strayBytes]).toEqual([0, 0])
    })
  )

  it.live("follows the highest token and never goes back to a lower one", () =>
    Effect.gen(function* () {
      const [old, next] = [yield* originServer(5), yield* originServer(4)]
      const edge = yield* edgeServer([old.url, next.url])
      const shown = () =>
        Effect.runPromise(
          Effect.map(ask(`${edge.url}/live/aac64/index.m3u8`), ({ headers }) => headers.get(fenceHeader))
        )
      expect(yield* Effect.promise(shown)).toBe("5")
      next.setFence(6)
      next.feed()
      yield* until(async () => (await shown()) === "6")
      yield* next.kill
      // The old owner goes on, and nobody hears it any more.
      const asked = old.asked.length
      yield* until(() => old.asked.length > asked + 2)
      old.feed(3)
      expect(yield* Effect.promise(shown)).toBe("6")
      expect(hintOf(yield* textOf(`${edge.url}/live/aac128/index.m3u8`))).toBe(
        `p${next.next().msn}.${next.next().part}.m4s`
      )
      old.setFence(7)
      yield* until(async () => (await shown()) === "7")
    })
  )

  it.live("shows an owner that is cut off from everything else who has the air", () =>
    Effect.gen(function* () {
      const [cutOff, next] = [airOfCutOff(5), airOfCutOff(6)]
      const [former, owner] = [yield* originServer(5, cutOff), yield* originServer(6, next)]
      const edge = yield* edgeServer([former.url, owner.url])
      yield* Effect.repeat(Effect.sleep(5), { while: () => cutOff.holds() })
      expect((yield* Effect.promise(() => fetch(`${former.url}/live/fence`))).status).toBe(503)
      // What it shows others is the owner's proof.
      const shown = yield* Effect.promise(() => fetch(`${edge.url}/live/fence`))
      expect(shown.headers.get(fenceHeader)).toBe("6")
      expect(fenceClaimedBy(shown.headers.get(fenceProofHeader) ?? "")).toBe(6)
      expect(next.holds()).toBe(true)
    })
  )

  it.live("is refused soon by a standby that is shown a new proof of the owner, and else held for a takeover", () =>
    Effect.gen(function* () {
      const standby = airOfCutOff(5)
      standby.note(false, 6)
      const { url } = yield* originServer(5, standby)
      const ask = (proof: string) =>
        Effect.promise(async () => {
          const { status } = await fetch(`${url}/live/aac128/index.m3u8`, { headers: { [fenceProofHeader]: proof } })
          return [status, proof]
        })
      const proof = airOfCutOff(6).proof(Date.now())!
      expect(yield* Effect.raceFirst(ask(""), ask(proof))).toEqual([503, proof])
    })
  )

  it.live("reports its listeners, which are counted once, and is none itself; without the secret it is one", () =>
    Effect.gen(function* () {
      const origin = yield* originServer()
      const edge = yield* edgeServer([origin.url])
      const count = () => origin.listeners.count(performance.now())
      const listeners = yield* Effect.all([client(edge.port, get("/live.mp3")), client(edge.port, get("/live.mp3"))])
      yield* Effect.forEach(listeners, ({ head }) => head)
      yield* ask(`${edge.url}/live/aac128/s${origin.next().msn - 1}.m4s`)
      origin.feed()
      yield* until(() => count().total === 3)
      expect(count()).toEqual({ hls: 1, mp3: 2, total: 3 })
      const stranger = { authorization: `Bearer ${edgeSecret}x`, "x-longwave-edge": "aaaaaaaaaaaa 1000 1000" }
      expect((yield* ask(`${origin.url}/live/aac128/index.m3u8`, { headers: stranger })).status).toBe(200)
      expect(count().total).toBe(3)
    })
  )

  it.live("reads event streams once and sends them to all its readers, who continue where they were", () =>
    Effect.gen(function* () {
      const origin = yield* originServer()
      const edge = yield* edgeServer([origin.url])
      yield* until(() => origin.readers.size === 2)
      const path = "/api/now-playing?format=sse"
      origin.tell("now-playing", { item: { id: "one", positionSec: 1 } }, "9-1")
      yield* until(
        async () =>
          ((await (await fetch(`${edge.url}/readyz`)).json()) as { checks: { events: boolean } }).checks.events
      )
      const readers = yield* Effect.forEach(Array.from({ length: 20 }), () => client(edge.port, get(path)))
      for (const { readUntil } of readers) yield* readUntil(({ bytes }) => bytes.includes('"one"'))
      origin.tell("tick", { positionSec: 2 }, null)
      origin.tell("now-playing", { item: { id: "two", positionSec: 0 } }, "9-2")
      for (const { readUntil } of readers) {
        const text = (yield* readUntil(({ bytes }) => bytes.includes('"two"'))).toString()
        expect(text.match(/^event: .*$/gm)!.slice(0, 1)).toEqual(["event: now-playing"])
        expect(text).toContain('"one"')
      }
      const later = yield* client(edge.port, get(path, "last-event-id: 9-1"))
      const text = (yield* later.readUntil(({ bytes }) => bytes.includes('"two"'))).toString()
      expect(text).not.toContain('"one"')
      expect(origin.readers.size).toBe(2)
    })
  )

  it.live("passes everything else on with the sender's address, and says when it can't", () =>
    Effect.gen(function* () {
      const origin = yield* originServer()
      const edge = yield* edgeServer([origin.url])
      const answer = yield* ask(`${edge.url}/api/v1/posts?x=1`, {
        method: "POST",
        body: "hello",
        headers: { authorization: "Bearer mine" }
      })
      expect([answer.status, answer.body.toString(), answer.headers.getSetCookie()]).toEqual([
        200,
        "hello",
        ["a=1", "b=2"]
      ])
      const passed = origin.passed.at(-1)!
      expect([passed.method, passed.url, passed.headers.authorization, passed.headers["x-forwarded-for"]]).toEqual([
        "POST",
        "/api/v1/posts?x=1",
        "Bearer mine",
        "127.0.0.1"
      ])
      expect(passed.headers["x-longwave-edge"]).toBeUndefined()
      yield* origin.kill
      const refused = yield* ask(`${edge.url}/api/station`)
      expect([refused.status, JSON.parse(refused.body.toString()).code]).toEqual([503, "BUSY"])
      expect((yield* ask(`${edge.url}/healthz`)).status).toBe(200)
    })
  )
})
