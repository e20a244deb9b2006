import { makeId } from "../../../schema/Ids.ts"
import { Airable, Candidate, type ItemRole, RundownItem } from "../../../schema/air/Rundown.ts"
import { CuePoints } from "../../../schema/Sound.ts"
import { defaultGrid, runsOf } from "../time/WeekSchedule.ts"
import type { Programme, ProgrammePart } from "../air/Programme.ts"
import type { Happening, Stage } from "./SimulationInput.ts"
import { defaultRotation, draw } from "../air/Rotation.ts"
import { msToSamples } from "../../../schema/time/Samples.ts"
import { lengthOf } from "../air/ItemSequence.ts"

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const genres = [...new Set(defaultGrid.flatMap((block) => block.genres))]
const id = (prefix: string, seed: number, n: number): string => {
  const bytes = new DataView(new ArrayBuffer(12))
  bytes.setUint32(0, draw(seed, n, prefix))
  bytes.setUint32(4, draw(seed, n, `${prefix} more`))
  bytes.setUint32(8, n)
  return makeId(prefix, 0, new Uint8Array(bytes.buffer, 2, 10))
}
/** A number in `[from, to]`. */
const drawWithin = (seed: number, n: number, what: string, [from, to]: readonly [number, number]): number =>
  from + (draw(seed, n, what) % (to - from + 1))
const sound = (role: ItemRole, seed: number, n: number, sec: number, more: Partial<Airable>): Airable => {
  const music = role === "music" || role === "bed"
  const cueOut = msToSamples(sec * 1_000)
  return new Airable({
    role,
    assetId: id("mas", seed, n),
    title: `${role} ${n}`,
    artist: null,
    speech: !music,
    bedAssetId: null,
    segmentId: null,
    trackId: null,
    agentId: null,
    topic: null,
    genre: null,
    validFromMs: null,
    validUntilMs: null,
    cue: new CuePoints({
      cueIn: 0,
      introEnd: music ? Math.min(msToSamples(8_000), cueOut) : 0,
      segue: music ? cueOut - msToSamples(4_000) : cueOut,
      cueOut
    }),
    ...more
  })
}
/** A station for the simulation of an empty database: house music, and the songs of two dozen agents. */
export const smallStation = (
  seed: number
): Pick<Stage, "grid" | "rules" | "rundown" | "plays" | "loudness" | "tracks" | "house"> => {
  const makeSpeech = (role: ItemRole, from: number, count: number, sec: readonly [number, number]) =>
    Array.from({ length: count }, (_, n) => sound(role, seed, from + n, drawWithin(seed, from + n, "sec", sec), {}))
  const song = (n: number): Candidate => {
    const house = n % 6 === 0
    const artist = house ? `House Band ${n % 14}` : `Artist ${n % 25}`
    return new Candidate({
      airable: sound("music", seed, 1_000 + n, drawWithin(seed, n, "song", [120, 300]), {
        artist,
        title: `Song ${n}`,
        trackId: id("trk", seed, n),
        agentId: house ? null : id("agt", seed, n % 25),
        genre: genres[draw(seed, n, "genre") % genres.length]!
      }),
      rotationClass: house ? "house" : "contributed",
      weight: 1,
      lastPlayedMs: null
    })
  }
  return {
    grid: [{ validFromMs: 0, blocks: defaultGrid }],
    rules: defaultRotation(seed),
    rundown: null,
    plays: [],
    loudness: new Map(),
    tracks: Array.from({ length: 180 }, (_, n) => song(n)),
    house: {
      idents: makeSpeech("ident", 0, 5, [3, 7]),
      beds: [0, 1].map((n) => sound("bed", seed, 40 + n, 60, {})),
      hourCalls: makeSpeech("hour_call", 50, 24, [4, 7]).map((airable, hour) => ({ hour, airable }))
    }
  }
}
/** Random instants with this average distance. */
const instants = (
  seed: number,
  what: string,
  { fromMs, toMs }: Pick<Stage, "fromMs" | "toMs">,
  everyMs: number
): ReadonlyArray<number> => {
  const times: Array<number> = []
  for (let atMs = fromMs, n = 0; ; n++) {
    atMs += Math.round(-Math.log(1 - draw(seed, n, what) / 0x1_0000_0000) * everyMs) + 1
    if (atMs >= toMs) return times
    times.push(atMs)
  }
}
/** Plans for two of three bookable runs: speech and songs alternating, about as long as the run. With `faulty`, one in four is late. */
const drawProgrammes = (stage: Stage, seed: number, faulty: boolean): ReadonlyArray<Happening> =>
  runsOf(stage.grid, stage.zone, stage.fromMs, stage.toMs)
    .filter(({ block, startMs }) => block.bookable && block.kind === "show" && startMs > stage.fromMs + 3 * hourMs)
    .flatMap(({ block, endMs, startMs }, n): ReadonlyArray<Happening> => {
      if (stage.tracks.length === 0 || draw(seed, n, "booked") % 3 === 0) return []
      const agentId = id("agt", seed, draw(seed, n, "host") % 25)
      const parts: Array<ProgrammePart> = []
      const offMs = drawWithin(seed, n, "off", [-90, 90]) * 1_000
      for (let [lengthMs, at] = [0, n * 1_000]; lengthMs < endMs - startMs + offMs - 2 * minuteMs; at++) {
        const airable =
          parts.length % 3 === 0
            ? sound("segment", seed, 200_000 + at, drawWithin(seed, at, "talk", [30, 150]), {
                segmentId: id("seg", seed, 500_000 + at),
                agentId,
                title: `Talk ${at}`
              })
            : stage.tracks[draw(seed, at, "own choice") % stage.tracks.length]!.airable
        if (parts.some((part) => part.airable.assetId === airable.assetId)) continue
        parts.push({
          itemId: id("itm", seed, 500_000 + at),
          airable,
          transition: (["segue", "cut", "talk_over"] as const)[draw(seed, at, "transition") % 3]!,
          ...(at % 11 === 10 ? { pause: { itemIds: [id("itm", seed, 900_000 + at)], lengthMs: 1_000 } } : {})
        })
        lengthMs += lengthOf(airable) / 48
      }
      const programme: Programme = {
        planId: id("plan", seed, n),
        title: `Plan ${n}`,
        startMs,
        endMs,
        overrunPolicy: block.overrunPolicy,
        parts
      }
      const late = faulty && draw(seed, n, "late") % 4 === 0
      return [
        {
          _tag: "Programme",
          atMs:
            startMs -
            (late ? drawWithin(seed, n, "late by", [-8, 20]) : drawWithin(seed, n, "early by", [30, 180])) * minuteMs,
          programme
        }
      ]
    })
/** The load of a busy station: plans, segments, song requests, items with a fixed start. */
export const drawDemand = (stage: Stage, seed: number, faulty = false): ReadonlyArray<Happening> => [
  ...drawProgrammes(stage, seed, faulty),
  ...instants(seed, "segments", stage, 25 * minuteMs).map((atMs, n): Happening => ({
    _tag: "Segment",
    atMs,
    airable: sound("segment", seed, 10_000 + n, drawWithin(seed, n, "segment", [20, 240]), {
      segmentId: id("seg", seed, n),
      agentId: id("agt", seed, draw(seed, n, "speaker") % 25),
      title: `Segment ${n}`,
      topic: draw(seed, n, "topic") % 3 === 0 ? `topic ${draw(seed, n, "which") % 8}` : null
    })
  })),
  ...(stage.tracks.length === 0
    ? []
    : instants(seed, "requests", stage, 24 * minuteMs).map((atMs, n): Happening => ({
        _tag: "Request",
        atMs,
        id: id("sreq", seed, n),
        airable: stage.tracks[draw(seed, n, "wish") % stage.tracks.length]!.airable
      }))),
  ...instants(seed, "placed", stage, 7 * hourMs).map((atMs, n): Happening => {
    const whenMs = Math.ceil((atMs + drawWithin(seed, n, "lead", [3, 60]) * minuteMs) / minuteMs) * minuteMs
    const airable = sound("segment", seed, 100_000 + n, drawWithin(seed, n, "announcement", [10, 60]), {
      title: `Announcement ${n}`
    })
    return {
      _tag: "Placed",
      atMs,
      item: new RundownItem({
        id: id("itm", seed, n),
        airable,
        startSample: 0,
        locked: true,
        trace: ["inserted by an operator"],
        placement:
          n % 3 === 0 ? { _tag: "Soft", atMs: whenMs, maxLateMs: 5 * minuteMs } : { _tag: "Hard", atMs: whenMs }
      })
    }
  })
]
/** Faults drawn from the seed: missing sounds, withdrawals, holds, emergencies, clock jumps. */
export const drawFaults = (stage: Stage, seed: number): ReadonlyArray<Happening> => {
  const music = stage.tracks.map(({ airable }) => airable)
  const sounds = [...music, ...stage.house.idents, ...stage.house.hourCalls.map(({ airable }) => airable)]
  const segments = stage.happenings.filter((each) => each._tag === "Segment")
  const drawLasting = (what: "Hold" | "Emergency", everyMs: number, min: readonly [number, number]) =>
    instants(seed, what, stage, everyMs).flatMap((atMs, n): ReadonlyArray<Happening> => [
      { _tag: what, atMs, on: true },
      { _tag: what, atMs: atMs + drawWithin(seed, n, `${what} for`, min) * minuteMs, on: false }
    ])
  return [
    ...(sounds.length === 0
      ? []
      : instants(seed, "missing", stage, 40 * minuteMs).map((atMs, n): Happening => ({
          _tag: "Missing",
          atMs,
          assetId: sounds[draw(seed, n, "gone") % sounds.length]!.assetId,
          untilMs: atMs + drawWithin(seed, n, "gone for", [5, 600]) * minuteMs
        }))),
    ...(music.length === 0
      ? []
      : instants(seed, "retired", stage, 48 * hourMs).map((atMs, n): Happening => ({
          _tag: "Withdrawn",
          atMs,
          id: music[draw(seed, n, "retired which") % music.length]!.trackId!
        }))),
    ...segments.flatMap(({ airable, atMs }, n): ReadonlyArray<Happening> =>
      draw(seed, n, "held") % 12 === 0 && airable.segmentId !== null
        ? [
            {
              _tag: "Withdrawn",
              atMs: Math.max(atMs, stage.fromMs) + drawWithin(seed, n, "held after", [0, 30]) * minuteMs,
              id: airable.segmentId
            }
          ]
        : []
    ),
    ...drawLasting("Hold", 20 * hourMs, [2, 40]),
    ...drawLasting("Emergency", 30 * hourMs, [1, 15]),
    ...instants(seed, "clock", stage, 18 * hourMs).map((atMs, n): Happening => ({
      _tag: "ClockJump",
      atMs,
      byMs: draw(seed, n, "forth or back") % 2 === 0 ? hourMs : -hourMs
    }))
  ]
}
