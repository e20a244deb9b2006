import { useState } from "preact/hooks"
import type { StreamHealth } from "../../../../schema/air/Station.ts"
import { Button } from "../../parts/Button.tsx"
import { Sheet } from "../../parts/Sheet.tsx"
import { type Act, Do } from "../desk/Act.tsx"
import {
  type Line,
  type Rundown,
  rundown,
  type RundownAnswer,
  rundownFault,
  station,
  tookRundown
} from "../desk/AirState.ts"
import { playout, useLive } from "../desk/Live.ts"
import { Monitor } from "../desk/Monitor.tsx"
import { Left, Passed } from "../parts/Left.tsx"
import { RundownDifference } from "../parts/RundownDifference.tsx"
import { UnderWay } from "../parts/UnderWay.tsx"
import { TrackSearch } from "../parts/TrackSearch.tsx"
import { roomUrl } from "../desk/Place.ts"
import { lengthOf, timeOf, wordsOf } from "../desk/Words.ts"
import { hasRole } from "../desk/Session.ts"
import { Emergency } from "./Emergency.tsx"
import { LiveSound } from "./LiveSound.tsx"
import { Trends } from "./Trends.tsx"
import { Meters } from "./Meters.tsx"

const nextShown = 5

const skip = (now: Rundown, line: Line): Act<RundownAnswer> => ({
  role: "producer",
  command: { path: "/api/ops/playout/skip", body: { itemId: line.id } },
  reason: `Skipped “${line.title}” by hand.`.slice(0, 500),
  said: `Skipped “${line.title}”.`,
  done: tookRundown,
  changes: ["rundown"],
  ask: {
    title: `Skip “${line.title}”?`,
    button: "Skip it now",
    about: "It fades out, and the next item begins. A skipped item can't be brought back to where it was.",
    preview: ({ rundown: after }) => <RundownDifference before={now} after={after} />
  }
})

const hold = (now: Rundown, isHeld: boolean): Act<RundownAnswer> => ({
  role: "producer",
  command: { path: `/api/ops/playout/${isHeld ? "resume" : "hold"}` },
  reason: isHeld ? "Contributions air again." : "Contributions wait.",
  said: isHeld ? "Contributions air again." : "Contributions wait. Only the station's own sound plays.",
  done: tookRundown,
  changes: ["rundown"],
  ...(isHeld
    ? {}
    : {
        ask: {
          title: "Hold all contributions?",
          button: "Hold them",
          about:
            "The item on the air plays to its end. Then only the station's own sound plays, until you let them air again.",
          preview: ({ rundown: after }: RundownAnswer) => <RundownDifference before={now} after={after} />
        }
      })
})

const InsertNow = ({ close, now }: { readonly now: Rundown | null; readonly close: () => void }) => (
  <Sheet title="Air something now" close={close}>
    <TrackSearch
      of={(track) => (
        <Do<RundownAnswer>
          label={`Air ${track.title} now`}
          act={{
            role: "producer",
            command: { path: "/api/ops/playout/insert-now", body: { trackId: track.id } },
            reason: `“${track.title}” was put on the air by hand.`.slice(0, 500),
            said: `“${track.title}” begins.`,
            done: (answer) => {
              tookRundown(answer)
              close()
            },
            changes: ["rundown"],
            ask: {
              title: `Air “${track.title}” now?`,
              button: "Air it now",
              about: "The item on the air fades.",
              ...(now === null
                ? {}
                : { preview: ({ rundown: after }) => <RundownDifference before={now} after={after} /> })
            }
          }}
        >
          Air now
        </Do>
      )}
    />
  </Sheet>
)

const Now = ({ line }: { readonly line: Line }) => (
  <div class="now">
    <p class="note">{wordsOf(line.role)}</p>
    <h2 class="now-title wrap">{line.title}</h2>
    <p class="now-by wrap">{line.artist ?? ""}</p>
    <Passed fromMs={line.expectedAtMs} toMs={line.expectedAtMs + line.durationMs} />
    <p class="now-times">
      <span>since {timeOf(line.expectedAtMs)}</span>
      <strong>
        <Left endsAtMs={line.expectedAtMs + line.durationMs} /> left
      </strong>
      <span>of {lengthOf(line.durationMs)}</span>
    </p>
  </div>
)

/** Says what is wrong on the air. */
const Trouble = () => {
  const state = playout.value
  if (state === null || !(state.silent || state.fallback)) return null
  return (
    <div class="failed" role="alert">
      {state.silent ? <p>The station measures silence on the air.</p> : null}
      {state.fallback ? <p>Nothing that was planned is on the air: the emergency programme fills in.</p> : null}
    </div>
  )
}

const Outputs = () => {
  const { value } = useLive<typeof StreamHealth.Type>("/api/station/stream-health", "listeners")
  const { listeners } = station.value ?? {}
  return (
    <section class="part" aria-labelledby="outputs">
      <h2 id="outputs">Outputs and listeners</h2>
      <dl class="figures-row">
        <div>
          <dt>Listeners</dt>
          <dd>{listeners?.total ?? "–"}</dd>
        </div>
        <div>
          <dt>HLS</dt>
          <dd>{listeners?.hls ?? "–"}</dd>
        </div>
        <div>
          <dt>MP3</dt>
          <dd>{listeners?.mp3 ?? "–"}</dd>
        </div>
        <div>
          <dt>Stream</dt>
          <dd>{value === null ? "–" : wordsOf(value.status)}</dd>
        </div>
        <div>
          <dt>Loudness</dt>
          <dd>{value?.probe.loudnessLufs == null ? "–" : `${value.probe.loudnessLufs.toFixed(1)} LUFS`}</dd>
        </div>
        <div>
          <dt>Encoder restarts, 24 h</dt>
          <dd>{value?.encoder.restarts24h ?? "–"}</dd>
        </div>
      </dl>
      <Trends health={value} />
      {value === null ? null : (
        <>
          <ul class="outputs">
            {value.outputs.map(({ bitrateKbps, id, lagMs, status }) => (
              <li key={id} class={`output output-${status}`}>
                <strong>{id}</strong>{" "}
                {`${bitrateKbps} kbit/s, ${status}${lagMs === null ? "" : `, ${Math.max(0, lagMs)} ms behind`}`}
              </li>
            ))}
          </ul>
          <p class="note">{`Measured at ${timeOf(value.updatedAt)}.`}</p>
        </>
      )}
    </section>
  )
}

/** What is heard now, what comes next, and the commands that change it at once. */
export const OnAir = () => {
  const [inserting, setInserting] = useState(false)
  const now = rundown.value
  return (
    <>
      {rundownFault.value === null ? null : (
        <p class="failed" role="alert">
          {rundownFault.value}
        </p>
      )}
      <Trouble />
      <UnderWay />
      <div class="on-air">
        <section class="on-air-now" aria-label="On the air">
          {playout.value?.live === true ? (
            <div class="now">
              <p class="note">On the air</p>
              <h2 class="now-title wrap">Live sound</h2>
              <p class="now-by">It plays until it is released or ends. The rundown waits.</p>
            </div>
          ) : now?.emergency === true ? (
            <div class="now">
              <p class="note">On the air</p>
              <h2 class="now-title wrap">The emergency programme</h2>
              <p class="now-by">It plays until an operator ends it. The rundown waits.</p>
            </div>
          ) : now !== null && now.onAir === null ? (
            <div class="now">
              <p class="note">On the air</p>
              <h2 class="now-title wrap">Nothing that was planned</h2>
              <p class="now-by">The station plays what it has for such moments.</p>
            </div>
          ) : now === null || now.onAir === null ? (
            <div class="waiting" role="status">
              <span class="unseen">Waiting for the rundown</span>
            </div>
          ) : (
            <Now line={now.onAir} />
          )}
          <p class="buttons">
            <Monitor />
            {now?.onAir == null ? null : <Do act={skip(now, now.onAir)}>Skip</Do>}
            {now === null ? null : (
              <Do act={hold(now, now.held)}>{now.held ? "Let contributions air" : "Hold contributions"}</Do>
            )}
            {hasRole("producer") ? (
              <Button kind="quiet" onClick={() => setInserting(true)}>
                Air something now
              </Button>
            ) : null}
          </p>
          {now?.held === true ? <p class="held-note">All contributions are held.</p> : null}
          <Emergency big />
        </section>
        <section class="on-air-next" aria-labelledby="next">
          <h2 id="next">Next</h2>
          <ol class="rows">
            {(now?.items ?? [])
              .filter(({ held }) => !held)
              .slice(0, nextShown)
              .map((line) => (
                <li key={line.id}>
                  <time dateTime={new Date(line.expectedAtMs).toISOString()}>{timeOf(line.expectedAtMs)}</time>
                  <span class="clip">
                    <span class="row-title clip">{line.title}</span>
                    <span class="row-note clip">{line.artist ?? wordsOf(line.role)}</span>
                  </span>
                  <span class="row-figure">{lengthOf(line.durationMs)}</span>
                </li>
              ))}
          </ol>
          <p>
            <a href={roomUrl("rundown")}>The whole rundown</a>
          </p>
        </section>
      </div>
      <Meters />
      <LiveSound />
      <Outputs />
      {inserting ? <InsertNow now={now} close={() => setInserting(false)} /> : null}
    </>
  )
}
