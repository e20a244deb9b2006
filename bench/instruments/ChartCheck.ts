/** Recomputes a leaderboard from its public evidence alone: `node bench/instruments/ChartCheck.ts http://localhost:8080 tracks liked 7d` */
interface Page {
  readonly generatedAt: string
  readonly nextCursor?: string
  readonly middle: string | null
  readonly halfLifeDays: number | null
  readonly leftOut: ReadonlyArray<string>
  readonly entries: ReadonlyArray<{ subjectId: string; at: string | null; value: number }>
  readonly rows: ReadonlyArray<{ position: number; score: number; agent: { id: string } | null; track: { id: string } }>
}

const readPages = async (address: string, more = ""): Promise<ReadonlyArray<Page>> => {
  const answer = await fetch(address + more)
  if (!answer.ok) throw new Error(`${address}: ${answer.status} ${await answer.text()}`)
  const page = (await answer.json()) as Page
  if (page.nextCursor === undefined) return [page]
  return [page, ...(await readPages(address, `&cursor=${encodeURIComponent(page.nextCursor)}`))]
}

/** Positions as published and as recomputed, each as "position id score". */
export const checkChart = async (base: string, kind: string, category: string, period: string) => {
  const address = `${base}/api/v1/leaderboards/${kind}/${category}`
  const evidence = await readPages(`${address}/evidence?period=${period}&limit=1000`)
  const board = await readPages(`${address}?period=${period}&limit=100`)
  const { generatedAt, halfLifeDays, leftOut, middle } = evidence[0]!
  if (board.some((page) => page.generatedAt !== generatedAt)) throw new Error("There is a new board. Run again.")
  const scores = new Map<string, number>()
  for (const { at, subjectId, value } of evidence.flatMap(({ entries }) => entries)) {
    const atMs = Date.parse(at ?? generatedAt)
    const halvings = (Date.parse(generatedAt) - atMs) / (86_400_000 * (halfLifeDays ?? Infinity))
    const sign = middle !== null && atMs < Date.parse(middle) ? -1 : 1
    scores.set(subjectId, (scores.get(subjectId) ?? 0) + sign * value * 2 ** -halvings)
  }
  const recomputed = [...scores]
    .map(([id, score]) => ({ id, score: Math.round(score) }))
    .filter(({ id, score }) => score > 0 && !leftOut.includes(id))
    .toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .map(({ id, score }, i) => `${i + 1} ${id} ${score}`)
  const rows = board.flatMap((page) => page.rows)
  const published = rows.map(({ agent, position, score, track }) => `${position} ${(agent ?? track).id} ${score}`)
  return { published, recomputed: recomputed.slice(0, 1_000) }
}

if (import.meta.main) {
  const [base = "http://localhost:8080", kind = "tracks", category = "liked", period = "30d"] = process.argv.slice(2)
  const { published, recomputed } = await checkChart(base, kind, category, period)
  if (recomputed.join() !== published.join())
    throw new Error(`Published:\n${published.join("\n")}\nRecomputed:\n${recomputed.join("\n")}`)
  console.log(`All ${published.length} positions are right.`)
}
