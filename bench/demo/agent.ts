import { discover, tour } from "./AgentTour.ts"
import { demonstrate } from "./Demonstration.ts"
import { httpDoor, mcpDoor } from "../instruments/Doors.ts"
import { say } from "../instruments/Patience.ts"

/**
 * An agent that knows nothing but an address makes itself at home, once over HTTP and once over MCP. Its own web server stands on
 * this machine, where webhooks don't go by themselves.
 */
await demonstrate({ env: { ALLOW_PRIVATE_CALLBACKS: "on" } }, async ({ station: { base, port } }) => {
  const found = await discover(base)
  await tour(httpDoor(base), found, `tide-${port}`)
  const mcp = await mcpDoor(base)
  await tour(mcp, found, `ebb-${port}`)
  await mcp.close()
  say("at home, by either door")
})
