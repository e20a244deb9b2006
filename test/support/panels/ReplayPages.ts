import type { Page } from "playwright-core"
import { expect } from "vitest"
import { clipView, replayView } from "../../../engine/rules/panels/ReplayView.ts"
import {
  type AssetId,
  type ClipId,
  makeId,
  type ParticipantId,
  type ReplayId,
  type SegmentId,
  type SessionId,
  type TurnId
} from "../../../schema/Ids.ts"
import { Clip, Replay } from "../../../schema/panels/Replay.ts"
import { markOfSpeech } from "../../../schema/Synthetic.ts"
import { faultsOf } from "../pages/Axe.ts"
import type { PageStation } from "../pages/PageStation.ts"

const id = <Id extends string>(prefix: string, n = 1) => makeId(prefix, 1_780_000_000_000 + n, new Uint8Array(10)) as Id
const publicUrl = "http://radio.test"
const turnSec = 2
const texts = [
  "Is the harbour quiet tonight? I walked along the quay before we began, and nothing moved but the light.",
  "It is quiet, and still. Nobody sails before the morning.",
  "Then we shall talk. [smiling] Of boats, and of people, and of the <b>rope</b> between them.",
  "And of the sea, which is what remains when both have gone home.",
  "Good night, then.",
  "Good night."
]
const [host, guest] = [
  { handle: "wren", displayName: "Wren of the Salt Marsh", role: "host" },
  { handle: "bo", displayName: "Bo <Baker> & Sons", role: "guest" }
] as const

/** A panel of six short turns, as the station answers for it. */
const replayId = id<ReplayId>("rep")
const replay = replayView(
  {
    assetId: id<AssetId>("mas"),
    packaged: true,
    held: false,
    synthetic: markOfSpeech({ name: "eSpeak NG", trained: false }, "wren"),
    replay: new Replay({
      id: replayId,
      sessionId: id<SessionId>("ses"),
      segmentId: id<SegmentId>("seg"),
      showSlug: "harbour-talk",
      title: "On quiet harbours",
      topic: "Is it quiet by the sea?",
      description: "Two agents walk along a quay and ask what is left of a day.",
      durationSec: 16,
      participants: [host, guest],
      airedAtMs: 1_780_000_000_000,
      publishedAtMs: 1_780_000_900_000,
      hidden: false,
      turns: texts.map((scriptText, n) => ({
        turnId: id<TurnId>("turn", n),
        turnIndex: n,
        participantId: id<ParticipantId>("part", n % 2),
        handle: [host, guest][n % 2]!.handle,
        scriptText,
        startSec: 2 + n * turnSec,
        durationSec: turnSec - 0.1
      }))
    })
  },
  publicUrl
)
const clip = clipView(
  new Clip({
    id: id<ClipId>("clip"),
    title: "On quiet harbours",
    replayId,
    showSlug: "harbour-talk",
    segmentId: id<SegmentId>("seg"),
    sessionId: id<SessionId>("ses"),
    sourceAssetId: id<AssetId>("mas"),
    assetId: id<AssetId>("mas", 2),
    startSec: 4,
    durationSec: 15,
    transcript: "Wren of the Salt Marsh: Then we shall talk.\nBo <Baker> & Sons: And of the sea.",
    participants: [host, guest],
    byRule: true,
    status: "ready",
    statusReason: null,
    publishedAtMs: 1_780_000_900_000,
    hidden: false,
    createdAtMs: 0
  }),
  null,
  markOfSpeech({ name: "eSpeak NG", trained: false }, "wren"),
  publicUrl
)
const show = {
  id: id("show"),
  slug: "harbour-talk",
  title: "Harbour Talk",
  tagline: "Boats and people",
  description: null,
  format: "panel",
  audience: null,
  genres: [],
  hostAgentId: id("agt"),
  hostHandle: "wren",
  status: "active",
  visibility: "public",
  blockId: null,
  reservedVoiceIds: [],
  createdAt: "2026-09-25T00:00:00.000Z"
}

const answerReplays = (station: PageStation, much: boolean): void => {
  const { turns: _, ...listed } = replay
  station.answer("/api/replays", { replays: much ? [listed] : [] })
  station.answer("/api/clips", { clips: much ? [clip] : [] })
  station.answer("/api/shows", { shows: much ? [show] : [] })
  station.answer("/api/shows/harbour-talk", { show })
  station.answer(`/api/replays/${replayId}`, { replay })
}

/** A quiet tone, in ranges as the station serves its files. */
const sound = (() => {
  const [rate, seconds] = [8_000, 16]
  const bytes = Buffer.alloc(44 + rate * seconds * 2)
  bytes.write("RIFF", 0)
  bytes.writeUInt32LE(bytes.length - 8, 4)
  bytes.write("WAVEfmt ", 8)
  for (const [value, at, size] of [
    [16, 16, 4],
    [1, 20, 2],
    [1, 22, 2],
    [rate, 24, 4],
    [rate * 2, 28, 4],
    [2, 32, 2],
    [16, 34, 2]
  ] as const)
    bytes.writeUIntLE(value, at, size)
  bytes.write("data", 36)
  bytes.writeUInt32LE(rate * seconds * 2, 40)
  for (let n = 0; n < rate * seconds; n++)
    bytes.writeInt16LE(Math.round(Math.sin((n / rate) * 2 * Math.PI * 220) * 3_000), 44 + n * 2)
  return bytes
})()
export const soundReplays = (page: Page): Promise<unknown> =>
  page.route("**/media/audio/*", (route) => {
    const from = Number(/bytes=(\d+)-/.exec(route.request().headers()["range"] ?? "")?.[1] ?? 0)
    return route.fulfill({
      status: 206,
      contentType: "audio/wav",
      headers: { "accept-ranges": "bytes", "content-range": `bytes ${from}-${sound.length - 1}/${sound.length}` },
      body: sound.subarray(from)
    })
  })

/**
 * A visitor finds a panel, replays it and moves in it, in both colour schemes, with an accessibility check. With SCREENSHOTS,
 * screenshots are written there.
 */
export const hearReplay = async (
  page: Page,
  station: PageStation,
  says: (page: Page, state: string, timeout?: number) => Promise<unknown>
): Promise<void> => {
  await soundReplays(page)
  answerReplays(station, false)
  await page.goto(`${station.url}replays`)
  await page.getByText("No panels yet.").waitFor()
  answerReplays(station, true)
  await page.reload()
  await page.click(".play-button")
  await says(page, "On air")
  await page.getByRole("link", { name: "On quiet harbours" }).click()
  const current = page.locator(".replay-turns [aria-current]")
  await page.locator(".replay-turn", { hasText: "It is quiet, and still." }).click()
  await current.getByText("It is quiet, and still.").waitFor()
  await says(page, "Tap to listen")
  const readHeardSec = () => page.evaluate(() => document.querySelector<HTMLAudioElement>("audio.aside")!.currentTime)
  await current.getByText("Then we shall talk. Of boats, and of people, and of the <b>rope</b> between them.").waitFor()
  expect(await readHeardSec()).toBeGreaterThanOrEqual(2 + 2 * turnSec - 0.1)
  await page.getByRole("button", { name: /Introduction/ }).focus()
  await page.keyboard.press("Enter")
  expect(await readHeardSec()).toBeLessThan(1.5)
  expect(await page.getByRole("link", { name: "Download" }).getAttribute("href")).toMatch(
    /^\/media\/audio\/mas_\w+\.mp3$/
  )
  const look = async (name: string) => {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
      expect([name, colorScheme, await faultsOf(page)]).toEqual([name, colorScheme, []])
      if (process.env["SCREENSHOTS"] !== undefined)
        await page.screenshot({ path: `${process.env["SCREENSHOTS"]}/${name}-${colorScheme}.png` })
    }
  }
  await look("replay")
  // A link to a quotation leads to its second.
  await page.goto(`${station.url}replays/${replayId}/7`)
  await current.getByText(texts[2]!.replace("[smiling] ", "")).waitFor()
  await expect.poll(readHeardSec).toBe(7)
  await page.goto(`${station.url}replays/clips`)
  await page.getByText("Read it").click()
  await page.getByText("And of the sea.").waitFor()
  await look("clips")
  await page.goto(`${station.url}shows/harbour-talk`)
  await page.getByRole("link", { name: "Podcast feed (RSS)" }).waitFor()
  await look("show")
  await page.setViewportSize({ width: 320, height: 640 })
  await page.goto(`${station.url}replays/${replayId}`)
  await page.getByText("Chapters").waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth)).toBe(
    true
  )
  await look("replay-narrow")
  await page.goto(`${station.url}replays/rep_none`)
  await page.getByRole("alert").getByText("There is no such address.").waitFor()
  await page.getByRole("button", { name: "Try again" }).waitFor()
}
