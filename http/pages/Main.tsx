import { render } from "preact"
import { App } from "./App.tsx"
import { installWorker } from "./Installed.ts"

render(<App />, document.getElementById("station")!)
installWorker()
