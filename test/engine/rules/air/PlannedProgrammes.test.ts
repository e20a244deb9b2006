import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { planSilenceMaxMs } from "../../../../engine/rules/air/limits.ts"
import { defaultGrid, weekFrom } from "../../../../engine/rules/time/WeekSchedule.ts"
import { compose, type PlanAsk, type Pool } from "../../../../engine/rules/air/Planner.ts"
import { partsOf, type Programme, type ProgrammePart, timelineOf } from "../../../../engine/rules/air/Programme.ts"
import { defaultRotation } from "../../../../engine/rules/air/Rotation.ts"
import { airIdOf, type Due, limitOf } from "../../../../engine/rules/air/Sequence.ts"
import { msOf, msToSamples, sampleOf } from "../../../../schema/time/Samples.ts"
import { cursorAfter, endOf, faultsIn, lengthOf, stepOf } from "../../../../engine/rules/air/ItemSequence.ts"
import { GridRevision } from "../../../../schema/programmes/Block.ts"
import type { PlanTransition } from "../../../../schema/programmes/Plan.ts"
import { type Airable, RundownItem } from "../../../../schema/air/Rundown.ts"
import { airable, candidate, testId } from "../../../support/air/Airables.ts"
import { planItem } from "../../../support/air/PlanMemory.ts"

const now = Date.UTC(2026, 5, 3, 9, 41, 17)
const minute = 60_000
const pool = (songs: number, beds = 2): Pool => ({
  music: Array.from({ length: songs }, (_, i) => candidate(i, 120 + ((i * 37) % 90))),
  idents: [4, 5, 6].map((sec, i) => airable("ident", 100 + i, sec)),
  hourCalls: Array.from({ length: 24 }, (_, hour) => ({ hour, airable: airable("hour_call", 200 + hour, 5) })),
  beds: Array.from({ length: beds }, (_, i) => airable("bed", 400 + i, 45))
})
const ask = (more: Partial<PlanAsk> = {}): PlanAsk => ({
  nowMs: now,
  zone: "Europe/Berlin",
  week: weekFrom([], 0),
  rules: defaultRotation(3),
  turn: 0,
  cursor: { atSample: sampleOf(now), previous: null, voiceFreeSample: 0 },
  kept: [],
  queued: [],
  pool: pool(20),
  plays: [],
  held: false,
  untilSample: sampleOf(now + 30 * minute),
  itemsMin: 12,
  ...more
})
const part = (
  n: number,
  sound: Airable,
  transition: PlanTransition = "segue",
  more: Partial<ProgrammePart> = {}
): ProgrammePart => ({ itemId: testId("itm", 3_000 + n), airable: sound, transition, ...more })
const programme = (
  n: number,
  startMs: number,
  minutes: number,
  parts: ReadonlyArray<ProgrammePart>,
  overrunPolicy: Programme["overrunPolicy"] = "trim"
): Programme => ({
  planId: testId("plan", n),
  title: `plan ${n}`,
  startMs,
  endMs: startMs + minutes * minute,
  overrunPolicy,
  parts
})
const of = (items: ReadonlyArray<RundownItem>, planId: string) => items.filter((item) => item.plan?.planId === planId)
const kinds = fc.array(
  fc.record({
    speech: fc.boolean(),
    sec: fc.integer({ min: 5, max: 240 }),
    transition: fc.constantFrom<PlanTransition>("segue", "cut", "talk_over"),
    pauseMs: fc.option(fc.integer({ min: 200, max: planSilenceMaxMs }), { nil: null })
  }),
  { minLength: 1, maxLength: 12 }
)
const asks = fc
  .record({
    seed: fc.integer(),
    songs: fc.integer({ min: 0, max: 20 }),
    minutes: fc.integer({ min: 0, max: 60 * 24 * 365 }),
    beds: fc.integer({ min: 1, max: 2 }),
    zone: fc.constantFrom("UTC", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe"),
    segments: fc.array(fc.integer({ min: 5, max: 400 }), { maxLength: 6 }),
    requests: fc.nat(3),
    first: kinds,
    second: fc.option(kinds, { nil: null }),
    gapSec: fc.integer({ min: 20, max: 900 }),
    lengthMin: fc.integer({ min: 2, max: 24 }),
    revised: fc.option(fc.integer({ min: 1, max: 25 }), { nil: null }),
    policy: fc.constantFrom<Programme["overrunPolicy"]>("trim", "defer", "allow")
  })
  .map(
    ({ beds, first, gapSec, lengthMin, minutes, policy, requests, revised, second, seed, segments, songs, zone }) => {
      const nowMs = Date.UTC(2026, 0, 2) + minutes * minute + Math.abs(seed % minute)
      const partsFrom = (base: number, list: typeof first) =>
        list.map(({ pauseMs, sec, speech, transition }, i) =>
          part(
            base + i,
            airable(speech ? "segment" : "music", base + 1_000 + i, sec),
            transition,
            pauseMs === null || i === 0
              ? {}
              : { pause: { itemIds: [testId("itm", base + 5_000 + i)], lengthMs: pauseMs } }
          )
        )
      const startMs = nowMs + gapSec * 1_000
      const programmes = [
        programme(1, startMs, lengthMin, partsFrom(0, first), policy),
        ...(second === null ? [] : [programme(2, startMs + lengthMin * minute, lengthMin, partsFrom(100, second))])
      ]
      return ask({
        nowMs,
        zone,
        rules: defaultRotation(seed),
        pool: pool(songs, beds),
        cursor: { atSample: sampleOf(nowMs), previous: null, voiceFreeSample: 0 },
        untilSample: sampleOf(nowMs + 75 * minute),
        itemsMax: 400,
        programmes,
        week:
          revised === null
            ? weekFrom([], 0)
            : [...weekFrom([], 0), new GridRevision({ validFromMs: nowMs + revised * minute, blocks: defaultGrid })],
        queued: segments.map((sec, i) => airable("segment", 600 + i, sec)),
        requested: Array.from({ length: requests }, (_, i) => ({
          songRequestIds: [testId("sreq", i)],
          airable: airable("music", 700 + i, 150)
        }))
      })
    }
  )
describe("plans in the rundown", () => {
  it("begin at their sample unless a voice must end first, keep their order without gaps, and end as their block demands", () => {
    let exact = 0
    let begun = 0
    fc.assert(
      fc.property(asks, (question) => {
        const { items, left } = compose(question)
        expect(faultsIn(items)).toEqual([])
        expect(new Set(items.map(({ id }) => id)).size).toBe(items.length)
        expect(endOf(items.at(-1)!)).toBeGreaterThanOrEqual(question.untilSample)
        const voices = items.flatMap(({ airable: { segmentId } }) => segmentId ?? [])
        expect(new Set(voices).size).toBe(voices.length)
        let after = Number.NEGATIVE_INFINITY
        for (const each of question.programmes!) {
          const mine = of(items, each.planId)
          const out = new Set(left.filter(({ planId }) => planId === each.planId).map(({ itemId }) => itemId))
          // All items air in order, except those without time.
          expect(mine.map(({ plan }) => plan!.itemId)).toEqual(
            each.parts.map(({ itemId }) => itemId).filter((id) => !out.has(id))
          )
          expect(mine.map(({ id }) => id)).toEqual(mine.map(({ plan }) => airIdOf(each.planId, plan!.itemId)))
          const [head] = mine
          if (head === undefined) continue
          const first = items.indexOf(head)
          expect(items.slice(first, first + mine.length)).toEqual(mine)
          const wanted = Math.max(sampleOf(each.startMs), after)
          begun++
          if (head.startSample === wanted) exact++
          else
            expect(
              items.slice(0, first).some((item) => item.airable.speech && endOf(item) >= wanted),
              `${head.startSample - wanted} samples off: ${head.trace.join("; ")}`
            ).toBe(true)
          expect(Math.abs(head.startSample - wanted)).toBeLessThanOrEqual(48_000 * 12)
          mine.forEach((item, i) => {
            const limit = limitOf(each)
            if (item.airable.speech) expect(endOf(item)).toBeLessThanOrEqual(limit)
            else expect(item.startSample + stepOf(item.airable)).toBeLessThanOrEqual(limit)
            if (i === 0) return
            const { pause, transition } = each.parts.find(({ itemId }) => itemId === item.plan!.itemId)!
            const former = mine[i - 1]!
            if (pause !== undefined)
              expect(
                item.startSample -
                  Math.max(
                    endOf(former),
                    ...mine
                      .slice(0, i)
                      .filter((one) => one.airable.speech)
                      .map(endOf)
                  )
              ).toBe(msToSamples(pause.lengthMs))
            else if (transition === "cut") expect(item.startSample).toBeGreaterThanOrEqual(endOf(former))
            else if (transition === "segue" || former.airable.role === "music")
              expect(item.startSample).toBeGreaterThanOrEqual(former.startSample + stepOf(former.airable))
          })
          const last = mine.at(-1)!
          after = each.overrunPolicy === "trim" ? Number.NEGATIVE_INFINITY : last.startSample + stepOf(last.airable)
        }
        expect(compose(question)).toEqual(compose(question))
      }),
      { numRuns: 150 }
    )
    expect(exact / begun).toBeGreaterThan(0.9)
  })

  it("stay unchanged by a replan, whether begun or not", () =>
    fc.assert(
      fc.property(asks, fc.nat(30), (question, n) => {
        const { items, turn } = compose(question)
        const at = Math.min(n, items.length - 2)
        const onAir = items[at]!
        let cursor: PlanAsk["cursor"] = { atSample: question.cursor.atSample, previous: null, voiceFreeSample: 0 }
        for (const item of items.slice(0, at + 1)) cursor = cursorAfter(cursor, item)
        const gone = new Set(items.slice(0, at + 1).map(({ id }) => id))
        const programmes = question.programmes!.map((each): Due => {
          const last = each.parts.findLastIndex(({ itemId }) => gone.has(airIdOf(each.planId, itemId)))
          return { ...each, begun: last >= 0, parts: each.parts.slice(last + 1) }
        })
        const { items: next } = compose({
          ...question,
          nowMs: msOf(onAir.startSample),
          turn,
          cursor,
          kept: items.slice(at + 1),
          queued: [],
          requested: [],
          programmes
        })
        expect(faultsIn([onAir, ...next])).toEqual([])
        const shown = (list: ReadonlyArray<RundownItem>) =>
          list.filter((item) => item.plan !== undefined).map(({ id }) => id)
        expect(shown(next)).toEqual(shown(items.slice(at + 1)))
      }),
      { numRuns: 80 }
    ))

  it("fade music where a block trims, omit speech that doesn't fit, and continue where allowed", () => {
    const parts = [
      part(1, airable("music", 1, 200)),
      part(2, airable("segment", 2, 90)),
      part(3, airable("music", 3, 120)),
      part(4, airable("segment", 4, 60))
    ]
    const startMs = now + 5 * minute
    const plan = (policy: Programme["overrunPolicy"], minutes: number) =>
      compose(
        ask({ programmes: [programme(1, startMs, minutes, parts, policy)], untilSample: sampleOf(now + 25 * minute) })
      )
    const trim = plan("trim", 6)
    const mine = of(trim.items, testId("plan", 1))
    expect(mine.map(({ airable }) => airable.role)).toEqual(["music", "segment", "music"])
    expect(trim.left).toMatchObject([{ itemId: testId("itm", 3_004), why: "no time left: a voice is not cut" }])
    expect(trim.items[trim.items.indexOf(mine[2]!) + 1]!.startSample).toBe(sampleOf(startMs + 6 * minute))
    expect(of(plan("defer", 6).items, testId("plan", 1)).length).toBe(4)
    expect(of(plan("defer", 3).items, testId("plan", 1)).length).toBe(2)
    expect(of(plan("allow", 2).items, testId("plan", 1)).length).toBe(4)
    // The station fills the rest of the hour with the block's genres.
    const short = plan("trim", 20).items
    expect(short[short.findLastIndex((item) => item.plan !== undefined) + 1]?.plan).toBeUndefined()
  })

  it("are backtimed to within two seconds", () => {
    let landed = 0
    for (let seed = 1; seed <= 40; seed++) {
      const startMs = now + 240_000 + seed * 17_000
      const { items } = compose(
        ask({
          rules: defaultRotation(seed),
          programmes: [programme(1, startMs, 10, [part(1, airable("music", 900, 300))])],
          pool: { ...pool(40), music: Array.from({ length: 40 }, (_, i) => candidate(i, 60 + i * 4)) }
        })
      )
      const at = items.findIndex((item) => item.plan !== undefined)
      expect(items[at]!.startSample).toBe(sampleOf(startMs))
      const before = items[at - 1]!
      if (Math.abs(before.startSample + stepOf(before.airable) - sampleOf(startMs)) <= 2_000 * 48) landed++
    }
    expect(landed / 40).toBeGreaterThan(0.9)
  })

  it("respect an operator's edits: moved, inserted and removed parts", () => {
    const parts = [1, 2, 3, 4].map((n) => part(n, airable("music", 800 + n, 100)))
    const plan = programme(1, now + 3 * minute, 15, parts)
    const { items, turn } = compose(ask({ programmes: [plan] }))
    const mine = of(items, plan.planId)
    const put = new RundownItem({
      id: testId("itm", 77),
      airable: airable("segment", 78, 20),
      placement: { _tag: "Flow" },
      startSample: 0,
      locked: true,
      trace: ["inserted by an operator"]
    })
    const rest = items.filter((item) => !mine.includes(item))
    const front = rest.filter((item) => item.startSample < mine[0]!.startSample)
    const back = rest.filter((item) => !front.includes(item))
    const { items: next } = compose(
      ask({
        turn,
        programmes: [plan],
        kept: [...front, mine[0]!, mine[2]!, put, mine[1]!, mine[3]!, ...back],
        omitted: new Set([mine[3]!.id])
      })
    )
    const at = next.findIndex(({ id }) => id === mine[0]!.id)
    expect(next.slice(at, at + 4).map(({ id }) => id)).toEqual([mine[0]!.id, mine[2]!.id, put.id, mine[1]!.id])
    expect(next[at]!.startSample).toBe(sampleOf(plan.startMs))
    expect(next.some(({ id }) => id === mine[3]!.id)).toBe(false)
  })

  it("begin with the remaining parts if the start has passed, rather late than never", () => {
    const parts = [1, 2, 3].map((n) => part(n, airable("music", 800 + n, 100)))
    const plan = { ...programme(1, now - 2 * minute, 15, parts.slice(1)), begun: true }
    expect(
      compose(ask({ programmes: [plan] }))
        .items.slice(0, 2)
        .map((item) => item.plan?.itemId)
    ).toEqual([parts[1]!.itemId, parts[2]!.itemId])
    const song = new RundownItem({
      id: testId("itm", 5),
      airable: airable("music", 5, 200),
      placement: { _tag: "Flow" },
      startSample: sampleOf(now - 30_000),
      locked: false,
      trace: []
    })
    const [first] = compose(
      ask({
        programmes: [programme(1, now - 10_000, 15, parts)],
        cursor: cursorAfter({ atSample: 0, previous: null, voiceFreeSample: 0 }, song)
      })
    ).items
    expect(first!.plan?.itemId).toBe(parts[0]!.itemId)
    expect(msOf(first!.startSample) - now).toBeLessThanOrEqual(3_000)
    expect(
      compose(ask({ programmes: [programme(1, now - 20 * minute, 15, parts)] })).items.some(
        (item) => item.plan !== undefined
      )
    ).toBe(false)
  })

  it("air contributions to a topic together, uncut, before fixed items", () => {
    const said = [airable("segment", 1, 60), airable("segment", 2, 90), airable("segment", 3, 45)]
    const topics = [{ topicId: testId("top", 1), title: "x", airables: said }]
    const heard = (items: ReadonlyArray<RundownItem>) =>
      items.flatMap(({ airable: { segmentId } }, i) => (said.some((one) => one.segmentId === segmentId) ? [i] : []))
    const { items, turn } = compose(ask({ topics, queued: [airable("segment", 9, 30)] }))
    const [at] = heard(items)
    expect(heard(items)).toEqual([at!, at! + 1, at! + 2])
    expect(faultsIn(items)).toEqual([])
    expect(
      heard(compose(ask({ turn, kept: items.slice(1), topics: [] })).items).map((i, n, all) => i - all[0]! - n)
    ).toEqual([0, 0, 0])
    // Half of it has been heard: the rest follows directly.
    const cursor = items
      .slice(0, at! + 1)
      .reduce(cursorAfter, { atSample: sampleOf(now), previous: null, voiceFreeSample: 0 })
    expect(heard(compose(ask({ turn, cursor, kept: items.slice(at! + 1) })).items)).toEqual([0, 1])
    // There is no room before a plan, so it follows the plan.
    const tight = compose(
      ask({ topics, programmes: [programme(1, now + 2 * minute, 5, [part(1, airable("music", 900, 280))])] })
    ).items
    expect(heard(tight)[0]).toBeGreaterThan(tight.findIndex((item) => item.plan !== undefined))
  })

  it("air segments of a show inside its blocks only", () => {
    const showId = testId("show", 1)
    const blocks = defaultGrid
      .map((block) =>
        block.title === "Workbench" && block.weekday === 3
          ? { ...block, startMinute: 12 * 60, durationMin: 120, showId }
          : block
      )
      .flatMap((block) =>
        block.showId === showId
          ? [{ ...block, id: testId("blk", 1), startMinute: 600, durationMin: 120, showId: null }, block]
          : [block]
      )
    const week = [new GridRevision({ validFromMs: 0, blocks })]
    const own = airable("segment", 5, 100, { showId })
    const { items } = compose(ask({ week, queued: [own], untilSample: sampleOf(now + 90 * minute) }))
    const found = items.filter(({ airable: { segmentId } }) => segmentId === own.segmentId)
    expect(found.length).toBe(1)
    expect(msOf(found[0]!.startSample)).toBeGreaterThanOrEqual(Date.UTC(2026, 5, 3, 10) - 4_000)
    expect(
      compose(ask({ queued: [own], untilSample: sampleOf(now + 90 * minute) })).items.some(
        ({ airable: { segmentId } }) => segmentId === own.segmentId
      )
    ).toBe(false)
  })
})
describe("the parts of a plan", () => {
  const sounds = new Map([
    [1, airable("music", 1, 180)],
    [2, airable("segment", 2, 40)],
    [3, airable("segment", 3, 30)],
    [4, airable("music", 4, 100)]
  ])
  const from = (items: ReturnType<typeof planItem>[]) =>
    partsOf(items, {
      soundOf: (item) => sounds.get(item.index) ?? null,
      idents: [airable("ident", 9, 4)],
      beds: [airable("bed", 8, 45)]
    })

  it("keep the planned station ident while the station makes others, or take the new one", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 999 }), (idents, n) => {
        const named = (count: number) =>
          partsOf([planItem(n, { kind: "station_id" })], {
            soundOf: () => null,
            idents: Array.from({ length: count }, (_, i) => airable("ident", i, 4)),
            beds: []
          }).parts[0]!.airable.assetId
        expect([named(idents), testId("mas", idents)]).toContain(named(idents + 1))
      })
    )
  })

  it("follow their items: beds under voices, short silences, long ones filled, missing ones named", () => {
    const items = [
      planItem(1, {}),
      planItem(10, { kind: "bed", durationSec: 20 }),
      planItem(2, { kind: "talk" }),
      planItem(11, { kind: "pause", durationSec: 0.7 }),
      planItem(3, { kind: "talk", transition: "cut" }),
      planItem(12, { kind: "pause", durationSec: 4 }),
      planItem(13, { kind: "station_id" }),
      planItem(14, {}),
      planItem(4, {}),
      planItem(15, { kind: "bed", durationSec: 12 })
    ]
    const { missing, parts } = from(items)
    expect(missing.map(({ id }) => id)).toEqual([items[7]!.id])
    expect(
      parts.map(({ airable, bedItemId, pause, transition }) => [
        airable.role,
        airable.bedAssetId !== null,
        bedItemId === items[1]!.id,
        pause?.lengthMs ?? 0,
        transition
      ])
    ).toEqual([
      ["music", false, false, 0, "segue"],
      ["segment", true, true, 0, "segue"],
      ["segment", true, true, 700, "cut"],
      ["bed", false, false, 0, "cut"],
      ["ident", false, false, 0, "segue"],
      ["music", false, false, 0, "segue"],
      ["bed", false, false, 0, "segue"]
    ])
    const rows = timelineOf({ startMs: now, parts })
    const row = (item: { readonly id: string }) => rows.find(({ itemId }) => itemId === item.id)!
    const sec = (samples: number) => Math.round(samples / 48) / 1_000
    expect(row(items[0]!).startSample).toBe(sampleOf(now))
    expect(sec(row(items[2]!).startSample - sampleOf(now))).toBe(176)
    expect(sec(row(items[4]!).startSample - row(items[2]!).endSample)).toBe(0.7)
    expect([row(items[3]!).startSample, row(items[3]!).endSample]).toEqual([
      row(items[2]!).endSample,
      row(items[4]!).startSample
    ])
    expect([row(items[1]!).startSample, row(items[1]!).endSample]).toEqual([
      row(items[2]!).startSample,
      row(items[4]!).endSample
    ])
    expect(sec(row(items[6]!).startSample - row(items[4]!).endSample)).toBe(4)
    // The planner that airs it has the same result.
    const { items: aired } = compose(ask({ programmes: [programme(1, now + 4 * minute, 15, parts)] }))
    const timeline = timelineOf({ startMs: now + 4 * minute, parts })
    for (const item of of(aired, testId("plan", 1)))
      expect(item.startSample).toBe(timeline.find(({ itemId }) => itemId === item.plan!.itemId)!.startSample)
    expect(lengthOf(parts[3]!.airable)).toBeGreaterThan(msToSamples(4_000))
  })
})
