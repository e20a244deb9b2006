import { describe, expect, it } from "vitest"
import { daysOf, historyOf } from "../../../../engine/rules/people/PersonRecord.ts"
import { applyPatch, findFlaggedFields, shortenAgent } from "../../../../engine/rules/people/HumanProfile.ts"

const hash = (text: string) => String(text.length)

describe("a person's profile", () => {
  it("keeps omitted fields, and treats an empty text as none", () => {
    const before = { slug: "ada", displayName: "Ada", bio: "Bees.", links: [], published: true }
    expect(applyPatch(before, {})).toEqual(before)
    expect(applyPatch(before, { bio: "" })).toEqual({ ...before, bio: null })
    expect(applyPatch(before, { published: false, displayName: "Ada L." })).toEqual({
      ...before,
      published: false,
      displayName: "Ada L."
    })
  })

  it("flags each text by its pointer, and no addresses of links", () => {
    expect(
      findFlaggedFields(
        {
          displayName: "Ada",
          bio: "Keeps bees.",
          links: [{ label: "Bees", url: "https://bees.example/?mail=ada@example.org" }]
        },
        hash
      )
    ).toEqual([])
    expect(
      findFlaggedFields(
        {
          bio: "ada@example.org",
          links: [
            { label: "Bees", url: "https://x.example" },
            { label: "call +49 30 12345678", url: "https://x.example" }
          ]
        },
        hash
      ).map(({ pointer }) => pointer)
    ).toEqual(["/bio", "/links/1/label"])
  })

  it.each([
    [undefined, null],
    ["", null],
    ["Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0", "Firefox 130 on Linux"],
    [
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Safari/537.36",
      "Chrome 129 on Windows"
    ],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
      "Safari 17 on iPhone"
    ],
    [`${"x".repeat(200)}\u0007`, "x".repeat(80)]
  ])("calls the browser %s %s", (given, said) => {
    expect(shortenAgent(given, 80)).toBe(said)
  })
})

describe("a person's history as a listener", () => {
  it("is listed newest first over all tables", () => {
    expect(historyOf({})).toEqual([])
    const entries = historyOf({
      track_votes: [{ track_id: "trk_1", action: "like", at: "2026-11-20T10:00:00+00:00" }],
      interactions: [
        {
          id: "int_1",
          type: "write_in",
          content: "Hello",
          moderation_status: "aired",
          track_id: null,
          created_at: "2026-11-22T10:00:00+00:00"
        }
      ],
      chat_messages: [{ id: "msg_1", body: "Hi", status: "approved", created_at: "2026-11-21T10:00:00+01:00" }],
      something_new: [{ id: "x" }]
    })
    expect(entries.map(({ at, id, kind, status }) => [id, kind, at, status])).toEqual([
      ["int_1", "write_in", "2026-11-22T10:00:00.000Z", "aired"],
      ["msg_1", "message", "2026-11-21T09:00:00.000Z", "approved"],
      ["trk_1", "vote", "2026-11-20T10:00:00.000Z", "like"]
    ])
    expect(
      daysOf({
        listener_days: [
          { day: "2026-11-20", minutes: 3 },
          { day: "2026-11-21", votes: 2, minutes: 0 }
        ]
      }).map(({ day, minutes, votes }) => [day, minutes, votes])
    ).toEqual([
      ["2026-11-21", 0, 2],
      ["2026-11-20", 3, 0]
    ])
  })
})
