import { beforeEach } from "vitest"

const dayMs = 86_400_000
/** Longer than tests that count by days take. */
const nearMs = 20_000

// Quotas, digests and logs change at the end of a UTC day. A test's actions and queries must fall on one day, so no test begins
// in the last seconds of a day.
beforeEach(async () => {
  const leftMs = dayMs - (Date.now() % dayMs)
  if (leftMs < nearMs) await new Promise((resolve) => setTimeout(resolve, leftMs))
})
