import { Result } from "effect"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { readConfig, settings, settingsTable } from "../../../engine/runtime/Config.ts"

const problems = (environment: Record<string, string>) =>
  Result.match(readConfig(environment), { onSuccess: () => [], onFailure: (bad) => bad.problems })

describe("configuration", () => {
  it("has a default for every required setting", () => {
    const config = Result.getOrThrow(readConfig({}))
    expect(config).toMatchObject({
      port: 8_080,
      dataDir: "./var",
      databaseUrl: null,
      publicUrl: "http://localhost:8080",
      stationSlug: "longwave",
      timeZone: "UTC",
      openSignup: "on"
    })
  })

  it("uses the port in the default public address", () => {
    expect(Result.getOrThrow(readConfig({ PORT: "9000" })).publicUrl).toBe("http://localhost:9000")
  })

  it("lists all wrong values at once with the valid ones", () => {
    expect(problems({ PORT: "abc", STATION_TIME_ZONE: "Mars/Olympus", OPEN_SIGNUP: "maybe" })).toEqual([
      'PORT is "abc": it must be a whole number from 1 to 65535.',
      'STATION_TIME_ZONE is "Mars/Olympus": it must be an IANA zone such as Europe/Berlin.',
      'OPEN_SIGNUP is "maybe": it must be on or off.'
    ])
  })

  it("accepts networks of proxies as CIDRs only", () => {
    expect(problems({ TRUSTED_PROXIES: "999.0.0.0/99" })).toEqual([
      expect.stringMatching(/^TRUSTED_PROXIES is "999\.0\.0\.0\/99": it must be CIDRs/)
    ])
  })

  it("never repeats a secret in its messages", () => {
    expect(
      problems({ OPERATOR_TOKEN: "hunter2", MASTER_KEY: "hunter2", DATABASE_URL: "mysql://hunter2" }).join()
    ).not.toContain("hunter2")
  })

  it("accepts a sign-in provider completely or not at all, over TLS or on this machine", () => {
    expect(
      Result.getOrThrow(readConfig({ OIDC_A_ISSUER: "https://id.example/realms/x", OIDC_A_CLIENT_ID: "me" }))
    ).toMatchObject({ oidcAIssuer: "https://id.example/realms/x", oidcALabel: null, oidcBIssuer: null })
    expect(problems({ OIDC_A_ISSUER: "https://id.example", OIDC_B_CLIENT_ID: "me" })).toEqual([
      expect.stringContaining("OIDC_A_CLIENT_ID is missing"),
      expect.stringContaining("OIDC_B_ISSUER is missing")
    ])
    for (const issuer of [
      "http://id.example",
      "http://127.0.0.1.evil.example",
      "http://localhost.evil.example:80",
      "ftp://id.example"
    ])
      expect(problems({ OIDC_A_ISSUER: issuer, OIDC_A_CLIENT_ID: "me" })).toHaveLength(1)
    expect(problems({ OIDC_B_ISSUER: "http://127.0.0.1:8443", OIDC_B_CLIENT_ID: "me" })).toEqual([])
  })

  it("accepts the other name of the time zone, and treats an empty value as missing", () => {
    expect(Result.getOrThrow(readConfig({ STATION_TIMEZONE: "Asia/Tokyo" })).timeZone).toBe("Asia/Tokyo")
    expect(Result.getOrThrow(readConfig({ PORT: "" })).port).toBe(8_080)
  })

  it("is documented in docs/configuration.md, every setting", () => {
    const page = readFileSync("docs/configuration.md", "utf8")
    expect(page).toContain(settingsTable())
    for (const { name } of Object.values(settings)) expect(page).toContain(`\`${name}\``)
  })
})
