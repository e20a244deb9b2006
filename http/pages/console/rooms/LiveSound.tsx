import { useState } from "preact/hooks"
import type { LiveState } from "../../../../schema/air/Live.ts"
import { Button } from "../../parts/Button.tsx"
import { Choice, Field } from "../../parts/Field.tsx"
import { Sheet } from "../../parts/Sheet.tsx"
import { type Act, Do } from "../desk/Act.tsx"
import { useLive } from "../desk/Live.ts"
import { useEvery } from "../desk/useEvery.ts"
import { hasRole } from "../desk/Session.ts"
import { roomUrl } from "../desk/Place.ts"
import { timeOf } from "../desk/Words.ts"

interface LiveAnswer {
  readonly live: typeof LiveState.Type
}

const path = "/api/ops/playout"
const everyMs = 1_000
const idleEveryMs = 5_000
const titleCharsMax = 140

const stateWords: Readonly<Record<LiveAnswer["live"]["state"], string>> = {
  off: "No live sound.",
  waiting: "The air is taken. Live sound is heard as soon as it comes; until then the rundown goes on.",
  connected: "Live sound comes in. Nobody hears it until you take the air.",
  on_air: "Live sound is on the air."
}

/** What to run on the machine with the microphone, by its system. */
const inputs: ReadonlyArray<readonly [system: string, input: string]> = [
  ["Linux", "-f alsa -i default"],
  ["macOS", '-f avfoundation -i ":0"'],
  ["Windows", '-f dshow -i audio="Microphone"'],
  ["A file", "-re -i interview.wav"]
]

const commandOf = (input: string): string =>
  `ffmpeg ${input} -f mp3 -b:a 128k - | curl -T - -X PUT ${location.origin}${path}/live -H "authorization: Bearer $TOKEN" -H "content-type: audio/mpeg"`

const release = (done: () => void): Act => ({
  role: "producer",
  command: { path: `${path}/release-live` },
  reason: "Released in the console.",
  said: "The rundown goes on.",
  done,
  changes: ["air", "rundown"]
})

const TakeSheet = ({ close, done }: { readonly close: () => void; readonly done: () => void }) => {
  const [title, setTitle] = useState("Live")
  const [isSynthetic, setIsSynthetic] = useState(false)
  return (
    <Sheet title="Take the air for live sound" close={close}>
      <p class="ask-about">
        The item on the air fades as soon as the sound is there. The rundown waits until you release the air.
      </p>
      <Field
        label="Title"
        hint="Listeners read it, and it stands in the as-run log."
        value={title}
        change={setTitle}
        max={titleCharsMax}
        required
      />
      <Choice checked={isSynthetic} change={setIsSynthetic}>
        A machine speaks or plays
      </Choice>
      <p class="buttons">
        <Do
          kind="main"
          disabled={title.trim() === ""}
          act={{
            role: "producer",
            command: { path: `${path}/take-live`, body: { title: title.trim(), isSynthetic } },
            reason: "Taken in the console.",
            said: "The air is yours.",
            done: () => {
              close()
              done()
            },
            changes: ["air", "rundown"]
          }}
        >
          Take the air
        </Do>
        <Button kind="plain" onClick={close}>
          Cancel
        </Button>
      </p>
    </Sheet>
  )
}

/** Sound from a studio, in place of the rundown: how it comes in, how loud it is, and the two buttons. */
export const LiveSound = () => {
  const [taking, setTaking] = useState(false)
  const { askAgain, value, wrong } = useLive<LiveAnswer>(`${path}/live`, "air")
  const live = value?.live
  const isIdle = live === undefined || live.state === "off"
  useEvery(isIdle ? idleEveryMs : everyMs, askAgain)
  if (live === undefined) return wrong === null ? null : <p class="failed">{wrong}</p>
  const isTaken = live.takenBy !== null
  return (
    <section class="part" aria-labelledby="live-sound">
      <h2 id="live-sound">Live sound</h2>
      <p role="status">{stateWords[live.state]}</p>
      {isIdle ? null : (
        <dl class="figures-row">
          {isTaken ? (
            <div>
              <dt>Taken by</dt>
              <dd>{`${live.takenBy}, ${timeOf(live.sinceMs ?? 0)}`}</dd>
            </div>
          ) : null}
          {live.sentBy === null ? null : (
            <>
              <div>
                <dt>Sent by</dt>
                <dd>{live.sentBy}</dd>
              </div>
              <div>
                <dt>As it arrives</dt>
                <dd>{live.inputLufs === null ? "–" : `${live.inputLufs.toFixed(1)} LUFS`}</dd>
              </div>
              <div>
                <dt>Brought to the programme by</dt>
                <dd>{`${live.gainDb > 0 ? "+" : ""}${live.gainDb.toFixed(1)} dB`}</dd>
              </div>
            </>
          )}
        </dl>
      )}
      {live.silentSec < 3 ? null : (
        <p
          class="failed"
          role="alert"
        >{`Only silence has come for ${Math.round(live.silentSec)} s. Look at the microphone.`}</p>
      )}
      <p class="buttons">
        {isTaken ? (
          <Do kind="main" act={release(askAgain)}>
            Release the air
          </Do>
        ) : hasRole("producer") ? (
          <Button kind={live.state === "connected" ? "main" : "quiet"} onClick={() => setTaking(true)}>
            Take live
          </Button>
        ) : null}
      </p>
      {hasRole("producer") ? (
        <details>
          <summary>How to send sound</summary>
          <ol>
            <li>
              Make a token with the role producer in <a href={roomUrl("settings", "tokens")}>Settings</a>, and keep it
              in <code>TOKEN</code>.
            </li>
            <li>On the machine with the microphone, run the line of its system. It needs ffmpeg and curl.</li>
            <li>When the level appears here, take the air.</li>
          </ol>
          <dl class="commands">
            {inputs.map(([system, input]) => (
              <div key={system}>
                <dt>{system}</dt>
                <dd>
                  <pre class="value" tabIndex={0}>
                    {commandOf(input)}
                  </pre>
                </dd>
              </div>
            ))}
          </dl>
          <p class="note">
            Any encoder that sends WAV or MP3 by PUT will do. The connection ends after 2 s without data, 15 s of
            silence, or four hours; then the rundown goes on.
          </p>
        </details>
      ) : null}
      {taking ? <TakeSheet close={() => setTaking(false)} done={askAgain} /> : null}
    </section>
  )
}
