import { randomBytes } from "node:crypto"
import { say } from "../instruments/Patience.ts"
import { runOnPair } from "../instruments/servers/StationPair.ts"
import { type Fault, faults, type Takeover } from "../instruments/servers/Takeover.ts"
import { takeAgainAndAgain } from "../instruments/servers/TakeoverSeries.ts"

/** An upgrade stops the process in order and starts it anew. */
const titles: Record<Fault, string> = {
  kill: "killed",
  freeze: "frozen, then woken",
  cut: "cut off from Postgres",
  stop: "upgraded"
}

const columns: ReadonlyArray<readonly [string, (done: Takeover) => string]> = [
  ["the owner is", ({ fault }) => titles[fault]],
  ["taken after", ({ tookMs }) => `${tookMs.toFixed(0)} ms`],
  ["HLS missing", ({ missingParts }) => `${missingParts} parts`],
  ["latest part", ({ latestPartMs }) => `${latestPartMs.toFixed(0)} ms`],
  ["MP3 missing", ({ mp3MissingMs }) => `${mp3MissingMs.toFixed(0)} ms`],
  ["MP3 twice", ({ mp3DoubledMs }) => `${mp3DoubledMs.toFixed(0)} ms`],
  ["MP3 silent", ({ mp3StallMs }) => `${mp3StallMs.toFixed(0)} ms`],
  ["strays", ({ lateRows, strays }) => String(strays + lateRows)]
]

const printTable = (takeovers: ReadonlyArray<Takeover>) => {
  const lines = [columns.map(([title]) => title), ...takeovers.map((done) => columns.map(([, cell]) => cell(done)))]
  const widths = columns.map((_, column) => Math.max(...lines.map((cells) => cells[column]!.length)))
  for (const cells of lines)
    console.log(
      cells
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd()
    )
}

/** HLS has no gap, MP3 a second at most, and no process plays or logs what another one has the air for. */
const mp3GapMaxMs = 1_000
const faultsIn = ({ fault, lateRows, missingParts, mp3DoubledMs, mp3MissingMs, mp3StallMs, strays }: Takeover) =>
  [
    missingParts > 0 ? `${missingParts} parts of HLS are missing` : null,
    mp3MissingMs + mp3StallMs > mp3GapMaxMs ? "MP3 has a gap of more than a second" : null,
    mp3DoubledMs > 0 ? "a listener of MP3 heard something twice" : null,
    strays > 0 ? "the former owner still sent sound" : null,
    lateRows > 0 ? "the former owner still wrote the as-run log" : null
  ].flatMap((found) => (found === null ? [] : [`${titles[fault]}: ${found}`]))

/**
 * Two processes of a station on one Postgres, an edge, and a listener behind it that records HLS and MP3. The owner of the air is killed, frozen, cut
 * off from Postgres and upgraded in turn. The recordings are compared with each other and with the as-run log.
 */
const secret = randomBytes(32).toString("hex")
const { comparedSec, disagreements, endedConnections, failures, takeovers } = await runOnPair(
  { EDGE_SECRET: secret },
  (pair) => {
    say("Postgres runs, with a library of eight songs; two stations and an edge start")
    return takeAgainAndAgain(pair, {
      hlsFrom: "edge",
      secret,
      tell: ({ fault, tookMs }) =>
        say(`the owner was ${titles[fault]}: another has the air after ${tookMs.toFixed(0)} ms`),
      takeAll: async (take) => {
        for (const fault of faults) await take(titles[fault], fault)
      }
    }).catch((error: unknown) => {
      for (const name of pair.names) console.error(`${name} said:\n${pair.station(name)?.output() ?? ""}`)
      throw error
    })
  }
)
console.log()
printTable(takeovers)
console.log()
say(`${comparedSec.toFixed(0)} s of the recording were compared with the as-run log`)
const wrong = [
  ...takeovers.flatMap(faultsIn),
  ...disagreements,
  ...failures.map((failure) => `a request of the listener failed: ${failure}`),
  ...(endedConnections > 0 ? [`${endedConnections} connections of the MP3 listener ended`] : []),
  ...(comparedSec === 0 ? ["nothing was compared with the as-run log"] : [])
]
if (wrong.length > 0) throw new Error(wrong.join("\n"))
say("the recording is what the as-run log says")
