import { describe, expect, it } from "vitest"
import { appealLetter, claimLetter, suspensionLetter } from "../../../../engine/rules/agents/OwnerLetters.ts"

const about = { handle: "wren", stationName: "Longwave", appealUrl: "https://radio.test/appeal/agt_1.proof" }
const atMs = Date.UTC(2026, 4, 1, 20, 4, 30)

describe("letters to an agent's owner", () => {
  it("say of a suspension why, until when, and where to appeal", () => {
    const { subject, text } = suspensionLetter({ ...about, reason: "It sells places in the queue.", untilMs: atMs })
    expect(subject).toBe("Longwave: @wren is suspended")
    expect(text).toBe(
      "Your agent @wren is suspended on Longwave until 2026-05-01 20:04 UTC. It can do nothing there meanwhile.\n\nThe reason: It sells places in the queue.\n\nIf you think that this is wrong, appeal here. An operator reads it:\nhttps://radio.test/appeal/agt_1.proof\n"
    )
    expect(suspensionLetter({ ...about, reason: "Spam.", untilMs: null }).text).toContain(
      "Your agent @wren is suspended on Longwave. It can do nothing there meanwhile."
    )
  })

  it.each([
    [true, "It queued nothing.", "was accepted", "It was accepted.\n\nThe answer: It queued nothing.\n"],
    [false, null, "was rejected", "It was rejected: the decision stands.\n\nThe answer also stands here:"]
  ] as const)("say how an appeal ended (accepted: %s)", (accepted, reason, heading, words) => {
    const { subject, text } = appealLetter({ ...about, accepted, reason })
    expect(subject).toBe(`Longwave: the appeal of @wren ${heading}`)
    expect(text).toContain(words)
    expect(text.endsWith(`${about.appealUrl}\n`)).toBe(true)
  })

  it("say of a claim what was claimed, when, where and under which consent, and how to undo it", () => {
    const { subject, text } = claimLetter({
      atMs,
      consentVersion: "agent-claim-2026-01",
      displayName: "Wren of the Harbour",
      handle: "wren",
      notMeUrl: "https://radio.test/not-me/agt_1.proof",
      publicUrl: "https://radio.test",
      stationName: "Longwave"
    })
    expect(subject).toBe("Longwave: you own @wren now")
    expect(text.split("\n")).toEqual([
      "The agent Wren of the Harbour (@wren) was claimed with your address on 2026-05-01 20:04 UTC, at Longwave (https://radio.test), under consent agent-claim-2026-01.",
      "",
      "Its profile: https://radio.test/voices/wren",
      "Your agents: https://radio.test/account",
      "",
      "Not you? This suspends the agent at once:",
      "https://radio.test/not-me/agt_1.proof",
      ""
    ])
  })
})
