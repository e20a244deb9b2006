import type { Page } from "playwright-core"
import { expect } from "vitest"
import { blogHtml } from "../../../engine/rules/lore/BlogText.ts"
import type { HighlightId } from "../../../schema/Ids.ts"
import { makeId } from "../../../schema/Ids.ts"
import type { BlogPostDetail } from "../../../schema/lore/Blog.ts"
import type { HighlightEdition } from "../../../schema/lore/Highlights.ts"
import { faultsOf } from "../pages/Axe.ts"
import type { PageStation } from "../pages/PageStation.ts"
import { blogDraft, blogText } from "../scenes/Blog.ts"

const at = new Date(1_780_000_000_000).toISOString()
const url = "http://radio.test"
const post: BlogPostDetail = {
  slug: "what-the-tide-left-behind",
  url: `${url}/blog/what-the-tide-left-behind`,
  title: "What the tide left <behind>",
  summary: blogDraft.summary,
  tags: ["harbour", "letters"],
  coverUrl: null,
  author: { handle: "wren", displayName: "Wren" },
  publishedAt: at,
  bodyMarkdown: blogText,
  bodyHtml: blogHtml(
    `${blogText}\n\n### What the lamp said\n\n\`\`\`\n${"wind ".repeat(40)}\n\`\`\`\n\n|${" a long heading |".repeat(9)}\n|${"-|".repeat(9)}\n|${" 4.5 knots |".repeat(9)}`,
    url
  ),
  sources: blogDraft.sources
}
const heard = {
  offsetSec: 6,
  at,
  replayUrl: `${url}/replays/rep_x/6`,
  streamUrl: `${url}/live/index.m3u8?start=-60`,
  audioUrl: `${url}/media/audio/mas_x.mp3#t=6`
}
const edition: HighlightEdition = {
  id: makeId("hl", 1_780_000_000_000, new Uint8Array(10)) as HighlightId,
  slug: "2026-05-28",
  url: `${url}/highlights/2026-05-28`,
  title: "Highlights of 28 May 2026",
  window: "24h",
  from: at,
  to: at,
  items: [
    {
      at,
      kind: "segment",
      title: "On quiet harbours",
      handle: "wren",
      excerpt: "Is the harbour quiet tonight? I think that it <i>is</i>.",
      reason: "12 listeners reacted.",
      url: heard.replayUrl,
      heard
    },
    {
      at,
      kind: "council",
      title: "An hour of silence a year",
      handle: null,
      excerpt: "Once a year the station plays the sea.",
      reason: "The council recognized it.",
      url: `${url}/council/dkt_x`,
      heard: null
    }
  ],
  createdAt: at
}

/** A visitor reads the blog and the highlights of a day, on a laptop and on a phone. With SCREENSHOTS, pictures of it go there. */
export const readsBlog = async (page: Page, station: PageStation): Promise<void> => {
  const path = () => new URL(page.url()).pathname
  const look = async (name: string) => {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
      expect([name, colorScheme, await faultsOf(page)]).toEqual([name, colorScheme, []])
      if (process.env["SCREENSHOTS"] !== undefined)
        await page.screenshot({ path: `${process.env["SCREENSHOTS"]}/${name}-${colorScheme}.png`, fullPage: true })
    }
  }
  const fits = async () =>
    expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false)
  const { bodyHtml: _, bodyMarkdown: __, sources: ___, ...listed } = post
  const { items: ____, ...row } = edition
  station.answer("/api/v1/blog", { posts: [] })
  station.answer("/api/v1/highlights", { highlights: [] })
  await page.setViewportSize({ width: 1280, height: 860 })
  const band = page.getByRole("navigation", { name: "Places" })
  await band.getByRole("link", { name: "Blog" }).click()
  await page.getByText("Nothing published yet.").waitFor()
  await band.getByRole("link", { name: "Highlights" }).click()
  await page.getByText("Nothing has stood out yet.").waitFor()
  station.answer("/api/v1/blog", { posts: [listed] })
  station.answer(`/api/v1/blog/${post.slug}`, { post })
  station.answer("/api/v1/highlights", { highlights: [row] })
  station.answer(`/api/v1/highlights/${edition.slug}`, { highlight: edition })
  await page.goBack()
  const entry = page.getByRole("link", { name: post.title })
  await entry.waitFor()
  await look("blog")
  await entry.click()
  await page.getByRole("heading", { name: "The first night", level: 4 }).waitFor()
  expect(path()).toBe(`/blog/${post.slug}`)
  // Its text is markup of the station's, and nothing else.
  expect(await page.locator(".blog-text li").allTextContents()).toEqual([
    "eleven letters",
    "two of them in verse",
    "one from a lighthouse"
  ])
  await page.getByRole("link", { name: "The harbour's tide tables" }).waitFor()
  await look("blog-entry")
  await page.setViewportSize({ width: 390, height: 844 })
  await fits()
  await look("blog-entry-phone")
  await band.getByRole("link", { name: "Highlights" }).click()
  await page.getByRole("link", { name: edition.title }).click()
  await page.getByText("12 listeners reacted.").waitFor()
  expect(path()).toBe(`/highlights/${edition.slug}`)
  await page.getByRole("button", { name: "Hear it at 0:06" }).waitFor()
  await fits()
  await look("highlights-phone")
  await page.setViewportSize({ width: 1280, height: 860 })
  await look("highlights")
}
