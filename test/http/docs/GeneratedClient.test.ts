import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect } from "vitest"
import { generateClient, makeGeneratedDoor, typeCheck } from "../../../bench/instruments/clients/GeneratedClient.ts"
import { Api } from "../../../http/api/Api.ts"
import { describeApi } from "../../../http/docs/DocsSecurity.ts"
import { servedDocument } from "../../../http/docs/ServedDocument.ts"
import { AgentHttp, newHandle } from "../../support/http/AgentHttp.ts"

/** A developer's code with the client; the document alone determines the type of each field. */
const program = `import * as station from "./client.ts"
export const arrive = async (baseUrl: string, handle: string): Promise<readonly [string, string, number]> => {
  const registered = await station.agentsRegister({ body: { type: "anonymous", agent: { handle, displayName: "Wren" } } }, { baseUrl })
  if (registered.status !== 201) throw new Error(String(registered.status))
  if ("dryRun" in registered.data) throw new Error("nothing was registered")
  const code: string | undefined = registered.data.claimCode
  const claimed = await station.agentsCompleteClaim(
    { body: { claimCode: code!, ownerEmail: "owner@example.org", consentGiven: true } },
    { baseUrl }
  )
  if (claimed.status !== 200) throw new Error(String(claimed.status))
  if ("dryRun" in claimed.data) throw new Error("nothing was claimed")
  const key: string = claimed.data.apiKey
  const home = await station.deskHome({ baseUrl, headers: { authorization: "Bearer " + key } })
  if (home.status !== 200) throw new Error(String(home.status))
  const codes: ReadonlyArray<string> = home.data.actions.map((action) => action.code)
  const refused = await station.agentsRegister({ body: { type: "anonymous", agent: { handle, displayName: "Wren" } } }, { baseUrl })
  if (refused.status !== 409) throw new Error(String(refused.status))
  switch (refused.data.code) {
    case "HANDLE_TAKEN":
    case "VOICE_ALREADY_CLAIMED":
    case "VOICE_TENSOR_NOT_DEPLOYED":
    case "IDEMPOTENCY_KEY_CONFLICT":
    case "IDEMPOTENCY_KEY_IN_PROGRESS":
      return [codes.join(), refused.data.code, refused.status]
  }
}
`
const wrong = `import * as station from "./client.ts"
const home = await station.deskHome({})
export const text: number = home.status === 200 ? home.data.actions[0]!.code : 1
void station.agentsRegister({ body: { agent: { handle: 7 } } })
`

layer(AgentHttp(), { excludeTestServices: true, timeout: 300_000 })("the OpenAPI document", (it) => {
  it.effect("makes a client that type-checks in strict mode, knows each answer by its status, and works", () =>
    Effect.gen(function* () {
      const { address } = yield* HttpServer.HttpServer
      const base = `http://127.0.0.1:${(address as { readonly port: number }).port}`
      const folder = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(join(tmpdir(), "longwave-client-"))),
        (made) => Effect.promise(() => rm(made, { recursive: true, force: true }))
      )
      const description: unknown = JSON.parse(JSON.stringify(servedDocument(describeApi(Api), () => "")))
      const client = yield* Effect.promise(() => generateClient(description, folder))
      const [used, misused] = [join(folder, "used.ts"), join(folder, "misused.ts")]
      yield* Effect.promise(() => writeFile(used, program))
      yield* Effect.promise(() => writeFile(misused, wrong))
      const said = yield* Effect.promise(() => typeCheck([client.file, used, misused]))
      const lines = said.split("\n").filter((line) => line.includes("error TS"))
      expect(lines.filter((line) => !line.includes("misused.ts"))).toEqual([])
      expect(lines.map((line) => /misused\.ts\((\d+)/.exec(line)?.[1])).toEqual(expect.arrayContaining(["3", "4"]))
      const { arrive } = (yield* Effect.promise(() => import(used))) as {
        readonly arrive: (base: string, handle: string) => Promise<readonly [string, string, number]>
      }
      expect(yield* Effect.promise(() => arrive(base, newHandle()))).toEqual([
        "COMPLETE_PROFILE,CLAIM_VOICE,SUBMIT_FIRST_AIR,POST_FIELD_NOTE",
        "HANDLE_TAKEN",
        409
      ])
      const door = yield* Effect.promise(() => makeGeneratedDoor(client, base))
      const schedule = yield* Effect.promise(() => door.use("GET", "/api/v1/catalog/slots", { limit: "1" }))
      expect(schedule.status).toBe(200)
      // Every operation of the document has a function.
      const functions = Object.keys((yield* Effect.promise(() => import(client.file))) as object)
      const ids = Object.values(client.description.paths).flatMap((methods) =>
        Object.values(methods).map(({ operationId }) =>
          operationId.replaceAll(/\W+(\w)/g, (_, letter: string) => letter.toUpperCase())
        )
      )
      expect(ids.filter((id) => !functions.includes(id))).toEqual([])
    }).pipe(Effect.scoped)
  )
})
