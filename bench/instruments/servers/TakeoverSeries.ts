import { msOf, sampleRateHz } from "../../../schema/time/Samples.ts"
import { compareWithLog, decodeStretches } from "../ears/HeardAndLogged.ts"
import { listenToParts } from "../ears/LowLatencyEar.ts"
import { listenToMp3 } from "../ears/Mp3Ear.ts"
import { startEdge } from "./Edge.ts"
import type { StationPair } from "./StationPair.ts"
import { startSwitchProxy } from "./SwitchProxy.ts"
import { awaitHeard, type Fault, listLogged, type Takeover, takeOver } from "./Takeover.ts"

export interface TitledTakeover extends Takeover {
  readonly title: string
}

/** Takes the air from its owner. `restartAs`: the sources that the former owner is started from again; null for this version. */
export type Take = (title: string, fault: Fault, restartAs?: string | null) => Promise<void>

export interface Owner {
  readonly is: "a" | "b"
}

/** What listeners heard of several takeovers, one after the other. */
export interface TakeoverSeries {
  readonly takeovers: ReadonlyArray<TitledTakeover>
  /** Requests that a player of HLS saw fail. */
  readonly failures: ReadonlyArray<string>
  /** Connections of MP3 that ended. */
  readonly endedConnections: number
  readonly comparedSec: number
  /** Stretches in which the as-run log says something else than was heard. */
  readonly disagreements: ReadonlyArray<string>
}

const timeOf = (sample: number) => new Date(msOf(sample)).toISOString()

/** The last rows of the log may overlap with an item that has no row yet. */
const segueMaxSamples = 10 * sampleRateHz

/**
 * Starts both processes, the first unless it runs already, and an edge with a listener to MP3 behind it. A listener to HLS is there too, or in front of a load balancer. Then takes the air
 * from its owner again and again: the other process goes on, and the former owner comes back as its standby.
 */
export const takeAgainAndAgain = async (
  pair: StationPair,
  {
    hlsFrom,
    isStarted = false,
    secret,
    takeAll,
    tell
  }: {
    readonly hlsFrom: "balancer" | "edge"
    readonly isStarted?: boolean
    readonly secret: string
    readonly takeAll: (take: Take, owner: Owner) => Promise<void>
    readonly tell: (takeover: TitledTakeover) => void
  }
): Promise<TakeoverSeries> => {
  if (!isStarted) await pair.start("a")
  await pair.awaitReady("a")
  await pair.start("b")
  await pair.awaitInStep("b")
  const stations = [pair.baseOf("a"), pair.baseOf("b")]
  const proxy = hlsFrom === "edge" ? null : await startSwitchProxy(stations)
  const edge = await startEdge(stations, { core: 1, secret })
  const parts = listenToParts(proxy?.base ?? edge.base, "aac128")
  const mp3 = listenToMp3(edge.base)
  const takeovers: Array<TitledTakeover> = []
  let rows: Awaited<ReturnType<typeof listLogged>> = []
  try {
    await awaitHeard({ parts, mp3 })
    const owner: { is: "a" | "b" } = { is: "a" }
    await takeAll(async (title, fault, restartAs) => {
      if (restartAs !== undefined) pair.useVersion(owner.is, restartAs)
      const done = await takeOver(pair, owner.is, fault, { parts, mp3 })
      owner.is = done.owner
      const takeover = { ...done.takeover, title }
      takeovers.push(takeover)
      tell(takeover)
    }, owner)
    rows = await listLogged(pair, Date.now())
  } finally {
    await parts.stop()
    await mp3.stop()
    await proxy?.close()
    await edge.stop()
  }
  const lastSample = Math.max(...rows.map((row) => row.lastSample))
  const { comparedSamples, disagreements } = await compareWithLog(
    decodeStretches(parts.parts),
    rows,
    pair.songs,
    lastSample - segueMaxSamples
  )
  return {
    takeovers,
    failures: parts.failures,
    endedConnections: mp3.ended(),
    comparedSec: comparedSamples / sampleRateHz,
    disagreements: disagreements.map(({ firstSample, heard, logged, samples }) => {
      const there = rows
        .filter((row) => row.firstSample < firstSample + samples && row.lastSample >= firstSample)
        .map((row) => `${row.itemId ?? row.outcome} ${timeOf(row.firstSample)} to ${timeOf(row.lastSample)}`)
      return `${timeOf(firstSample)}, ${(samples / sampleRateHz).toFixed(1)} s: the log says ${logged}, a player heard ${heard} (${there.join(", ")})`
    })
  }
}
