import { Console, Effect, Layer, Logger } from "effect"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it } from "vitest"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { loggedPath, makeAnswerLog } from "../../../http/server/AnswerLog.ts"

/** The lines that a station with this format writes about the requests. */
const linesOf = async (
  logFormat: string,
  requests: ReadonlyArray<readonly [method: string, path: string]>
): Promise<ReadonlyArray<string>> => {
  const lines: Array<string> = []
  const console = { ...globalThis.console, log: (line: unknown) => void lines.push(String(line)) }
  const note = await Effect.runPromise(
    makeAnswerLog.pipe(
      Effect.provide(
        Layer.mergeAll(
          StationConfig.fromEnvironment({ LOG_FORMAT: logFormat }),
          Logger.layer([Logger.consoleJson]),
          Layer.succeed(Console.Console, console)
        )
      )
    )
  )
  const server = createServer((request, response) => {
    response.setHeader("x-request-id", "req_01")
    if (request.url === "/events") response.setHeader("content-type", "text/event-stream")
    response.once("finish", () => note(request, response, 12.6))
    response.writeHead(request.url === "/none" ? 404 : 200).end("x")
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  for (const [method, path] of requests) await (await fetch(`http://127.0.0.1:${port}${path}`, { method })).text()
  server.closeAllConnections()
  server.close()
  await once(server, "close")
  return lines
}

describe("the log of answers", () => {
  it("has one JSON line at Info for each request, with its date, request id and time", async () => {
    const lines = await linesOf("json", [
      ["GET", "/api/station?stationSlug=longwave"],
      ["POST", "/none"],
      ["GET", "/events"],
      ["GET", "/claim/claim_secret"]
    ])
    const parsed = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(parsed.map(({ annotations, level, message }) => [level, message, annotations])).toEqual([
      ["INFO", "request", { requestId: "req_01", method: "GET", path: "/api/station", status: 200, durationMs: 13 }],
      ["INFO", "request", { requestId: "req_01", method: "POST", path: "/none", status: 404, durationMs: 13 }],
      ["INFO", "request", { requestId: "req_01", method: "GET", path: "/events", status: 200, durationMs: 13 }],
      ["INFO", "request", { requestId: "req_01", method: "GET", path: "/claim/…", status: 200, durationMs: 13 }]
    ])
    for (const { timestamp } of parsed) expect(timestamp).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
    expect(lines.join("")).not.toMatch(/claim_secret|127\.0\.0\.1|longwave/)
  })

  it("is silent about requests in the form for people", async () => {
    expect(await linesOf("text", [["GET", "/api/station"]])).toEqual([])
  })

  it("leaves out what only the reader of a path should know", () => {
    expect(loggedPath("/not-me/agt_1.proof?x=1")).toBe("/not-me/…")
    expect(loggedPath("/api/v1/home?apiKey=svc_agent_x")).toBe("/api/v1/home")
    expect(loggedPath(undefined)).toBe("")
  })
})
