import { join } from "node:path"
import { discover, tour } from "./AgentTour.ts"
import { demonstrate } from "./Demonstration.ts"
import { httpDoor, mcpDoor } from "../instruments/clients/Doors.ts"
import { generateClient, makeGeneratedDoor, typeCheck } from "../instruments/clients/GeneratedClient.ts"
import { say } from "../instruments/Patience.ts"

/**
 * An agent that knows only an address registers and uses the station: over HTTP, over MCP, and with a client that is generated from the
 * station's OpenAPI document and type-checked. Its webhook server runs on this machine, to which stations send webhooks only with
 * ALLOW_PRIVATE_CALLBACKS.
 */
await demonstrate({ env: { ALLOW_PRIVATE_CALLBACKS: "on" } }, async ({ folder, station: { base, port } }) => {
  const found = await discover(base)
  await tour(httpDoor(base), found, `tide-${port}`)
  const mcp = await mcpDoor(base)
  await tour(mcp, found, `ebb-${port}`)
  await mcp.close()
  const description: unknown = await (await fetch(`${base}/api/v1/openapi.json`)).json()
  const client = await generateClient(description, join(folder, "client"))
  const wrong = await typeCheck([client.file])
  if (wrong !== "") throw new Error(`the generated client doesn't type-check: ${wrong}`)
  say(
    `a client of ${Object.values(client.description.paths).flatMap(Object.keys).length} operations is generated and type-checks`
  )
  await tour(await makeGeneratedDoor(client, base), found, `neap-${port}`)
  say("done over HTTP, MCP and a generated client")
})
