import { layer } from "@effect/vitest"
import axe from "axe-core"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import { once } from "node:events"
import { createServer, request as ask } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, expect } from "vitest"
import { ClaimTemplate } from "../../../http/html/ClaimViews.ts"
import { makePagesHandler } from "../../../http/html/StaticPages.ts"
import { AgentHttp, awaitMailedCode, newHandle, registration } from "../../support/http/AgentHttp.ts"
import { buildSite, chromiumPath, openBrowser } from "../../support/pages/PageStation.ts"
import { call } from "../../support/http/SegmentHttp.ts"

/** Folder for screenshots, if one is wanted. */
const pictures = process.env["SCREENSHOTS"]

if (chromiumPath === null)
  console.warn("ClaimBrowser.test skipped: there is no chromium, chromium-browser or google-chrome on this machine.")

const wren = {
  displayName: "Wren of the Salt Marsh",
  tagline: "Notes from where the land gives up.",
  role: "hybrid",
  syntheticDisclosure: "Wren is a program. Nobody sits in the reeds.",
  bio: "Wren listens to what the marsh does at night and reads it out in the morning, with music for standing still.\nLikes: tide tables, slow records, other people's weather."
}
const registered = (agent: object = {}, over: object = {}) =>
  Effect.map(
    call("POST", "/api/v1/agents/register", { body: registration(over, { ...wren, ...agent }) }),
    ({ body }) => ({ ...body, path: new URL(body.claimUrl).pathname })
  )

/** The built pages in front of the API at one address, as in production. */
const front = Effect.fnUntraced(function* (pages: Parameters<typeof makePagesHandler>[0]) {
  const { address } = yield* HttpServer.HttpServer
  const port = "port" in address ? address.port : 0
  const page = makePagesHandler(pages)
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      createServer((request, response) => {
        if (page(request, response)) return
        const from = ask(
          { port, host: "127.0.0.1", path: request.url, method: request.method, headers: request.headers },
          (answer) => {
            response.writeHead(answer.statusCode!, answer.headers)
            answer.pipe(response)
          }
        )
        request.pipe(from)
      }).listen(0, "127.0.0.1")
    ),
    (running) =>
      Effect.sync(() => {
        running.closeAllConnections()
        running.close()
      })
  )
  yield* Effect.promise(() => once(server, "listening"))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

const seriousIn = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe.source)
  const { passes, violations } = await page.evaluate(() =>
    (globalThis as unknown as { readonly axe: typeof axe }).axe.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    })
  )
  expect(passes.length).toBeGreaterThan(15)
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ help, nodes }) => `${help}: ${nodes.map(({ html }) => html).join(" ")}`)
}

const wide = { viewport: { width: 1280, height: 860 } } as const
const narrow = { viewport: { width: 375, height: 740 }, colorScheme: "dark", reducedMotion: "reduce" } as const
const heading = (page: Page) => page.textContent("h1")

const browsing = async () => {
  const site = await buildSite()
  const browser: Browser = await openBrowser()
  afterAll(() => browser.close())
  const World = AgentHttp().pipe(Layer.provide(Layer.succeed(ClaimTemplate, site.claim)))

  layer(World, { excludeTestServices: true, timeout: 300_000 })("the owner's page in a browser", (it) => {
    /** Fails on anything that the page's policy refused, and on requests to other hosts. */
    const visit = Effect.fnUntraced(function* (
      options: BrowserContextOptions,
      path: string,
      run: (page: Page, seen: (name: string) => Promise<void>) => Promise<void>
    ) {
      const base = yield* front(site.pages)
      yield* Effect.promise(async () => {
        const context = await browser.newContext({ ...options, permissions: ["clipboard-read", "clipboard-write"] })
        // Ends a wait that hangs; it asserts no time.
        context.setDefaultTimeout(300_000)
        const page = await context.newPage()
        const trouble: Array<string> = []
        page.on("pageerror", (error) => trouble.push(error.message))
        page.on(
          "console",
          (message) => /Content Security Policy|Uncaught/.test(message.text()) && trouble.push(message.text())
        )
        page.on("request", (request) => !request.url().startsWith(base) && trouble.push(request.url()))
        await page.goto(base + path)
        await run(page, async (name) => {
          if (options.javaScriptEnabled !== false) expect(await seriousIn(page)).toEqual([])
          expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth").catch(() => true)).toBe(true)
          if (pictures !== undefined) {
            await page.waitForTimeout(1_000)
            await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
          }
        })
        expect(trouble).toEqual([])
        await context.close()
      })
    }, Effect.scoped)

    it.effect(
      "claims by keyboard without leaving the page, and copies the key to the clipboard",
      () =>
        Effect.gen(function* () {
          const { handle, path } = yield* registered()
          let key = ""
          yield* visit(wide, path, async (page, seen) => {
            expect([
              await heading(page),
              await page.getAttribute("[aria-current]", "aria-current"),
              await page.textContent("[aria-current]")
            ]).toEqual([wren.displayName, "step", "Your consent"])
            await seen("code-wide")
            await page.evaluate("globalThis.same = true")
            await page.focus("#email")
            await page.keyboard.type(`${handle}@example.org`)
            await page.keyboard.press("Tab")
            await page.keyboard.press("Space")
            await page.keyboard.press("Tab")
            expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(`Claim @${handle}`)
            await page.keyboard.press("Enter")
            await page.waitForSelector(".key")
            key = (await page.textContent(".key"))!
            expect([
              await page.evaluate("globalThis.same"),
              await page.evaluate(() => document.activeElement?.tagName),
              await page.textContent("[aria-current]"),
              await page.title()
            ]).toEqual([true, "H2", "The key", "The agent is yours · Longwave"])
            expect(await page.textContent("main")).toContain("It is shown only once.")
            await seen("key-wide")
            await page.click("text=Copy the key")
            await page.waitForSelector("text=Copied.")
            expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key)
            await page.reload()
            expect(await heading(page)).toBe("This link has been used")
            expect(await page.content()).not.toContain(key)
            await seen("used-wide")
          })
          expect((yield* call("GET", "/api/v1/agents/me", { key })).body.agent.handle).toBe(handle)
        }),
      300_000
    )

    it.effect(
      "accepts a pasted link and the mailed digits on a phone, and shows faults at their fields",
      () =>
        Effect.gen(function* () {
          const handle = newHandle()
          const { claimUrl } = yield* registered(
            { handle },
            { type: "identity_assertion", assertionType: "email", assertion: `${handle}@example.org` }
          )
          const code = yield* awaitMailedCode(`${handle}@example.org`)
          yield* visit(narrow, "/claim", async (page, seen) => {
            await seen("paste-narrow")
            await page.fill("#code", "https://example.org/somewhere")
            await page.click("text=Continue")
            await page.waitForSelector("text=This text contains no claim link")
            await page.fill("#code", `Claim me: ${claimUrl}`)
            await page.click("text=Continue")
            await page.waitForSelector("#otp")
            expect([new URL(page.url()).pathname, await page.textContent("[aria-current]")]).toEqual([
              new URL(claimUrl).pathname,
              "Your address"
            ])
            await seen("digits-narrow")
            await page.fill("#otp", code === "111111" ? "222222" : "111111")
            await page.click("text=Continue")
            await page.waitForSelector("[role=alert]")
            expect([
              await page.evaluate(() => document.activeElement?.id),
              await page.getAttribute("#otp", "aria-invalid")
            ]).toEqual(["otp", "true"])
            await seen("wrong-narrow")
            await page.click("text=Mail a new code")
            await page.waitForSelector("text=every 60 s")
            await page.fill("#otp", code)
            await page.keyboard.press("Enter")
            await page.waitForSelector("[name=consentGiven]")
            expect(await page.$("#email")).toBe(null)
            await seen("consent-narrow")
            await page.check("[name=consentGiven]")
            await page.click(`text=Claim @${handle}`)
            await page.waitForSelector(".key")
            await seen("key-narrow")
          })
        }),
      300_000
    )

    it.effect(
      "names each outcome clearly",
      () =>
        Effect.gen(function* () {
          const late = yield* registered()
          yield* (yield* SqlClient.SqlClient)`UPDATE claims SET expires_at = now() - interval '1 minute' WHERE agent_id = ${late.agentId}`
          yield* visit(narrow, late.path, async (page, seen) => {
            expect(await heading(page)).toBe("This link has expired")
            await seen("expired-narrow")
          })
          yield* visit(wide, "/claim/claim_of_nobody", async (page, seen) => {
            expect(await heading(page)).toBe("Unknown link")
            await seen("unknown-wide")
          })
        }),
      300_000
    )

    it.effect(
      "works without scripts",
      () =>
        Effect.gen(function* () {
          const { handle, path } = yield* registered()
          yield* visit({ ...wide, javaScriptEnabled: false, colorScheme: "dark" }, path, async (page, seen) => {
            await page.fill("#email", `${handle}@example.org`)
            await page.check("[name=consentGiven]")
            await page.click(`text=Claim @${handle}`)
            await page.waitForSelector(".key")
            expect(await page.textContent(".key")).toMatch(/^svc_agent_/)
            await seen("key-without-script")
          })
        }),
      300_000
    )
  })
}

if (chromiumPath !== null) await browsing()
