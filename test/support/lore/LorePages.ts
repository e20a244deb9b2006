import type { Page } from "playwright-core"
import { expect } from "vitest"
import { type DocketId, type LoreId, makeId, type ResponseId, type SegmentId } from "../../../schema/Ids.ts"
import type { DocketDetail } from "../../../schema/lore/Council.ts"
import { LoreDetail } from "../../../schema/lore/Lore.ts"
import { faultsOf } from "../pages/Axe.ts"
import type { PageStation } from "../pages/PageStation.ts"
import { soundReplays } from "../panels/ReplayPages.ts"

const id = <Id extends string>(prefix: string, n = 1) => makeId(prefix, 1_780_000_000_000 + n, new Uint8Array(10)) as Id
const at = new Date(1_780_000_000_000).toISOString()
const offsetSec = 6
const loreId = id<LoreId>("lore")
const segmentId = id<SegmentId>("seg")
const heard = {
  offsetSec,
  at,
  replayUrl: `http://radio.test/replays/${id("rep")}/${offsetSec}`,
  streamUrl: "http://radio.test/live/index.m3u8?start=-60",
  audioUrl: `http://radio.test/media/audio/${id("mas")}.mp3#t=${offsetSec}`
}

/** An entry that was said on the air, changed once, absorbed another one, and is disputed. */
const entry = new LoreDetail({
  id: loreId,
  category: "recurring_bit",
  title: "The Copper Kettle",
  summary: "A café at the harbour that nobody has found, though everybody has an opinion of its <b>tea</b>.",
  references: [
    { kind: "segment", id: segmentId, note: "First heard here.", heard },
    { kind: "url", id: "https://example.org/kettle", note: null, heard: null }
  ],
  status: "disputed",
  mentionCount: 1,
  referenceCount: 3,
  mergedIntoId: null,
  topics: ["harbour"],
  proposedBy: { handle: "wren" },
  canonicalSince: at,
  createdAt: at,
  updatedAt: at,
  mentions: [{ segmentId, airedAt: at, excerpt: "Who has seen the Copper Kettle?", heard }],
  versions: [
    { version: 1, title: "The Copper Kettle", summary: "A café.", editedBy: "wren", editedAt: at },
    { version: 2, title: "The Copper Kettle", summary: "A café at the harbour.", editedBy: "the station", editedAt: at }
  ],
  mergeLinks: [{ fromId: id<LoreId>("lore", 2), toId: loreId, at }],
  disputes: [
    {
      byEntryId: id<LoreId>("lore", 3),
      segmentId: null,
      difference: "claim",
      claim: "It is a ship.",
      openedAt: at,
      closedAt: null,
      outcome: null
    }
  ]
})

const votes = { recognize: 8, defer: 3, reject: 0, needs_air: 1, merge: 0, weightTotal: 12 }
const itemId = id<DocketId>("dkt")
const item: DocketDetail = {
  id: itemId,
  title: "An hour of silence a year",
  summary: "Once a year the station plays the sea for an hour, and says nothing.",
  source: null,
  status: "recognized",
  openedBy: { handle: "wren" },
  votes,
  voters: 5,
  commentCount: 1,
  closesAt: at,
  outcome: {
    advice: "recognized",
    text: "5 owners voted with a weight of 12. 8 of 12 are for recognize.",
    voters: 5,
    votes,
    mergedIntoId: null,
    closedAt: at,
    answer: { decision: "partly", text: "Half an hour, at four in the morning.", at }
  },
  createdAt: at,
  comments: [{ id: id<ResponseId>("rsp"), by: { handle: "bo" }, body: "The sea has more to say.", createdAt: at }],
  ballots: [
    {
      id: id<ResponseId>("rsp", 2),
      by: { handle: "ada" },
      stance: "recognize",
      weight: 4,
      counted: true,
      mergeIntoId: null,
      body: "Gladly.",
      castAt: at
    }
  ]
}

const answerLore = (station: PageStation, much: boolean): void => {
  const { disputes: _, mentions: __, mergeLinks: ___, references, versions: ____, ...listed } = entry
  station.answer("/api/lore", { entries: much ? [{ ...listed, references }] : [] })
  station.answer("/api/lore/query", {
    results: [
      { entryId: loreId, title: entry.title, summary: entry.summary, score: 1, excerpt: "A café at the harbour" }
    ]
  })
  station.answer(`/api/lore/${loreId}`, { entry })
  station.answer("/api/station/council/docket", { items: much ? [item] : [] })
  station.answer(`/api/station/council/docket/${itemId}`, { item })
}

/** A visitor searches the lore, plays a mention from its second, and reads the docket. With SCREENSHOTS, screenshots are written there. */
export const readLore = async (
  page: Page,
  station: PageStation,
  says: (page: Page, state: string, timeout?: number) => Promise<unknown>
): Promise<void> => {
  const path = () => new URL(page.url()).pathname + new URL(page.url()).hash
  const look = async (name: string) => {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
      expect([name, colorScheme, await faultsOf(page)]).toEqual([name, colorScheme, []])
      if (process.env["SCREENSHOTS"] !== undefined)
        await page.screenshot({ path: `${process.env["SCREENSHOTS"]}/${name}-${colorScheme}.png` })
    }
  }
  await soundReplays(page)
  answerLore(station, false)
  await page.goto(station.url)
  await page.click(".play-button")
  await says(page, "On air")
  const band = page.getByRole("navigation", { name: "Places" })
  await band.getByRole("link", { name: "Lore" }).click()
  await page.getByText("No lore yet.").waitFor()
  expect(path()).toBe("/lore")
  await band.getByRole("link", { name: "Council" }).click()
  await page.getByText("Nothing on the docket.").waitFor()
  answerLore(station, true)
  await page.goBack()
  await page.getByRole("link", { name: "The Copper Kettle" }).waitFor()
  await page.getByLabel("Search the lore").fill("ketle")
  await page.keyboard.press("Enter")
  await page.getByText("Found for “ketle”").waitFor()
  await look("lore")
  await page.getByRole("link", { name: "The Copper Kettle" }).click()
  await page.getByText("Who has seen the Copper Kettle?").waitFor()
  expect([path(), await page.title()]).toEqual([`/lore/${loreId}`, expect.stringContaining("Lore")])
  // The broadcast continued until then, and stops for the mention.
  await says(page, "On air")
  await page.getByRole("button", { name: "Hear it at 0:06" }).click()
  await says(page, "Tap to listen")
  const readHeardSec = () => page.evaluate(() => document.querySelector<HTMLAudioElement>("audio.aside")!.currentTime)
  await expect.poll(readHeardSec).toBeGreaterThan(offsetSec)
  await look("lore-entry")
  await page.getByRole("link", { name: "It is a ship." }).waitFor()
  await band.getByRole("link", { name: "Council" }).click()
  await page.getByRole("link", { name: item.title }).click()
  await page.getByText("Half an hour, at four in the morning.").waitFor()
  expect(path()).toBe(`/council/${itemId}`)
  await look("council")
  await page.setViewportSize({ width: 320, height: 640 })
  for (const narrow of ["council-narrow", "lore-narrow"]) {
    expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false)
    await look(narrow)
    if (narrow === "lore-narrow") break
    await page.goBack()
    await page.goBack()
    await page.getByText("Who has seen the Copper Kettle?").waitFor()
  }
  // A former address goes on to the present one, without a step back to it.
  await page.evaluate(() => location.assign("/#/replays/show/harbour-talk"))
  await page.waitForURL(/\/shows\/harbour-talk$/)
  expect(path()).toBe("/shows/harbour-talk")
}
