import { NodeServices } from "@effect/platform-node"
import { Effect, Redacted } from "effect"
import { join } from "node:path"
import { chromium, type Page } from "playwright-core"
import { embeddedPostgres } from "../engine/store/sql/EmbeddedPostgres.ts"
import { chromiumPath } from "./instruments/clients/BrowserPlayer.ts"
import { addReviewsAndJobs } from "./instruments/data/LargeDesk.ts"
import { addTracks } from "./instruments/data/LargeLibrary.ts"
import { seed } from "./instruments/data/LargeStation.ts"
import { hash, quantile, type Report } from "./instruments/Report.ts"
import { runInFolder, type RunningStation, startStation } from "./instruments/servers/Station.ts"

/** Places of the console, and what their first page asks the station for. */
const rooms: ReadonlyArray<readonly [place: string, path: string]> = [
  ["", "/api/ops/rundown"],
  ["rundown", "/api/ops/rundown"],
  ["reviews", "/api/ops/reviews?limit=100"],
  ["week", "/api/ops/blocks"],
  ["library/tracks", "/api/ops/tracks?limit=100"],
  ["library/rotation", "/api/ops/rotation"],
  ["people/agents", "/api/ops/agents"],
  ["people/messages", "/api/ops/messages"],
  ["engine/alerts", "/api/ops/alerts"],
  ["engine/actors", "/api/ops/actors"],
  ["engine/jobs", "/api/ops/jobs"],
  ["engine/mail", "/api/ops/mail"],
  ["records/audit", "/api/ops/audit?limit=100"],
  ["records/as-run", "/api/ops/as-run?day=2026-01-01"],
  ["settings/station", "/api/ops/settings"]
]

const plans = {
  whole: { agents: 1_000, tracks: 100_000, reviews: 10_000, jobs: 2_000, rounds: 5, inBrowser: true },
  small: { agents: 10, tracks: 100, reviews: 20, jobs: 10, rounds: 1, inBrowser: false }
} as const
type Plan = (typeof plans)["whole" | "small"]

const measure = async (plan: Plan, open: (room: (typeof rooms)[number]) => Promise<void>) => {
  const found = new Map<string, Array<number>>()
  for (let round = 0; round < plan.rounds; round++)
    for (const room of rooms) {
      const begunMs = performance.now()
      await open(room)
      const name = room[0] === "" ? "on air" : room[0]
      found.set(name, [...(found.get(name) ?? []), performance.now() - begunMs])
    }
  return found
}

const signInUrl = async ({ base, operator }: RunningStation): Promise<string> => {
  const answer = await fetch(`${base}/api/ops/operators`, {
    method: "POST",
    headers: { authorization: `Bearer ${operator}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "bench", role: "admin", reason: "A bench." })
  })
  return ((await answer.json()) as { readonly signInUrl: string }).signInUrl
}

/** A room is open when its heading stands and nothing in it waits. */
const openIn = async (page: Page, base: string, place: string): Promise<void> => {
  await page.goto(`${base}/console${place === "" ? "" : `/${place}`}`)
  await page.locator(".panel h1").waitFor()
  await page.locator(".panel .waiting").first().waitFor({ state: "detached" })
}

const measureInBrowser = async (station: RunningStation, plan: Plan) => {
  const executablePath = chromiumPath()
  if (executablePath === undefined) throw new Error("This bench needs chromium.")
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
  try {
    const page = await browser.newPage()
    await page.goto(await signInUrl(station))
    await page.locator(".panel h1").waitFor()
    // The first visit loads the page's files, which the browser then keeps.
    await openIn(page, station.base, "")
    return await measure(plan, ([place]) => openIn(page, station.base, place))
  } finally {
    await browser.close()
  }
}

const measureByCalls = ({ base, operator }: RunningStation, plan: Plan) =>
  measure(plan, async ([, path]) => {
    const answer = await fetch(`${base}${path}`, { headers: { authorization: `Bearer ${operator}` } })
    if (!answer.ok && answer.status !== 503) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    await answer.text()
  })

/** P14: how long each room of the console takes to open on a large station. The small run only calls what the rooms ask for. */
export const run = (size: "whole" | "small"): Promise<Report> =>
  runInFolder((folder) =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const plan = plans[size]
          const url = yield* embeddedPostgres(join(folder, "store"))
          yield* seed(url, { agents: plan.agents, posts: plan.reviews, follows: 1 })
          yield* addTracks(url, 1, plan.tracks)
          yield* addReviewsAndJobs(url, plan)
          const found = yield* Effect.promise(async () => {
            const station = await startStation({
              dataDir: join(folder, "var"),
              env: {
                DATABASE_URL: Redacted.value(url),
                HOUSE_READS: "off",
                HOUSE_PROGRAMME: "off",
                RATE_LIMIT_SCALE: "1000"
              }
            })
            try {
              while ((await fetch(`${station.base}/readyz`).catch(() => undefined))?.ok !== true)
                await new Promise((resolve) => setTimeout(resolve, 50))
              return await (plan.inBrowser ? measureInBrowser(station, plan) : measureByCalls(station, plan))
            } finally {
              await station.stop()
            }
          })
          const report: Report = {
            bench: "console",
            rows: [...found].flatMap(([room, ms]) => [
              { what: `${room}: opened, p50`, unit: "ms", values: [quantile(ms, 0.5)] },
              { what: `${room}: opened, slowest`, unit: "ms", values: [Math.max(...ms)] }
            ]),
            goals: [
              {
                name: `slowest room with ${plan.tracks} tracks, ${plan.reviews} reviews, ${plan.jobs} jobs (ms)`,
                direction: "at most",
                limit: 1_000,
                value: Math.max(...[...found.values()].map((ms) => quantile(ms, 0.5)))
              }
            ],
            computed: hash([...found.keys()].join("\n"))
          }
          return report
        })
      ).pipe(Effect.provide(NodeServices.layer))
    )
  )
