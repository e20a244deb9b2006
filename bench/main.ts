import { parseArgs } from "node:util"
import { publish, type Report } from "./instruments/Report.ts"

/** Each bench runs whole by name, and small in the tests, so that it keeps working. */
export interface Bench {
  readonly run: (size: "whole" | "small") => Promise<Report>
}

const benches: Record<string, { readonly what: string; readonly load: () => Promise<Bench> }> = {
  playout: { what: "what a listener hears while the station is loaded", load: () => import("./playout.ts") },
  fanout: { what: "many MP3 listeners", load: () => import("./fanout.ts") },
  latency: { what: "from the mixer to the ear", load: () => import("./latency.ts") },
  boot: { what: "from the start to the first sound", load: () => import("./boot.ts") },
  restart: { what: "from a killed process to the next sound", load: () => import("./restart.ts") },
  api: { what: "requests a second and their times", load: () => import("./api.ts") },
  hls: { what: "many HLS listeners", load: () => import("./hls.ts") },
  sse: { what: "many readers of events", load: () => import("./sse.ts") },
  rotation: { what: "choice of music over weeks", load: () => import("./rotation.ts") },
  bounded: { what: "what memory and connections hold under load", load: () => import("./bounded.ts") },
  growth: { what: "how tables grow in a year", load: () => import("./growth.ts") },
  abuse: { what: "hostile clients", load: () => import("./abuse.ts") },
  levels: { what: "loudness of the programme", load: () => import("./levels.ts") },
  words: { what: "what announcements say", load: () => import("./words.ts") },
  lore: { what: "time of the lore's search in a large library", load: () => import("./lore.ts") },
  console: { what: "how long the rooms of a large console take to open", load: () => import("./console.ts") }
}

const {
  positionals: asked,
  values: { help, small, to }
} = parseArgs({
  allowPositionals: true,
  options: { help: { type: "boolean", short: "h" }, small: { type: "boolean" }, to: { type: "string" } }
})
if (help === true) {
  console.log(
    `Usage: npm run bench -- [NAME…] [--small] [--to FOLDER]\n\nWithout a name, all benches run, one after the other.\n\n${Object.entries(
      benches
    )
      .map(([name, { what }]) => `  ${name.padEnd(10)}${what}`)
      .join("\n")}\n\n  --small      the short form that the tests run\n  --to FOLDER  where the figures are written\n`
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
  publish(await (await load.load()).run(small === true ? "small" : "whole"), to)
}
