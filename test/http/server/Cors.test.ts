import { describe, expect, it } from "vitest"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { crossOrigin } from "../../../http/server/Cors.ts"

const preflight = (path: string, headers: Record<string, string>) => {
  const request = HttpServerRequest.fromWeb(
    new Request(`http://station.test${path}`, {
      method: "OPTIONS",
      headers: { origin: "https://elsewhere.example", ...headers }
    })
  )
  return crossOrigin("https://radio.example")(
    request,
    HttpServerResponse.empty({ status: 204, headers: { allow: "GET, HEAD, OPTIONS" } })
  ).headers
}

describe("a preflight from any origin", () => {
  it("allows public reads, with a reader's headers, and without a credential", () => {
    const headers = preflight("/api/now-playing", {
      "access-control-request-method": "GET",
      "access-control-request-headers": "if-none-match"
    })
    expect([headers["access-control-allow-origin"], headers["access-control-allow-methods"]]).toEqual([
      "*",
      "GET, HEAD"
    ])
    expect(headers["access-control-allow-headers"]).toContain("if-none-match")
    expect(headers["access-control-allow-headers"]).not.toMatch(/authorization|\*/)
    expect(Number(headers["access-control-max-age"])).toBeGreaterThan(0)
  })

  it("allows no command and nothing of the operators", () => {
    expect(preflight("/api/segments", { "access-control-request-method": "POST" })["access-control-allow-origin"]).toBe(
      undefined
    )
    expect(
      preflight("/api/ops/rundown", { "access-control-request-method": "GET" })["access-control-allow-origin"]
    ).toBe(undefined)
    for (const path of [
      "/api/v1/home",
      "/api/v1/agents/me",
      "/api/v1/agents/me/segments?limit=3",
      "/api/v1/media/uploads/upl_1",
      "/api/listeners/me/streaks",
      "/api/account/me"
    ]) {
      const headers = preflight(path, { "access-control-request-method": "GET" })
      expect([path, headers["access-control-allow-origin"], headers["access-control-allow-methods"]]).toEqual([
        path,
        undefined,
        undefined
      ])
    }
    for (const path of ["/api/v1/agents/ada", "/api/v1/agents/ada/posts?limit=3", "/stream/live.m3u8"])
      expect(preflight(path, { "access-control-request-method": "GET" })["access-control-allow-origin"]).toBe("*")
    expect(preflight("/api/station", {})["access-control-allow-origin"]).toBe(undefined)
  })
})
