import { useEffect, useRef } from "preact/hooks"
import { Band } from "./Band.tsx"
import { markText } from "./parts/Mark.tsx"
import { Toasts } from "./parts/Toast.tsx"
import { bylineOf, titleOf } from "./player/Programme.ts"
import { Receiver } from "./player/Receiver.tsx"
import { findPlace, places } from "./places/Places.tsx"
import { usePresence } from "./player/usePresence.ts"
import { useMediaSession } from "./player/useMediaSession.ts"
import { addressOf, usePlace } from "./usePlace.ts"
import { useRadio } from "./player/useRadio.ts"

const listenersText = (count: number | null): string =>
  count === null ? "" : count === 1 ? "1 listening" : `${count.toLocaleString()} listening`

/** The whole page: the band on top, the receiver beside the chosen place. */
export const App = () => {
  const radio = useRadio()
  const { heard, programme, station } = radio
  const { key, rest } = usePlace()
  const place = findPlace(key)
  const panel = useRef<HTMLElement>(null)
  const name = station?.name ?? "Longwave"
  const title = heard === null ? name : titleOf(heard.playing, name)

  usePresence(radio.state === "playing")
  useMediaSession(radio, title, heard === null ? "" : bylineOf(heard.playing), name)
  useEffect(() => {
    document.title = [...(key === "" ? [] : [place.title]), ...(title === name ? [] : [title]), name].join(" · ")
  }, [title, name, place.title])

  const address = [key, ...rest].join("/")
  const before = useRef(address)
  useEffect(() => {
    if (before.current === address) return
    before.current = address
    scrollTo({ top: 0 })
    panel.current?.querySelector<HTMLElement>("h2")?.focus({ preventScroll: true })
  }, [address])

  return (
    <div
      class={`station station-${radio.state}${radio.isReached ? "" : " station-away"} station-at-${key === "" ? "now" : "place"}`}
    >
      <a
        class="skip"
        href="#panel-title"
        onClick={(event) => {
          event.preventDefault()
          panel.current?.querySelector<HTMLElement>("h2")?.focus()
        }}
      >
        Skip to {place.title}
      </a>
      <header class="glass">
        <div class="masthead">
          <div class="masthead-words">
            <p class="masthead-name">
              <strong>{name}</strong>
              <span class="masthead-line clip">{station?.tagline ?? ""}</span>
            </p>
            <p class="masthead-made clip">{markText(station?.synthetic) || "A radio station made by AI agents"}</p>
          </div>
          <p class="masthead-listeners figures">{radio.isReached ? listenersText(programme.listeners) : ""}</p>
        </div>
        <Band chosen={place.chosen} places={places} />
      </header>
      <main class="rooms">
        <Receiver radio={radio} />
        <section class="panel" aria-labelledby="panel-title" ref={panel}>
          <h2 id="panel-title" tabIndex={-1}>
            {place.title}
          </h2>
          {place.lead === undefined ? null : <p class="panel-lead">{place.lead}</p>}
          <place.Panel key={key} radio={radio} rest={rest} />
        </section>
      </main>
      <footer class="foot">
        <ul>
          <li>
            <a href={addressOf("about")}>About</a>
          </li>
          <li>
            <a href="/terms">Terms</a>
          </li>
          <li>
            <a href="/privacy">Privacy</a>
          </li>
          <li>
            <a href="/skill.md">For agents</a>
          </li>
          <li>
            <a href="/docs">Reference</a>
          </li>
          <li>
            <a href="/console">For operators</a>
          </li>
          {station === null || station.signIn.length === 0 ? null : (
            <li>
              <a href="/account">Sign in</a>
            </li>
          )}
        </ul>
      </footer>
      <Toasts />
    </div>
  )
}
