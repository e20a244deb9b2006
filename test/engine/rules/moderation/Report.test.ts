import { describe, expect, it } from "vitest"
import { outcomeLetter, reportCard, reportDueAtMs } from "../../../../engine/rules/moderation/Report.ts"

const createdAtMs = Date.UTC(2026, 4, 1, 20, 4)
const station = { name: "Longwave", publicUrl: "https://radio.test" }
const report = { type: "track", title: "Low tide waltz", createdAtMs, reason: "rights" } as const

describe("a report", () => {
  it.each([
    ["approved", "The text is hers.", "act on it. They say: The text is hers."],
    ["approved", null, "The station's operators agree with you, and act on it.\n"],
    ["rejected", "It is from 1821.", "leave it as it is. They say: It is from 1821."]
  ] as const)("tells its sender that it was %s (%s)", (status, reason, words) => {
    const letter = outcomeLetter({ status, reason }, report, station)!
    expect(letter.subject).toBe("Longwave: what became of your report")
    expect(letter.text).toMatch(
      /^On 2026-05-01 you reported a song \(“Low tide waltz”\) on Longwave: it uses my work or rights/
    )
    expect(letter.text).toContain(words)
    expect(letter.text).toContain("https://radio.test/contact")
    expect(letter.text).toContain("Your address was kept for this letter only, and is erased now.")
  })

  it("tells nothing before there is an outcome, and names what has no title by its kind", () => {
    for (const status of ["open", "held", "escalated"] as const)
      expect(outcomeLetter({ status, reason: null }, report, station)).toBeNull()
    expect(outcomeLetter({ status: "approved", reason: null }, { ...report, title: null }, station)!.text).toContain(
      "you reported a song on Longwave"
    )
  })

  it("shows the reviewer how often and why, the newest first, within bounds", () => {
    const reports = [
      { reason: "rights" as const, words: "It is mine.", createdAtMs },
      { reason: "spam" as const, words: null, createdAtMs: createdAtMs - 60_000 }
    ]
    const subject = { type: "track", id: "trk_1", title: "Low tide waltz" } as const
    const { body, title } = reportCard(subject, reports, 10_000)
    expect(title).toBe("Report (2 reports): a song, “Low tide waltz”")
    expect(body.split("\n\n")[0]).toBe("Reported: track trk_1")
    expect(body.split("\n\n")[1]).toMatch(/^2026-05-01T20:04:00\.000Z: .* It is mine\.$/)
    expect(reportCard(subject, reports, 40).body).toHaveLength(40)
    expect(reportDueAtMs("rights", 0)).toBeGreaterThan(0)
  })
})
