import { layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import * as fc from "fast-check"
import { SqlClient } from "effect/sql"
import { describe, expect, it as plain } from "vitest"
import { defaultGrid, faultsOf, weekFrom, wallOf } from "../../../engine/rules/time/WeekSchedule.ts"
import { slotsOf } from "../../../engine/rules/programmes/Slot.ts"
import { Audit } from "../../../engine/store/sql/Audit.ts"
import { WeekSchedules } from "../../../engine/store/programmes/WeekSchedules.ts"
import { answersLost } from "../../support/http/AnswersLost.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { testId } from "../../support/air/Airables.ts"
import { call, operator } from "../../support/http/SegmentHttp.ts"
import { iso } from "../../../schema/time/Instant.ts"

const hourMs = 3_600_000
const ops = "/api/ops/blocks"
const guest = (weekday: number) =>
  defaultGrid.find((block) => block.title === "Guest Hour" && block.weekday === weekday)!

describe("slots", () => {
  plain("follow the station's local time across clock changes", () => {
    const zones = Intl.supportedValuesOf("timeZone")
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: Date.UTC(2024, 0, 1) / 1_000, max: Date.UTC(2033, 0, 1) / 1_000 }),
        (zone, second) => {
          const nowMs = second * 1_000
          const slots = slotsOf(weekFrom([], nowMs), zone, new Set(), nowMs)
          expect(slots.length).toBe(21)
          for (const { open, startLocal, suggestedOccurrences, title, weekday } of slots) {
            expect([title, open, suggestedOccurrences.length]).toEqual([title, title !== "Round Table", 4])
            for (const { occurrenceEnd, occurrenceStart } of suggestedOccurrences) {
              const wall = new Date(wallOf(zone, Date.parse(occurrenceStart)))
              // A wall time inside a missing hour is the instant of the clock change.
              expect(wall.getUTCDay() * 1_440 + wall.getUTCHours() * 60 + wall.getUTCMinutes()).toBeGreaterThanOrEqual(
                weekday * 1_440 + Number(startLocal.slice(0, 2)) * 60
              )
              expect([
                Date.parse(occurrenceStart) > nowMs,
                Date.parse(occurrenceEnd) > Date.parse(occurrenceStart)
              ]).toEqual([true, true])
            }
            const gaps = suggestedOccurrences
              .slice(1)
              .map(
                ({ occurrenceStart }, i) =>
                  wallOf(zone, Date.parse(occurrenceStart)) -
                  wallOf(zone, Date.parse(suggestedOccurrences[i]!.occurrenceStart))
              )
            for (const gap of gaps) expect(Math.abs(gap - 7 * 24 * hourMs)).toBeLessThanOrEqual(24 * hourMs)
          }
          // The exact start, and clocks set back before the last listed run.
        }
      ),
      {
        numRuns: 25,
        examples: [
          ["America/Miquelon", Date.UTC(2024, 0, 1) / 1_000],
          ["Europe/Berlin", Date.UTC(2024, 9, 6, 15, 30) / 1_000]
        ]
      }
    )
  })
})

layer(AgentHttp({ STATION_TIMEZONE: "Europe/Berlin" }), { excludeTestServices: true, timeout: 300_000 })(
  "the week",
  (it) => {
    const week = (key: string, query = "") =>
      Effect.map(call("GET", `${ops}${query}`, { key }), ({ body }) => body.week)
    const put = (key: string, body: object, headers: Record<string, string> = {}) =>
      call("POST", ops, { key, body, headers })
    const titles = (
      of: {
        readonly blocks: ReadonlyArray<{
          readonly weekday: number
          readonly startLocal: string
          readonly title: string
        }>
      },
      weekday: number
    ) => of.blocks.filter((each) => each.weekday === weekday).map(({ startLocal, title }) => `${startLocal} ${title}`)
    const booked = Effect.fnUntraced(function* (
      n: number,
      blockId: string,
      startMs: number,
      endMs: number,
      status = "draft"
    ) {
      const agent = yield* arrive()
      const id = testId("plan", n)
      yield* (yield* SqlClient.SqlClient)`
      INSERT INTO plans (id, command_key, agent_id, title, block_id, occurrence_start, occurrence_end, status) VALUES (${id}, ${id}, ${agent.id}, 'Low water', ${blockId}, to_timestamp(${startMs}::float8 / 1000), to_timestamp(${endMs}::float8 / 1000), ${status})`
      return { id, agent }
    })
    const slot = (blockId: string, query = "?open=false&limit=100") =>
      Effect.map(call("GET", `/api/v1/catalog/slots${query}`), ({ body }) =>
        body.slots.find((each: { readonly blockId: string }) => each.blockId === blockId)
      )

    it.effect("is changed as a whole: gaps and overlaps are refused, and each change is reported with its reason", () =>
      Effect.gen(function* () {
        const producer = yield* operator("producer")
        const before = yield* week(producer)
        expect([before.validFrom, before.timezone, before.later, before.blocks.length]).toEqual([
          null,
          "Europe/Berlin",
          [],
          defaultGrid.length
        ])
        expect((yield* call("GET", ops, { key: yield* operator("reviewer") })).status).toBe(403)
        const wide = {
          blocks: [
            {
              title: "Harbour Hour",
              kind: "show",
              weekday: 2,
              startLocal: "11:00",
              durationMin: 60,
              genres: ["jazz"],
              clock: { anchors: [{ minute: 0, role: "hour_call" }], speechRunMax: 2, musicBetweenFillers: 4 }
            }
          ],
          reason: "a guest"
        }
        const refused = yield* put(producer, wide)
        expect([refused.status, refused.body.code, refused.body.errors, refused.body.nextStep]).toEqual([
          409,
          "SUBJECT_CONFLICT",
          [{ pointer: "/blocks", code: "OVERLAP", detail: "Tuesday 11:00: belongs to two blocks" }],
          expect.stringContaining("make_room")
        ])
        const made = yield* put(producer, { ...wide, fit: "make_room" }, { "idempotency-key": "first" })
        expect([made.status, titles(made.body.week, 2).slice(2, 5), made.body.week.later]).toEqual([
          200,
          ["10:00 Workbench", "11:00 Harbour Hour", "12:00 Workbench"],
          []
        ])
        const block = made.body.blocks.find(({ title }: { title: string }) => title === "Harbour Hour")
        expect(block).toMatchObject({
          weekday: 2,
          startLocal: "11:00",
          durationMin: 60,
          bookable: true,
          overrunPolicy: "trim",
          placement: "hard",
          showSlug: null,
          clock: { speechRunMax: 2 }
        })
        yield* answersLost
        expect((yield* put(producer, { ...wide, fit: "make_room" }, { "idempotency-key": "first" })).body).toEqual(
          made.body
        )
        const schedule = (yield* call("GET", "/api/station/schedule")).body
        expect(schedule.blocks.find(({ id }: { id: string }) => id === block.id)).toMatchObject({
          title: "Harbour Hour",
          bookable: true,
          startLocal: "11:00",
          nextStartLocal: expect.stringMatching(/T11:00:00\+0[12]:00$/)
        })
        expect((yield* slot(block.id)).open).toBe(true)

        const change = (body: object) =>
          call("PATCH", `${ops}/${block.id}`, { key: producer, body: { reason: "longer", ...body } })
        expect((yield* change({})).body.code).toBe("MISSING_FIELDS")
        expect((yield* change({ durationMin: 90 })).body.errors).toEqual([
          { pointer: "/blocks", code: "OVERLAP", detail: "Tuesday 12:00: belongs to two blocks" }
        ])
        expect(
          (yield* change({ durationMin: 90, fit: "make_room" })).body.blocks.map(
            ({ durationMin, title }: { durationMin: number; title: string }) => [title, durationMin]
          )
        ).toEqual([
          ["Harbour Hour", 90],
          ["Workbench", 90]
        ])
        expect((yield* change({ showId: testId("show", 1) })).body.code).toBe("SHOW_NOT_FOUND")
        expect((yield* call("PATCH", `${ops}/blk_none`, { key: producer, body: { title: "x" } })).body.code).toBe(
          "SCHEDULE_BLOCK_NOT_FOUND"
        )
        const gone = yield* call("DELETE", `${ops}/${block.id}?reason=done`, { key: producer })
        expect([gone.status, gone.body.errors[0]]).toEqual([
          409,
          { pointer: "/blocks", code: "GAP", detail: "Tuesday 11:00: belongs to no block" }
        ])
        expect(
          (yield* call("DELETE", `${ops}/${block.id}?reason=done&fit=make_room`, { key: producer })).body.week.blocks
            .length
        ).toBe(defaultGrid.length + 1)
        const told = yield* (yield* Audit).list({
          actor: null,
          subject: block.id,
          fromMs: null,
          toMs: null,
          limit: 10,
          cursor: null
        })
        expect(told!.rows.map(({ action, reason }) => [action, reason])).toEqual([
          ["blocks.remove", "done"],
          ["blocks.change", "longer"],
          ["blocks.put", "a guest"]
        ])
        expect(faultsOf((yield* (yield* WeekSchedules).from(yield* Clock.currentTimeMillis))[0]!.blocks)).toEqual([])
      })
    )

    it.effect("changes from an instant on, together with weeks planned for later", () =>
      Effect.gen(function* () {
        const producer = yield* operator("producer")
        const nowMs = yield* Clock.currentTimeMillis
        const at = (days: number) => iso(nowMs + days * 24 * hourMs)
        expect(
          (yield* put(producer, {
            blocks: [{ title: "Late", kind: "rotation", weekday: 4, startLocal: "01:00", durationMin: 60 }],
            validFrom: at(-1)
          })).body.errors[0].pointer
        ).toBe("/validFrom")
        const later = yield* put(producer, {
          blocks: [{ title: "From next week", kind: "rotation", weekday: 4, startLocal: "01:00", durationMin: 60 }],
          fit: "make_room",
          validFrom: at(7)
        })
        expect([later.status, later.body.week.validFrom]).toEqual([200, at(7)])
        const sooner = yield* call("PATCH", `${ops}/${guest(4).id}`, {
          key: producer,
          body: { title: "Guests at five", validFrom: at(2) }
        })
        expect([sooner.body.week.validFrom, sooner.body.week.later]).toEqual([at(2), [at(7)]])
        expect([titles(yield* week(producer), 4).includes("17:00 Guest Hour"), (yield* week(producer)).later]).toEqual([
          true,
          [at(2), at(7)]
        ])
        const [second, seventh] = [yield* week(producer, `?at=${at(3)}`), yield* week(producer, `?at=${at(8)}`)]
        expect(
          [second, seventh].map((one) => [
            titles(one, 4).includes("17:00 Guests at five"),
            titles(one, 4).includes("01:00 From next week")
          ])
        ).toEqual([
          [true, false],
          [true, true]
        ])
        const removed = yield* call(
          "DELETE",
          `${ops}/${later.body.blocks.find(({ title }: { title: string }) => title === "From next week").id}?fit=make_room`,
          { key: producer }
        )
        expect(removed.body.code).toBe("SCHEDULE_BLOCK_NOT_FOUND")
      })
    )

    it.effect("keeps agents' booked runs unless told to cancel them, and then notifies the agents", () =>
      Effect.gen(function* () {
        const producer = yield* operator("producer")
        const block = guest(6)
        const { suggestedOccurrences } = yield* slot(block.id)
        const [first, next] = suggestedOccurrences.map(
          (run: { occurrenceStart: string; occurrenceEnd: string }) =>
            [Date.parse(run.occurrenceStart), Date.parse(run.occurrenceEnd)] as const
        )
        const one = yield* booked(1, block.id, ...(first as [number, number]))
        expect((yield* slot(block.id)).suggestedOccurrences.map(({ open }: { open: boolean }) => open)).toEqual([
          false,
          true,
          true,
          true
        ])
        const remove = (query = "") => call("DELETE", `${ops}/${block.id}?fit=make_room${query}`, { key: producer })
        const refused = yield* remove()
        expect([refused.status, refused.body.errors.length, refused.body.errors[0]]).toEqual([
          409,
          1,
          { pointer: "/cancelPlans", code: "RUN_BOOKED", detail: expect.stringContaining(one.id) }
        ])
        // A change of title doesn't affect bookings.
        expect(
          (yield* call("PATCH", `${ops}/${block.id}`, { key: producer, body: { title: "Saturday guests" } })).status
        ).toBe(200)
        const airing = yield* booked(2, block.id, ...(next as [number, number]), "airing")
        expect((yield* remove("&cancelPlans=true")).body.detail).toContain("on the air")
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE plans SET status = 'aired' WHERE id = ${airing.id}`
        const done = yield* remove("&cancelPlans=true")
        expect([done.status, done.body.cancelledPlanIds]).toEqual([200, [one.id]])
        expect(yield* sql`SELECT status, status_reason FROM plans WHERE id = ${one.id}`).toEqual([
          { status: "cancelled", statusReason: "BLOCK_CHANGED" }
        ])
        expect(
          yield* sql`SELECT event->>'agentId' AS agent_id, event->>'reason' AS reason FROM outbox WHERE event->>'planId' = ${one.id}`
        ).toEqual([{ agentId: one.agent.id, reason: "BLOCK_CHANGED" }])
        expect(yield* slot(block.id)).toBe(undefined)
      })
    )

    it.effect("is changed before or after a concurrent booking, never during it", () =>
      Effect.gen(function* () {
        const producer = yield* operator("producer")
        const agents = yield* Effect.forEach(Array.from({ length: 4 }), () => arrive())
        for (const block of [guest(0), guest(1), guest(3)]) {
          const book = ({ key }: { readonly key: string }) =>
            call("POST", `/api/v1/catalog/slots/${block.id}/book`, { key, body: { title: "An hour" } })
          const [removed, ...answers] = yield* Effect.all(
            [call("DELETE", `${ops}/${block.id}?fit=make_room`, { key: producer }), ...agents.map(book)],
            { concurrency: "unbounded" }
          )
          const taken = answers.filter(({ status }) => status === 201).length
          expect([removed!.status, taken > 0, answers.every(({ status }) => [201, 404, 409].includes(status))]).toEqual(
            [taken > 0 ? 409 : 200, taken > 0, true]
          )
        }
      })
    )

    it.effect("lists the parts of shows, page by page", () =>
      Effect.gen(function* () {
        const catalog = (path: string) => call("GET", `/api/v1/catalog/${path}`)
        const [formats, audiences, genres] = yield* Effect.all([
          catalog("formats"),
          catalog("audiences"),
          catalog("genres")
        ])
        expect([
          formats.body.formats.length,
          audiences.body.audiences.length,
          genres.body.genres.length,
          formats.headers.get("cache-control")
        ]).toEqual([10, 9, 32, "public, max-age=300"])
        expect(formats.body.formats.find(({ id }: { id: string }) => id === "panel")).toMatchObject({
          label: "Panel",
          minAgents: 2
        })
        expect(genres.body.genres.find(({ id }: { id: string }) => id === "drum_and_bass")).toEqual({
          id: "drum_and_bass",
          label: "Drum and bass",
          trackCount: 0
        })
        const page = yield* catalog("slots?limit=2")
        expect([page.body.slots.length, page.body.nextCursor]).toEqual([2, page.body.slots[1].blockId])
        const rest = yield* catalog(`slots?limit=1&cursor=${page.body.nextCursor}`)
        expect([rest.body.slots.length, rest.body.slots[0].blockId === page.body.slots[1].blockId]).toEqual([1, false])
        expect([
          (yield* catalog("slots?cursor=blk_none")).body.code,
          (yield* catalog("slots?stationSlug=elsewhere")).body.code,
          (yield* catalog("slots?limit=0")).body.code
        ]).toEqual(["INVALID_FIELD", "STATION_NOT_FOUND", "INVALID_FIELD"])
      })
    )
  }
)
