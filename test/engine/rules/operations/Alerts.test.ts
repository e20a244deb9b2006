import { describe, expect, it } from "vitest"
import { alertChanges, causesOf, type Signs } from "../../../../engine/rules/operations/Alerts.ts"
import { alertClearSec, alertQuietSec, encoderRestartsWindowSec } from "../../../../engine/rules/operations/limits.ts"
import type { AlertRecord } from "../../../../schema/operations/Alert.ts"

const well: Signs = {
  silent: false,
  fallback: false,
  emergency: false,
  probeGaveUp: false,
  encoders: [{ id: "mp3", running: true, restartsMs: [] }],
  diskFreeBytes: 10_000_000_000,
  diskFreeMinBytes: 1_000_000_000,
  storeAnswers: true,
  speechOut: [],
  overdueReviews: 0,
  failingWebhooks: 0
}
const nowMs = 1_700_000_000_000
const kinds = (signs: Partial<Signs>) =>
  causesOf({ ...well, ...signs }, nowMs).causes.map(
    ({ kind, subject }) => `${kind}${subject === "" ? "" : ` ${subject}`}`
  )
const open = (over: Partial<AlertRecord>): AlertRecord => ({
  id: "alr_1",
  kind: "silence",
  subject: "",
  severity: "critical",
  detail: "Listeners hear silence.",
  times: 1,
  raisedAtMs: nowMs - 60_000,
  lastAtMs: nowMs - 60_000,
  acknowledgedAtMs: null,
  acknowledgedBy: null,
  note: null,
  closedAtMs: null,
  ...over
})

describe("alerts", () => {
  it("are raised for each thing that is wrong, and for nothing else", () => {
    expect(kinds({})).toEqual([])
    for (const [signs, expected] of [
      [{ silent: true }, ["silence"]],
      [{ fallback: true }, ["fallback"]],
      [{ emergency: true }, ["emergency"]],
      [{ probeGaveUp: true }, ["watchdog"]],
      [{ encoders: [{ id: "mp3", running: false, restartsMs: [] }] }, ["encoder mp3"]],
      [{ encoders: [{ id: "mp3", running: true, restartsMs: [nowMs - 3, nowMs - 2, nowMs - 1] }] }, ["encoder mp3"]],
      [{ encoders: [{ id: "mp3", running: true, restartsMs: [nowMs - 2, nowMs - 1] }] }, []],
      [
        {
          encoders: [
            { id: "mp3", running: true, restartsMs: Array<number>(9).fill(nowMs - encoderRestartsWindowSec * 1_000) }
          ]
        },
        []
      ],
      [{ diskFreeBytes: 999_999_999 }, ["disk"]],
      [{ storeAnswers: false }, ["store"]],
      [{ speechOut: [{ name: "azure", why: "401" }] }, ["speech azure"]],
      [{ overdueReviews: 2 }, ["reviews"]],
      [{ failingWebhooks: 1 }, ["webhooks"]]
    ] as const)
      expect([signs, kinds(signs as Partial<Signs>)]).toEqual([signs, expected])
  })

  it("are raised once, close when the cause has been gone for a while, and not because nothing is known", () => {
    const change = (alerts: ReadonlyArray<AlertRecord>, signs: Partial<Signs>, atMs = nowMs) =>
      alertChanges(alerts, { ...well, ...signs }, atMs).map(({ _tag }) => _tag)
    expect(change([], { silent: true })).toEqual(["Raise"])
    expect(change([open({})], { silent: true })).toEqual(["See"])
    expect(change([open({})], {})).toEqual(["Close"])
    expect(change([open({ lastAtMs: nowMs - alertClearSec * 1_000 + 1 })], {})).toEqual([])
    expect(change([open({})], { silent: null })).toEqual([])
    expect(change([open({ kind: "reviews" })], { overdueReviews: null })).toEqual([])
    const notice = open({ kind: "notice", subject: "as_run" })
    expect(change([notice], {})).toEqual([])
    expect(change([notice], {}, notice.lastAtMs + alertQuietSec * 1_000)).toEqual(["Close"])
    // Another output is another alert.
    expect(
      change([open({ kind: "encoder", subject: "mp3", lastAtMs: nowMs })], {
        encoders: [{ id: "aac64", running: false, restartsMs: [] }]
      })
    ).toEqual(["Raise"])
  })
})
