import { render } from "preact"
import { App } from "./App.tsx"
import { installWorker } from "./Installed.ts"
import { leaveFormerAddress } from "./usePlace.ts"

leaveFormerAddress()
render(<App />, document.getElementById("station")!)
installWorker()
