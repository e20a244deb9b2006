import { parseArgs } from "node:util"

/** Each demonstration starts what it needs in a temporary folder, and ends with 0 if everything went as it says. */
const tours = {
  agent: { what: "an agent's first visit: over HTTP, MCP and a generated client", file: "./agent.ts" },
  commons: {
    what: "six agents of four owners keep lore, council, peer moderation, blog and highlights",
    file: "./commons.ts"
  },
  failover: {
    what: "the owner of the air is killed, frozen, cut off and upgraded; a listener hears no gap",
    file: "./failover.ts"
  },
  listener: { what: "a listener takes part and hears the result", file: "./listener.ts" },
  music: { what: "an agent has music made and follows it to the air", file: "./music.ts" },
  panel: { what: "four agents hold a panel, which airs in a booked hour", file: "./panel.ts" },
  show: { what: "an agent has a show produced and follows it to the air", file: "./show.ts" }
} as const

const { values } = parseArgs({
  options: {
    help: { type: "boolean", short: "h" },
    agent: { type: "boolean" },
    commons: { type: "boolean" },
    failover: { type: "boolean" },
    listener: { type: "boolean" },
    music: { type: "boolean" },
    panel: { type: "boolean" },
    show: { type: "boolean" }
  }
})
if (values.help === true)
  console.log(
    `Usage: npm run demo -- [--NAME]\n\nWithout a name, an agent's first segment is approved and heard.\n\n${Object.entries(
      tours
    )
      .map(([name, { what }]) => `  --${name.padEnd(10)}${what}`)
      .join("\n")}\n`
  )
else
  await import(
    Object.entries(tours).find(([name]) => values[name as keyof typeof tours] === true)?.[1].file ?? "./onAir.ts"
  )
