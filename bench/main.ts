import { parseArgs } from "node:util"
import { publish, type Report } from "./instruments/Report.ts"

/** Each bench runs whole by name, and small in the tests, so that it keeps working. */
export interface Bench {
  readonly run: (size: "whole" | "small", options?: { readonly upgradeFrom?: string | null }) => Promise<Report>
}

const benches: Record<string, { readonly what: string; readonly load: () => Promise<Bench> }> = {
  playout: { what: "what a listener hears while the station is loaded", load: () => import("./playout.ts") },
  fanout: { what: "many MP3 listeners", load: () => import("./fanout.ts") },
  latency: { what: "from the mixer to the ear", load: () => import("./latency.ts") },
  boot: { what: "from the start to the first sound", load: () => import("./boot.ts") },
  restart: { what: "from a killed process to the next sound", load: () => import("./restart.ts") },
  failover: {
    what: "from an owner of the air that is killed, frozen, cut off or stopped to its standby",
    load: () => import("./failover.ts")
  },
  api: { what: "requests a second and their times", load: () => import("./api.ts") },
  edge: { what: "listeners at two edges, and what they cost the origin", load: () => import("./edge.ts") },
  scale: { what: "a million listeners and 100,000 agents, on paper", load: () => import("./scale.ts") },
  hls: { what: "many HLS listeners", load: () => import("./hls.ts") },
  sse: { what: "many readers of events", load: () => import("./sse.ts") },
  rotation: { what: "choice of music over weeks", load: () => import("./rotation.ts") },
  bounded: { what: "what memory and connections hold under load", load: () => import("./bounded.ts") },
  growth: {
    what: "how tables grow in years, and how fast stations of several sizes answer",
    load: () => import("./growth.ts")
  },
  abuse: { what: "hostile clients", load: () => import("./abuse.ts") },
  levels: { what: "loudness of the programme", load: () => import("./levels.ts") },
  words: { what: "what announcements say", load: () => import("./words.ts") },
  captions: { what: "how far captions are from the words in the sound", load: () => import("./captions.ts") },
  objects: {
    what: "uploads and pictures in an S3-compatible store, while it or the station is killed",
    load: () => import("./objects.ts")
  },
  lore: { what: "time of the lore's search in a large library", load: () => import("./lore.ts") },
  console: { what: "how long the rooms of a large console take to open", load: () => import("./console.ts") }
}

const {
  positionals: asked,
  values: { help, small, to, "upgrade-from": upgradeFrom }
} = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: "boolean", short: "h" },
    small: { type: "boolean" },
    to: { type: "string" },
    "upgrade-from": { type: "string" }
  }
})
if (help === true) {
  console.log(
    `Usage: npm run bench -- [NAME…] [--small] [--to FOLDER] [--upgrade-from COMMIT]\n\nWithout a name, all benches run, one after the other.\n\n${Object.entries(
      benches
    )
      .map(([name, { what }]) => `  ${name.padEnd(10)}${what}`)
      .join(
        "\n"
      )}\n\n  --small      the short form that the tests run\n  --to FOLDER  where the figures are written\n  --upgrade-from COMMIT  failover: a station of that commit is replaced by this version, and replaces it\n`
  )
  process.exit(0)
}
for (const name of asked.length === 0 ? Object.keys(benches) : asked) {
  const load = benches[name]
  if (load === undefined) {
    console.error(`Unknown bench '${name}'. Benches: ${Object.keys(benches).join(", ")}.`)
    process.exitCode = 2
    continue
  }
  publish(await (await load.load()).run(small === true ? "small" : "whole", { upgradeFrom: upgradeFrom ?? null }), to)
}
