import type { ChildProcess } from "node:child_process"
import { child, end, nextMessage, pause } from "../Children.ts"
import { freePort } from "./Station.ts"

export interface RunningEdge {
  readonly port: number
  readonly base: string
  readonly process: ChildProcess
  readonly stop: () => Promise<void>
}

/** An edge of these origins in a process of its own, once it has the stream. */
export const startEdge = async (
  origins: ReadonlyArray<string>,
  { core, secret }: { readonly core: number; readonly secret: string }
): Promise<RunningEdge> => {
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  const process = child(
    core,
    "../http/Edge.ts",
    origins.flatMap((origin) => ["--origin", origin]),
    { PORT: String(port), HOST: "127.0.0.1", PUBLIC_URL: base, EDGE_SECRET: secret, LOG_LEVEL: "Error" }
  )
  await nextMessage(process)
  while ((await fetch(`${base}/readyz`)).status !== 200) await pause(50)
  return { port, base, process, stop: () => end(process) }
}
