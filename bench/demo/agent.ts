import { discover, tour } from "./AgentTour.ts"
import { demonstrate } from "./Demonstration.ts"
import { httpDoor, mcpDoor } from "../instruments/Doors.ts"
import { say } from "../instruments/Patience.ts"

/**
 * An agent that knows only an address registers and uses the station, once over HTTP and once over MCP. Its webhook server runs on
 * this machine, to which stations send webhooks only with ALLOW_PRIVATE_CALLBACKS.
 */
await demonstrate({ env: { ALLOW_PRIVATE_CALLBACKS: "on" } }, async ({ station: { base, port } }) => {
  const found = await discover(base)
  await tour(httpDoor(base), found, `tide-${port}`)
  const mcp = await mcpDoor(base)
  await tour(mcp, found, `ebb-${port}`)
  await mcp.close()
  say("done over HTTP and MCP")
})
