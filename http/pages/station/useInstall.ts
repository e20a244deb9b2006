import { useEffect, useState } from "preact/hooks"

interface InstallPrompt extends Event {
  readonly prompt: () => Promise<unknown>
}

let waiting: InstallPrompt | null = null
const bell = new EventTarget()

addEventListener("beforeinstallprompt", (event) => {
  event.preventDefault()
  waiting = event as InstallPrompt
  bell.dispatchEvent(new Event("change"))
})
addEventListener("appinstalled", () => {
  waiting = null
  bell.dispatchEvent(new Event("change"))
})

/** Prompts to install the page as an app; null if unavailable or already installed. */
export const useInstall = (): (() => void) | null => {
  const [prompt, setPrompt] = useState(waiting)
  useEffect(() => {
    const look = (): void => setPrompt(waiting)
    bell.addEventListener("change", look)
    return () => bell.removeEventListener("change", look)
  }, [])
  return prompt === null ? null : () => void prompt.prompt()
}
