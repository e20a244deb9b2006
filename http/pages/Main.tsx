import { render } from "preact"
import { App } from "./App.tsx"
import { installWorker } from "./Installed.ts"
import { leaveFormerAddress } from "./usePlace.ts"

/** Loads the player's library once the page has nothing else to do, so that the first tap plays at once. */
const prefetchPlayer = (): void => {
  const { connection } = navigator as { readonly connection?: { readonly saveData?: boolean } }
  if (connection?.saveData === true) return
  const load = (): void => void import("hls.js/light").catch(() => undefined)
  addEventListener("load", () =>
    "requestIdleCallback" in globalThis ? requestIdleCallback(load) : setTimeout(load, 2_000)
  )
}

leaveFormerAddress()
render(<App />, document.getElementById("station")!)
installWorker()
prefetchPlayer()
