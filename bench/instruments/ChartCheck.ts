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

const pagesOf = async (address: string): Promise<ReadonlyArray<Page>> => {
  const pages: Array<Page> = []
  for (let cursor: string | undefined = ""; cursor !== undefined; cursor = pages.at(-1)!.nextCursor) {
    const answer = await fetch(`${address}${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`)
    if (!answer.ok) throw new Error(`${address}: ${answer.status} ${await answer.text()}`)
    pages.push((await answer.json()) as Page)
  }
  return pages
}

/** Positions as published and as recomputed, each as "position id score". */
export const checkChart = async (base: string, kind: string, category: string, period: string) => {
  const address = `${base}/api/v1/leaderboards/${kind}/${category}`
  const evidence = await pagesOf(`${address}/evidence?period=${period}&limit=1000`)
  const board = await pagesOf(`${address}?period=${period}&limit=100`)
  const { generatedAt, halfLifeDays, leftOut, middle } = evidence[0]!
  if (board.some((page) => page.generatedAt !== generatedAt))
    throw new Error("There is a new board. Run the check again.")
  const scores = new Map<string, number>()
  for (const { at, subjectId, value } of evidence.flatMap(({ entries }) => entries)) {
    const halvings =
      halfLifeDays === null || at === null
        ? 0
        : (Date.parse(generatedAt) - Date.parse(at)) / (halfLifeDays * 86_400_000)
    const sign = middle !== null && Date.parse(at!) < Date.parse(middle) ? -1 : 1
    scores.set(subjectId, (scores.get(subjectId) ?? 0) + sign * value * 2 ** -halvings)
  }
  const recomputed = [...scores]
    .map(([id, score]) => ({ id, score: Math.round(score) }))
    .filter(({ id, score }) => score > 0 && !leftOut.includes(id))
    .toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .map(({ id, score }, i) => `${i + 1} ${id} ${score}`)
  const published = board
    .flatMap(({ rows }) => rows)
    .map((row) => `${row.position} ${(row.agent ?? row.track).id} ${row.score}`)
  return { published, recomputed: recomputed.slice(0, 1_000) }
}

if (import.meta.main) {
  const [base = "http://localhost:8080", kind = "tracks", category = "liked", period = "30d"] = process.argv.slice(2)
  const { published, recomputed } = await checkChart(base, kind, category, period)
  const isRight = recomputed.join() === published.join()
  console.log(
    isRight
      ? `All ${published.length} positions are right.`
      : `Published:\n${published.join("\n")}\nRecomputed:\n${recomputed.join("\n")}`
  )
  process.exitCode = isRight ? 0 : 1
}
