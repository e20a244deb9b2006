import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { hash, quantile, type Report, type Row } from "./instruments/Report.ts"
import { layVersion } from "./instruments/servers/FormerVersion.ts"
import { runInFolder } from "./instruments/servers/Station.ts"
import { runOnPair, type StationPair } from "./instruments/servers/StationPair.ts"
import { type Fault, faults, faultTitles as titles, type Takeover } from "./instruments/servers/Takeover.ts"
import {
  type Owner,
  type Take,
  takeAgainAndAgain,
  type TakeoverSeries,
  type TitledTakeover
} from "./instruments/servers/TakeoverSeries.ts"

const plans: Record<"whole" | "small", Record<Fault, number>> = {
  whole: { kill: 100, freeze: 3, cut: 3, stop: 3 },
  small: { kill: 2, freeze: 1, cut: 1, stop: 1 }
}
/** How often a version replaces another one, and is replaced by it. */
const upgrades = { whole: 5, small: 1 } as const

const tell = (done: TitledTakeover) => {
  const ms = (value: number) => `${value.toFixed(0)} ms`
  console.log(
    `${done.title}: taken after ${ms(done.tookMs)}, latest part ${ms(done.latestPartMs)}, ${done.missingParts} missing; of ${ms(done.mp3ComparedMs)} of MP3 ${ms(done.mp3MissingMs)} missing, ${ms(done.mp3DoubledMs)} twice, ${ms(done.mp3UnlikeMs)} of other sound, nothing to play for ${ms(done.mp3StallMs)}; ${done.strays} strays; a standby again after ${ms(done.readyMs)}`
  )
}

/**
 * Takes the air from its owner again and again; the other process goes on, and the former owner comes back as its standby. `upgradeFrom`: a commit whose
 * version is replaced by this one, and replaces it.
 */
export const run = async (
  size: "whole" | "small",
  { upgradeFrom = null }: { readonly upgradeFrom?: string | null } = {}
): Promise<Report> => {
  const secret = randomBytes(32).toString("hex")
  const onPair = (formerRoot: string | null) =>
    runOnPair(
      { EDGE_SECRET: secret },
      (pair) =>
        takeAgainAndAgain(pair, {
          hlsFrom: "balancer",
          isStarted: formerRoot !== null,
          secret,
          tell,
          takeAll: formerRoot === null ? failAll(plans[size]) : replaceVersions(pair, formerRoot, upgrades[size])
        }).catch((error: unknown) => {
          for (const name of pair.names) console.error(`${name} said:\n${pair.station(name)?.output() ?? ""}`)
          throw error
        }),
      formerRoot
    ).then(reportOf)
  if (upgradeFrom === null) return onPair(null)
  return runInFolder((folder) => {
    const root = join(folder, "former")
    layVersion(upgradeFrom, root)
    return onPair(root)
  })
}

const failAll = (plan: Record<Fault, number>) => async (take: Take) => {
  for (const fault of faults) for (let n = 0; n < plan[fault]; n++) await take(titles[fault], fault)
}

/** A rolling upgrade, then back to the former version, which goes on with what this one has stored. */
const replaceVersions = (pair: StationPair, formerRoot: string, count: number) => async (take: Take, owner: Owner) => {
  /** The standby comes back as another version. */
  const replaceStandby = async (root: string | null) => {
    const standby = owner.is === "a" ? "b" : "a"
    await pair.station(standby).stop("SIGTERM")
    pair.useVersion(standby, root)
    await pair.start(standby)
    await pair.awaitInStep(standby)
  }
  for (let n = 0; n < count; n++) {
    if (n > 0) await replaceStandby(null)
    await take("stopped for an upgrade", "stop", null)
    await replaceStandby(formerRoot)
    await take("stopped to go back", "stop", formerRoot)
  }
}

const reportOf = ({ comparedSec, disagreements, endedConnections, failures, takeovers }: TakeoverSeries): Report => {
  for (const line of [...failures, ...disagreements]) console.log(line)
  const sum = (value: (takeover: Takeover) => number) => takeovers.reduce((total, each) => total + value(each), 0)
  const kinds = [...new Set(takeovers.map(({ title }) => title))]
  const rows = kinds.flatMap((title): ReadonlyArray<Row> => {
    const those = takeovers.filter((each) => each.title === title)
    const row = (what: string, value: (takeover: Takeover) => number): Row => ({
      what: `${title}: ${what}`,
      unit: "ms",
      values: those.map(value)
    })
    const took = those.map(({ tookMs }) => tookMs)
    const of = (q: number): Row => ({
      what: `${title}: until another has the air, p${q * 100}`,
      unit: "ms",
      values: [quantile(took, q)]
    })
    return [
      of(0.5),
      of(0.99),
      row("latest part of a player", ({ latestPartMs }) => latestPartMs),
      row("MP3 that is missing", ({ mp3MissingMs }) => mp3MissingMs),
      row("MP3 that came twice", ({ mp3DoubledMs }) => mp3DoubledMs),
      row("MP3 that is like nothing of HLS", ({ mp3UnlikeMs }) => mp3UnlikeMs),
      row("MP3 player has nothing to play, longest", ({ mp3StallMs }) => mp3StallMs),
      row("until the former owner is a standby again", ({ readyMs }) => readyMs)
    ]
  })
  const failed: Row = { what: "requests that a player saw fail", unit: "", values: [failures.length] }
  const compared: Row = {
    what: "sound of a player that was compared with the as-run log",
    unit: "s",
    values: [comparedSec]
  }
  const comparedMp3: Row = {
    what: "MP3 of a player that was compared with its HLS",
    unit: "s",
    values: [sum(({ mp3ComparedMs }) => mp3ComparedMs) / 1_000]
  }
  const ended: Row = { what: "MP3 connections that ended at the edge", unit: "", values: [endedConnections] }
  return {
    bench: "failover",
    rows: [...rows, failed, ended, compared, comparedMp3],
    goals: [
      { name: "missing parts", direction: "at most", limit: 0, value: sum(({ missingParts }) => missingParts) },
      {
        name: "MP3 missing or not there to play, worst takeover (ms)",
        direction: "at most",
        limit: 1_000,
        value: Math.max(...takeovers.map(({ mp3MissingMs, mp3StallMs }) => mp3MissingMs + mp3StallMs))
      },
      {
        name: "stopped in order: until another has the air, worst (ms)",
        direction: "at most",
        limit: 1_500,
        value: Math.max(...takeovers.filter(({ fault }) => fault === "stop").map(({ tookMs }) => tookMs))
      },
      { name: "answers of a former owner", direction: "at most", limit: 0, value: sum(({ strays }) => strays) },
      {
        name: "rows of a former owner in the as-run log",
        direction: "at most",
        limit: 0,
        value: sum(({ lateRows }) => lateRows)
      },
      {
        name: "stretches in which the as-run log says something else than was heard",
        direction: "at most",
        limit: 0,
        value: comparedSec === 0 ? null : disagreements.length
      }
    ],
    computed: hash(JSON.stringify(takeovers.map(({ title }) => title)))
  }
}
