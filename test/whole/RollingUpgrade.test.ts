import { chmod, mkdir, mkdtemp, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { becomeAgent, call } from "../../bench/instruments/clients/Stranger.ts"
import { type LowLatencyEar, listenToParts } from "../../bench/instruments/ears/LowLatencyEar.ts"
import { findFormerVersion, layVersion } from "../../bench/instruments/servers/FormerVersion.ts"
import { freePort, type RunningStation, startStation } from "../../bench/instruments/servers/Station.ts"
import { startSwitchProxy, type SwitchProxy } from "../../bench/instruments/servers/SwitchProxy.ts"
import { migrations } from "../../engine/store/sql/Migrations.ts"
import { askUntil, isReady, testSettings } from "../support/station/WholeStation.ts"
import { connect, dropDatabase, layFiles, readKnown, restore, rowsOf } from "../support/upgrade/Fixture.ts"
import { answersOf, findLost } from "../support/upgrade/Reads.ts"

const pausedMs = 10_000
const newestMigration = Math.max(...Object.keys(migrations).map((name) => Number.parseInt(name, 10)))
const former = findFormerVersion()
if ("missing" in former) console.log(`The rolling upgrade is skipped: ${former.missing}.`)
const partsAfter = 9

/**
 * The version before and this one side by side, as in the minutes of an upgrade, on a database with a row of everything. The former one starts first;
 * this one migrates the database under it.
 */
describe.skipIf("missing" in former)("a station of the version before, while this version takes its place", () => {
  const known = readKnown()
  const started: Array<RunningStation> = []
  let folder: string
  let url: string | undefined
  let proxy: SwitchProxy | undefined
  let ear: LowLatencyEar | undefined
  let old: RunningStation
  let next: RunningStation

  const start = async (name: "old" | "new", root?: string): Promise<RunningStation> => {
    const dataDir = join(folder, name)
    if (name === "new") {
      await mkdir(dataDir)
      for (const shared of ["keys", "media"]) await symlink(join(folder, "old", shared), join(dataDir, shared))
    }
    const station = await startStation({
      dataDir,
      operator: known.operatorToken,
      env: {
        ...testSettings,
        ...known.env,
        DATABASE_URL: url!,
        PUBLIC_URL: known.publicUrl,
        CLUSTER_HOST: "127.0.0.1",
        CLUSTER_PORT: String(await freePort()),
        CLUSTER_SECRET: "a secret of the processes of a station",
        DISK_FREE_MIN_MIB: "0",
        LOG_FORMAT: "json",
        UPGRADE_BEHIND_MS: String(behindMs),
        NODE_OPTIONS: `--import ${new URL("../support/upgrade/StationTime.ts", import.meta.url).href}`
      },
      ...(root === undefined ? {} : { root })
    })
    started.push(station)
    return station
  }
  const behindMs = Date.now() - Date.parse(known.stoppedAt) - pausedMs
  const applied = () =>
    connect(url!, (sql) =>
      rowsOf<{ readonly id: number }>(sql, "SELECT max(migration_id)::int AS id FROM effect_sql_migrations")
    ).then(([row]) => row!.id)
  /** What a station logged as a fault of its own. A store that doesn't answer within 700 ms is one of a busy machine. */
  const faultsOf = (station: RunningStation) =>
    station
      .output()
      .split("\n")
      .filter((line) => /"level":"(ERROR|FATAL)"|SqlError|ParseError/.test(line) && !/TimeoutError/.test(line))
  const operate = (station: RunningStation, path: string, body: unknown = {}) =>
    call(station.base, "POST", `/api/ops/${path}`, { bearer: known.operatorToken, body })

  beforeAll(async () => {
    url = await restore(inject("postgresTemplate"), behindMs)
    folder = await mkdtemp(join(tmpdir(), "longwave-rolling-"))
    await chmod(folder, 0o755)
    layFiles(join(folder, "old"))
    if ("commit" in former) layVersion(former.commit, join(folder, "former"))
    old = await start("old", join(folder, "former"))
    await isReady(old.base)
  }, 300_000)
  afterAll(async () => {
    await ear?.stop()
    await proxy?.close()
    for (const station of started) await station.stop("SIGKILL")
    if (url !== undefined) await dropDatabase(url)
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  }, 300_000)

  it("goes on the air and answers everything, and hands the air and its work over without a gap", async () => {
    const { agents } = known
    const before = await answersOf(old.base, known)
    next = await start("new")
    await isReady(next.base)
    expect(await applied()).toBe(newestMigration)

    // The former version's statements, on the schema of this one.
    const after = await answersOf(old.base, known)
    // What isn't known yet a moment after the start, such as the programme of this hour and the last words of the chat, is no loss.
    expect(
      Object.entries(before)
        .flatMap(([name, answer]) => findLost(name, answer, after[name]))
        .filter((lost) => !/^\S+: (was null, is|had 0, has) /.test(lost))
    ).toEqual([])
    // A player, through a load balancer.
    proxy = await startSwitchProxy([old.base, next.base])
    ear = listenToParts(proxy.base, "aac128")
    const wren = await becomeAgent(old.base, "godwit", "godwit@example.org")
    await call(old.base, "PATCH", "/api/v1/agents/me/profile", {
      bearer: wren.apiKey,
      body: { bio: "Wades at night." }
    })
    await operate(old, "playout/resume", { reason: "It is changed." })
    await operate(old, "playout/skip")
    expect((await fetch(`${old.base}/live/aac128/index.m3u8`)).ok).toBe(true)
    // And those of this version.
    expect(Object.keys(await answersOf(next.base, known))).toEqual(Object.keys(after))

    await askUntil(async () =>
      /^longwave_standby_ready 1$/m.test(await (await fetch(`${next.base}/metrics`)).text()) ? true : undefined
    )
    const submit = (station: RunningStation) =>
      call(station.base, "POST", "/api/v1/agents/me/tts/station/generate", {
        bearer: agents.guest.key,
        headers: { "idempotency-key": "the-last-word-of-the-old" },
        body: {
          category: "station_id",
          title: "A last word",
          scriptText: "This was the former Longwave, and it goes on."
        }
      })
    const accepted = await submit(old)
    expect(faultsOf(old)).toEqual([])
    const heard = ear.parts.length
    await old.stop("SIGTERM")
    await askUntil(async () => (ear!.parts.length > heard + partsAfter ? true : undefined))
    expect(proxy.target()).toBe(next.base)
    const numbers = ear.parts.map(({ number }) => number)
    expect(numbers).toEqual(numbers.map((_, n) => numbers[0]! + n))

    // The same answer under the same key, and the work goes on.
    const { id } = accepted.body["segment"] as { readonly id: string }
    expect((await submit(next)).body).toMatchObject({ segment: { id } })
    const isNow = async (...wanted: ReadonlyArray<string>) => {
      const { segments } = (
        await call(next.base, "GET", "/api/v1/agents/me/segments?limit=100", { bearer: agents.guest.key })
      ).body as { readonly segments: ReadonlyArray<{ readonly id: string; readonly status: string }> }
      return wanted.includes(segments.find((one) => one.id === id)?.status ?? "") ? true : undefined
    }
    await askUntil(() => isNow("scheduled", "airing", "aired"))
    if ((await isNow("scheduled")) === true) await operate(next, "playout/skip")
    await askUntil(() => isNow("aired"))
    expect((await call(next.base, "GET", "/api/v1/agents/me", { bearer: wren.apiKey })).body).toMatchObject({
      agent: { bio: "Wades at night." }
    })
    expect(
      (await call(next.base, "GET", "/api/ops/as-run/verify", { bearer: known.operatorToken })).body
    ).toMatchObject({
      ok: true,
      firstBad: null
    })
    expect(faultsOf(next)).toEqual([])
    // The database was one of a single process, which places the station's actor elsewhere.
    expect(next.output()).not.toContain("Could not find entity manager")
  }, 300_000)
})
