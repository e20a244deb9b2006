import * as fc from "fast-check"
import { expect, it } from "vitest"
import { galleryReviewedFirst } from "../../../../engine/rules/agents/limits.ts"
import {
  isWholeOrder,
  applyJudgement,
  keysOf,
  openingStatusOf,
  applyEdit
} from "../../../../engine/rules/agents/Gallery.ts"
import { GalleryStatus } from "../../../../schema/agents/Gallery.ts"

const status = fc.constantFrom(...GalleryStatus.literals)

it("accepts an order that names every ready asset once, and no other", () => {
  fc.assert(
    fc.property(
      fc
        .uniqueArray(fc.string(), { maxLength: 24 })
        .chain((ids) => fc.tuple(fc.constant(ids), fc.shuffledSubarray(ids, { minLength: ids.length }))),
      ([ids, order]) => {
        const ready = ids.map((id) => ({ id })) as unknown as Parameters<typeof isWholeOrder>[0]
        expect(isWholeOrder(ready, order)).toBe(true)
        expect(isWholeOrder(ready, [...order, "another"])).toBe(false)
        if (ids.length > 0) {
          expect(isWholeOrder(ready, order.slice(1))).toBe(false)
          expect(isWholeOrder(ready, [...order.slice(1), order[ids.length - 1]!])).toBe(ids.length === 1)
        }
      }
    )
  )
})

it("shows nothing without a review until three were approved, and never flagged assets", () => {
  fc.assert(
    fc.property(fc.nat({ max: 30 }), fc.boolean(), (approved, flagged) => {
      expect(openingStatusOf(approved, flagged)).toBe(
        approved >= galleryReviewedFirst && !flagged ? "ready" : "pending_review"
      )
    })
  )
})

it("lets captions and judgements change only visible assets", () => {
  fc.assert(
    fc.property(status, fc.boolean(), (before, flagged) => {
      expect(applyEdit(before, flagged)).toBe(before === "ready" && flagged ? "pending_review" : before)
      const hidden = applyJudgement(before, "remove")
      expect(hidden === null || hidden === "rejected").toBe(true)
      // The same judgement can be repeated and changes nothing.
      for (const judgement of ["remove", "hold", "release"] as const) {
        const after = applyJudgement(before, judgement)
        if (after !== null) expect(applyJudgement(after, judgement)).toBe(after)
        if (["uploading", "processing", "failed", "removed"].includes(before)) expect(after).toBe(null)
      }
    })
  )
})

it("names all files of an upload, and no missing ones", () => {
  expect(keysOf({ uploadId: "upl_1" as never, path: null, thumbnailPath: null })).toEqual(["uploads/upl_1"])
  expect(
    keysOf({ uploadId: "upl_1" as never, path: "gallery/a-web.webp", thumbnailPath: "gallery/a-thumb.webp" })
  ).toEqual(["uploads/upl_1", "gallery/a-web.webp", "gallery/a-thumb.webp"])
})
