import { useState } from "preact/hooks"
import type { Simulation } from "../../../../schema/operations/Simulation.ts"
import { Choice } from "../../parts/Field.tsx"
import { Loaded } from "../../parts/Loaded.tsx"
import { useAsk } from "../../station/useAsk.ts"
import { Do } from "../desk/Act.tsx"
import { useEvery } from "../desk/useEvery.ts"
import { dayTimeOf } from "../desk/Words.ts"

type One = typeof Simulation.Type

const everyMs = 2_000
const idleEveryMs = 20_000

const stateWords = ({ isKept, state }: One): string =>
  state === "failed"
    ? "Failed"
    : state !== "done"
      ? "Being played through"
      : isKept === true
        ? "Every promise kept"
        : "Promises would be broken"

/** The coming days, played through by the station's own rules, with the report. */
export const Simulations = () => {
  const asked = useAsk<{ readonly simulations: ReadonlyArray<One> }>("/api/ops/simulations")
  const [faults, setFaults] = useState(false)
  const [demand, setDemand] = useState(false)
  const isBusy = asked.value?.simulations.some(({ state }) => state === "waiting" || state === "running") === true
  useEvery(isBusy ? everyMs : idleEveryMs, asked.askAgain)
  return (
    <section class="part" aria-labelledby="simulation">
      <h2 id="simulation">The coming week, played through</h2>
      <p class="note">
        The station's own rules play the week, the plans and the queue through, without sound. Nothing on the air
        changes.
      </p>
      <p class="choices">
        <Choice checked={faults} change={setFaults}>
          With faults: missing sounds, holds, emergencies, late plans
        </Choice>
        <Choice checked={demand} change={setDemand}>
          With the agents and listeners of a busy station
        </Choice>
      </p>
      <p class="buttons">
        <Do
          disabled={isBusy}
          act={{
            role: "producer",
            command: { path: "/api/ops/simulations", body: { days: 7, faults, demand } },
            reason: "Asked for in the console.",
            said: "The week is being played through.",
            done: asked.askAgain
          }}
        >
          Simulate the coming week
        </Do>
      </p>
      <Loaded
        asked={asked}
        isEmpty={({ simulations }) => simulations.length === 0}
        empty="No week was played through yet."
      >
        {({ simulations }) => (
          <ul class="rows plain-rows">
            {simulations.map((one) => (
              <li key={one.id}>
                <span class="row-figure">{dayTimeOf(one.requestedAt)}</span>
                <span class="clip">
                  <span class="row-title clip">{stateWords(one)}</span>
                  <span class="row-note wrap">
                    {one.detail ??
                      `${one.days} days${one.faults ? ", with faults" : ""}${one.demand ? ", busy" : ""}, by ${one.requestedBy}`}
                  </span>
                  {one.state === "running" || one.state === "waiting" ? (
                    <progress max="100" value={one.progress} aria-label="Progress of the simulation">
                      {one.progress} %
                    </progress>
                  ) : null}
                  {one.report === null ? null : (
                    <details>
                      <summary>The report</summary>
                      <pre class="value" tabIndex={0}>
                        {one.report}
                      </pre>
                    </details>
                  )}
                </span>
                <span />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  )
}
