import { useEffect, useState } from "preact/hooks"

const askMs = 1_000
const waitMs = 800

const isReachable = async (): Promise<boolean> => {
  try {
    const { status } = await fetch("/healthz", { cache: "no-store", signal: AbortSignal.timeout(waitMs) })
    return status < 500
  } catch {
    return false
  }
}

/** Whether the station can be reached. Asked only while its events don't arrive, or the browser lost its connection. */
export const useReach = (isTold: boolean): boolean => {
  const [reached, setReached] = useState(true)
  const [online, setOnline] = useState(navigator.onLine)
  useEffect(() => {
    const look = (): void => setOnline(navigator.onLine)
    addEventListener("online", look)
    addEventListener("offline", look)
    return () => {
      removeEventListener("online", look)
      removeEventListener("offline", look)
    }
  }, [])
  useEffect(() => {
    if (isTold) return setReached(true)
    let over = false
    const ask = async (): Promise<void> => {
      const up = await isReachable()
      if (over) return
      setReached(up)
      setTimeout(() => over || void ask(), askMs)
    }
    void ask()
    return () => {
      over = true
    }
  }, [isTold])
  return reached && online
}
