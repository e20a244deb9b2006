import { NodeServices } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { join } from "node:path"
import { Secret, TOTP } from "otpauth"
import type { Browser, BrowserContext, BrowserContextOptions, Page, Request } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { AssetId, TrackId } from "../../../schema/Ids.ts"
import { testId } from "../../support/air/Airables.ts"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { reset } from "../../../http/OperatorReset.ts"
import { wavOf } from "../../support/music/MusicProvidersDouble.ts"
import { plantSong } from "../../support/media/PlantedSound.ts"
import { faultsOf } from "../../support/pages/Axe.ts"
import { chromiumPath, openBrowser } from "../../support/pages/PageStation.ts"
import { enterStation, askUntil, type WholeStation } from "../../support/station/WholeStation.ts"

/** A folder for screenshots, if somebody wants to look at them. */
const pictures = process.env["SCREENSHOTS"]

if (chromiumPath === null)
  console.warn("Console.test skipped: there is no chromium, chromium-browser or google-chrome on this machine.")

const laptop = { viewport: { width: 1366, height: 820 } } as const
const phone = { viewport: { width: 390, height: 844 }, colorScheme: "dark" } as const
const songs = ["Anchor Ice", "Bell Buoy", "Low Water"]

const places = [
  "",
  "rundown",
  "reviews",
  "week",
  "library/tracks",
  "library/rotation",
  "people/agents",
  "people/reviewers",
  "people/messages",
  "people/chat",
  "people/accounts",
  "engine/alerts",
  "engine/actors",
  "engine/jobs",
  "engine/deliveries",
  "engine/mail",
  "engine/figures",
  "engine/logs",
  "records/audit",
  "records/as-run",
  "settings/you",
  "settings/operators",
  "settings/tokens",
  "settings/app-keys",
  "settings/station",
  "settings/backups",
  "settings/setup"
]

describe.skipIf(chromiumPath === null)("the console of a station on the air", () => {
  let whole: WholeStation
  let browser: Browser
  let desk: BrowserContext
  let page: Page
  let firstLink: string
  let token: string
  const wrong: Array<string> = []

  const api = async (
    path: string,
    key: string | null = token,
    body?: object,
    method = body === undefined ? "GET" : "POST"
  ) => {
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
  const shown = async (of: Page, name: string) =>
    pictures === undefined ? undefined : of.screenshot({ path: join(pictures, `console-${name}.png`) })
  const windowOf = async (options: BrowserContextOptions) => {
    const context = await browser.newContext({ ...options, reducedMotion: "reduce" })
    // Names a wait that hangs before the test's own limit ends it; it claims nothing about time.
    context.setDefaultTimeout(60_000)
    const opened = await context.newPage()
    opened.on("pageerror", (error) => wrong.push(String(error)))
    opened.on(
      "console",
      (line) =>
        // Before the sign-in nobody is known, and refusals of commands are part of the walk.
        line.type() === "error" &&
        !/status of (400|401|409|412|415|422)/.test(line.text()) &&
        wrong.push(`${line.text()} ${line.location().url}`)
    )
    return { context, opened }
  }
  const linkFor = async (name: string, role: string): Promise<string> =>
    (await api("/api/ops/operators", token, { name, role, reason: "For the walk." })).signInUrl
  const room = (of: Page, title: string) => of.getByRole("heading", { level: 1, name: title, exact: true }).waitFor()
  const enter = (of: Page, place: string) => of.goto(`${whole.station.base}/console${place === "" ? "" : `/${place}`}`)
  const items = async (): Promise<ReadonlyArray<{ readonly id: string; readonly title: string }>> =>
    (await api("/api/ops/rundown")).rundown.items
  /** Waits until no item begins for a while: one that is about to begin can't be moved any more. */
  const isCalm = () =>
    askUntil(async () => {
      const [next] = (await api("/api/ops/rundown")).rundown.items
      return next.expectedAtMs - Date.now() > 8_000 ? true : undefined
    }, 500)
  const says = (of: Page, text: RegExp) => of.locator(".toast").filter({ hasText: text }).first().waitFor()

  beforeAll(async () => {
    // Without OPERATOR_TOKEN the first start prints a link for a person and a token for programs.
    whole = await enterStation({ HOUSE_READS: "off", OPERATOR_TOKEN: undefined as never })
    firstLink = /\S+\/console#token=\S+/.exec(whole.station.output())![0]
    token = /svc_ops_\S+/.exec(whole.station.output())![0]
    browser = await openBrowser()
    for (const [at, title] of songs.entries())
      await plantSong(
        whole.station.dataDir,
        { id: testId("mas", at + 11) as AssetId, title, trackId: testId("trk", at + 11) as TrackId },
        20
      )
    const { agentId, claimCode } = await api("/api/v1/agents/register", null, {
      type: "anonymous",
      agent: { handle: "wren", displayName: "Wren of the Salt Marsh", role: "hybrid" }
    })
    expect(agentId).toMatch(/^agt_/)
    const { apiKey } = await api("/api/v1/agents/claim/complete", null, {
      claimCode,
      ownerEmail: "wren@example.org",
      consentGiven: true
    })
    await api("/api/v1/agents/me/tts/station/generate", apiKey, {
      category: "station_id",
      title: "Hello from the marsh",
      scriptText: "This is Wren, on Longwave. Write to me at wren@harbour.example, I read every letter myself."
    })
    await askUntil(async () => {
      const planned = (await items()).map(({ title }) => title)
      return songs.every((title) => planned.includes(title)) ? true : undefined
    })
    const { context, opened } = await windowOf(laptop)
    desk = context
    page = opened
  }, 300_000)
  afterAll(async () => {
    await browser?.close()
    await whole?.leave()
  }, 300_000)

  it("signs an operator in by a link that works once and stays in no history", async () => {
    expect(firstLink).toContain(`${whole.station.base}/console#token=ops_link_`)
    await page.goto(firstLink)
    // The only operator of a new station sees first what it still needs.
    await room(page, "Settings")
    await page.getByText("Your second factor").waitFor()
    await page.getByRole("link", { name: "On air" }).click()
    await room(page, "On air")
    expect(new URL(page.url()).hash).toBe("")
    await page.getByRole("button", { name: "Start the emergency programme" }).waitFor()
    const other = await windowOf(phone)
    await other.opened.goto(firstLink)
    await other.opened.getByRole("alert").filter({ hasText: /link/i }).waitFor()
    await shown(other.opened, "link-used-phone")
    await other.context.close()
  }, 300_000)

  it("asks for the second factor that an operator set up, until the host removes a lost one", async () => {
    const { context, opened } = await windowOf(phone)
    await opened.goto(await linkFor("Night desk", "viewer"))
    await room(opened, "On air")
    await enter(opened, "settings/you")
    await opened.getByRole("button", { name: "Set up an authenticator app" }).click()
    const app = new TOTP({ secret: Secret.fromBase32((await opened.locator(".secret code").textContent())!) })
    const code = opened.getByRole("textbox", { name: "Code" })
    await code.fill(app.generate())
    await opened.getByRole("button", { name: "Confirm" }).click()
    await says(opened, /is set up/)
    await opened.getByRole("button", { name: "Sign out" }).click()
    // No provider is set up, and no button leads to one.
    await opened.getByLabel("One-time link").waitFor()
    expect(await opened.getByRole("link", { name: /provider/ }).count()).toBe(0)
    const { operators } = await api("/api/ops/operators")
    const { id } = operators.find(({ name }: { readonly name: string }) => name === "Night desk")
    const { signInUrl } = await api(`/api/ops/operators/${id}`, token, { newLink: true, reason: "Back." }, "PATCH")
    await opened.goto(signInUrl)
    await code.fill("000000")
    await opened.getByRole("button", { name: "Sign in" }).click()
    await opened.getByRole("alert").filter({ hasText: "The code is wrong" }).waitFor()
    // As `npm start -- operator reset "Night desk"` does it on the host of a running station.
    const printed = await new Promise<string>((done) => {
      const print = console.log
      console.log = (text: string) => done(text)
      void Effect.runPromise(
        reset("Night desk").pipe(
          Effect.provide(
            Layer.merge(
              StationConfig.fromEnvironment({
                DATA_DIR: whole.station.dataDir,
                PUBLIC_URL: whole.station.base
              }),
              NodeServices.layer
            )
          )
        ) as Effect.Effect<boolean>
      ).finally(() => (console.log = print))
    })
    await opened.goto(/\S+\/console#token=\S+/.exec(printed)![0])
    await room(opened, "On air")
    expect(await opened.evaluate(() => fetch("/api/ops/me").then((answer) => answer.json()))).toMatchObject({
      operator: { name: "Night desk", secondFactor: false }
    })
    await context.close()
  }, 300_000)

  it("reviews a first air with the keyboard alone, and takes it back", async () => {
    const {
      items: [review]
    } = await askUntil(async () => {
      const found = await api("/api/ops/reviews?kind=first_air")
      return found.items[0]?.audioUrl === null ? undefined : found
    })
    const status = async () => (await api(`/api/ops/reviews/${review.id}`)).review.status
    // An approved contribution may begin within a second, and then no decision is undone or made again.
    await api("/api/ops/playout/hold", token, { reason: "For the walk." })
    await enter(page, "reviews")
    // The events say that everything may have changed while the room is still asking: no answer is given up for that.
    const broken: Array<string> = []
    const noteBroken = (request: Request): void => void broken.push(request.url())
    page.on("requestfailed", noteBroken)
    await page.getByRole("link", { name: /Hello from the marsh/ }).waitFor()
    await page.locator(".connection").getByText("Live", { exact: true }).waitFor()
    expect(broken).toEqual([])
    page.off("requestfailed", noteBroken)
    await page.keyboard.press("j")
    await page.getByRole("article", { name: "Hello from the marsh" }).waitFor()
    // The flag is where the text says so.
    expect(await page.locator("mark").first().textContent()).toContain("wren@harbour.example")
    await page.getByText("@wren").waitFor()
    await shown(page, "review-laptop")
    await page.keyboard.press("a")
    await says(page, /Approved/)
    expect(await status()).toBe("approved")
    await page.getByRole("button", { name: "Undo" }).first().click()
    await says(page, /waits again/)
    expect(await status()).toBe("open")
    await page.getByRole("link", { name: /Hello from the marsh/ }).waitFor()
    await enter(page, `reviews/${review.id}`)
    await page.getByRole("article", { name: "Hello from the marsh" }).waitFor()
    await page.keyboard.press("r")
    const sheet = page.getByRole("dialog")
    // A reason that the agent reads is needed.
    expect(await sheet.getByRole("button", { name: "Reject" }).isDisabled()).toBe(true)
    await page.keyboard.press("Escape")
    await sheet.waitFor({ state: "detached" })
    // Keys are the room's again with the next frame, when the focus has left the dialog.
    await page.waitForFunction(() => document.activeElement?.closest("dialog") === null)
    await page.keyboard.press("a")
    await says(page, /Approved/)
    expect(await status()).toBe("approved")
    await api("/api/ops/playout/resume", token, { reason: "For the walk." })
  }, 300_000)

  it("moves an item of the rundown, and shows before what that changes", async () => {
    await isCalm()
    await enter(page, "rundown")
    const before = await items()
    const [first, second] = [before[0]!, before[1]!]
    await page
      .getByRole("button", { name: `Move ${second.title} up` })
      .first()
      .click()
    const sheet = page.getByRole("dialog")
    await sheet.locator(".difference-moved").filter({ hasText: second.title }).waitFor()
    await shown(page, "move-laptop")
    await sheet.getByRole("button", { name: "Move it" }).click()
    await says(page, /was moved/)
    // A short library plays the same song several times, and the first button of that name is the one that was pressed.
    const after = await items()
    const firstAt = after.findIndex(({ id }) => id === first.id)
    if (firstAt >= 0) expect(after.slice(0, firstAt).map(({ title }) => title)).toContain(second.title)
  }, 300_000)

  it("sends nothing that would overwrite another operator's change unseen, and shows that change", async () => {
    await isCalm()
    await enter(page, "rundown")
    const [, second] = await items()
    await page
      .getByRole("button", { name: `Move ${second!.title} up` })
      .first()
      .click()
    // What it would change is asked first, and would be refused as well.
    await page.getByRole("dialog").locator(".difference-moved").first().waitFor()
    // Read just before it is dropped: the station replans the later items.
    const [, , , fourth] = await items()
    await api(`/api/ops/rundown/items/${fourth!.id}?reason=Another`, token, undefined, "DELETE")
    await page.getByRole("dialog").getByRole("button", { name: "Move it" }).click()
    const told = page.getByRole("dialog", { name: "Somebody changed this meanwhile" })
    // A short library plays the same song several times.
    await told.getByText(`${fourth!.title} has left the rundown.`).first().waitFor()
    await shown(page, "overtaken-laptop")
    await told.getByRole("button", { name: "Look again" }).click()

    await enter(page, "week")
    await page.getByText(/^The week as a list/).click()
    const [block] = (await api("/api/ops/blocks")).week.blocks
    await page
      .getByRole("button", { name: `Change ${block.title}` })
      .first()
      .click()
    await page.getByLabel("Title").fill("Mine")
    await api(`/api/ops/blocks/${block.id}`, token, { title: "Theirs", reason: "Another." }, "PATCH")
    await page.getByRole("button", { name: "Change", exact: true }).click()
    await page.getByRole("button", { name: "Change the week" }).click()
    await told.locator(".differences li").first().waitFor()
    expect(JSON.stringify((await api("/api/ops/blocks")).week)).not.toContain("Mine")

    // Nothing tells of settings by itself: the room learns it from the refusal.
    await enter(page, "settings/station")
    const meter = page.getByLabel("Minutes of speech a day, for all agents of one owner")
    const ofAll = page.getByLabel("Pieces of speech an hour, for all agents", { exact: true })
    const disclosure = page.getByLabel("How the station says that machines make it")
    const change = async () => {
      await page.getByRole("button", { name: "Change", exact: true }).click()
      await page.getByRole("button", { name: "Change them" }).click()
    }
    await meter.fill("45")
    await disclosure.fill("Machines make this station.")
    await api("/api/ops/settings", token, { speechPerHour: 300, reason: "Another." }, "PUT")
    await change()
    await told.getByText(/^Nothing was done/).waitFor()
    await told.getByRole("button", { name: "Look again" }).click()
    await page.waitForFunction((input) => (input as HTMLInputElement).value === "300", await ofAll.elementHandle())
    expect(await meter.inputValue()).toBe("45")
    await change()
    await says(page, /settings are changed/)
    const { defaults, settings } = await api("/api/ops/settings")
    const changed = {
      speechPerHour: 300,
      ownerSpeechMinutesPerDay: 45,
      stationDisclosure: "Machines make this station."
    }
    expect(settings).toEqual({ ...defaults, ...changed })
    expect((await api("/api/station", null)).synthetic.disclosure).toBe("Machines make this station.")
    await shown(page, "settings-laptop")
    for (const back of [/^Pieces .*agents: return/, /^Minutes .*owner: return/, /^How .*: return/]) {
      await page.getByRole("button", { name: back }).click()
      await page.getByRole("button", { name: "Change them" }).click()
      await page.getByRole("button", { name: back }).waitFor({ state: "detached" })
    }
    expect((await api("/api/ops/settings")).settings).toEqual(defaults)
  }, 300_000)

  it("starts the emergency programme with two presses while nothing else of the station answers, and ends it", async () => {
    await page.route("**/api/**", (route) =>
      /\/playout\/emergency/.test(route.request().url()) ? route.continue() : undefined
    )
    await enter(page, "")
    const button = page.getByRole("button", { name: "Start the emergency programme" })
    await button.click()
    expect((await api("/api/station", null)).emergency).toBe(false)
    await page.getByRole("button", { name: "Press again to start" }).click()
    await askUntil(async () => ((await api("/api/station", null)).emergency === true ? true : undefined))
    await page.unroute("**/api/**")
    await enter(page, "")
    await shown(page, "emergency-laptop")
    await page.getByRole("button", { name: "End the emergency" }).first().click()
    await askUntil(async () => ((await api("/api/station", null)).emergency === false ? true : undefined))
    await button.waitFor()
  }, 300_000)

  it("changes the week, and the audit says who did", async () => {
    await enter(page, "week")
    await page.getByText(/^The week as a list/).click()
    const [block] = (await api("/api/ops/blocks")).week.blocks
    await page
      .getByRole("button", { name: `Change ${block.title}` })
      .first()
      .click()
    await page.getByLabel("Title").fill("An hour for the tide")
    await page.getByRole("button", { name: "Change", exact: true }).click()
    await page.getByRole("button", { name: "Change the week" }).click()
    await says(page, /The week is changed/)
    expect(JSON.stringify((await api("/api/ops/blocks")).week)).toContain("An hour for the tide")
    await enter(page, "records/audit")
    await page.getByLabel("Who").fill("manager")
    await page
      .getByRole("button", { name: /manager: .*(block|week|schedule)/i })
      .first()
      .click()
    const row = page.getByRole("article", { name: "The chosen row" })
    await row.getByText("manager").waitFor()
    await row.getByText("An hour for the tide").first().waitFor()
    await shown(page, "audit-laptop")
    await page.getByRole("button", { name: "Check it" }).click()
    await page.getByText(/^Unbroken/).waitFor()
  }, 300_000)

  it("adds files to the library one after the other, and says how far each is", async () => {
    await enter(page, "library/tracks")
    await page.getByLabel("Files to add").setInputFiles([
      { name: "Tide table.wav", mimeType: "audio/wav", buffer: wavOf(3) },
      { name: "Not a sound.wav", mimeType: "audio/wav", buffer: Buffer.from("RIFF of nothing") }
    ])
    const sheet = page.getByRole("dialog", { name: "Add 2 tracks" })
    await sheet.getByLabel("Genre").selectOption("jazz")
    await sheet.getByRole("combobox", { name: /^Rights/ }).selectOption("generated")
    await sheet.getByLabel("I answer for the rights of these files").check()
    const stages = () => sheet.locator(".history li").allTextContents()
    expect(await stages()).toEqual(["Tide table.wav waits", "Not a sound.wav waits"])
    let goOn: () => void = () => undefined
    const first = new Promise<void>((resolve) => (goOn = resolve))
    await page.route("**/api/ops/tracks", async (route) => {
      await first
      await route.continue()
    })
    await sheet.getByRole("button", { name: "Add to the library" }).click()
    await sheet.getByText("is sent, measured and mastered").waitFor()
    expect(await stages()).toEqual(["Tide table.wav is sent, measured and mastered", "Not a sound.wav waits"])
    goOn()
    await sheet.getByRole("button", { name: "Done" }).waitFor()
    await page.unroute("**/api/ops/tracks")
    expect(await stages()).toEqual([
      "Tide table.wav is in rotation",
      expect.stringMatching(/^Not a sound\.wav was refused: .{10}/)
    ])
    await shown(page, "upload-laptop")
    await sheet.getByRole("button", { name: "Done" }).click()
    await page.getByText("Tide table", { exact: true }).first().waitFor()
  }, 300_000)

  it("shows an operator nothing that their role may not do", async () => {
    const { context, opened } = await windowOf(phone)
    await opened.goto(await linkFor("Guest", "viewer"))
    await room(opened, "On air")
    await opened.getByRole("link", { name: "The whole rundown" }).waitFor()
    const menu = opened.getByRole("navigation", { name: "Rooms" })
    expect(await menu.getByRole("link").allTextContents()).toEqual([
      "On air",
      "Rundown",
      "People",
      "Engine",
      "Records",
      "Settings"
    ])
    expect(await opened.getByRole("button", { name: /Skip|Hold|emergency|Air something/i }).count()).toBe(0)
    await context.close()
  }, 300_000)

  it("has no accessibility fault and nothing too wide in any room, on a laptop and on a phone", async () => {
    const hand = await windowOf({ ...phone, storageState: await desk.storageState() })
    const walk = async (width: string, of: Page) => {
      await enter(of, "")
      for (const place of places) {
        // As a link of the menu does: the page isn't loaded anew.
        await of.evaluate((path) => {
          history.pushState(null, "", path)
          dispatchEvent(new PopStateEvent("popstate"))
        }, `/console/${place}`)
        await of.locator(".panel h1").waitFor()
        await of.locator(".panel .waiting").first().waitFor({ state: "detached" })
        // The name of a block of any length, and its time below.
        if (place === "week")
          expect(
            await of.locator(".ec-event-body").evaluateAll(
              (blocks) =>
                blocks.filter((block) => {
                  const [time, name] = ["time", "title"].map((part) =>
                    block.querySelector(`.ec-event-${part}`)!.getBoundingClientRect()
                  )
                  return name!.height < 8 || time!.top < name!.bottom - 1
                }).length
            )
          ).toBe(0)
        await shown(of, `${width}-${place.replaceAll("/", "-") || "on-air"}`)
        expect({ width, place, faults: await faultsOf(of) }).toEqual({ width, place, faults: [] })
        expect({
          width,
          place,
          wide: await of.evaluate(() => document.documentElement.scrollWidth > innerWidth)
        }).toEqual({ width, place, wide: false })
      }
    }
    await Promise.all([walk("laptop", page), walk("phone", hand.opened)])
    await hand.context.close()
    expect(wrong).toEqual([])
  }, 300_000)
})
