/** Prints a step of a demonstration, with the seconds since its start. */
export const say = (step: string) => console.log(`${(performance.now() / 1_000).toFixed(1).padStart(6)} s  ${step}`)
/** Polls until there is an answer: the station reports events and no schedule of them. */
export const pollUntil = async <A>(what: string, patienceMs: number, ask: () => Promise<A | undefined>): Promise<A> => {
  const deadline = performance.now() + patienceMs
  while (performance.now() < deadline) {
    const answer = await ask().catch(() => undefined)
    if (answer !== undefined) return answer
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  throw new Error(`gave up waiting: ${what}`)
}

export const waitMs = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
