import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { type Answer, call } from "../../bench/instruments/clients/Stranger.ts"
import { dropDatabase, layFiles, readKnown, restore } from "../support/upgrade/Fixture.ts"
import { answersOf, findLost, withoutChanging } from "../support/upgrade/Reads.ts"
import { waitMs } from "../../bench/instruments/Patience.ts"
import { enterStation, type WholeStation } from "../support/station/WholeStation.ts"

/** Time between stop and start, by the station's own clock. */
const pausedMs = 10_000

interface Placed {
  readonly id: string
  readonly segmentId: string | null
}

/** Polls `look` for at most this time. */
const within = async <A>(patienceMs: number, look: () => Promise<A | undefined>): Promise<A | "not in time"> => {
  for (const endMs = performance.now() + patienceMs; performance.now() < endMs; await waitMs(100)) {
    const found = await look()
    if (found !== undefined) return found
  }
  return "not in time"
}

/**
 * The first start of this version upgrades the database of a station of an earlier version (see `makeFixture.ts`). Answers must
 * stay the same, whatever later migrations move. The rows keep their times: changing them would break signatures over them (the
 * as-run log, the audit log, tokens) and counts of samples since the station's epoch. So the test moves the clock instead: the
 * station, and now() in its database, run some seconds after the stop.
 */
describe("the database of an earlier version, at the first start of this version", () => {
  const known = readKnown()
  const { accounts, agents, ids, operatorToken } = known
  let whole: WholeStation
  let url: string | undefined
  let folder: string | undefined

  beforeAll(async () => {
    const behindMs = Date.now() - Date.parse(known.stoppedAt) - pausedMs
    url = await restore(inject("postgresTemplate"), behindMs)
    folder = await mkdtemp(join(tmpdir(), "longwave-upgrade-"))
    await chmod(folder, 0o755)
    layFiles(folder)
    whole = await enterStation(
      {
        ...known.env,
        DATABASE_URL: url,
        PUBLIC_URL: known.publicUrl,
        OPERATOR_TOKEN: operatorToken,
        UPGRADE_BEHIND_MS: String(behindMs),
        NODE_OPTIONS: `--import ${new URL("../support/upgrade/StationTime.ts", import.meta.url).href}`
      },
      folder
    )
  }, 300_000)
  afterAll(async () => {
    await whole?.leave()
    if (url !== undefined) await dropDatabase(url)
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  }, 300_000)

  const ask = (method: string, path: string, bearer?: string, body?: unknown): Promise<Answer> =>
    call(whole.station.base, method, path, {
      ...(bearer === undefined ? {} : { bearer }),
      ...(body === undefined ? {} : { body })
    })
  const refusal = async (key: string) => {
    const response = await fetch(`${whole.station.base}/api/v1/home`, { headers: { authorization: `Bearer ${key}` } })
    return [response.status, ((await response.json()) as { readonly code: string }).code]
  }
  const segment = async (key: string, id: string) =>
    (
      (await ask("GET", "/api/v1/agents/me/segments?limit=100", key)).body["segments"] as ReadonlyArray<{
        readonly id: string
        readonly status: string
      }>
    ).find((one) => one.id === id)!

  it("answers agents, listeners, accounts and operators as before, each with their former key", async () => {
    const answers = await answersOf(whole.station.base, known)
    expect(Object.keys(answers)).toEqual(expect.arrayContaining(Object.keys(known.answers)))
    expect(
      Object.entries(known.answers).flatMap(([name, before]) => findLost(name, withoutChanging(before), answers[name]))
    ).toEqual([])
  })

  it("still refuses the suspended agent and the replaced key", async () => {
    expect(await refusal(agents.suspended.key)).toEqual(known.refusals.suspended)
    expect(await refusal(known.formerKey)).toEqual(known.refusals.former)
  })

  it("accepts an operator's session, an app key and a claim from before", async () => {
    const { base } = whole.station
    const me = await call(base, "GET", "/api/ops/me", { headers: { cookie: known.operatorSession } })
    expect(me.body).toMatchObject({ operator: { name: "Night desk", role: "producer" } })
    const { identityToken } = (
      await ask("POST", "/api/v1/agents/me/identity-token", agents.host.key, { audience: known.audience })
    ).body
    const verified = await call(base, "POST", "/api/v1/auth/verify", {
      headers: { "x-app-key": known.appKey },
      body: { token: identityToken, audience: known.audience }
    })
    expect(JSON.stringify(verified.body)).toContain(agents.host.agentId)
    const claimed = await ask("POST", "/api/v1/agents/claim/complete", undefined, {
      claimCode: known.unclaimed.claimCode,
      ownerEmail: "plover@example.org",
      consentGiven: true
    })
    expect((await ask("GET", "/api/v1/agents/me", String(claimed.body["apiKey"]))).body).toMatchObject({
      agent: { handle: known.unclaimed.handle }
    })
    expect((await call(base, "GET", "/api/account/me", { headers: { cookie: accounts.owner.cookie } })).status).toBe(
      200
    )
  })

  it("has valid as-run and audit logs", async () => {
    expect((await ask("GET", "/api/ops/as-run/verify", operatorToken)).body).toMatchObject({ ok: true, firstBad: null })
    expect((await ask("GET", "/api/ops/audit/verify", operatorToken)).body).toMatchObject({ ok: true })
  })

  it("continues a panel in progress with the agent whose turn it is", async () => {
    const path = `/api/shows/sessions/${ids["panelWaiting"]}`
    const asked = async (key: string) =>
      (
        (await ask("GET", "/api/v1/home", key)).body["actions"] as ReadonlyArray<{
          readonly code: string
          readonly method: string
          readonly path: string
        }>
      ).find(({ code }) => code === "SESSION_TURN_READY")
    expect(await asked(agents.rotated.key)).toBeUndefined()
    const duty = (await asked(agents.guest.key))!
    expect(duty.path).toContain(path)
    await ask(duty.method, duty.path, agents.guest.key, { scriptText: "The water rings it, as it did before." })
    const { turns } = (await ask("GET", path, agents.host.key)).body["session"] as {
      readonly turns: ReadonlyArray<{ readonly handle: string; readonly status: string }>
    }
    expect(turns.map(({ handle, status }) => [handle, status])).toEqual([
      ["marlow", "submitted"],
      ["isolde", "submitted"],
      ["bram", "pending"]
    ])
  })

  it("goes on the air, and airs waiting segments once the former hold is lifted", async () => {
    const waiting = [ids["queued"]!, ids["queuedToo"]!]
    const rundown = async () =>
      (await ask("GET", "/api/ops/rundown", operatorToken)).body["rundown"] as {
        readonly held: boolean
        readonly onAir: Placed | null
        readonly items: ReadonlyArray<Placed>
      }
    const statuses = () =>
      Promise.all(
        [segment(agents.guest.key, ids["queued"]!), segment(agents.rotated.key, ids["queuedToo"]!)].map(
          async (one) => (await one).status
        )
      )
    expect([(await rundown()).held, await statuses()]).toEqual([true, ["queued", "queued"]])
    expect((await fetch(`${whole.station.base}/live/aac128/index.m3u8`)).status).toBe(200)

    await ask("POST", "/api/ops/playout/resume", operatorToken, { reason: "It is changed." })
    // The present item may be a song: instead of waiting for its end, each item is skipped once, except those that have waited.
    const skipped = new Set<string>()
    const row = await within(25_000, async () => {
      const heard = (
        (await ask("GET", "/api/station/history?limit=20")).body["items"] as ReadonlyArray<{
          readonly segmentId: string | null
          readonly airedCompletely: boolean
        }>
      ).find(({ segmentId }) => waiting.includes(segmentId!))
      const { items, onAir } = await rundown()
      if (
        heard === undefined &&
        onAir !== null &&
        !waiting.includes(onAir.segmentId!) &&
        waiting.includes(items[0]?.segmentId ?? "") &&
        !skipped.has(onAir.id)
      ) {
        skipped.add(onAir.id)
        await ask("POST", "/api/ops/playout/skip", operatorToken, { itemId: onAir.id }).catch(() => undefined)
      }
      return heard
    })
    const history = (await ask("GET", "/api/station/history?limit=5")).body["items"]
    expect(row, `${JSON.stringify({ skipped: [...skipped], history })}\n${whole.station.output()}`).toMatchObject({
      airedCompletely: true
    })
    expect(await within(10_000, async () => ((await statuses()).includes("aired") ? true : undefined))).toBe(true)
    expect((await ask("GET", "/api/ops/as-run/verify", operatorToken)).body).toMatchObject({ ok: true, firstBad: null })
  }, 300_000)
})
