import { Result } from "effect"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { readConfig, settings, settingsTable } from "../../engine/Config.ts"

const problems = (environment: Record<string, string>) =>
  Result.match(readConfig(environment), { onSuccess: () => [], onFailure: (bad) => bad.problems })

describe("configuration", () => {
  it("has a default for everything that is needed", () => {
    const config = Result.getOrThrow(readConfig({}))
    expect(config).toMatchObject({ port: 8_080, dataDir: "./var", databaseUrl: null, publicUrl: "http://localhost:8080", stationSlug: "longwave", timeZone: "UTC", openSignup: "on" })
  })

  it("follows the port in the address it tells people", () => {
    expect(Result.getOrThrow(readConfig({ PORT: "9000" })).publicUrl).toBe("http://localhost:9000")
  })

  it("says of every wrong value at once which it is and what is right", () => {
    expect(problems({ PORT: "abc", STATION_TIME_ZONE: "Mars/Olympus", OPEN_SIGNUP: "maybe" })).toEqual([
      "PORT is \"abc\": it must be a whole number from 1 to 65535.",
      "STATION_TIME_ZONE is \"Mars/Olympus\": it must be an IANA zone such as Europe/Berlin.",
      "OPEN_SIGNUP is \"maybe\": it must be on or off."
    ])
  })

  it("never repeats a secret in what it says", () => {
    expect(problems({ OPERATOR_TOKEN: "hunter2", MASTER_KEY: "hunter2", DATABASE_URL: "mysql://hunter2" }).join()).not.toContain("hunter2")
  })

  it("takes the other spelling of the zone, and nothing for an empty value", () => {
    expect(Result.getOrThrow(readConfig({ STATION_TIMEZONE: "Asia/Tokyo" })).timeZone).toBe("Asia/Tokyo")
    expect(Result.getOrThrow(readConfig({ PORT: "" })).port).toBe(8_080)
  })

  it("is written down in the README, setting by setting", () => {
    const readme = readFileSync("README.md", "utf8")
    expect(readme).toContain(settingsTable())
    for (const { name } of Object.values(settings)) expect(readme).toContain(`\`${name}\``)
  })
})
