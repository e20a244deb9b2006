import { render } from "preact"
import { Player } from "./Player.tsx"

render(<Player />, document.getElementById("station")!)
