import { layer } from "@effect/vitest"
import axe from "axe-core"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { once } from "node:events"
import { createServer, type IncomingMessage, request as ask, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, expect } from "vitest"
import { AccountTemplate } from "../../../http/html/AccountShell.ts"
import { makePagesHandler } from "../../../http/html/StaticPages.ts"
import { mp3 } from "../../support/music/SubmissionScene.ts"
import { buildSite, chromiumPath, openBrowser } from "../../support/pages/PageStation.ts"
import { Providers, SignInHttp } from "../../support/people/SignIn.ts"

/** Folder for screenshots, if one is wanted. */
const pictures = process.env["SCREENSHOTS"]

if (chromiumPath === null)
  console.warn("AccountBrowser.test skipped: there is no chromium, chromium-browser or google-chrome on this machine.")

const seriousIn = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe.source)
  const { passes, violations } = await page.evaluate(() =>
    (globalThis as unknown as { readonly axe: typeof axe }).axe.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    })
  )
  expect(passes.length).toBeGreaterThan(15)
  return violations.map(({ help, nodes }) => `${help}: ${nodes.map(({ html }) => html).join(" ")}`)
}

const wide = { viewport: { width: 1280, height: 860 } } as const
const narrow = { viewport: { width: 375, height: 740 }, colorScheme: "dark", reducedMotion: "reduce" } as const

const browsing = async () => {
  const site = await buildSite()
  const browser: Browser = await openBrowser()
  // The station needs its address before it runs: this server listens there, and forwards to the station later.
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => undefined
  const front = createServer((request, response) => handle(request, response)).listen(0, "127.0.0.1")
  await once(front, "listening")
  const base = `http://127.0.0.1:${(front.address() as AddressInfo).port}`
  afterAll(async () => {
    await browser.close()
    front.closeAllConnections()
    front.close()
  })

  layer(SignInHttp(base).pipe(Layer.provide(Layer.succeed(AccountTemplate, site.account))), {
    excludeTestServices: true,
    timeout: 300_000
  })("an account in a browser", (it) => {
    const visit = Effect.fnUntraced(function* (
      options: BrowserContextOptions,
      run: (page: Page, seen: (name: string) => Promise<void>) => Promise<void>
    ) {
      const { address } = yield* HttpServer.HttpServer
      const { a, b } = yield* Providers
      const port = "port" in address ? address.port : 0
      const built = makePagesHandler(site.pages)
      handle = (request, response) => {
        if (built(request, response)) return
        request.pipe(
          ask(
            { port, host: "127.0.0.1", path: request.url, method: request.method, headers: request.headers },
            (answer) => {
              response.writeHead(answer.statusCode!, answer.headers)
              answer.pipe(response)
            }
          )
        )
      }
      yield* Effect.promise(async () => {
        const context = await browser.newContext(options)
        // Ends a wait that hangs; it asserts no time.
        context.setDefaultTimeout(300_000)
        const page = await context.newPage()
        const trouble: Array<string> = []
        page.on("pageerror", (error) => trouble.push(error.message))
        page.on(
          "console",
          (message) => /Content Security Policy|Uncaught/.test(message.text()) && trouble.push(message.text())
        )
        page.on(
          "request",
          (request) =>
            ![base, a.issuer, b.issuer].some((known) => request.url().startsWith(known)) && trouble.push(request.url())
        )
        await run(page, async (name) => {
          if (options.javaScriptEnabled !== false) {
            expect(await seriousIn(page)).toEqual([])
            expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true)
          }
          if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
        })
        expect(trouble).toEqual([])
        await context.close()
      })
    })

    /** Cookies ignore ports, so the provider's cookies are included. */
    const ours = async (page: Page) => (await page.context().cookies(base)).filter(({ name }) => !name.startsWith("_"))

    it.effect(
      "is opened with a provider, changed, and deleted, by keyboard and without the station's script",
      () =>
        Effect.gen(function* () {
          const { a } = yield* Providers
          a.who = { sub: "ada", email: "ada@example.org" }
          yield* visit(wide, async (page, seen) => {
            await page.goto(`${base}/account`)
            expect([new URL(page.url()).pathname, await page.textContent("h1")]).toEqual(["/login", "Sign in"])
            await seen("login-wide")
            await page.click("text=Continue with Alpha")
            await page.waitForSelector("text=Sign out everywhere")
            expect([
              new URL(page.url()).pathname,
              (await ours(page)).map(({ httpOnly, name, sameSite }) => [name, httpOnly, sameSite])
            ]).toEqual(["/account", [["session", true, "Lax"]]])
            await page.fill("#displayName", "Ada")
            await page.check("[name=published]")
            await page.fill("[name=label0]", "Bees")
            await page.fill("[name=url0]", "https://bees.example.org/")
            await page.focus("#bio")
            await page.keyboard.type("Keeps bees.")
            await page.click("text=Save")
            await page.waitForSelector("[role=status]")
            expect([
              await page.textContent("[role=status]"),
              await page.inputValue("#bio"),
              await page.inputValue("[name=url0]"),
              await page.isChecked("[name=published]")
            ]).toEqual(["Saved.", "Keeps bees.", "https://bees.example.org/", true])
            await page.selectOption("#provider", "elevenlabs")
            await page.fill("#key", "sk-live-0123456789abcdefghijklmnop")
            await page.keyboard.press("Enter")
            await page.waitForSelector("text=…mnop")
            expect(await page.inputValue("#key")).toBe("")
            await page.fill("#title", "Low <b>water</b>")
            await page.setInputFiles("#file", {
              name: "low-water.mp3",
              mimeType: "audio/mpeg",
              buffer: Buffer.from(mp3())
            })
            await page.selectOption("#genre", "jazz")
            await page.fill("#note", "Played on the pier.\nAt night.")
            await page.check("[name=rightsAttested]")
            await page.click("text=Send it in")
            await page.waitForSelector("text=has arrived")
            expect([new URL(page.url()).pathname, await page.textContent("#music ~ .rows li p")]).toEqual([
              "/account/music",
              "Low <b>water</b> waits until somebody at the station has heard it."
            ])
            await page.setInputFiles("#file", {
              name: "list.mp3",
              mimeType: "audio/mpeg",
              buffer: Buffer.from("#EXTM3U\nfile:///etc/passwd\n")
            })
            await page.fill("#title", "A playlist")
            await page.check("[name=rightsAttested]")
            await page.click("text=Send it in")
            await page.waitForSelector("[role=alert]")
            expect(await page.textContent("[role=alert]")).toBe("Send an MP3 or a WAV file.")
            await seen("account-wide")
            await page.click("[aria-label^='Withdraw: Low']")
            await page.waitForSelector("text=The recording is withdrawn.")
            await page.click("text=Sign out")
            await page.waitForSelector("text=You are signed out.")
            await seen("left-wide")
            expect(await ours(page)).toEqual([])
          })
        }),
      300_000
    )

    it.effect(
      "works on a phone in dark mode, and without any script",
      () =>
        Effect.gen(function* () {
          const { b } = yield* Providers
          b.who = { sub: "eve", email: "eve@example.org" }
          yield* visit(narrow, async (page, seen) => {
            await page.goto(`${base}/login`)
            await seen("login-narrow")
            await page.click("text=Continue with Beta")
            await page.waitForSelector("text=Your agents")
            await seen("account-narrow")
            await page.fill("#handle", "nobody-at-all")
            await page.click("text=Mail its owner")
            await page.waitForSelector("[role=alert]")
            await seen("refused-narrow")
          })
          yield* visit({ ...narrow, javaScriptEnabled: false }, async (page) => {
            await page.goto(`${base}/login`)
            await page.click("text=Continue with Beta")
            await page.waitForSelector("text=Your agents")
            await page.check("[name=sure]")
            await page.click("text=Delete my account")
            await page.waitForSelector("text=Your account is deleted.")
            await page.goto(`${base}/account`)
            expect(new URL(page.url()).pathname).toBe("/login")
          })
        }),
      300_000
    )
  })
}

if (chromiumPath !== null) await browsing()
