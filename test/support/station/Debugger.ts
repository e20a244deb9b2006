import { waitMs } from "../../../bench/instruments/Patience.ts"

/** Keeps the main thread of a running program busy, as a bug would, through its debugger. Start it with `--inspect-port`. */
export const hang = async (pid: number, port: number, ms: number): Promise<void> => {
  process.kill(pid, "SIGUSR1")
  const target = async (): Promise<string> => {
    const found = await fetch(`http://127.0.0.1:${port}/json/list`).catch(() => undefined)
    if (found === undefined) return waitMs(50).then(target)
    return ((await found.json()) as ReadonlyArray<{ readonly webSocketDebuggerUrl: string }>)[0]!.webSocketDebuggerUrl
  }
  const socket = new WebSocket(await target())
  await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }))
  const done = new Promise((resolve) => socket.addEventListener("message", resolve, { once: true }))
  socket.send(
    JSON.stringify({
      id: 1,
      method: "Runtime.evaluate",
      params: { expression: `for (const until = performance.now() + ${ms}; performance.now() < until;);` }
    })
  )
  await done
  socket.close()
}
