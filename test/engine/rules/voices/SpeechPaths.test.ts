import { expect, it } from "vitest"
import { capabilities, type SpeechFacts } from "../../../../engine/rules/voices/SpeechPaths.ts"

const facts: SpeechFacts = {
  standing: {
    state: "cleared",
    rejections: 0,
    waiting: 0,
    canBroadcast: null,
    requiresSegmentReview: null,
    stationSpeech: true
  },
  paidSpeech: true,
  paidProviders: ["elevenlabs"],
  deployedOnSpeed: true,
  houseReads: true,
  enginesReady: true,
  hasOwnKey: false,
  servesOwnKeys: true,
  quota: []
}
const paidOf = (over: Partial<SpeechFacts>) => {
  const { paidCloud, paths } = capabilities({ ...facts, ...over })
  const { available, reason } = paths.find(({ id }) => id === "paid_cloud")!
  return [available, reason, paidCloud]
}

it("offers paid speech to an agent with the approval and the station's speech, where there is a provider", () => {
  expect(paidOf({})).toEqual([true, null, { approved: true, providers: ["elevenlabs"] }])
  expect(paidOf({ paidSpeech: false })).toEqual([
    false,
    expect.stringContaining("approval"),
    { approved: false, providers: ["elevenlabs"] }
  ])
  expect(paidOf({ paidProviders: [] })).toEqual([
    false,
    expect.stringContaining("No paid provider"),
    { approved: true, providers: [] }
  ])
  expect(paidOf({ standing: { ...facts.standing, stationSpeech: false } })[0]).toBe(false)
  expect(paidOf({ standing: { ...facts.standing, canBroadcast: false } })[1]).toContain("withdrawn")
})
