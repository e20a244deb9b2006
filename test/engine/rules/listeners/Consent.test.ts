import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { judgeCallConsent, judgeConsent } from "../../../../engine/rules/listeners/Consent.ts"
import {
  type ConsentAsk,
  Source,
  broadcastDisclosure,
  callInRecordingNotice
} from "../../../../schema/listeners/Consent.ts"

const { version } = broadcastDisclosure
const account = { displayName: "Mara" }
const full: ConsentAsk = {
  source: "web",
  consent: { acknowledged: true, disclosureVersion: version },
  attribution: { useDisplayName: true },
  account
}
const labelOf = (change: Partial<ConsentAsk>) => Result.getOrThrow(judgeConsent({ ...full, ...change })).listenerLabel
const maybe = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: undefined })
const asks: fc.Arbitrary<ConsentAsk> = fc.record({
  source: fc.option(fc.constantFrom(...Source.literals)),
  consent: fc.option(
    fc.record({
      acknowledged: maybe(fc.boolean()),
      disclosureVersion: maybe(fc.constantFrom(version, "2025-01-01.v1")),
      recordingNoticeVersion: maybe(fc.constantFrom(callInRecordingNotice.version, ""))
    })
  ),
  attribution: fc.option(fc.record({ useDisplayName: maybe(fc.boolean()) })),
  account: fc.option(fc.constantFrom(account, { displayName: "a".repeat(41) }, { displayName: "call +49 170 1234567" }))
})
describe("the consent rules", () => {
  it("1: refuse only a web page without an acknowledgement", () => {
    for (const consent of [null, {}, { acknowledged: false }, { disclosureVersion: version }]) {
      expect(Result.isFailure(judgeConsent({ ...full, consent }))).toBe(true)
      for (const source of ["ios", "android", "api", "agent", null] as const)
        expect(Result.isSuccess(judgeConsent({ ...full, consent, source }))).toBe(true)
    }
  })

  it("2: name a listener only with the version in force and a request for it", () => {
    expect(labelOf({})).toBe("Mara")
    expect(labelOf({ source: "api" })).toBe("Mara")
    expect(labelOf({ source: "api", consent: { disclosureVersion: version } })).toBe("Mara")
    expect(labelOf({ consent: { acknowledged: true } })).toBe("a listener")
    expect(labelOf({ consent: { acknowledged: true, disclosureVersion: "2026-09-25.v0" } })).toBe("a listener")
    expect(labelOf({ attribution: null })).toBe("a listener")
    expect(labelOf({ attribution: {} })).toBe("a listener")
    expect(labelOf({ attribution: { useDisplayName: false } })).toBe("a listener")
  })

  it("3: treat omitted consent as anonymous, whatever else is requested", () => {
    expect(Result.getOrThrow(judgeConsent({ ...full, source: null, consent: null }))).toEqual({
      source: "api",
      acknowledged: false,
      disclosureVersion: null,
      recordingNoticeVersion: null,
      listenerLabel: "a listener"
    })
    expect(labelOf({ source: "ios", consent: { acknowledged: false, disclosureVersion: version } })).toBe("a listener")
  })

  it("4: call guests 'a listener', always", () => expect(labelOf({ account: null })).toBe("a listener"))

  it("5: require a web page to name the shown recording notice, for calls only", () => {
    expect(Result.isFailure(judgeCallConsent(full))).toBe(true)
    expect(
      Result.isFailure(judgeCallConsent({ ...full, consent: { ...full.consent, recordingNoticeVersion: "" } }))
    ).toBe(true)
    expect(Result.isSuccess(judgeCallConsent({ ...full, source: "ios" }))).toBe(true)
    // An earlier version only limits the use of the name, and is no error.
    const called = Result.getOrThrow(
      judgeCallConsent({ ...full, consent: { ...full.consent, recordingNoticeVersion: "2025-01-01.v1" } })
    )
    expect(called).toMatchObject({ recordingNoticeVersion: "2025-01-01.v1", listenerLabel: "Mara" })
    expect(
      Result.isFailure(
        judgeCallConsent({ ...full, consent: { recordingNoticeVersion: callInRecordingNotice.version } })
      )
    ).toBe(true)
  })

  it("read out no name that is too long, empty or has unreadable characters", () => {
    for (const displayName of ["", "  ", "a".repeat(41), "write to mara@example.org", "call +49 170 1234567"])
      expect(labelOf({ account: { displayName } })).toBe("a listener")
    expect(labelOf({ account: { displayName: "Zoë Ångström, keeper of the lighthouses!" } })).toBe(
      "Zoë Ångström, keeper of the lighthouses!"
    )
  })

  it("name only an account that saw the text in force, agreed and asked for it", () =>
    fc.assert(
      fc.property(asks, (ask) => {
        const judged = judgeConsent(ask)
        if (Result.isFailure(judged)) {
          expect([ask.source, ask.consent?.acknowledged ?? false]).toEqual(["web", false])
          return
        }
        const { acknowledged, disclosureVersion, listenerLabel } = judged.success
        expect(acknowledged).toBe(ask.consent?.acknowledged === true)
        expect(disclosureVersion).toBe(ask.consent?.disclosureVersion ?? null)
        if (listenerLabel !== "a listener")
          expect([ask.account, ask.consent?.disclosureVersion, ask.attribution?.useDisplayName]).toEqual([
            account,
            version,
            true
          ])
      })
    ))
})
