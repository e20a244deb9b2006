import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import type { Report } from "../../bench/instruments/Report.ts"
import { icecastPath } from "../../bench/peers/Icecast.ts"
import { liquidsoapPath } from "../../bench/peers/Liquidsoap.ts"
import { nginxPath } from "../../bench/peers/Nginx.ts"
import { figure, goal, smallBench } from "../support/BenchReports.ts"

/** Not whether it has a ratio: the CPU time of so few answers may be too short to be measured. */
const isMeasured = ({ rows }: Report, what: string) =>
  rows.some((row) => row.what.startsWith(what) && row.values.length > 0)

/** Small enough for a busy machine. These tests check that the benches measure and lose nothing; the figures don't count. */
describe("benches, small", () => {
  it("are listed on --help, and none is started", async () => {
    const { stderr, stdout } = await promisify(execFile)(process.execPath, ["bench/main.ts", "--help"])
    expect(stderr).toBe("")
    for (const name of ["playout", "fanout", "hls", "console"])
      expect(stdout).toMatch(new RegExp(`^  ${name} +\\S`, "mu"))
    expect(stdout).not.toMatch(/computed|goal/i)
  })

  it("have demonstrations beside them that are listed on --help, and none is started", async () => {
    const { stderr, stdout } = await promisify(execFile)(process.execPath, ["bench/demo/main.ts", "--help"])
    expect(stderr).toBe("")
    for (const name of ["agent", "failover", "listener", "show"])
      expect(stdout).toMatch(new RegExp(`^  --${name} +\\S`, "mu"))
    await expect(
      promisify(execFile)(process.execPath, ["bench/demo/main.ts", "--nothing-of-the-kind"])
    ).rejects.toThrow("--nothing-of-the-kind")
  })

  it("fanout: every frame reaches every listener of the station and of the minimal server; Icecast is measured or reported as missing", async () => {
    const report = await smallBench("fanout")
    for (const who of ["station", "node floor"]) {
      expect(figure(report, `${who}, 50: CPU per listener-second`)).toBeGreaterThanOrEqual(0)
      for (const what of [
        "never got a byte",
        "behind or cut off",
        "joined within a frame",
        "broken, missing or doubled frames"
      ]) {
        expect([who, what, figure(report, `${who}, 50: ${what}`)]).toEqual([who, what, 0])
      }
    }
    expect(isMeasured(report, "Icecast")).toBe(icecastPath() !== undefined)
    expect(report.computed).toBe("dffa6db305984a0e")
  }, 300_000)

  it("hls: every answer has the right bytes, and every reload is answered; nginx is measured or reported as missing", async () => {
    const report = await smallBench("hls")
    for (const kind of ["playlist", "segment"]) {
      for (const who of ["node", "floor"]) {
        expect(figure(report, `${who}, ${kind}: answers`)).toBeGreaterThan(0)
        expect([who, kind, figure(report, `${who}, ${kind}: wrong or refused`)]).toEqual([who, kind, 0])
      }
      expect(isMeasured(report, `nginx, ${kind}`)).toBe(nginxPath() !== undefined)
    }
    expect(figure(report, "blocking reload, 20 players: players that play")).toBe(20)
    expect(figure(report, "blocking reload, 20 players: refused or broken")).toBe(0)
    expect(goal(report, "20 players: delay of a reload after the part, p99 (ms)")).toBeGreaterThan(0)
    expect(report.computed).toBe("a6df72f56f3cda59")
  }, 300_000)

  it("edge: every frame reaches every listener of an edge, and every reload is answered", async () => {
    const report = await smallBench("edge")
    for (const what of ["never got a byte", "behind or cut off", "broken, missing or doubled frames"])
      expect([what, figure(report, `MP3: ${what}`)]).toEqual([what, 0])
    expect(figure(report, "LL-HLS: players that play at the edges")).toBe(10)
    expect(figure(report, "LL-HLS: refused or broken at the edges")).toBe(0)
  }, 300_000)

  it("scale: a larger station costs more, and the first thing to be full is its time on the air", async () => {
    const report = await smallBench("scale")
    const full = (demand: string) =>
      report.rows
        .filter(({ what }) => what.startsWith(`${demand}: load of`))
        .map(({ what }) => what.split("load of ")[1])
    expect(full("1000000 listeners, 100000 agents")[0]).toBe("time on the air")
    const costs = report.rows
      .filter(({ what }) => what.endsWith("rented machines and traffic"))
      .map(({ values }) => values[0]!)
    expect(costs).toEqual(costs.toSorted((a, b) => a - b))
  }, 300_000)

  it("sse: every event reaches every reader of both streams once, from the station and the minimal server", async () => {
    const report = await smallBench("sse")
    for (const who of ["station", "node floor"]) {
      expect(figure(report, `${who}, 60 of chat and now-playing: CPU per reader and event`)).toBeGreaterThanOrEqual(0)
      for (const what of ["missing", "out of order or doubled", "got other bytes than others"])
        expect([who, what, figure(report, `${who}, 60 of chat and now-playing: ${what}`)]).toEqual([who, what, 0])
    }
    expect(goal(report, "chat and now-playing: delivered p99 (ms)")).toBeGreaterThan(0)
  }, 300_000)

  it("playout: mastered sound through the whole chain, beside the installed anchors", async () => {
    const report = await smallBench("playout")
    const mixed = figure(report, "mix only")!
    expect(mixed).toBeGreaterThan(0)
    // Encoding three renditions costs several times what mixing does.
    for (const what of ["mix and encode AAC 128, AAC 64, MP3 128", "ffmpeg alone, the same renditions"])
      expect(figure(report, what)!).toBeGreaterThan(mixed)
    expect(figure(report, "Liquidsoap, the same programme and renditions") !== undefined).toBe(
      liquidsoapPath() !== undefined
    )
    expect(goal(report, "whole chain / Liquidsoap") !== null).toBe(liquidsoapPath() !== undefined)
    expect(goal(report, "whole chain / ffmpeg alone")).toBeGreaterThan(0)
  }, 300_000)

  it("lore: every kind of read of the lore finds what it asks for", async () => {
    const report = await smallBench("lore")
    for (const kind of ["query", "list", "entry"])
      expect([kind, goal(report, `${kind} among 1000 entries, worst p99 (ms)`)! > 0]).toEqual([kind, true])
    for (const what of ["query, two words", "query, a title with an error", "list, a topic", "entry"])
      expect([what, figure(report, `${what}, found`)! > 0]).toEqual([what, true])
    expect(figure(report, "list, words that nothing has, found")).toBe(0)
  }, 300_000)

  it("boot: sound and API, cold and warm", async () => {
    const report = await smallBench("boot")
    const measured = report.rows.filter(({ what }) => !what.startsWith("idle, house programme complete"))
    expect(measured.every(({ values }) => values.length === 1 && values[0]! > 0)).toBe(true)
    // The house programme takes minutes to make, so only the full bench waits for it.
    expect(goal(report, "resident memory, idle (MiB)")).toBeNull()
  }, 300_000)

  it("restart: a killed station is back with a connection, then a playlist, then a new part", async () => {
    const report = await smallBench("restart")
    const [connection, playlist, part] = ["first connection", "first playlist", "first new part"].map((what) =>
      figure(report, `idle machine: process start to ${what}`)
    )
    expect(connection).toBeGreaterThan(0)
    expect(playlist).toBeGreaterThanOrEqual(connection!)
    expect(part).toBeGreaterThanOrEqual(playlist!)
  }, 300_000)

  it("api: every kind of request succeeds on a station on the air", async () => {
    const report = await smallBench("api")
    expect(goal(report, "answers that were not good")).toBe(0)
    for (const name of ["reads a second", "commands a second", "feeds p99 at 100 a second (ms)"])
      expect(goal(report, name)).toBeGreaterThan(0)
    expect(figure(report, "parts: highest delay")).toBeLessThan(10_000)
  }, 300_000)

  it("rotation: picks from libraries of several sizes, and half a day of them, always the same", async () => {
    const report = await smallBench("rotation")
    expect(figure(report, "4000 tracks: a pick, p50")).toBeGreaterThan(0)
    expect(figure(report, "0.5 days: promises broken")).toBe(0)
    expect(figure(report, "0.5 days: items")).toBeGreaterThan(200)
    expect(report.computed).toMatch(/^[0-9a-f]{16}$/)
  }, 300_000)

  it("bounded: input of strangers, whole and an eighth of it, and a picture", async () => {
    const report = await smallBench("bounded")
    for (const kind of ["precheck", "scan of a body", "split of a script"])
      expect(goal(report, `${kind}: whole relative to an eighth, worst`)).toBeGreaterThan(0)
    expect(goal(report, "drawing an avatar, relative to SHA-256 of 64 MiB")).toBeGreaterThan(0)
    expect(report.computed).toBe("b7f9303eed7acd76")
  })

  it("growth: purged tables keep their size over years of a busy station, and totals lose nothing", async () => {
    const report = await smallBench("growth")
    expect(goal(report, "rows of a purged table after 1800 days relative to 540, worst")).toBe(1)
    expect(goal(report, "votes, requests, points and plays missing from the totals")).toBe(0)
    expect(figure(report, "as-run log: rows")).toBe(10_121)
    for (const what of ["a read", "append to the as-run log", "sealing an hour of the as-run log"])
      expect(
        report.goals.find(({ name }) => name.startsWith(`time of ${what}, after relative to before`))?.value
      ).toBeGreaterThan(0)
    expect(report.computed).toBe("5085f43cb33f9a61")
  }, 300_000)
})
