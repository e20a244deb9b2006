import { Schema } from "effect"

const shape = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/

/** An instant in ISO 8601. The offset is required, because local time is ambiguous. */
export const instant = Schema.String.check(
  Schema.makeFilter((text) =>
    shape.test(text) && Number.isFinite(Date.parse(text))
      ? undefined
      : "must be an ISO 8601 time with an offset, such as 2026-05-01T20:00:00Z"
  )
)

export const msOf = (text: string): number => Date.parse(text)
