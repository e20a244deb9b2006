import { signal } from "@preact/signals"
import { useEffect, useState } from "preact/hooks"
import { type Asked, useAsk } from "../../station/useAsk.ts"
import { confirmSession } from "./Session.ts"

/** What can change, as rooms ask for it. */
export type Topic =
  | "air"
  | "rundown"
  | "reviews"
  | "listeners"
  | "actors"
  | "alerts"
  | "jobs"
  | "week"
  | "deliveries"
  | "settings"

const topics: ReadonlyArray<Topic> = [
  "air",
  "rundown",
  "reviews",
  "listeners",
  "actors",
  "alerts",
  "jobs",
  "week",
  "deliveries",
  "settings"
]

/** Events of the station and what they say has changed. A snapshot changes everything: events may have been missed. */
const changedBy: Readonly<Record<string, ReadonlyArray<Topic>>> = {
  snapshot: topics,
  "on-air": ["air", "rundown"],
  rundown: ["rundown"],
  playout: ["air", "rundown"],
  listeners: ["listeners"],
  reviews: ["reviews"],
  actor: ["actors"],
  job: ["jobs"],
  alert: ["alerts"],
  alerts: ["alerts"],
  heartbeat: []
}

const path = "/api/ops/events"
const againMs = 2_000
/** Longer than two heartbeats of the station. */
const quietMaxMs = 40_000
const lookMs = 1_000
/** The rooms were asked when the page opened. What changed since then, until the events came, is asked once the first answers are there. */
const settleMs = 1_000

/** Whether changes arrive by themselves, and since when. */
export const connection = signal<{ readonly live: boolean; readonly sinceMs: number }>({
  live: false,
  sinceMs: Date.now()
})

const bell = new EventTarget()

/** Says that a topic has changed, as a command of this page knows before the station's event arrives. */
export const touch = (...changed: ReadonlyArray<Topic>): void => {
  for (const topic of changed) bell.dispatchEvent(new Event(topic))
}

/** The last event of each name, for rooms that read its content. */
export const news = signal<{ readonly name: string; readonly data: unknown } | null>(null)

/** What is wrong with the programme, as the station last told it; null before that. */
export interface Playout {
  readonly emergency: boolean
  readonly held: boolean
  readonly fallback: boolean
  readonly silent: boolean
  /** Live sound carries the programme. */
  readonly live: boolean
}
export const playout = signal<Playout | null>(null)

const took = (name: string, data: unknown): void => {
  news.value = { name, data }
  if (name === "playout") playout.value = data as Playout
  if (name === "snapshot") playout.value = (data as { readonly playout?: Playout | null }).playout ?? null
}

const stand = (live: boolean): void => {
  if (connection.value.live !== live) connection.value = { live, sinceMs: Date.now() }
}

/** Follows the station's events until the returned function is called. Reconnects by itself, from the last event on. */
export const follow = (): (() => void) => {
  let source: EventSource | null = null
  let heardMs = Date.now()
  let timer: ReturnType<typeof setTimeout> | undefined
  let settled: ReturnType<typeof setTimeout> | undefined
  const open = (): void => {
    clearTimeout(timer)
    source?.close()
    source = new EventSource(path)
    const noteHeard = (): void => {
      heardMs = Date.now()
      stand(true)
    }
    source.addEventListener("open", noteHeard)
    for (const [name, changed] of Object.entries(changedBy))
      source.addEventListener(name, (event: MessageEvent<string>) => {
        noteHeard()
        took(name, JSON.parse(event.data) as unknown)
        if (name === "snapshot" && settled === undefined) settled = setTimeout(() => touch(...changed), settleMs)
        else touch(...changed)
      })
    source.addEventListener("error", () => {
      stand(false)
      if (source?.readyState !== EventSource.CLOSED) return
      // A refusal: perhaps the session has ended.
      void confirmSession()
      clearTimeout(timer)
      timer = setTimeout(open, againMs)
    })
  }
  open()
  const watch = setInterval(() => {
    if (Date.now() - heardMs < quietMaxMs) return
    heardMs = Date.now()
    stand(false)
    open()
  }, lookMs)
  return () => {
    clearInterval(watch)
    clearTimeout(timer)
    clearTimeout(settled)
    source?.close()
  }
}

/** How often changes are looked for while no events arrive. */
const pollMs = 5_000

/** Counts the changes of topics while the component is mounted. */
export const useChanges = (...wanted: ReadonlyArray<Topic>): number => {
  const [count, setCount] = useState(0)
  const names = wanted.join(" ")
  useEffect(() => {
    const count = (): void => setCount((was) => was + 1)
    const list = names.split(" ").filter((name) => name !== "")
    for (const name of list) bell.addEventListener(name, count)
    const poll = setInterval(() => connection.value.live || count(), pollMs)
    return () => {
      clearInterval(poll)
      for (const name of list) bell.removeEventListener(name, count)
    }
  }, [names])
  return count
}

/** Loads an address, and again when one of the topics changes. */
export const useLive = <A>(address: string | null, ...wanted: ReadonlyArray<Topic>): Asked<A> =>
  useAsk<A>(address, useChanges(...wanted))
