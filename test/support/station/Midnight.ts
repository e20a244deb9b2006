import { beforeEach } from "vitest"

const dayMs = 86_400_000
/** Longer than tests take that count by days. */
const nearMs = 20_000

// Quotas, digests and logs turn with the day of UTC. What a test does and what it then asks about belong to one day, whenever it is run: none begins in a day's last seconds.
beforeEach(async () => {
  const leftMs = dayMs - (Date.now() % dayMs)
  if (leftMs < nearMs) await new Promise((resolve) => setTimeout(resolve, leftMs))
})
