import { useEffect, useRef, useState } from "preact/hooks"
import { toast, Toasts } from "../parts/Toast.tsx"
import { ask } from "../station/Ask.ts"
import { Acts } from "./desk/Act.tsx"
import { connection, follow, news, useLive } from "./desk/Live.ts"
import { place, roomUrl } from "./desk/Place.ts"
import { showChosen } from "./parts/RoomTabs.tsx"
import { Emergency } from "./rooms/Emergency.tsx"
import { rooms } from "./Rooms.ts"
import { station, useAirState } from "./desk/AirState.ts"
import { confirmed, confirmSession, link, hasRole, operator, noteSignOut } from "./desk/Session.ts"
import { SignIn } from "./SignIn.tsx"
import { timeOf } from "./desk/Words.ts"

/** A first connection may take this long; one that breaks and comes back at once is no news either. */
const openMaxMs = 2_500,
  backMaxMs = 800

/** Says plainly that the page may be behind the air. */
const Connection = () => {
  const { live, sinceMs } = connection.value
  const [isPatient, setIsPatient] = useState(true)
  const wasLive = useRef(false)
  useEffect(() => {
    setIsPatient(true)
    const timer = setTimeout(() => setIsPatient(false), wasLive.current ? backMaxMs : openMaxMs)
    if (live) wasLive.current = true
    return () => clearTimeout(timer)
  }, [live])
  return (
    <p class={live || isPatient ? "connection" : "connection connection-lost"} role="status">
      {!live && isPatient
        ? "Connecting"
        : live
          ? "Live"
          : `No live connection since ${timeOf(sinceMs)}. What you see may be old. Reconnecting.`}
    </p>
  )
}

/** Says in every room that something is wrong. */
const OpenAlerts = () => {
  const { value } = useLive<{ readonly open: number }>("/api/ops/alerts?limit=1", "alerts")
  const open = value?.open ?? 0
  return (
    <p class="open-alerts" role="status">
      {open === 0 ? null : <a href={roomUrl("engine", "alerts")}>{open === 1 ? "1 alert" : `${open} alerts`}</a>}
    </p>
  )
}

interface Waiting {
  readonly counts: Readonly<Record<string, number>>
}

/** Number of reviews that wait, announced when it grows. */
const useWaiting = (): number | null => {
  const { value } = useLive<Waiting>(hasRole("reviewer") ? "/api/ops/reviews?limit=1" : null, "reviews")
  return value === null ? null : Object.values(value.counts).reduce((sum, count) => sum + count, 0)
}

/** Announces reviews that arrive, in every room. */
const useArrivals = (): void => {
  const told = news.value
  useEffect(() => {
    if (told?.name !== "reviews") return
    const { arrived = [], more = 0 } = told.data as {
      readonly arrived?: ReadonlyArray<unknown>
      readonly more?: number
    }
    const count = arrived.length + more
    if (count > 0) toast(count === 1 ? "A new review waits." : `${count} new reviews wait.`)
  }, [told])
}

const Menu = ({ chosen }: { readonly chosen: string }) => {
  const waiting = useWaiting()
  const nav = useRef<HTMLElement>(null)
  useEffect(() => showChosen(nav.current), [chosen])
  return (
    <nav class="menu" aria-label="Rooms" ref={nav}>
      <ul>
        {rooms
          .filter(({ role }) => hasRole(role))
          .map(({ key, title }) => (
            <li key={key}>
              <a href={roomUrl(key)} {...(key === chosen ? { "aria-current": "page" as const } : {})}>
                {title}
                {key === "reviews" && waiting !== null && waiting > 0 ? (
                  <span class="menu-count">
                    {waiting}
                    <span class="unseen"> waiting</span>
                  </span>
                ) : null}
              </a>
            </li>
          ))}
      </ul>
    </nav>
  )
}

const signOut = (): void => {
  ask("/api/ops/sign-out", { method: "POST" })
    .then(noteSignOut)
    .catch(() => undefined)
}

const Desk = () => {
  const panel = useRef<HTMLElement>(null)
  const { rest, room: key } = place.value
  const open = rooms.filter(({ role }) => hasRole(role))
  const room = open.find((one) => one.key === key) ?? open[0]!
  const name = station.value?.name ?? "Longwave"
  useEffect(follow, [])
  useAirState()
  useArrivals()
  useEffect(() => {
    document.title = `${room.title} · ${name} console`
  }, [room, name])
  const before = useRef(room.key)
  useEffect(() => {
    if (before.current === room.key) return
    before.current = room.key
    scrollTo({ top: 0 })
    panel.current?.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true })
  }, [room.key])
  return (
    <div class="console">
      <a
        class="skip"
        href="#panel"
        onClick={(event) => {
          event.preventDefault()
          panel.current?.querySelector<HTMLElement>("h1")?.focus()
        }}
      >
        Skip to {room.title}
      </a>
      <header class="console-top">
        <p class="console-name clip">
          <strong>{name}</strong> console
        </p>
        <Connection />
        <OpenAlerts />
        <Emergency />
        <p class="console-who">
          <a href={roomUrl("settings")}>{operator.value?.name}</a>
          <span class="note">{operator.value?.role}</span>
          <button type="button" class="link" onClick={signOut}>
            Sign out
          </button>
        </p>
      </header>
      <div class="console-rooms">
        <Menu chosen={room.key} />
        <main class="panel" id="panel" ref={panel}>
          <h1 tabIndex={-1}>{room.title}</h1>
          <room.Panel key={room.key} rest={rest} />
        </main>
      </div>
      <Acts />
      <Toasts />
    </div>
  )
}

const confirmEveryMs = 60_000,
  askAgainMs = 3_000

/** The whole console: the sign-in, or the desk. Whoever was signed in before sees the desk at once, even if the station is slow to say who it is. */
export const Console = () => {
  const known = confirmed.value
  useEffect(() => {
    if (!known) void confirmSession()
    const look = setInterval(() => void confirmSession(), known ? confirmEveryMs : askAgainMs)
    return () => clearInterval(look)
  }, [known])
  if (operator.value !== null && link.value === null) return <Desk />
  return known || link.value !== null ? (
    <>
      <SignIn key={link.value} />
      <Toasts />
    </>
  ) : (
    <p class="entrance" role="status">
      Asking the station who you are…
    </p>
  )
}
