import type { Host } from "./ShowHost.ts"
import { say, pollUntil } from "../instruments/Patience.ts"

const patienceMs = 30_000

interface News {
  readonly type: string
  readonly status: string
}

const newsOf = ({ callbacks }: Host, id: string): ReadonlyArray<News> =>
  callbacks
    .listVerified()
    .filter(({ data }) => data["id"] === id)
    .map(({ data, type }) => ({ type, status: String(data["status"]) }))

/** Checks that each state was reported once and in order, and the plan's decision and airing once. */
export const checkNews = async (
  host: Host,
  productionId: string,
  planId: string,
  states: ReadonlyArray<string>
): Promise<void> => {
  const statusesOf = () => newsOf(host, productionId).map(({ status }) => status)
  await pollUntil("the last of the news", patienceMs, async () =>
    statusesOf().includes(states.at(-1)!) && newsOf(host, planId).some(({ type }) => type === "plan.aired")
      ? true
      : undefined
  )
  // A duplicate would arrive within this time.
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  const plan = newsOf(host, planId).map(({ status, type }) => `${type} ${status}`)
  say(`webhooks with valid signatures: production.updated ${statusesOf().join(", ")}; ${plan.join(", ")}`)
  if (statusesOf().toSorted().join() !== states.toSorted().join())
    throw new Error("its states were not reported once each")
  if (plan.toSorted().join() !== "plan.aired aired,plan.decided approved")
    throw new Error("the plan's decision and airing were not reported once each")
}
