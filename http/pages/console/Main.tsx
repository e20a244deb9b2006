import { render } from "preact"
import { Console } from "./Console.tsx"

render(<Console />, document.getElementById("console")!)
