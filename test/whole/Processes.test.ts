import { once } from "node:events"
import { mkdirSync, symlinkSync } from "node:fs"
import { type IncomingMessage, request } from "node:http"
import { join } from "node:path"
import { Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startCutProxy } from "../../bench/instruments/servers/CutProxy.ts"
import {
  freePort,
  operatorToken,
  runInFolder,
  type RunningStation,
  startStation
} from "../../bench/instruments/servers/Station.ts"
import { becomeAgent, call } from "../../bench/instruments/clients/Stranger.ts"
import { runOnOwnDatabase } from "../support/sql/Postgres.ts"
import { askUntil, isReady, testSettings } from "../support/station/WholeStation.ts"

/** Two processes of one station, each with a folder of its own, and the same keys and media. */
const enterProcesses = async () => {
  let leave = (): void => undefined
  let left: Promise<unknown> = Promise.resolve()
  const place = await new Promise<{ readonly folder: string; readonly url: string }>((entered) => {
    left = runOnOwnDatabase((url) =>
      runInFolder(
        (folder) =>
          new Promise<void>((resolve) => {
            leave = resolve
            entered({ folder, url: Redacted.value(url) })
          })
      )
    )
  })
  const operator = operatorToken()
  const started: Array<RunningStation> = []
  const networks: Array<Awaited<ReturnType<typeof startCutProxy>>> = []
  const start = async (name: string): Promise<RunningStation> => {
    const dataDir = join(place.folder, name)
    if (name !== "first") {
      mkdirSync(dataDir)
      for (const shared of ["keys", "media"]) symlinkSync(join(place.folder, "first", shared), join(dataDir, shared))
    }
    const network = await startCutProxy(place.url)
    networks.push(network)
    const station = await startStation({
      dataDir,
      operator,
      env: {
        ...testSettings,
        DATABASE_URL: network.url,
        CLUSTER_HOST: "127.0.0.1",
        CLUSTER_PORT: String(await freePort()),
        CLUSTER_SECRET: "a secret of the processes of a station",
        DISK_FREE_MIN_MIB: "0"
      }
    })
    started.push(station)
    return station
  }
  return {
    operator,
    start,
    /** The network between this process and the database. */
    networkOf: (station: RunningStation) => networks[started.indexOf(station)]!,
    leave: async () => {
      for (const station of started) {
        station.process.kill("SIGCONT")
        await station.stop("SIGKILL")
      }
      for (const network of networks) await network.close()
      leave()
      await left
    }
  }
}

const isStreamed = async ({ base }: RunningStation) =>
  (await fetch(`${base}/live/aac128/index.m3u8`)).ok ? true : undefined
/** Leases end after 5 s; the rest is for a busy machine. */
const takeoverMaxSec = 30
const secondsSince = (startMs: number) => (performance.now() - startMs) / 1_000

describe("two processes of one station", () => {
  let processes: Awaited<ReturnType<typeof enterProcesses>>
  let first: RunningStation
  let second: RunningStation
  const agents: Array<{ readonly agentId: string; readonly apiKey: string }> = []
  const rename = (station: RunningStation, agent: number, bio: string) =>
    call(station.base, "PATCH", "/api/v1/agents/me/profile", { bearer: agents[agent]!.apiKey, body: { bio } })

  beforeAll(async () => {
    processes = await enterProcesses()
    first = await processes.start("first")
    await isReady(first.base)
    second = await processes.start("second")
    await isReady(second.base)
  })
  afterAll(() => processes?.leave())

  it("send the stream from the one that has the air, and show its programme in both", async () => {
    expect(await isStreamed(first)).toBe(true)
    const refused = await fetch(`${second.base}/live/aac128/index.m3u8`)
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"])
    const rundowns = await askUntil(async () => {
      const both = await Promise.all(
        [first, second].map(
          async ({ base }) => (await call(base, "GET", "/api/ops/rundown", { bearer: processes.operator })).body
        )
      )
      return JSON.stringify(both[0]) === JSON.stringify(both[1]) ? both : undefined
    })
    expect(rundowns[0]).toMatchObject({ rundown: { items: expect.any(Array) } })
  })

  it("carry out every command, whichever was asked", async () => {
    for (const [n, { base }] of [first, second, first, second].entries())
      agents.push(await becomeAgent(base, `wren-${n}`, `owner-${n}@example.org`))
    for (const station of [first, second])
      for (const n of agents.keys())
        expect(await rename(station, n, `of ${station.port}`)).toMatchObject({ status: 200 })
    expect(
      await call(second.base, "POST", "/api/ops/playout/skip", { bearer: processes.operator, body: {} })
    ).toMatchObject({ status: 200 })
  })

  it("refuse a revoked key, and a suspended agent, at once in both", async () => {
    const { apiKey } = agents[0]!
    const knows = ({ base }: RunningStation) =>
      fetch(`${base}/api/v1/agents/me`, { headers: { authorization: `Bearer ${apiKey}` } })
    expect([(await knows(first)).status, (await knows(second)).status]).toEqual([200, 200])
    const rotated = await call(first.base, "POST", "/api/v1/agents/me/keys/rotate", { bearer: apiKey, body: {} })
    expect((await knows(second)).status).toBe(401)
    agents[0] = { ...agents[0]!, apiKey: String(rotated.body["apiKey"]) }
    const judge = (what: "suspend" | "reinstate") =>
      call(first.base, "POST", `/api/ops/agents/${agents[0]!.agentId}/${what}`, {
        bearer: processes.operator,
        body: { reason: "a test" }
      })
    expect(await judge("suspend")).toMatchObject({ status: 200 })
    await expect(rename(second, 0, "suspended")).rejects.toThrow("AGENT_SUSPENDED")
    expect(await judge("reinstate")).toMatchObject({ status: 200 })
    expect(await rename(second, 0, "reinstated")).toMatchObject({ status: 200 })
  })

  it("keep to the settings that operators changed in the other, and go on from them", async () => {
    const settingsOf = async ({ base }: RunningStation) =>
      (await call(base, "GET", "/api/ops/settings", { bearer: processes.operator })).body["settings"]
    const bodies = [{ stationDisclosure: "Machines make this station." }, { ownerSpeechMinutesPerDay: 60 }] as const
    for (const [n, station] of [first, second].entries()) {
      const { body } = await call(station.base, "PUT", "/api/ops/settings", {
        bearer: processes.operator,
        body: { ...bodies[n] }
      })
      // What the other process changed before is still there.
      if (n === 1) expect(body["settings"]).toMatchObject({ ...bodies[0], ...bodies[1] })
      for (const each of [first, second])
        await askUntil(async () =>
          JSON.stringify(await settingsOf(each)) === JSON.stringify(body["settings"]) ? true : undefined
        )
    }
    for (const { base } of [first, second])
      expect((await call(base, "GET", "/api/station", {})).body).toMatchObject({
        synthetic: { disclosure: "Machines make this station." }
      })
  })

  it("go on in one when the other, which had the air, is frozen, and refuse what it does when it wakes", async () => {
    const frozenMs = performance.now()
    first.process.kill("SIGSTOP")
    await Promise.all([
      askUntil(() => isStreamed(second)),
      ...[...agents.keys()].map((n) =>
        askUntil(async () => ((await rename(second, n, "after the freeze")).status === 200 ? true : undefined))
      )
    ])
    expect(secondsSince(frozenMs)).toBeLessThan(takeoverMaxSec)
    first.process.kill("SIGCONT")
    await askUntil(async () => ((await isStreamed(first)) === undefined ? true : undefined))
    await isReady(first.base)
    for (const n of agents.keys()) expect(await rename(first, n, "after it woke")).toMatchObject({ status: 200 })
    expect(await isStreamed(second)).toBe(true)
  })

  it("go on in one within seconds after the other was killed", async () => {
    const killedMs = performance.now()
    await second.stop("SIGKILL")
    const actors = Promise.all(
      [...agents.keys()].map((n) =>
        askUntil(async () => ((await rename(first, n, "after the kill")).status === 200 ? true : undefined))
      )
    ).then(() => secondsSince(killedMs))
    await askUntil(() => isStreamed(first))
    expect(Math.max(secondsSince(killedMs), await actors)).toBeLessThan(takeoverMaxSec)
    expect(await call(first.base, "GET", "/api/ops/as-run/verify", { bearer: processes.operator })).toMatchObject({
      body: { ok: true }
    })
  })

  const isInStep = ({ base }: RunningStation) =>
    askUntil(async () =>
      /^longwave_standby_ready 1$/m.test(await (await fetch(`${base}/metrics`)).text()) ? true : undefined
    )
  const lastRow = async ({ base }: RunningStation) => {
    const since = new Date(Date.now() - 600_000).toISOString()
    const { body } = await call(base, "GET", `/api/ops/as-run?from=${since}&to=${new Date().toISOString()}`, {
      bearer: processes.operator
    })
    const last = (body["rows"] as ReadonlyArray<{ readonly id: string; readonly text: string }>).at(-1)
    return last && { id: last.id, fence: (JSON.parse(last.text) as { readonly fence: number }).fence }
  }

  /** A command whose body has not come yet. */
  const beginRename = ({ base }: RunningStation) => {
    const body = JSON.stringify({ bio: "It was late." })
    const sent = request(`${base}/api/v1/agents/me/profile`, {
      method: "PATCH",
      headers: {
        authorization: `Bearer ${agents[0]!.apiKey}`,
        "content-type": "application/json",
        "content-length": String(body.length)
      }
    })
    const answered = once(sent, "response") as Promise<[IncomingMessage]>
    sent.write(body.slice(0, 5))
    return {
      /** Sends the rest, and returns the status of the answer. */
      finish: async () => {
        sent.end(body.slice(5))
        const [answer] = await answered
        answer.resume()
        return answer.statusCode
      }
    }
  }

  it("hand the air over first when they stop in order, also after a cut; the next owner plans and logs", async () => {
    second = await processes.start("third")
    await isReady(second.base)
    await isInStep(second)
    // The next owner has lost the air before, while it was cut off from the database.
    processes.networkOf(first).cut()
    await askUntil(() => isStreamed(second))
    // The next owner tells it that it has lost the air: no balancer sends listeners to both.
    await askUntil(async () => ((await isStreamed(first)) === undefined ? true : undefined))
    processes.networkOf(first).mend()
    await isReady(first.base)
    await isInStep(first)
    const before = await askUntil(() => lastRow(second))
    const late = beginRename(second)
    // Its connection is one of those that the process knows.
    await rename(second, 1, "before the stop")
    const ended = second.stop("SIGTERM")
    await askUntil(() => isStreamed(first))
    // It waits for the command that has begun, for some seconds.
    expect([second.process.exitCode, second.process.signalCode]).toEqual([null, null])
    expect(await late.finish()).toBe(200)
    expect(
      await call(first.base, "POST", "/api/ops/playout/skip", { bearer: processes.operator, body: {} })
    ).toMatchObject({ status: 200 })
    await askUntil(async () => {
      const last = await lastRow(first)
      return last !== undefined && last.id !== before.id && last.fence > before.fence ? true : undefined
    })
    await ended
    expect(second.process.exitCode).toBe(0)
    expect(await isStreamed(first)).toBe(true)
    expect(await call(first.base, "GET", "/api/ops/as-run/verify", { bearer: processes.operator })).toMatchObject({
      body: { ok: true }
    })
  })

  it("stay on the air until their end if no other one runs", async () => {
    const listener = await fetch(`${first.base}/live.mp3`)
    const heardMs: Array<number> = []
    const listening = (async () => {
      for await (const _ of listener.body!) heardMs.push(performance.now())
    })().catch(() => undefined)
    const late = beginRename(first)
    await rename(first, 1, "before the stop")
    const stoppedMs = performance.now()
    const ended = first.stop("SIGTERM")
    // The listener still receives sound two seconds after the stop began.
    await askUntil(async () => (heardMs.at(-1)! > stoppedMs + 2_000 ? true : undefined))
    expect(await late.finish()).toBe(200)
    await ended
    await listening
    expect(first.process.exitCode).toBe(0)
  })
})
