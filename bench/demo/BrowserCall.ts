import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { chromium } from "playwright-core"
import { speakWav } from "../instruments/sounds/CallSpeech.ts"

/** Longer than the spoken text and shorter than the longest call. */
const recordedFor = /^0:1[0-9] of 2:00$/

/** A listener's call: a real browser records it in the page, with the text as microphone input, and sends it. */
export const callFromPage = async (
  executablePath: string,
  base: string,
  folder: string,
  text: string
): Promise<void> => {
  const microphone = join(folder, "microphone.wav")
  await writeFile(microphone, await speakWav(text))
  const browser = await chromium.launch({
    executablePath,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--use-fake-device-for-media-stream",
      "--use-fake-ui-for-media-stream",
      `--use-file-for-fake-audio-capture=${microphone}`
    ]
  })
  try {
    const page = await browser.newPage()
    await page.goto(`${base}/send/call`)
    await page.getByRole("button", { name: "Record", exact: true }).click()
    await page.getByText(recordedFor).waitFor({ timeout: 60_000 })
    await page.getByRole("button", { name: "Stop" }).click()
    await page.getByLabel("Your recording").waitFor()
    await page.getByLabel("I agree to that.").check()
    await page.getByRole("button", { name: "Send the call" }).click()
    await page.locator(".sent").filter({ hasText: /\w/ }).waitFor()
  } finally {
    await browser.close()
  }
}
