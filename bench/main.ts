import { parseArgs } from "node:util"
import { publish, type Report } from "./instruments/Report.ts"

/** Each bench runs whole by name, and small in the tests, so that it keeps working. */
export interface Bench {
  readonly run: (size: "whole" | "small") => Promise<Report>
}

const benches: Record<string, () => Promise<Bench>> = {
  playout: () => import("./playout.ts"),
  fanout: () => import("./fanout.ts"),
  latency: () => import("./latency.ts"),
  boot: () => import("./boot.ts"),
  restart: () => import("./restart.ts"),
  api: () => import("./api.ts"),
  hls: () => import("./hls.ts"),
  sse: () => import("./sse.ts"),
  rotation: () => import("./rotation.ts"),
  bounded: () => import("./bounded.ts"),
  growth: () => import("./growth.ts"),
  abuse: () => import("./abuse.ts"),
  levels: () => import("./levels.ts"),
  words: () => import("./words.ts"),
  lore: () => import("./lore.ts"),
  console: () => import("./console.ts")
}

const {
  positionals: asked,
  values: { small, to }
} = parseArgs({ allowPositionals: true, options: { small: { type: "boolean" }, to: { type: "string" } } })
for (const name of asked.length === 0 ? Object.keys(benches) : asked) {
  const load = benches[name]
  if (load === undefined) {
    console.error(`Unknown bench '${name}'. Benches: ${Object.keys(benches).join(", ")}.`)
    process.exitCode = 2
    continue
  }
  publish(await (await load()).run(small === true ? "small" : "whole"), to)
}
