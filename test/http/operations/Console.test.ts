import { layer } from "@effect/vitest"
import { Cause, Context, Effect, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { expect } from "vitest"
import { DisclosureFeedLive } from "../../../actors/air/DisclosureFeed.ts"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { LogFeedLive } from "../../../actors/operations/LogFeed.ts"
import { mail } from "../../../actors/operations/inTransaction.ts"
import { withProgress } from "../../../actors/runtime/UnderWay.ts"
import { simulationJobs } from "../../../actors/operations/SimulationWorker.ts"
import { Air } from "../../../engine/ports/Air.ts"
import { Rehearsal, RehearsalFailed } from "../../../engine/ports/Rehearsal.ts"
import { simulationTriesMax } from "../../../engine/rules/operations/limits.ts"
import { mailJobs } from "../../../actors/operations/MailWorker.ts"
import { workDue } from "../../../actors/runtime/JobWorker.ts"
import { ActorTree } from "../../../actors/runtime/Supervision.ts"
import { Settings } from "../../../engine/store/operations/Settings.ts"
import { ChangeLog, Changes, Sources } from "../../../engine/store/sql/Changes.ts"
import type { Disclosures } from "../../../schema/Synthetic.ts"
import { awaitTrue, follow } from "../../../bench/instruments/clients/EventReader.ts"
import { listActs, type Line, OpsHttp, awaitReady, rundown, songs } from "../../support/http/OpsHttp.ts"
import { call, makeClaimedAgent, operator, askUntil } from "../../support/http/SegmentHttp.ts"

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

layer(OpsHttp, { excludeTestServices: true, timeout: 300_000 })("what the console needs", (it) => {
  it.effect("streams what happens, resumes where it broke off, and keeps reviews from viewers", () =>
    Effect.gen(function* () {
      const bus = yield* EventBus
      const [producer, viewer] = [yield* operator("producer"), yield* operator("viewer")]
      yield* awaitReady(producer)
      const mine = yield* follow("/api/ops/events", bearer(producer))
      const small = yield* follow("/api/ops/events", bearer(viewer))
      expect([mine.status, mine.headers["content-type"], mine.headers["cache-control"]]).toEqual([
        200,
        "text/event-stream",
        "no-store"
      ])
      yield* awaitTrue(() => mine.listEvents().length > 0 && small.listEvents().length > 0)
      const [first] = mine.listEvents()
      expect(first).toMatchObject({
        event: "snapshot",
        data: {
          rundown: { held: false, emergency: false },
          playout: { emergency: false, fallback: expect.any(Boolean) },
          reviews: { total: expect.any(Number), counts: expect.any(Object) }
        }
      })
      expect("reviews" in small.listEvents()[0]!.data).toBe(false)

      // A command on the rundown arrives with the items that it changed.
      // The planner may replace a song between the read and the command.
      const { locked, song } = yield* askUntil(
        Effect.gen(function* () {
          const song = songs((yield* rundown(producer)).items)[3]!
          const body = { locked: true, reason: "stays" }
          return { song, locked: yield* call("PATCH", `/api/ops/rundown/items/${song.id}`, { key: producer, body }) }
        }),
        ({ locked }) => locked.status === 200
      )
      const changed = (reader: typeof mine) =>
        reader
          .listEvents()
          .find(({ data, event }) => event === "rundown" && JSON.stringify(data.changes).includes("locked"))
      yield* awaitTrue(() => changed(mine) !== undefined && changed(small) !== undefined)
      expect(changed(mine)!.data).toMatchObject({
        changes: expect.arrayContaining([{ id: song.id, change: "locked", detail: expect.any(String) }])
      })
      expect(Number(changed(mine)!.data.version)).toBeGreaterThanOrEqual(locked.body.rundown.revision)

      const agent = yield* makeClaimedAgent()
      const said = yield* call("POST", "/api/segments", {
        key: agent.key,
        body: {
          stationSlug: "longwave",
          category: "news",
          title: "First words",
          scriptText: "Good morning from the harbour, where it is calm."
        }
      })
      expect([said.status, said.body.detail]).toEqual([201, undefined])
      const arrived = () =>
        mine.listEvents().find(({ data, event }) => event === "reviews" && data.arrived.length > 0 && data.total > 0)
      yield* awaitTrue(() => arrived() !== undefined)
      const reviewId = arrived()!.data.arrived.at(-1).id as string
      const decision = yield* call("POST", `/api/ops/reviews/${reviewId}/decision`, {
        key: producer,
        body: { decision: "hold", reason: "a second look" }
      })
      expect([decision.status, decision.body.detail]).toEqual([200, undefined])
      const decided = () =>
        mine
          .listEvents()
          .find(
            ({ data, event }) => event === "reviews" && data.decided.some((one: { id: string }) => one.id === reviewId)
          )
      yield* awaitTrue(() => decided() !== undefined)
      expect(decided()!.data.decided).toEqual([
        { id: reviewId, kind: "first_air", status: "held", by: expect.any(String) }
      ])

      yield* bus.put("actors", [
        { name: "Station/Clock", state: "restarting", startedAtMs: 1, restarts: 3, lastFault: "gone" },
        { name: "Jobs", state: "running", startedAtMs: 1, restarts: 0, lastFault: null }
      ])
      yield* bus.publish({
        _tag: "JobFailed",
        id: "wrk_1",
        kind: "a.b",
        about: "x",
        tries: 2,
        error: "no",
        givenUp: true
      })
      yield* awaitTrue(() => ["actor", "job"].every((name) => small.listEvents().some(({ event }) => event === name)))
      expect(small.listEvents().filter(({ event }) => event === "actor")).toMatchObject([
        { data: { name: "Station/Clock", restarts: 3, lastFault: "gone" } }
      ])

      const drill = yield* call("POST", "/api/ops/playout/emergency", { key: producer, body: { reason: "a drill" } })
      expect(drill.status).toBe(200)
      yield* awaitTrue(() => mine.listEvents().some(({ data, event }) => event === "playout" && data.emergency))
      const over = yield* call("POST", "/api/ops/playout/emergency/clear", { key: producer, body: {} })
      expect(over.status).toBe(200)
      yield* awaitTrue(() => mine.listEvents().some(({ data, event }) => event === "playout" && !data.emergency))
      expect(small.listEvents().some(({ event }) => event === "reviews")).toBe(false)

      // Whoever was away gets exactly what was missed, in order, and nothing that the role may not read.
      const all = mine.listEvents().filter(({ id }) => id !== undefined)
      const resumed = yield* follow("/api/ops/events", { ...bearer(producer), "last-event-id": all[1]!.id! })
      yield* awaitTrue(() => resumed.listEvents().some(({ id }) => id === all.at(-1)!.id))
      expect(
        resumed
          .listEvents()
          .map(({ id }) => id)
          .slice(0, all.length - 2)
      ).toEqual(all.slice(2).map(({ id }) => id))
      const back = yield* follow("/api/ops/events?lastEventId=nonsense", bearer(viewer))
      yield* awaitTrue(() => back.listEvents().length > 0)
      expect(back.listEvents()[0]!.event).toBe("snapshot")
      expect((yield* call("GET", "/api/ops/events")).status).toBe(401)
    })
  )

  it.effect(
    "refuses a command on an outdated rundown, says what changed, and lets one of two concurrent ones win",
    () =>
      Effect.gen(function* () {
        const producer = yield* operator("producer")
        yield* awaitReady(producer)
        const read = call("GET", "/api/ops/rundown", { key: producer })
        const lock = (id: string, locked: boolean, version: string, key = {}) =>
          call("PATCH", `/api/ops/rundown/items/${id}`, {
            key: producer,
            body: { locked },
            headers: { "if-match": version, ...key }
          })
        // The planner itself may change what lies ahead; the newest version is read until a command meets it.
        const first = yield* askUntil(
          Effect.gen(function* () {
            const seen = yield* read
            const [a, b] = songs(seen.body.rundown.items as Array<Line>).slice(2)
            const version = seen.headers.get("etag")!
            expect(version).toBe(`"${seen.body.rundown.revision}"`)
            const both = yield* Effect.all([lock(a!.id, !a!.locked, version), lock(b!.id, !b!.locked, version)], {
              concurrency: 2
            })
            return { a: a!, b: b!, version, both }
          }),
          ({ both }) => both.some(({ status }) => status === 200)
        )
        expect(first.both.map(({ status }) => status).sort()).toEqual([200, 412])
        const lost = first.both.find(({ status }) => status === 412)!
        const won = first.both[0]!.status === 200 ? first.a : first.b
        expect(lost.body).toMatchObject({
          code: "PRECONDITION_FAILED",
          version: expect.stringMatching(/^\d+$/),
          differences: expect.arrayContaining([
            { id: won.id, change: won.locked ? "unlocked" : "locked", detail: expect.stringContaining(won.title) }
          ])
        })

        // The same command with the version read since goes through, even under the same key.
        const other = won === first.a ? first.b : first.a
        const key = { "idempotency-key": "a second try" }
        expect((yield* lock(other.id, !other.locked, first.version, key)).status).toBe(412)
        const again = yield* askUntil(
          Effect.flatMap(read, ({ headers }) => lock(other.id, !other.locked, headers.get("etag")!, key)),
          ({ status }) => status === 200
        )
        expect(again.headers.get("etag")).toBe(`"${again.body.rundown.revision}"`)

        const post = (path: string, headers: Record<string, string>) =>
          call("POST", path, { key: producer, body: { reason: "a test" }, headers })
        for (const path of ["skip", "hold", "resume", "emergency/clear"])
          expect([path, (yield* post(`/api/ops/playout/${path}`, { "if-match": first.version })).status]).toEqual([
            path,
            412
          ])
        // Unknown versions are outdated; an emergency never is.
        expect((yield* post("/api/ops/playout/skip", { "if-match": '"elsewhere"' })).body).toMatchObject({
          code: "PRECONDITION_FAILED",
          differences: []
        })
        expect((yield* post("/api/ops/playout/skip", { "if-match": 'a, "b"' })).body.code).toBe("INVALID_FIELD")
        expect((yield* post("/api/ops/playout/emergency", { "if-match": first.version })).status).toBe(200)
        expect((yield* post("/api/ops/playout/emergency/clear", { "if-match": "*" })).status).toBe(200)
      })
  )

  it.effect("tells what a command would do to the rundown, and does none of it", () =>
    Effect.gen(function* () {
      const producer = yield* operator("producer")
      yield* awaitReady(producer)
      const rundown = Effect.map(
        call("GET", "/api/ops/rundown", { key: producer }),
        ({ body }) => (body.rundown?.items ?? []) as Array<Line>
      )
      // A station that has just begun plans its first hours in several steps.
      yield* askUntil(rundown, (items) => songs(items).length > 3)
      const acts = yield* listActs(producer)
      // The planner may change what lies ahead meanwhile: tried until it didn't.
      const { after, before, tried } = yield* askUntil(
        Effect.gen(function* () {
          const before = (yield* call("GET", "/api/ops/rundown", { key: producer })).body.rundown
          const ahead = (before.items as Array<Line>).filter(({ held }) => !held)
          // Songs have no time of their own: an ident stays by the clock wherever it is put.
          const [first, second] = songs(ahead).slice(1)
          const song = songs(ahead)[0]!
          const at = (path: string, method = "POST", body: object | undefined = {}) =>
            Effect.map(
              call(method, `/api/ops/${path}${path.includes("?") ? "&" : "?"}dryRun=true`, {
                key: producer,
                ...(method === "DELETE" ? {} : { body })
              }),
              ({ body, status }) => ({ status, dryRun: body.dryRun, items: body.wouldBe?.rundown.items as Array<Line> })
            )
          const tried = {
            first: first!,
            second: second!,
            drop: yield* at(`rundown/items/${second!.id}`, "DELETE"),
            move: yield* at(`rundown/items/${second!.id}`, "PATCH", { before: first!.id }),
            hold: yield* at(`rundown/items/${second!.id}`, "PATCH", { held: true }),
            insert: yield* at("rundown/items", "POST", { trackId: song.trackId, before: first!.id }),
            now: yield* at("playout/insert-now", "POST", { trackId: song.trackId }),
            holdAll: yield* at("playout/hold"),
            skip: yield* at("playout/skip")
          }
          const after = (yield* call("GET", "/api/ops/rundown", { key: producer })).body.rundown
          return { after, before, tried }
        }),
        ({ after, before }) => after.revision === before.revision
      )
      expect(after).toEqual(before)
      expect(yield* listActs(producer)).toEqual(acts)
      const { first, second } = tried
      const ids = (items: Array<Line>) => items.filter(({ held }) => !held).map(({ id }) => id)
      for (const { dryRun, status } of [tried.drop, tried.move, tried.hold, tried.insert, tried.now, tried.holdAll])
        expect([status, dryRun]).toEqual([200, true])
      expect(ids(tried.drop.items)).not.toContain(second.id)
      // An ident that keeps its time by the clock may come between two songs.
      const moved = ids(songs(tried.move.items))
      expect(moved.indexOf(second.id)).toBe(moved.indexOf(first.id) - 1)
      expect(ids(tried.hold.items)).not.toContain(second.id)
      const inserted = ids(songs(tried.insert.items))
      expect(ids(before.items)).not.toContain(inserted[inserted.indexOf(first.id) - 1])
      expect(ids(before.items)).not.toContain(ids(tried.now.items)[0])
      // Skipped: everything begins earlier than it would.
      expect(tried.skip.status).toBe(200)
      expect(tried.skip.items[0]!.expectedAtMs).toBeLessThanOrEqual(before.items[0].expectedAtMs)
    })
  )

  it.effect("keeps two operators from overwriting each other's week and decisions", () =>
    Effect.gen(function* () {
      const producer = yield* operator("producer")
      const week = yield* call("GET", "/api/ops/blocks", { key: producer })
      const version = week.headers.get("etag")!
      const [one, other] = week.body.week.blocks as Array<{ id: string; title: string }>
      const rename = (id: string, title: string) =>
        call("PATCH", `/api/ops/blocks/${id}`, {
          key: producer,
          body: { title, reason: "a name" },
          headers: { "if-match": version }
        })
      const both = yield* Effect.all([rename(one!.id, "Dawn"), rename(other!.id, "Dusk")], { concurrency: 2 })
      expect(both.map(({ status }) => status).sort()).toEqual([200, 412])
      const [won, lost] = both[0]!.status === 200 ? both : both.toReversed()
      expect(won!.headers.get("etag")).not.toBe(version)
      expect(lost!.body).toMatchObject({
        version: won!.headers.get("etag")!.replaceAll('"', ""),
        differences: [{ id: both[0]!.status === 200 ? one!.id : other!.id, change: "changed" }]
      })

      const agent = yield* makeClaimedAgent()
      const said = yield* call("POST", "/api/segments", {
        key: agent.key,
        body: {
          stationSlug: "longwave",
          category: "news",
          title: "Words",
          scriptText: "The ferry leaves at nine and comes back at noon."
        }
      })
      expect([said.status, said.body.detail]).toEqual([201, undefined])
      const { items } = (yield* call("GET", "/api/ops/reviews?kind=first_air", { key: producer })).body
      const review = items.find(({ subject }: { subject: { id: string } }) => subject.id === said.body.segment.id)
      const seen = yield* call("GET", `/api/ops/reviews/${review.id}`, { key: producer })
      expect(seen.headers.get("etag")).toBe(`"${review.version}"`)
      const decide = (decision: string) =>
        call("POST", `/api/ops/reviews/${review.id}/decision`, {
          key: producer,
          body: { decision, reason: "as read" },
          headers: { "if-match": `"${review.version}"` }
        })
      const two = yield* Effect.all([decide("reject"), decide("approve")], { concurrency: 2 })
      expect(two.map(({ status }) => status).sort()).toEqual([200, 412])
      expect(two.find(({ status }) => status === 412)!.body.differences).toMatchObject([
        { id: review.id, change: "status" }
      ])
      const many = yield* call("POST", "/api/ops/reviews/decisions", {
        key: producer,
        body: { decisions: [{ reviewId: review.id, version: review.version, decision: "approve" }] }
      })
      expect(many.body.results).toMatchObject([
        { status: 412, code: "PRECONDITION_FAILED", differences: [{ change: "status" }] }
      ])
    })
  )

  it.effect("raises an alert once, sends it, shows it to all operators, and takes an acknowledgement", () =>
    Effect.gen(function* () {
      const bus = yield* EventBus
      const sql = yield* SqlClient.SqlClient
      const [producer, viewer] = [yield* operator("producer"), yield* operator("viewer")]
      const list = (query = "") => call("GET", `/api/ops/alerts${query}`, { key: viewer })
      const stream = yield* follow("/api/ops/events", bearer(viewer))
      yield* awaitTrue(() => stream.listEvents().length > 0)
      for (const detail of ["a first row", "a second row"])
        yield* bus.publish({ _tag: "OpsAlerted", what: "as_run", detail })
      const found = yield* askUntil(list(), ({ body }) =>
        body.alerts?.some((one: { subject: string; times: number }) => one.subject === "as_run" && one.times === 2)
      )
      const alerts = found.body.alerts.filter(({ subject }: { subject: string }) => subject === "as_run")
      expect(alerts).toMatchObject([
        { kind: "notice", severity: "warning", detail: "a second row", acknowledgedAt: null, closedAt: null }
      ])
      const told = () =>
        stream
          .listEvents()
          .flatMap(({ data, event }) => (event === "alert" && data.alert.subject === "as_run" ? [data.change] : []))
      yield* awaitTrue(() => told().length === 2)
      expect(told()).toEqual(["raised", "seen"])
      const sent = yield* sql<{
        kind: string
      }>`SELECT kind FROM jobs WHERE kind = 'operations.send_alert' AND key LIKE ${`${alerts[0].id}%`} UNION ALL SELECT kind FROM jobs WHERE kind = 'operations.send_mail'`
      expect(sent.map(({ kind }) => kind)).toEqual(
        expect.arrayContaining(["operations.send_alert", "operations.send_mail"])
      )

      const path = `/api/ops/alerts/${alerts[0].id}/acknowledge`
      const take = (key: string, query = "") =>
        call("POST", `${path}${query}`, { key, body: { reason: "I am looking." } })
      expect((yield* take(viewer)).status).toBe(403)
      expect((yield* take(producer, "?dryRun=true")).body.wouldBe.alert.acknowledgedAt).not.toBe(null)
      const taken = yield* take(producer)
      expect(taken.body.alert).toMatchObject({ note: "I am looking.", acknowledgedBy: expect.any(String) })
      const other = yield* operator("reviewer")
      expect((yield* take(other)).body.alert.acknowledgedBy).toBe(taken.body.alert.acknowledgedBy)
      yield* askUntil(list(), ({ body }) =>
        body.alerts.some((one: { note: string | null }) => one.note === "I am looking.")
      )
      yield* awaitTrue(() => told().includes("acknowledged"))
      expect((yield* call("POST", "/api/ops/alerts/alr_x/acknowledge", { key: producer, body: {} })).body.code).toBe(
        "NOT_FOUND"
      )
      expect((yield* list("?state=closed")).body.alerts).toEqual([])
      expect((yield* list("?cursor=alr_x")).body.code).toBe("INVALID_FIELD")
    })
  )

  it.effect("streams the meters", () =>
    Effect.gen(function* () {
      const { logs } = yield* EventBus
      const reader = yield* follow("/api/ops/playout/meters", bearer(yield* operator("viewer")))
      yield* awaitTrue(() => reader.text().includes("retry"))
      const reading = { atSample: 4_800, momentaryLufs: -16.2 }
      logs.meters.append("meters", reading, 0)
      yield* awaitTrue(() => reader.listEvents().length > 0)
      expect(reader.listEvents()).toMatchObject([{ event: "meters", data: reading }])
      expect((yield* call("GET", "/api/ops/playout/meters")).status).toBe(401)
    })
  )

  it.effect("changes settings and rotation while the station runs, and shows the configuration without secrets", () =>
    Effect.gen(function* () {
      const admin = yield* operator("admin")
      yield* awaitReady(admin)
      const read = call("GET", "/api/ops/settings", { key: admin })
      const put = (body: object, version?: string, query = "") =>
        call("PUT", `/api/ops/settings${query}`, {
          key: admin,
          body,
          ...(version === undefined ? {} : { headers: { "if-match": version } })
        })
      const before = yield* read
      expect(before.body.settings).toMatchObject({ openSignup: true, houseReads: true })
      const lines = before.body.configuration as Array<{
        name: string
        value: string | null
        source: string
        isSecret: boolean
        setting: string | null
        isOverridden: boolean
      }>
      const line = (all: typeof lines, name: string) => all.find((each) => each.name === name)!
      expect(line(lines, "OPEN_SIGNUP")).toMatchObject({ setting: "openSignup", isOverridden: false })
      for (const { isSecret, name, value } of lines)
        if (/TOKEN|KEY|SECRET|DATABASE_URL|SMTP_URL/.test(name))
          expect([name, isSecret, value]).toEqual([name, true, null])
      expect((yield* put({ openSignup: false }, undefined, "?dryRun=true")).body.wouldBe.settings.openSignup).toBe(
        false
      )
      expect((yield* read).body.settings.openSignup).toBe(true)

      const version = before.headers.get("etag")!
      const both = yield* Effect.all(
        [put({ openSignup: false, reason: "closed" }, version), put({ speechMinutesPerDay: 600 }, version)],
        { concurrency: 2 }
      )
      expect(both.map(({ status }) => status).sort()).toEqual([200, 412])
      expect(
        (yield* put({ openSignup: false, speechMinutesPerDay: 600, reason: "closed" })).body.settings
      ).toMatchObject({
        openSignup: false,
        speechMinutesPerDay: 600
      })
      expect(line((yield* read).body.configuration, "OPEN_SIGNUP").isOverridden).toBe(true)
      // It is in the store: the next process begins with it.
      const again = yield* Effect.provide(Settings, Layer.fresh(Settings.layer))
      expect(yield* again.current).toMatchObject({ openSignup: false, speechMinutesPerDay: 600 })
      expect((yield* put({ openSignup: null, speechMinutesPerDay: null })).body.settings).toEqual(before.body.settings)
      for (const [name, value, code] of [
        ["speechMinutesPerDay", 0, "INVALID_FIELD"],
        ["speechPerHour", 3_601, "INVALID_FIELD"],
        ["ownerSpeechMinutesPerDay", 1_441, "INVALID_FIELD"],
        ["ownerSpeechPerHour", 0, "INVALID_FIELD"],
        ["stationDisclosure", "", "MISSING_FIELDS"],
        ["stationDisclosure", " \n\t ", "MISSING_FIELDS"],
        ["stationDisclosure", "Made by\nmachines.", "INVALID_FIELD"],
        ["stationDisclosure", "Made by\u0000machines.", "INVALID_FIELD"],
        ["emergencyDisclosure", "x".repeat(301), "INVALID_FIELD"],
        ["emergencyDisclosure", "\ud800", "INVALID_FIELD"]
      ] as const) {
        const { body } = yield* put({ [name]: value })
        expect([name, value, body.code, body.errors?.[0].pointer]).toEqual([name, value, code, `/${name}`])
      }
      expect((yield* read).body.settings).toEqual(before.body.settings)
      expect(before.body.defaults).toEqual(before.body.settings)

      // The air chain of this process, and another process of the same database.
      const told: Array<Disclosures> = []
      const air: Air["Service"] = { ...(yield* Air), disclose: (all) => Effect.sync(() => void told.push(all)) }
      yield* Effect.provideService(Layer.build(DisclosureFeedLive), Air, air)
      const log = new ChangeLog()
      const elsewhere = Context.get(
        yield* Effect.provideService(Layer.build(Layer.fresh(Settings.layer)), Changes, log),
        Settings
      )
      const sources: Array<ReadonlySet<string>> = []
      yield* Effect.provideService(elsewhere.current, Sources, sources)
      const madeAt = log.version
      const changed = yield* put({
        ownerSpeechMinutesPerDay: 60,
        stationDisclosure: "  Machines make this station.  ",
        emergencyDisclosure: "Calls by a program.",
        reason: "plainer"
      })
      const inForce = {
        ownerSpeechMinutesPerDay: 60,
        stationDisclosure: "Machines make this station.",
        emergencyDisclosure: "Calls by a program."
      }
      expect(changed.body.settings).toEqual({ ...before.body.settings, ...inForce })
      expect((yield* elsewhere.current).stationDisclosure).toBe(before.body.settings.stationDisclosure)
      log.note(new Set(["settings"]), true)
      yield* elsewhere.inForce.pipe(
        Stream.filter(({ ownerSpeechMinutesPerDay }) => ownerSpeechMinutesPerDay === 60),
        Stream.runHead
      )
      expect(yield* elsewhere.current).toMatchObject(inForce)
      expect(`"${yield* elsewhere.version}"`).toBe(changed.headers.get("etag"))
      // Answers that were made from the former settings are made again.
      yield* awaitTrue(() => log.hasChanged(sources, madeAt))
      yield* awaitTrue(() => told.length === 2)
      expect(told).toEqual([
        { station: before.body.settings.stationDisclosure, emergency: before.body.settings.emergencyDisclosure },
        { station: "Machines make this station.", emergency: "Calls by a program." }
      ])
      expect(yield* listActs(admin, "&subject=longwave")).toContainEqual(
        expect.objectContaining({
          action: "settings.change",
          reason: "plainer",
          before: expect.objectContaining({ ownerSpeechMinutesPerDay: 120 }),
          after: inForce
        })
      )
      const back = { ownerSpeechMinutesPerDay: null, stationDisclosure: null, emergencyDisclosure: null }
      expect((yield* put(back)).body.settings).toEqual(before.body.settings)

      const rotation = yield* call("GET", "/api/ops/rotation", { key: admin })
      const turned = { ...rotation.body.rotation, seed: 77, shares: { contributed: 1, house: 4 } }
      const turn = (body: object, headers = {}) => call("PUT", "/api/ops/rotation", { key: admin, body, headers })
      expect((yield* turn({ ...turned, shares: { contributed: 0, house: 0 } })).body.code).toBe("INVALID_FIELD")
      const done = yield* turn({ ...turned, reason: "a test" }, { "if-match": rotation.headers.get("etag")! })
      expect(done.body.rotation).toEqual(turned)
      expect((yield* turn(turned, { "if-match": rotation.headers.get("etag")! })).status).toBe(412)
      expect((yield* listActs(admin, "&subject=longwave")).map(({ action }) => action)).toEqual(
        expect.arrayContaining(["rotation.change", "settings.change"])
      )
      expect((yield* turn(rotation.body.rotation)).status).toBe(200)
    })
  )

  it.effect("edits a track, takes it out of rotation and brings it back", () =>
    Effect.gen(function* () {
      const admin = yield* operator("admin")
      const { items } = yield* awaitReady(admin)
      const sql = yield* SqlClient.SqlClient
      const id = songs(items).at(-1)!.trackId!
      yield* sql`UPDATE tracks SET source = 'upload' WHERE id = ${id}`
      const path = `/api/ops/tracks/${id}`
      const read = call("GET", path, { key: admin })
      const patch = (body: object, version?: string, query = "") =>
        call("PATCH", `${path}${query}`, {
          key: admin,
          body,
          ...(version === undefined ? {} : { headers: { "if-match": version } })
        })
      const before = yield* read
      expect(before.body.rotation).toMatchObject({
        inRotation: true,
        reasons: expect.arrayContaining([expect.any(String)])
      })
      expect((yield* patch({})).body.code).toBe("MISSING_FIELDS")
      expect((yield* patch({ weight: 9 })).body.code).toBe("INVALID_FIELD")
      expect((yield* patch({ approvalStatus: "retired" })).body.code).toBe("MISSING_FIELDS")
      expect((yield* patch({ title: "Another" }, undefined, "?dryRun=true")).body.wouldBe.track.title).toBe("Another")
      expect((yield* read).headers.get("etag")).toBe(before.headers.get("etag"))
      const edited = yield* patch({ title: "Another", weight: 0.5, reason: "misspelt" }, before.headers.get("etag")!)
      expect(edited.body.track).toMatchObject({ title: "Another", weight: 0.5 })
      expect((yield* patch({ title: "Again" }, before.headers.get("etag")!)).body).toMatchObject({
        code: "PRECONDITION_FAILED",
        version: edited.body.track.version
      })
      expect((yield* patch({ approvalStatus: "retired", reason: "a complaint" })).body.track.approvalStatus).toBe(
        "retired"
      )
      expect((yield* read).body.rotation.inRotation).toBe(false)
      yield* askUntil(rundown(admin), ({ items }) => !items.some(({ trackId }) => trackId === id))
      expect((yield* patch({ approvalStatus: "approved" })).body.track).toMatchObject({
        approvalStatus: "approved",
        approvalReason: null
      })
      expect(
        (yield* call("GET", `/api/ops/tracks?q=${encodeURIComponent("another")}&source=upload`, { key: admin })).body
          .tracks
      ).toMatchObject([{ id }])
      expect((yield* call("GET", "/api/ops/tracks/trk_x", { key: admin })).body.code).toBe("TRACK_NOT_FOUND")
      yield* patch({ title: before.body.track.title, weight: 1 })
    })
  )

  it.effect("restarts an actor, and shows what waits for each", () =>
    Effect.gen(function* () {
      const admin = yield* operator("admin")
      yield* awaitReady(admin)
      const tree = yield* ActorTree
      const node = Effect.map(tree.nodes, (nodes) => nodes.find(({ name }) => name === "Station/Clock")!)
      const { restarts } = yield* node
      const restart = (name: string) =>
        call("POST", "/api/ops/actors/restart", { key: admin, body: { name, reason: "a test" } })
      expect((yield* restart("Station/Clock")).body.actor).toMatchObject({ name: "Station/Clock", restarts })
      yield* askUntil(node, (now) => now?.restarts === restarts + 1 && now.state === "running")
      expect((yield* restart("Nobody")).body.code).toBe("NOT_FOUND")
      // An actor is listed from its first message on.
      const mailboxes = Effect.map(call("GET", "/api/ops/actors", { key: admin }), ({ body }) => body.mailboxes)
      const ofScheduler = yield* askUntil(
        Effect.map(mailboxes, (all: ReadonlyArray<{ readonly actor: string }>) =>
          all.find(({ actor }) => actor === "Scheduler")
        ),
        (found) => found !== undefined
      )
      expect(ofScheduler).toEqual({
        actor: "Scheduler",
        waiting: expect.any(Number),
        oldestSec: expect.any(Number),
        handled: expect.any(Number),
        died: 0,
        meanMs: expect.any(Number)
      })
      expect((yield* listActs(admin, "&subject=Station/Clock")).map(({ action }) => action)).toEqual(["actor.restart"])
    })
  )

  it.effect("shows a mail without its secrets, and sends it again", () =>
    Effect.gen(function* () {
      const admin = yield* operator("admin")
      yield* mail({
        kind: "claim_code",
        to: "Ada <ada@radio.test>",
        subject: "Your code is 482913",
        text: "Open https://radio.test/claim?t=abc or say 482913.\nKey: svc_agent_abcdefabcdef_0123456789"
      })
      yield* workDue(mailJobs)
      const { mails } = (yield* call("GET", "/api/ops/mail", { key: admin })).body
      const { id } = mails.find(({ kind }: { kind: string }) => kind === "claim_code")
      const { letter } = (yield* call("GET", `/api/ops/mail/${id}`, { key: admin })).body
      expect(letter).toEqual({
        to: "a…@radio.test",
        subject: "Your code is …",
        text: "Open https://radio.test/… or say ….\nKey: …"
      })
      const again = yield* call("POST", `/api/ops/mail/${id}/resend`, { key: admin, body: { reason: "lost" } })
      expect(again.status).toBe(200)
      yield* workDue(mailJobs)
      const after = (yield* call("GET", "/api/ops/mail", { key: admin })).body.mails
      expect(after.map((one: { id: string }) => one.id)).toContain(again.body.mail.id)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE mails SET letter_sealed = NULL WHERE id = ${id}`
      expect((yield* call("GET", `/api/ops/mail/${id}`, { key: admin })).body.letter).toBe(null)
      expect((yield* call("POST", `/api/ops/mail/${id}/resend`, { key: admin, body: {} })).body.code).toBe(
        "SUBJECT_CONFLICT"
      )
      expect((yield* call("GET", "/api/ops/mail/mail_x", { key: admin })).body.code).toBe("NOT_FOUND")
    })
  )

  it.effect("shows the log as it is written, at the level that is asked for", () =>
    Effect.gen(function* () {
      const admin = yield* operator("admin")
      const reader = yield* follow("/api/ops/logs/events?level=Warn", bearer(admin))
      yield* awaitTrue(() => reader.text().includes("retry"))
      yield* Effect.gen(function* () {
        yield* Effect.logInfo("a quiet line")
        yield* Effect.logWarning("a line to look at", Cause.fail(new Error("the cause")))
      }).pipe(Effect.provide(LogFeedLive))
      yield* awaitTrue(() => reader.listEvents().length > 0)
      expect(reader.listEvents()).toMatchObject([
        {
          event: "line",
          data: { level: "Warn", message: "a line to look at", cause: expect.stringContaining("the cause") }
        }
      ])
      const lines = (query: string) =>
        Effect.map(call("GET", `/api/ops/logs?${query}`, { key: admin }), ({ body }) =>
          body.lines.map(({ message }: { message: string }) => message)
        )
      expect(yield* lines("q=LINE")).toEqual(["a line to look at", "a quiet line"])
      expect(yield* lines("q=line&level=Error")).toEqual([])
      expect((yield* call("GET", "/api/ops/logs", { key: yield* operator("producer") })).status).toBe(403)
    })
  )

  it.effect("plays the coming week through as a job, one at a time, and keeps its report", () =>
    Effect.gen(function* () {
      const producer = yield* operator("producer")
      const ask = (body: object) => call("POST", "/api/ops/simulations", { key: producer, body })
      expect((yield* ask({ days: 0 })).body.code).toBe("INVALID_FIELD")
      const { simulation } = (yield* ask({ days: 2, faults: true })).body
      expect(simulation).toMatchObject({ state: "waiting", days: 2, faults: true, demand: false, report: null })
      expect((yield* ask({})).body.code).toBe("SUBJECT_CONFLICT")
      const read = Effect.map(call("GET", "/api/ops/simulations", { key: producer }), ({ body }) => body.simulations[0])
      const underWay = Effect.map(call("GET", "/api/ops/progress", { key: producer }), ({ body }) => body.progress)
      expect(yield* underWay).toContainEqual({ kind: "simulation", subject: simulation.id, done: 0, total: 100 })
      const asked: Array<object> = []
      yield* workDue(simulationJobs).pipe(
        Effect.provideService(
          Rehearsal,
          Rehearsal.of({
            run: ({ days, demand, faults }) =>
              Effect.sync(() => {
                asked.push({ days, demand, faults })
                return { isKept: false, report: "1 promises broken:" }
              })
          })
        )
      )
      expect(asked).toEqual([{ days: 2, demand: false, faults: true }])
      expect(yield* read).toMatchObject({ state: "done", progress: 100, isKept: false, report: "1 promises broken:" })
      expect((yield* underWay).filter(({ kind }: { kind: string }) => kind === "simulation")).toEqual([])
      // The next one may begin, and one that fails says why.
      expect((yield* ask({})).status).toBe(200)
      for (let tries = 0; tries < simulationTriesMax; tries++) {
        yield* (yield* SqlClient.SqlClient)`UPDATE jobs SET run_at = now() - interval '1 minute' WHERE kind = 'operations.simulate'`
        yield* workDue(simulationJobs).pipe(
          Effect.provideService(
            Rehearsal,
            Rehearsal.of({ run: () => Effect.fail(new RehearsalFailed({ detail: "The store can't be read." })) })
          )
        )
      }
      expect(yield* read).toMatchObject({ state: "failed", report: null })
    })
  )

  it.effect("shows what is imported and checked, and how far it is, for as long as it runs", () =>
    Effect.gen(function* () {
      const key = yield* operator("viewer")
      const read = Effect.map(call("GET", "/api/ops/progress", { key }), ({ body }) =>
        body.progress.filter(({ kind }: { kind: string }) => kind === "import" || kind === "as_run_check")
      )
      const seen = yield* withProgress({ kind: "import", subject: "low-tide.mp3" }, (told) =>
        Effect.andThen(
          told(60, 100),
          withProgress({ kind: "as_run_check", subject: "2026-05-01" }, () => read)
        )
      )
      expect(seen).toEqual([
        { kind: "import", subject: "low-tide.mp3", done: 60, total: 100 },
        { kind: "as_run_check", subject: "2026-05-01", done: 0, total: 100 }
      ])
      yield* Effect.exit(withProgress({ kind: "import", subject: "broken.mp3" }, () => Effect.die(new Error("broken"))))
      expect(yield* read).toEqual([])
      expect((yield* call("GET", "/api/ops/as-run/verify", { key })).status).toBe(200)
      expect(yield* read).toEqual([])
    })
  )

  it.effect("writes the setup for the next start, and refuses what couldn't be used", () =>
    Effect.gen(function* () {
      const admin = yield* operator("admin")
      const change = (body: object) => call("PUT", "/api/ops/setup", { key: admin, body })
      const line = (setup: ReadonlyArray<{ readonly key: string }>, key: string) => setup.find((one) => one.key === key)
      expect((yield* change({ timeZone: "Mars/Olympus", mailFrom: "nobody" })).body.errors).toMatchObject([
        { pointer: "/timeZone" },
        { pointer: "/mailFrom" }
      ])
      const done = yield* change({
        stationName: 'Radio "Quay"\nPUBLIC_URL=http://elsewhere',
        smtpUrl: "smtps://desk:secret@mail.test",
        reason: "our first day"
      })
      expect(done.body.needsRestart).toBe(true)
      expect(JSON.stringify(done.body)).not.toContain("secret@")
      const { setup } = (yield* call("GET", "/api/ops/setup", { key: admin })).body
      // One line of the file stays one setting, whatever the value has in it.
      expect(line(setup, "stationName")).toMatchObject({ written: "Radio QuayPUBLIC_URL=http://elsewhere" })
      expect(line(setup, "publicUrl")).toMatchObject({ isWritten: false })
      expect(line(setup, "smtpUrl")).toMatchObject({ value: null, written: null, isWritten: true })
      expect(JSON.stringify(yield* listActs(admin))).not.toContain("secret@")
      const removed = yield* change({ stationName: null, smtpUrl: null })
      expect(line(removed.body.setup, "smtpUrl")).toMatchObject({ isWritten: false })
    })
  )

  it.effect("lets one operator take the air for live sound, and refuses others, other formats and emergencies", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* operator("producer"), yield* operator("producer")]
      const post = (key: string, path: string, body = {}) => call("POST", `/api/ops/playout/${path}`, { key, body })
      const taken = yield* post(one, "take-live", { title: "From the harbour", reason: "the storm" })
      expect(taken.body.live).toMatchObject({ state: "waiting", title: "From the harbour" })
      expect((yield* post(one, "take-live")).status).toBe(200)
      expect((yield* post(other, "take-live")).body.code).toBe("PLAYOUT_CONFLICT")
      expect((yield* call("GET", "/api/ops/playout/live", { key: other })).body.live.takenBy).toBe(
        taken.body.live.takenBy
      )
      const send = (type: string) =>
        call("PUT", "/api/ops/playout/live", { key: one, body: "RIFF", headers: { "content-type": type } })
      expect((yield* send("text/plain")).body.code).toBe("UNSUPPORTED_MEDIA_TYPE")
      expect((yield* send("audio/wav")).body.ended).toEqual({ reason: "unreadable", receivedSec: 0, onAirSec: 0 })
      expect((yield* post(other, "release-live")).body.live.state).toBe("off")
      yield* post(one, "emergency")
      expect((yield* post(one, "take-live")).body.code).toBe("PLAYOUT_CONFLICT")
      yield* post(one, "emergency/clear")
    })
  )
})
