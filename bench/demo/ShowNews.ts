import type { Host } from "./ShowHost.ts"
import { say, until } from "../instruments/Patience.ts"

const patienceMs = 30_000

interface News {
  readonly type: string
  readonly status: string
}

const newsOf = ({ callbacks }: Host, id: string): ReadonlyArray<News> =>
  callbacks
    .verified()
    .filter(({ data }) => data["id"] === id)
    .map(({ data, type }) => ({ type, status: String(data["status"]) }))

/** Every state of it was told once, in this order, and of its plan that it was decided and heard. */
export const toldOnce = async (
  host: Host,
  productionId: string,
  planId: string,
  states: ReadonlyArray<string>
): Promise<void> => {
  const told = () => newsOf(host, productionId).map(({ status }) => status)
  await until("the last of the news", patienceMs, async () =>
    told().includes(states.at(-1)!) && newsOf(host, planId).some(({ type }) => type === "plan.aired") ? true : undefined
  )
  // Whatever would come twice comes within that time.
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  const plan = newsOf(host, planId).map(({ status, type }) => `${type} ${status}`)
  say(`webhooks, each with a good signature: production.updated ${told().join(", ")}; ${plan.join(", ")}`)
  if (told().toSorted().join() !== states.toSorted().join()) throw new Error("its states were not told once each")
  if (plan.toSorted().join() !== "plan.aired aired,plan.decided approved")
    throw new Error("what became of the plan was not told once each")
}
