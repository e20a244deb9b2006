import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../../bench/instruments/servers/Station.ts"
import { addressReadsPerMinuteMax } from "../../engine/rules/http/limits.ts"
import { type SlowPostgres, startSlowPostgres } from "../support/sql/SlowPostgres.ts"
import { enterStation, testSettings, askUntil, type WholeStation } from "../support/station/WholeStation.ts"

const probes = 400
/** Twice what one address may send in a minute, so that some are refused even if all of them take as long. */
const beyondLimit = 2 * addressReadsPerMinuteMax

interface Readiness {
  readonly ready: boolean
  readonly checks: Readonly<Record<"api" | "air" | "nowPlaying" | "queue" | "station", boolean>>
}

const allWell = { api: true, air: true, nowPlaying: true, queue: true, station: true }
const reads = ["/api/now-playing", "/api/station/queue", "/api/station"]

const readinessAt = async (base: string) => {
  const response = await fetch(`${base}/readyz`)
  return { status: response.status, ...((await response.json()) as Readiness) }
}

describe("the probes of a station", () => {
  let postgres: SlowPostgres
  let whole: WholeStation
  /** The limits of a real station: they are under test. */
  let env: Record<string, string>
  /** Statuses and answers of `/readyz` while the station started. */
  const starting: Array<Readiness & { readonly status: number }> = []
  beforeAll(async () => {
    postgres = await startSlowPostgres()
    const port = await freePort()
    env = { ...testSettings, DATABASE_URL: postgres.url, RATE_LIMIT_SCALE: "1" }
    const entered = enterStation(env, undefined, port)
    await askUntil(async () => {
      const answer = await readinessAt(`http://127.0.0.1:${port}`)
      starting.push(answer)
      return answer.ready ? true : undefined
    }, 20)
    whole = await entered
  }, 300_000)
  afterAll(async () => {
    await whole?.leave()
    await postgres?.stop()
  }, 300_000)

  const get = (path: string, headers: Record<string, string> = {}) => fetch(`${whole.station.base}${path}`, { headers })
  const statuses = async (path: string, count: number, headers: Record<string, string> = {}) => {
    const answers = await Promise.all(
      Array.from({ length: count }, async () => {
        const response = await get(path, headers)
        await response.arrayBuffer()
        return response.status
      })
    )
    return Object.fromEntries(
      [...Map.groupBy(answers, (status) => status)].map(([status, all]) => [status, all.length])
    )
  }
  const readiness = () => readinessAt(whole.station.base)

  it("report ready once now-playing, the queue and the station can be read, and not before", async () => {
    for (const path of reads) expect([path, (await get(path)).status]).toEqual([path, 200])
    expect(await readiness()).toEqual({ status: 200, ready: true, checks: allWell })
    expect(starting[0]!.ready).toBe(false)
    for (const { checks, ready, status } of starting)
      expect([Object.keys(checks).sort(), ready, status]).toEqual([
        Object.keys(allWell).sort(),
        Object.values(checks).every(Boolean),
        ready ? 200 : 503
      ])
  }, 300_000)

  it("answer every request of one address, whatever else it sends, without a query", async () => {
    expect(Object.keys(await statuses("/api/station/playback-sources", beyondLimit))).toContain("429")
    postgres.delayMs = 500
    try {
      const [asked, startedMs] = [postgres.countAsked(), performance.now()]
      for (const path of ["/healthz", "/readyz"])
        expect([path, await statuses(path, probes)]).toEqual([path, { 200: probes }])
      const [grown, tookMs] = [postgres.countAsked() - asked, performance.now() - startedMs]
      console.log(
        `${2 * probes} probes in ${tookMs.toFixed(0)} ms; meanwhile the station asked its database ${grown} times`
      )
      // The station's own queries meanwhile are far fewer than one for each request.
      expect(grown).toBeLessThan(probes / 4)
    } finally {
      postgres.delayMs = 0
    }
    const probe = await get("/readyz")
    expect([...probe.headers.keys()].filter((name) => name.startsWith("ratelimit"))).toEqual([])
    expect(await statuses("/metrics", beyondLimit)).toEqual({ 200: beyondLimit })
  }, 300_000)

  it("show metrics to authorized callers without a limit, and limit guesses", async () => {
    const elsewhere = { "x-forwarded-for": "198.51.100.7" }
    const own = { ...elsewhere, authorization: `Bearer ${whole.station.operator}` }
    expect((await get("/metrics", own)).status).toBe(200)
    const guess = { ...elsewhere, authorization: `Bearer svc_ops_${"0".repeat(12)}_${"a".repeat(43)}` }
    const guesses = await statuses("/metrics", beyondLimit, guess)
    expect(Object.keys(guesses).sort()).toEqual(["401", "429"])
    expect((await get("/metrics", elsewhere)).status).toBe(401)
    expect(await statuses("/metrics", beyondLimit, own)).toEqual({ 200: beyondLimit })
  }, 300_000)

  it("lets an operator in who lost the second factor, from the host, while it runs", async () => {
    const { base, dataDir, operator } = whole.station
    const ops = async (path: string, body: object) => {
      const response = await fetch(`${base}/api/ops/${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${operator}`, "content-type": "application/json" },
        body: JSON.stringify(body)
      })
      return (await response.json()) as { readonly signInToken: string; readonly operator: { readonly name: string } }
    }
    await ops("operators", { name: "Night desk", role: "producer", reason: "joins us" })
    const reset = (name: string) =>
      promisify(execFile)(process.execPath, ["http/main.ts", "start", "operator", "reset", name], {
        env: { ...process.env, ...env, DATA_DIR: dataDir, DATABASE_URL: postgres.directUrl, PUBLIC_URL: base }
      })
    await expect(reset("Nobody")).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("Night desk") })
    const { stdout } = await reset("Night desk")
    const token = /ops_link_[\w-]+/.exec(stdout)![0]
    expect((await ops("sign-in", { token })).operator.name).toBe("Night desk")
  }, 300_000)

  it("report not ready while the database is away, with now-playing, and ready again afterwards", async () => {
    postgres.freeze()
    try {
      const away = await askUntil(async () => {
        const answer = await readiness()
        return answer.ready ? undefined : answer
      })
      expect(away).toEqual({ status: 503, ready: false, checks: { ...allWell, api: false } })
      expect((await get("/healthz")).status).toBe(200)
      expect(await statuses("/readyz", probes)).toEqual({ 503: probes })
    } finally {
      postgres.thaw()
    }
    expect(
      (
        await askUntil(async () => {
          const answer = await readiness()
          return answer.ready ? answer : undefined
        })
      ).checks
    ).toEqual(allWell)
  }, 300_000)
})
