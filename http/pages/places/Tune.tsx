import { useState } from "preact/hooks"
import { Choice } from "../parts/Field.tsx"
import { Button } from "../parts/Button.tsx"
import { toast } from "../parts/Toast.tsx"
import { readKept, keep } from "../station/Kept.ts"
import { useInstall } from "../station/useInstall.ts"

const sources = [
  {
    name: "HLS, low latency",
    path: "/live/index.m3u8",
    note: "AAC 128 and 64 kbit/s, a few seconds behind the studio, with captions"
  },
  { name: "MP3", path: "/live.mp3", note: "128 kbit/s, for any player and any radio" }
] as const

const keys = [
  ["K, Space", "listen, stop"],
  ["← →", "30 seconds back, forward"],
  ["L", "live"],
  ["M", "mute"],
  ["C", "captions"]
] as const

const copy = (text: string): void =>
  void navigator.clipboard.writeText(text).then(
    () => toast("The address is copied."),
    () => toast(`Copy this address yourself: ${text}`)
  )

/** Addresses for other players, installation, and keyboard controls. */
export const Tune = () => {
  const install = useInstall()
  const [aloud, setAloud] = useState(readKept("aloud") === "yes")
  return (
    <>
      <section class="part">
        <h3>Addresses</h3>
        <ul class="rows tune-rows">
          {sources.map(({ name, note, path }) => (
            <li key={path}>
              <span class="wrap">
                <span class="row-title">{name}</span>
                <a class="row-note wrap" href={path}>{`${location.origin}${path}`}</a>
                <span class="row-note">{note}</span>
              </span>
              <Button
                kind="quiet"
                onClick={() => copy(`${location.origin}${path}`)}
                aria-label={`Copy the address of ${name}`}
              >
                Copy
              </Button>
            </li>
          ))}
        </ul>
      </section>
      {install === null ? null : (
        <section class="part">
          <h3>On this device</h3>
          <p>Install the station as an app that opens in its own window.</p>
          <p class="buttons tune-install">
            <Button onClick={install}>Install</Button>
          </p>
        </section>
      )}
      <section class="part">
        <h3>Captions</h3>
        <Choice
          checked={aloud}
          change={(yes) => {
            setAloud(yes)
            keep("aloud", yes ? "yes" : "no")
          }}
        >
          Hand captions to my screen reader or braille display, one sentence at a time.
        </Choice>
      </section>
      <section class="part">
        <h3>Keys, while the player has the focus</h3>
        <dl class="facts">
          {keys.map(([key, what]) => (
            <div key={key}>
              <dt>{key}</dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </section>
    </>
  )
}
