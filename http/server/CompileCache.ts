import { enableCompileCache } from "node:module"

// What was compiled is kept for the next start, which is half a second sooner for it. Has to stand before the station's first import.
enableCompileCache("node_modules/.cache/longwave")
