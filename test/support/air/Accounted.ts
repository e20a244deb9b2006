import { expect } from "vitest"

/** Checks the rows of a log in order: no sample is missing, and no row ends before the previous one. Returns the sample after the last. */
export const checkAccounted = (
  rows: ReadonlyArray<{ readonly firstSample: number; readonly lastSample: number }>
): number => {
  rows.forEach(({ firstSample, lastSample }, i) => {
    expect(lastSample, `row ${i} ends before it begins`).toBeGreaterThanOrEqual(firstSample)
    if (i > 0)
      expect(lastSample, `row ${i} ends before the one before it`).toBeGreaterThanOrEqual(rows[i - 1]!.lastSample)
  })
  let next: number | null = null
  for (const { firstSample, lastSample } of rows.toSorted((a, b) => a.firstSample - b.firstSample)) {
    if (next !== null && firstSample > next) expect.fail(`samples ${next} to ${firstSample - 1} are in no row`)
    next = Math.max(next ?? 0, lastSample + 1)
  }
  return next ?? 0
}
