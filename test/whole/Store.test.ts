import { NodeServices } from "@effect/platform-node"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { execFileSync, spawnSync } from "node:child_process"
import { appendFile, chmod, mkdtemp, readdir, rm, statfs } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { becomeAgent, call } from "../../bench/instruments/clients/Stranger.ts"
import { databaseAt } from "../../engine/store/sql/Database.ts"
import { schedulerMailboxMax } from "../../engine/rules/air/limits.ts"
import { requestsAtOnceMax } from "../../engine/rules/http/limits.ts"
import { checkHeardThroughout } from "../support/media/Heard.ts"
import { awaitLoggedEmergency, readLoggedRows } from "../support/air/LoggedRows.ts"
import { type SlowPostgres, startSlowPostgres } from "../support/sql/SlowPostgres.ts"
import { waitMs } from "../../bench/instruments/Patience.ts"
import { enterStation, metric, askUntil, type WholeStation } from "../support/station/WholeStation.ts"

/** Wait of the first requests until the silence is noticed, and of the next ones for a trial connection. */
const refusedWithinMs = 10_000
const pauseMaxSec = 1
/** A small disk of the test's own, where mounting is allowed. */
const mounted = async () => {
  const folder = await mkdtemp(join(tmpdir(), "longwave-disk-"))
  await chmod(folder, 0o755)
  const done = spawnSync("mount", ["-t", "tmpfs", "-o", "size=300m,mode=755", "longwave-test", folder])
  return { folder, isSmall: done.status === 0 }
}
/** Fills every byte that becomes free, until stopped. */
const keepFull = async (path: string, until: AbortSignal) => {
  const most = 1_048_576
  for (let bytes = most; !until.aborted;) {
    const took = await appendFile(path, Buffer.alloc(bytes)).then(
      () => true,
      () => false
    )
    if (took) bytes = Math.min(most, bytes * 4)
    else if (bytes > 1_024) bytes /= 4
    else await waitMs(5)
  }
}
describe("a station with a failing external database", () => {
  let postgres: SlowPostgres
  let whole: WholeStation
  let disk: Awaited<ReturnType<typeof mounted>>
  beforeAll(async () => {
    postgres = await startSlowPostgres()
    disk = await mounted()
    whole = await enterStation({ DATABASE_URL: postgres.url, DISK_FREE_MIN_MIB: "0" }, disk.folder)
  }, 300_000)
  afterAll(async () => {
    await whole?.leave()
    await postgres?.stop()
    if (disk?.isSmall) execFileSync("umount", ["-l", disk.folder])
    await rm(disk.folder, { recursive: true, force: true })
  }, 300_000)

  const timed = async (send: () => Promise<Response>) => {
    const sentMs = performance.now()
    const response = await send()
    const text = await response.text()
    return {
      status: response.status,
      retryAfter: response.headers.get("retry-after"),
      code: /"code":"(\w+)"/.exec(text)?.[1],
      ms: performance.now() - sentMs
    }
  }
  const post = (path: string, body: unknown, bearer?: string) => () =>
    fetch(`${whole.station.base}${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` })
      },
      body: JSON.stringify(body)
    })
  const get = (path: string) => () => fetch(`${whole.station.base}${path}`)
  const newcomer = (handle: string) => ({
    type: "anonymous",
    agent: { handle, displayName: "Petrel", bio: "Calls at night.", role: "hybrid" }
  })
  const restarts = () => metric(whole.station.base, /^actor_restarts_total/)

  it(
    "refuses soon while the database is frozen, keeps playing, and recovers by itself",
    () =>
      checkHeardThroughout(
        whole.station.base,
        async () => {
          const { base, operator } = whole.station
          const agent = await becomeAgent(base, "gannet")
          await askUntil(async () => ((await fetch(`${base}/api/station/now-playing`)).ok ? true : undefined))
          const before = await restarts()
          postgres.freeze()
          const frozenAtMs = performance.now()
          const asked = [
            timed(post("/api/v1/agents/register", newcomer("razorbill"))),
            timed(
              post(
                "/api/segments",
                { stationSlug: "longwave", category: "news", title: "News", scriptText: "There is none." },
                agent.apiKey
              )
            ),
            timed(post("/api/ops/playout/hold", {}, operator))
          ]
          try {
            await askUntil(async () => ((await fetch(`${base}/readyz`)).status === 503 ? true : undefined))
            console.log(
              `operators saw the store away ${((performance.now() - frozenAtMs) / 1_000).toFixed(2)} s after it froze`
            )
            expect(performance.now() - frozenAtMs).toBeLessThan(5_000)
            expect(await metric(base, /^ops_alerts_total\{.*what="store"/)).toBe(1)
            for (const path of ["/api/station/now-playing", "/api/station/stream-health", "/api/station"])
              expect((await fetch(`${base}${path}`)).status).toBe(200)
            const refused = [
              ...(await Promise.all(asked)),
              await timed(post("/api/v1/agents/register", newcomer("guillemot")))
            ]
            console.log(
              `while it was frozen: ${refused.map(({ ms, status }) => `${status} after ${(ms / 1_000).toFixed(2)} s`).join(", ")}`
            )
            for (const { code, ms, retryAfter, status } of refused) {
              expect({ status, code }).toEqual({ status: 503, code: "BUSY" })
              expect(Number(retryAfter)).toBeGreaterThan(0)
              expect(ms).toBeLessThan(refusedWithinMs)
            }
          } finally {
            postgres.thaw()
          }
          const thawedAtMs = performance.now()
          await askUntil(() => call(base, "GET", "/api/v1/agents/me", { bearer: agent.apiKey }))
          await askUntil(() => call(base, "POST", "/api/ops/playout/hold", { bearer: operator, body: {} }))
          await askUntil(() => becomeAgent(base, "guillemot"))
          console.log(
            `reads and commands were answered again ${((performance.now() - thawedAtMs) / 1_000).toFixed(2)} s after it thawed`
          )
          await call(base, "POST", "/api/ops/playout/resume", { bearer: operator, body: {} })
          expect(await restarts()).toBe(before)
        },
        pauseMaxSec
      ),
    300_000
  )

  it(
    "refuses requests beyond the capacity of a slow database instead of queueing them",
    () =>
      checkHeardThroughout(
        whole.station.base,
        async () => {
          const { base, operator } = whole.station
          await askUntil(async () => ((await fetch(`${base}/readyz`)).ok ? true : undefined))
          postgres.delayMs = 500
          const count = { served: 0, refused: 0, pages: 0 }
          const over = new AbortController()
          const ask = async (send: Parameters<typeof timed>[0]) => {
            const answer = await timed(send)
            if (answer.status < 300) count.served += 1
            if (answer.status === 503) count.refused += 1
            return answer
          }
          const sinceMs = Date.now()
          /** A page that nobody has asked for before: another would be answered from memory, however slow the database is. */
          const askForPage = () =>
            ask(get(`/api/station/history?before=${new Date(sinceMs + count.pages++).toISOString()}`))
          /** Goes on until one request is refused: on a slow machine, the first may be answered before the last has arrived. */
          const insist = async () => {
            const answers = [await askForPage()]
            while (count.refused === 0 && !over.signal.aborted) answers.push(await askForPage())
            return answers
          }
          const asked = Promise.all([
            ...Array.from({ length: 10 }, (_, at) => ask(post("/api/v1/agents/register", newcomer(`knot-${at}`)))),
            ...Array.from({ length: requestsAtOnceMax + 72 }, insist),
            ask(post("/api/ops/playout/hold", {}, operator))
          ])
          try {
            await askUntil(async () => (count.served >= 20 && count.refused > 0 ? true : undefined))
            expect(await metric(base, /^actor_mailbox_depth/)).toBeLessThan(schedulerMailboxMax / 8)
          } finally {
            over.abort()
            postgres.delayMs = 0
          }
          const answers = (await asked).flat()
          const refused = answers.filter(({ status }) => status === 503)
          console.log(
            `at 500 ms a query: ${answers.length} asked, ${refused.length} refused, the slowest after ${(Math.max(...refused.map(({ ms }) => ms)) / 1_000).toFixed(1)} s`
          )
          expect(count.served + refused.length).toBe(answers.length)
          expect(refused.length).toBeGreaterThan(0)
          expect(refused.every(({ code, retryAfter }) => code === "BUSY" && Number(retryAfter) > 0)).toBe(true)
          await askUntil(() => call(base, "POST", "/api/ops/playout/resume", { bearer: operator, body: {} }))
        },
        pauseMaxSec
      ),
    300_000
  )

  it("keeps playing with a full disk, refuses to make sound, and continues once there is room", (test) => {
    if (!disk.isSmall) {
      console.log("skipped: no small disk can be mounted here")
      return test.skip("no small disk can be mounted here")
    }
    return checkHeardThroughout(
      whole.station.base,
      async () => {
        const { base, operator } = whole.station
        const agent = await becomeAgent(base, "avocet")
        const speak = (title: string) =>
          timed(
            post(
              "/api/v1/agents/me/tts/station/generate",
              {
                category: "station_id",
                title,
                scriptText: "This is Avocet, and you are listening to Longwave, day and night."
              },
              agent.apiKey
            )
          )
        const before = await restarts()
        const filler = join(disk.folder, "filler")
        const free = new AbortController()
        const filled = keepFull(filler, free.signal)
        try {
          await askUntil(async () => ((await statfs(disk.folder)).bavail === 0 ? true : undefined))
          expect(await speak("A full disk")).toMatchObject({ status: 503, code: "BUSY" })
          await call(base, "POST", "/api/ops/playout/skip", { bearer: operator, body: {} })
          await waitMs(2_000)
          expect((await fetch(`${base}/readyz`)).status).toBe(200)
        } finally {
          free.abort()
          await filled
          await rm(filler)
        }
        const made = await askUntil(async () => {
          const { status } = await speak("Room again")
          return status < 300 ? status : undefined
        }, 250)
        expect(made).toBeLessThan(300)
        expect(await restarts()).toBe(before)
      },
      pauseMaxSec
    )
  }, 300_000)

  it(
    "falls back in order down to its own tone when nothing is left, and alerts operators",
    () =>
      checkHeardThroughout(
        whole.station.base,
        async () => {
          const { base, dataDir, operator } = whole.station
          const rundown = async () =>
            (await call(base, "GET", "/api/ops/rundown", { bearer: operator })).body["rundown"] as {
              readonly onAir: unknown
              readonly items: ReadonlyArray<{ readonly id: string }>
            }
          await askUntil(async () => ((await rundown()).onAir === null ? undefined : true))
          const skip = () => call(base, "POST", "/api/ops/playout/skip", { bearer: operator, body: {} })
          // Repeated: the house may still finish a piece that it began earlier.
          const emptied = async () => {
            await Effect.runPromise(
              Effect.gen(function* () {
                const sql = yield* SqlClient.SqlClient
                yield* sql`DELETE FROM house_pieces`
                yield* sql`UPDATE tracks SET approval_status = 'removed'`
              }).pipe(
                Effect.provide(databaseAt(Redacted.make(postgres.directUrl)).pipe(Layer.provide(NodeServices.layer)))
              )
            )
            const { items } = await rundown()
            for (const { id } of items)
              await call(base, "DELETE", `/api/ops/rundown/items/${id}`, { bearer: operator }).catch(() => undefined)
            return items.length === 0 ? true : undefined
          }
          await call(base, "POST", "/api/ops/playout/hold", { bearer: operator, body: {} })
          await askUntil(emptied)
          await skip()
          const now = await askUntil(async () => {
            const { body } = await call(base, "GET", "/api/station/now-playing")
            if ((body["item"] as { readonly id: string | null }).id === null) return body
            if ((await rundown()).items.length > 0 && (await emptied()) === true) await skip()
            return undefined
          })
          expect((now["item"] as { readonly kind: string }).kind).not.toBe("music")
          expect((await call(base, "GET", "/api/station/queue")).body).toMatchObject({ health: "empty" })
          await askUntil(async () =>
            (await metric(base, /^ops_alerts_total\{.*what="fallback"/)) >= 1 ? true : undefined
          )
          // The emergency library is removed as well: the remaining sound needs no file.
          const staged = join(dataDir, "staged")
          for (const name of await readdir(staged)) await rm(join(staged, name))
          // An emergency over the fallback is a stretch of its own, and so is the sound after it.
          const reason = "Nothing is planned."
          await call(base, "POST", "/api/ops/playout/emergency", { bearer: operator, body: { reason } })
          await waitMs(1_500)
          await call(base, "POST", "/api/ops/playout/emergency/clear", { bearer: operator, body: {} })
          const { firstSample } = await awaitLoggedEmergency(base, operator, reason)
          const before = (await readLoggedRows(base, operator)).find(
            ({ lastSample }) => lastSample === firstSample - 1
          )!
          expect(before.trace[0]).toMatch(/^fallback: /)
        },
        pauseMaxSec
      ),
    300_000
  )
})
