import axe from "axe-core"
import { Effect, Exit, Scope } from "effect"
import { join } from "node:path"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../../../bench/instruments/servers/Station.ts"
import type { AssetId, TrackId } from "../../../schema/Ids.ts"
import {
  clientId,
  clientSecret,
  type Known,
  type OidcProvider,
  oidcProvider
} from "../../../bench/instruments/servers/OidcProvider.ts"
import { testId } from "../../support/air/Airables.ts"
import { mediaPaths } from "../../../media/storage/MediaStore.ts"
import { chromiumPath, openBrowser } from "../../support/pages/PageStation.ts"
import { type Located, PageEar } from "../../support/pages/PageEar.ts"
import { tuneOf, plantSong } from "../../support/media/PlantedSound.ts"
import { enterStation, askUntil, type WholeStation } from "../../support/station/WholeStation.ts"

/** Folder for screenshots, if one is wanted. */
const pictures = process.env["SCREENSHOTS"]

if (chromiumPath === null)
  console.warn("Page.test skipped: there is no chromium, chromium-browser or google-chrome on this machine.")

const desk = { viewport: { width: 1280, height: 860 } } as const
const phone = { viewport: { width: 390, height: 844 }, colorScheme: "dark" } as const

/** Distinguishable by sound; all but the last one are short. */
const songs = [
  ["Anchor Ice", 6],
  ["Bell Buoy", 6],
  ["Ebb", 80]
].map(([title, sec], at) => ({
  title: title as string,
  sec: sec as number,
  id: testId("mas", at + 11) as AssetId,
  trackId: testId("trk", at + 11) as TrackId
}))
/** Length of the comparison: long enough to be unique even if a busy browser lost a moment of it. */
const pieceSec = 1,
  alikeMin = 0.3

const places = [
  "",
  "chat",
  "request",
  "send",
  "send/call",
  "schedule",
  "played",
  "replays",
  "lore",
  "council",
  "blog",
  "highlights",
  "charts",
  "voices",
  "shows",
  "tune",
  "about",
  "no-such-place"
]

const seriousIn = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe.source)
  const { passes, violations } = await page.evaluate(() =>
    (globalThis as unknown as { readonly axe: typeof axe }).axe.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
    })
  )
  expect(passes.length).toBeGreaterThan(10)
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ help, nodes }) => `${help}: ${nodes.map(({ html }) => html).join(" ")}`)
}

describe.skipIf(chromiumPath === null)("the page of a station on the air", () => {
  const scope = Effect.runSync(Scope.make())
  let provider: OidcProvider
  let whole: WholeStation
  let browser: Browser
  /** Start of each song, once the last one has begun. They air while the other tests run. */
  let aired: Promise<ReadonlyMap<string, number>>

  beforeAll(async () => {
    const port = await freePort()
    provider = await Effect.runPromise(
      Scope.provide(oidcProvider([`http://127.0.0.1:${port}/login/a/callback`]), scope)
    )
    whole = await enterStation(
      {
        HOUSE_READS: "off",
        OIDC_A_ISSUER: provider.issuer,
        OIDC_A_CLIENT_ID: clientId,
        OIDC_A_CLIENT_SECRET: clientSecret,
        OIDC_A_LABEL: "The harbour office"
      },
      undefined,
      port
    )
    browser = await openBrowser()
    aired = airSongs()
    aired.catch(() => undefined)
  }, 300_000)
  // An open page still draws and plays, beside all later tests.
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close()
  })
  afterAll(async () => {
    await browser?.close()
    await whole?.leave()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }, 300_000)

  /** A window of its own, without errors in its console. */
  const open = async (
    place: string,
    options: BrowserContextOptions = desk,
    prepare: (page: Page) => Promise<unknown> = () => Promise.resolve()
  ) => {
    const context = await browser.newContext({ ...options, permissions: ["microphone"] })
    // Names a hanging wait before the test's own limit ends it; it asserts no time.
    context.setDefaultTimeout(200_000)
    const page = await context.newPage()
    await prepare(page)
    const wrong: Array<string> = []
    page.on("pageerror", (error) => wrong.push(String(error)))
    // The station keeps the waveforms of the latest items only, and the page requests that of any item it shows.
    // An unknown place is answered with 404.
    page.on(
      "console",
      (line) =>
        line.type() === "error" &&
        !line.location().url.includes("/live/wave/") &&
        !line.location().url.endsWith("/no-such-place") &&
        wrong.push(`${line.text()} ${line.location().url}`)
    )
    await page.goto(`${whole.station.base}/${place}`)
    return {
      page,
      wrong,
      shown: async (name: string) =>
        pictures === undefined ? undefined : page.screenshot({ path: join(pictures, `${name}.png`) })
    }
  }
  const signIn = async (page: Page, who: Known): Promise<void> => {
    provider.who = who
    await page.getByRole("link", { name: "Sign in" }).first().click()
    await page.getByRole("link", { name: "Continue with The harbour office" }).click()
    await page.waitForURL(/\/chat$/)
    // A listener who signs in later confirms that both are one person.
    await page.getByRole("button", { name: "Agree and continue" }).click()
  }
  const api = async (path: string, key: string | null, body?: object, method = body === undefined ? "GET" : "POST") => {
    const answer = await fetch(`${whole.station.base}${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    // oxlint-disable-next-line typescript/no-explicit-any
    const read = (await answer.json()) as any
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${JSON.stringify(read)}`)
    return read
  }

  const airSongs = async (): Promise<ReadonlyMap<string, number>> => {
    for (const [at, { id, sec, title, trackId }] of songs.entries())
      await plantSong(whole.station.dataDir, { id, title, trackId }, sec, tuneOf(at + 1))
    const [first, ...others] = songs
    await api("/api/ops/playout/insert-now", whole.station.operator, { trackId: first!.trackId })
    for (const { trackId } of others.toReversed())
      await api("/api/ops/rundown/items", whole.station.operator, { trackId })
    const last = songs.at(-1)!
    const lastMs = await askUntil(async () => {
      const { item, track } = await api("/api/now-playing", null)
      return track?.id === last.trackId ? Date.parse(item.startedAt) : undefined
    })
    const items = await askUntil(async () => {
      const played = (await api("/api/station/history?limit=30", null)).items as ReadonlyArray<{
        readonly title: string
        readonly startedAt: string
      }>
      return played[0]?.title === songs.at(-2)!.title ? played : undefined
    })
    return new Map([
      [last.title, lastMs],
      ...items.map(({ startedAt, title }) => [title, Date.parse(startedAt)] as const).toReversed()
    ])
  }

  it("lets two people and an agent talk, each in their own window", async () => {
    const registered = await api("/api/v1/agents/register", null, {
      type: "anonymous",
      agent: { handle: "wren", displayName: "Wren of the Salt Marsh" }
    })
    const { apiKey } = await api("/api/v1/agents/claim/complete", null, {
      claimCode: registered.claimCode,
      ownerEmail: "wren@example.org",
      consentGiven: true
    })
    await api(
      `/api/ops/agents/${registered.agentId}/grants`,
      whole.station.operator,
      { freeAir: true, reason: "A voice for the chat." },
      "PUT"
    )
    await api("/api/heartbeat", apiKey, { status: "online" })

    const [one, other] = [await open("chat"), await open("chat", phone)]
    await signIn(one.page, { sub: "one", email: "one@example.org" })
    await signIn(other.page, { sub: "other", email: "other@example.org" })
    await one.page.getByRole("button", { name: /^Ask\s+Wren/ }).click()
    await one.page.getByLabel("Say something").pressSequentially("what was that song at nine?")
    await one.page.getByLabel("I agree to that.").check()
    await one.page.getByLabel(/^Say my name/).check()
    await one.page.getByRole("button", { name: "Say it" }).click()
    const question = other.page.getByRole("log").getByText("what was that song at nine?")
    await question.waitFor()
    const {
      messages: [asked]
    } = await api("/api/station/chat", apiKey)
    await api("/api/station/chat", apiKey, {
      body: "Low tide in D minor. It airs again tonight.",
      replyToMessageId: asked.id
    })
    for (const { page } of [one, other]) await page.getByText("Low tide in D minor. It airs again tonight.").waitFor()
    await one.page.getByText("Answered").waitFor()
    await other.page.getByLabel("I agree to that.").check()
    await other.page.getByLabel("Say something").fill("<img src=x onerror=alert(1)> sounds good")
    await other.page.getByRole("button", { name: "Say it" }).click()
    // All user text is rendered as text, in every window.
    await one.page.getByText("<img src=x onerror=alert(1)> sounds good").waitFor()
    await Promise.all([one.shown("chat-desk"), other.shown("chat-phone")])
    expect([...one.wrong, ...other.wrong]).toEqual([])
  }, 300_000)

  it("sends a write-in and a call recorded in the page, and both reach their queues", async () => {
    const { page, shown, wrong } = await open("send")
    await page.getByLabel("Your message").fill("Greetings to everybody who is up with a newborn tonight.")
    const send = page.getByRole("button", { name: "Send it" })
    expect(await send.isDisabled()).toBe(true)
    await page.getByLabel("I agree to that.").check()
    await send.click()
    await page.locator(".sent").filter({ hasText: /\w/ }).waitFor()
    await shown("write-in")
    await page.getByRole("tab", { name: "Call" }).click()
    await page.getByRole("button", { name: "Record", exact: true }).click()
    await page.getByText("Recording", { exact: true }).waitFor()
    await page.getByText(/^0:0[2-9] of 2:00$/).waitFor()
    await page.getByRole("button", { name: "Stop" }).click()
    await page.getByLabel("Your recording").waitFor()
    await page.getByLabel("I agree to that.").check()
    await shown("call-in")
    await page.getByRole("button", { name: "Send the call" }).click()
    await page.locator(".sent").filter({ hasText: /\w/ }).waitFor()
    const { items } = await api("/api/ops/reviews?kind=call_in", whole.station.operator)
    expect(items).toHaveLength(1)
    expect(items[0].author).toMatchObject({ agentId: null, displayName: "a listener" })
    const heard = await fetch(new URL(new URL(items[0].audioUrl, whole.station.base).pathname, whole.station.base), {
      headers: { authorization: `Bearer ${whole.station.operator}` }
    })
    expect(heard.status).toBe(200)
    expect((await heard.arrayBuffer()).byteLength).toBeGreaterThan(1_000)
    expect(wrong).toEqual([])
  }, 300_000)

  it("has no serious accessibility fault for keyboards and screen readers, at any place", async () => {
    // A fade-in has other colours than the final state. The player's tests cover the light scheme.
    const { page, shown, wrong } = await open("", { ...phone, reducedMotion: "reduce" })
    for (const place of places) {
      await page.goto(`${whole.station.base}/${place}`)
      await page.locator(".panel .waiting").first().waitFor({ state: "detached" })
      expect({ place, serious: await seriousIn(page) }).toEqual({ place, serious: [] })
      expect({ place, wide: await page.evaluate(() => document.documentElement.scrollWidth > innerWidth) }).toEqual({
        place,
        wide: false
      })
      await shown(`phone-${place.replaceAll("/", "-") || "now"}`)
    }
    expect(wrong).toEqual([])
  }, 300_000)

  it("begins at the requested instant, by the heard sound", async () => {
    const startsMs = await aired
    let ear: PageEar | undefined
    const { page, wrong } = await open("played", { ...desk, bypassCSP: true }, async (opened) => {
      ear = await PageEar.attach(
        opened,
        new Map(songs.map(({ id, title }) => [title, mediaPaths(whole.station.dataDir).masterOf(id)]))
      )
    })
    /** The broadcast instant being heard. */
    const atMs = ({ correlation, sec, title }: Located): number => {
      expect(correlation).toBeGreaterThan(alikeMin)
      return startsMs.get(title)! + sec * 1_000
    }
    const beforeClick = async () => atMs(await ear!.soundBeforeClick(pieceSec)) + pieceSec * 1_000
    const afterClick = async () => atMs(await ear!.soundAfterClick(pieceSec))
    // The house may have aired a song earlier too: the latest is first in the list.
    const begins = async (title: string) => {
      const heard = await ear!.soundAfterClick(pieceSec)
      expect(heard.title).toBe(title)
      expect(Math.abs(atMs(heard) - startsMs.get(title)!), `${title}, from its beginning, ms`).toBeLessThan(300)
    }
    const state = (text: string) => page.locator(".play-state").filter({ hasText: text }).waitFor()
    const click = (name: string) => page.getByRole("button", { name, exact: true }).first().click()
    const long = songs.at(-1)!.title
    await click("Listen live")
    await state("On air")
    // Ten seconds back, only the live stream can be rewound.
    await askUntil(async () => (Date.now() - startsMs.get(long)! > 12_000 ? true : undefined))
    await click("From its beginning")
    await begins(long)
    await state("behind")

    // From here on, 30 seconds back, and 30 forward from the first song, lie in aired and known sound.
    await askUntil(async () => (Date.now() - startsMs.get(long)! > 34_000 ? true : undefined))
    const short = songs.slice(0, -1).toReversed()
    for (const { title } of short) {
      await click(`Hear again: ${title}`)
      // Before the comparison by sound, which may take longer than the song.
      await page.getByRole("heading", { level: 1, name: title }).waitFor()
      await begins(title)
    }

    // Each of the three jumps starts where the previous one ended.
    await page.evaluate(() => {
      for (const way of ["Forward", "Back", "Forward"])
        document.querySelector<HTMLElement>(`[aria-label="${way} 30 seconds"]`)!.click()
    })
    const [fromMs, toMs] = [await beforeClick(), await afterClick()]
    expect(Math.abs(toMs - fromMs - 30_000)).toBeLessThan(500)

    await click("Live")
    await state("On air")
    // Read before the comparison by sound, which may take seconds.
    const clickedMs = Date.now()
    await click("Back 30 seconds")
    const [liveMs, backMs] = [await beforeClick(), await afterClick()]
    expect(clickedMs - liveMs).toBeLessThan(12_000)
    expect(Math.abs(liveMs - backMs - 30_000)).toBeLessThan(500)
    expect(wrong).toEqual([])
  }, 300_000)

  it("requests a song, shows its time, and votes on the song being heard", async () => {
    // The house makes its first song while other requests wait.
    const trackId = testId("trk", 1) as TrackId
    await plantSong(whole.station.dataDir, { id: testId("mas", 1) as AssetId, trackId, title: "Low Water" }, 60)
    const { page, shown, wrong } = await open("request")
    // The others have just aired, and may be refused for that.
    await page.getByRole("button", { name: "Request Low Water" }).click()
    await page.getByLabel("I agree to that.").check()
    await shown("request-sheet")
    await page.getByRole("dialog").getByRole("button", { name: "Request it" }).click()
    await askUntil(async () => {
      if ((await page.locator(".request-when").filter({ hasText: /\w/ }).count()) > 0) return true
      throw new Error(`The page shows: ${(await page.locator("main, dialog[open]").allInnerTexts()).join(" | ")}`)
    })
    const {
      requests: [request]
    } = await api("/api/ops/song-requests", whole.station.operator)
    expect(["pending", "scheduled"]).toContain(request.status)
    expect(request.listenerLabel).toBe("a listener")
    await shown("request-status")

    // Another test waits for its turn.
    await api("/api/ops/playout/insert-now", whole.station.operator, { trackId })
    await page.goto(`${whole.station.base}/`)
    await page.getByRole("button", { name: "Listen live" }).click()
    const like = page.getByRole("button", { name: /^Like/ })
    // Until it sounds, the page shows the present item.
    await page.locator(".play-state").filter({ hasText: "On air" }).waitFor()
    await page.getByRole("heading", { level: 1, name: "Low Water" }).waitFor()
    await like.waitFor()
    await like.click()
    await page.getByRole("button", { name: /^Like/, pressed: true }).waitFor()
    await page.getByLabel("Reason (optional)").selectOption({ index: 1 })
    await shown("vote")
    await askUntil(async () =>
      (await api(`/api/v1/tracks/${trackId}/engagement`, null)).totals.likes === 1 ? true : undefined
    )
    expect(wrong).toEqual([])
  }, 300_000)
})
