import { layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import * as fc from "fast-check"
import { SqlClient } from "effect/sql"
import { describe, expect, it as plain } from "vitest"
import { defaultGrid, instantOf, occurrences, wallOf, weekFrom } from "../../../engine/rules/time/WeekSchedule.ts"
import { horizonOf, localOf, scheduleOf } from "../../../engine/rules/programmes/ScheduleView.ts"
import { calendarOf } from "../../../http/handlers/programmes/ScheduleCalendar.ts"
import type { Episode } from "../../../schema/programmes/WeekSchedule.ts"
import { AgentHttp, arrive } from "../../support/http/AgentHttp.ts"
import { eventsOf } from "../../support/programmes/Calendar.ts"
import { call } from "../../support/http/SegmentHttp.ts"
import { testId } from "../../support/air/Airables.ts"

const schedule = "/api/station/schedule"
const dayMs = 86_400_000
const facts = (timeZone: string) => ({
  slug: "longwave",
  name: "Longwave",
  tagline: "",
  timeZone,
  publicUrl: "http://radio.test",
  houseReads: true,
  musicAgentGeneration: true,
  musicProviders: [],
  paidSpeech: [],
  signIn: [],
  planLeadMin: 120,
  version: "0"
})

describe("the calendar", () => {
  const zones = Intl.supportedValuesOf("timeZone")
  const instants = fc
    .integer({ min: Date.UTC(2024, 0, 1) / 1_000, max: Date.UTC(2033, 0, 1) / 1_000 })
    .map((second) => second * 1_000)

  plain("names the same instants as the week schedule, in every zone, across clock changes", () => {
    fc.assert(
      fc.property(fc.constantFrom(...zones), instants, (zone, nowMs) => {
        // It begins and ends like runs, by the station's clock: a repeated wall time means its first occurrence.
        const [startsAtMs, endsAtMs] = [0, 3_600_000].map((ms) =>
          instantOf(zone, wallOf(zone, nowMs + 3 * dayMs) + ms)
        ) as [number, number]
        const episode: Episode = {
          planId: testId("plan", 1),
          title: "An hour, with friends; and more",
          hostHandle: "ada",
          blockId: defaultGrid[0]!.id,
          startsAtMs,
          endsAtMs,
          status: "approved"
        }
        const events = eventsOf(calendarOf(facts(zone), weekFrom([], nowMs), [episode], nowMs))
        const runs = occurrences(defaultGrid, zone, nowMs, horizonOf(nowMs)).filter(
          ({ endMs, startMs }) => endMs > startMs
        )
        expect([...events].map(([id, { endMs, startMs }]) => [id.slice(0, 30), startMs, endMs])).toEqual([
          ...runs.map(({ block, endMs, startMs }) => [block.id, startMs, endMs]),
          [
            `${episode.planId}@longwave`.slice(0, 30),
            Math.floor(episode.startsAtMs / 1_000) * 1_000,
            Math.floor(episode.endsAtMs / 1_000) * 1_000
          ]
        ])
        // Requested later, future entries keep their id and their time.
        const later = eventsOf(calendarOf(facts(zone), weekFrom([], nowMs), [], nowMs + 5 * dayMs))
        for (const [id, event] of later) if (events.has(id)) expect(events.get(id)).toEqual(event)
        expect([...later.keys()].filter((id) => events.has(id)).length).toBeGreaterThan(130)
        // Three days before clocks are set back, to the minute.
      }),
      { numRuns: 25, examples: [["America/Grand_Turk", Date.UTC(2025, 9, 30, 6)]] }
    )
  })

  plain("gives each block's next run in UTC and in the station's time", () => {
    fc.assert(
      fc.property(fc.constantFrom(...zones), instants, (zone, nowMs) => {
        const view = scheduleOf(weekFrom([], nowMs), new Map(), zone, [], nowMs)
        expect(view.blocks.map(({ id }) => id)).toEqual(defaultGrid.map(({ id }) => id))
        for (const { nextEnd, nextEndLocal, nextStart, nextStartLocal } of view.blocks) {
          expect([Date.parse(nextStartLocal), Date.parse(nextEndLocal)]).toEqual([
            Date.parse(nextStart),
            Date.parse(nextEnd)
          ])
          expect(Date.parse(nextStart)).toBeGreaterThan(nowMs)
          expect(Date.parse(nextEnd)).toBeGreaterThan(Date.parse(nextStart))
        }
      }),
      { numRuns: 40 }
    )
    expect(localOf("America/St_Johns", Date.UTC(2027, 0, 1, 12))).toBe("2027-01-01T08:30:00-03:30")
    expect(localOf("Asia/Kathmandu", Date.UTC(2027, 0, 1, 12))).toBe("2027-01-01T17:45:00+05:45")
  })
})

layer(AgentHttp({ STATION_TIMEZONE: "Europe/Berlin" }), { excludeTestServices: true })(
  "GET /api/station/schedule",
  (it) => {
    it.effect("returns the week with its next runs, cached for half a minute", () =>
      Effect.gen(function* () {
        const { body, headers, status } = yield* call("GET", schedule)
        expect([status, body.timezone, body.blocks.length, body.upcomingEpisodes]).toEqual([
          200,
          "Europe/Berlin",
          defaultGrid.length,
          []
        ])
        expect(body.blocks.map(({ id }: { id: string }) => id)).toContain(body.currentBlockId)
        expect(body.blocks[1]).toMatchObject({
          title: "First Light",
          kind: "news",
          weekday: 0,
          startLocal: "06:00",
          durationMin: 240,
          timezone: "Europe/Berlin",
          showId: null,
          bookable: false,
          placement: "soft",
          overrunPolicy: "allow"
        })
        expect(body.blocks[1].nextStartLocal).toMatch(/T06:00:00\+0[12]:00$/)
        expect([
          headers.get("cache-control"),
          headers.get("etag")?.startsWith("W/"),
          headers.get("access-control-allow-origin")
        ]).toEqual(["public, max-age=30", true, "*"])
        const head = yield* call("HEAD", schedule)
        expect([head.status, head.headers.get("cache-control"), head.body]).toEqual([200, "public, max-age=30", ""])
      })
    )

    it.effect("returns a calendar on request", () =>
      Effect.gen(function* () {
        const { body, headers, status } = yield* call("GET", `${schedule}?format=ics`)
        expect([
          status,
          headers.get("content-type"),
          headers.get("cache-control"),
          headers.get("content-disposition")
        ]).toEqual([200, "text/calendar; charset=utf-8", "public, max-age=30", `inline; filename="longwave.ics"`])
        expect(body).toMatch(
          /^BEGIN:VCALENDAR\r\n[\s\S]*BEGIN:VTIMEZONE\r\nTZID:Europe\/Berlin\r\n[\s\S]*END:VCALENDAR$/
        )
        expect([...body.matchAll(/DTSTART;TZID=Europe\/Berlin:/g)].length).toBeGreaterThan(160)
        const again = yield* call("GET", `${schedule}?format=ics`, {
          headers: { "if-none-match": headers.get("etag")! }
        })
        expect(again.status).toBe(304)
        expect((yield* call("GET", `${schedule}?format=pdf`)).body).toMatchObject({
          status: 400,
          code: "INVALID_FIELD",
          errors: [{ pointer: "/query/format" }]
        })
        expect((yield* call("GET", `${schedule}?stationSlug=otherwave`)).body).toMatchObject({
          status: 404,
          code: "STATION_NOT_FOUND"
        })
      })
    )

    it.effect("lists agents' approved plans until they are over", () =>
      Effect.gen(function* () {
        const { handle, id } = yield* arrive()
        const sql = yield* SqlClient.SqlClient
        const nowMs = yield* Clock.currentTimeMillis
        const plan = (n: number, status: string, startMs: number) => sql`
      INSERT INTO plans (id, agent_id, title, block_id, occurrence_start, occurrence_end, status)
      VALUES (${testId("plan", n)}, ${id}, ${`Show ${n}`}, ${defaultGrid[3]!.id}, to_timestamp(${startMs}::float8 / 1000), to_timestamp(${startMs + 3_600_000}::float8 / 1000), ${status})`
        yield* plan(1, "approved", nowMs + 2 * dayMs)
        yield* plan(2, "airing", nowMs - 60_000)
        yield* plan(3, "draft", nowMs + dayMs)
        yield* plan(4, "approved", nowMs + 29 * dayMs)
        yield* plan(5, "approved", nowMs - 2 * 3_600_000)
        const { body } = yield* call("GET", schedule)
        expect(
          body.upcomingEpisodes.map(({ hostHandle, planId, status }: Episode) => [planId, hostHandle, status])
        ).toEqual([
          [testId("plan", 2), handle, "airing"],
          [testId("plan", 1), handle, "approved"]
        ])
        expect(
          Date.parse(body.upcomingEpisodes[1].startsAt) - Date.parse(body.upcomingEpisodes[1].startsAtLocal)
        ).toBeLessThan(1_000)
      })
    )
  }
)
