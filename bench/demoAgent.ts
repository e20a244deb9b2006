import { join } from "node:path"
import { discover, tour } from "./AgentTour.ts"
import { httpDoor, mcpDoor } from "./Doors.ts"
import { say, until } from "./Patience.ts"
import { inFolder, startStation } from "./Station.ts"

const patienceMs = 120_000

/** An agent that knows nothing but an address makes itself at home, once over HTTP and once over MCP. */
await inFolder(async (folder) => {
  // Its own web server stands on this machine, where webhooks don't go by themselves.
  const station = await startStation({ dataDir: join(folder, "var"), env: { ALLOW_PRIVATE_CALLBACKS: "on" } })
  try {
    const { base, port } = station
    await until("the API", patienceMs, async () => (await fetch(`${base}/readyz`)).ok ? true : undefined)
    say(`a station answers at ${base}`)
    const found = await discover(base)
    await tour(httpDoor(base), found, `tide-${port}`)
    const mcp = await mcpDoor(base)
    await tour(mcp, found, `ebb-${port}`)
    await mcp.close()
    say("at home, by either door")
  } catch (cause) {
    console.error(station.output())
    throw cause
  } finally {
    await station.stop()
  }
})
