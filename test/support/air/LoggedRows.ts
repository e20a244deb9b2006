import { expect } from "vitest"
import { call } from "../../../bench/instruments/clients/Stranger.ts"
import { checkAccounted } from "./Accounted.ts"
import { askUntil } from "../station/WholeStation.ts"

export interface LoggedRow {
  readonly firstSample: number
  readonly lastSample: number
  readonly outcome: string
  readonly itemId: string | null
  readonly segmentId: string | null
  readonly trace: ReadonlyArray<string>
}

/** Today's rows in the as-run log of a whole station. */
export const readLoggedRows = async (base: string, bearer: string): Promise<ReadonlyArray<LoggedRow>> => {
  const { body } = await call(base, "GET", `/api/ops/as-run?day=${new Date().toISOString().slice(0, 10)}`, { bearer })
  return (body["rows"] as ReadonlyArray<{ readonly text: string }>).map(({ text }) => JSON.parse(text) as LoggedRow)
}

/** The row of an emergency that has ended. Checks that the log has every sample and is consistent. */
export const awaitLoggedEmergency = async (base: string, bearer: string, reason: string): Promise<LoggedRow> => {
  const row = await askUntil(async () =>
    (await readLoggedRows(base, bearer)).find(({ trace }) => trace[0] === `emergency: ${reason}`)
  )
  const rows = await readLoggedRows(base, bearer)
  checkAccounted(rows)
  expect((await call(base, "GET", "/api/ops/as-run/verify", { bearer })).body).toMatchObject({
    ok: true,
    firstBad: null
  })
  expect(row.outcome).toBe("emergency")
  return row
}
