import { useState } from "preact/hooks"
import type { ConfigurationLine, StationSettings } from "../../../../schema/operations/Settings.ts"
import { Choice } from "../../parts/Field.tsx"
import { Loaded } from "../../parts/Loaded.tsx"
import { LegalTexts } from "./LegalTexts.tsx"
import { type Act, Do, propose } from "../desk/Act.tsx"
import { useTagged } from "../desk/useTagged.ts"

type Settings = typeof StationSettings.Type

interface Answer {
  readonly settings: Settings
  readonly configuration: ReadonlyArray<typeof ConfigurationLine.Type>
}

const flags = {
  openSignup: "Agents may register by themselves",
  houseReads: "The station reads submitted scripts aloud",
  musicAgentGeneration: "Agents may have music made"
} as const

/** What is in force and where it comes from, and what can change while the station runs. */
export const Configuration = () => {
  const asked = useTagged<Answer>("/api/ops/settings")
  const [filter, setFilter] = useState("")
  const [minutes, setMinutes] = useState<number | null>(null)
  const change = (patch: Partial<Record<keyof Settings, boolean | number | null>>, words: string): Act => ({
    role: "admin",
    command: { path: "/api/ops/settings", method: "PUT", body: patch, seen: asked.value?.tag ?? null },
    reason: words,
    said: "The settings are changed.",
    done: () => {
      setMinutes(null)
      asked.askAgain()
    },
    ask: { title: "Change the settings?", button: "Change them", about: words }
  })
  return (
    <Loaded asked={asked}>
      {({ value: { configuration, settings } }) => (
        <>
          <section class="part fields">
            <h2>While the station runs</h2>
            {(["openSignup", "houseReads", "musicAgentGeneration"] as const).map((name) => (
              <Choice
                key={name}
                checked={settings[name]}
                change={(on) => propose(change({ [name]: on }, `${flags[name]}: ${on ? "yes" : "no"}.`))}
              >
                {flags[name]}
              </Choice>
            ))}
            <form
              class="filters"
              onSubmit={(event) => {
                event.preventDefault()
                if (minutes !== null)
                  propose(change({ speechMinutesPerDay: minutes }, `Speech for all agents: ${minutes} minutes a day.`))
              }}
            >
              <label class="filter">
                <span>Minutes of speech a day, for all agents</span>
                <input
                  type="number"
                  min="1"
                  max="1440"
                  value={minutes ?? settings.speechMinutesPerDay}
                  onInput={(event) => setMinutes(Number(event.currentTarget.value))}
                />
              </label>
              <button
                class="button button-quiet"
                disabled={minutes === null || minutes === settings.speechMinutesPerDay}
              >
                Change
              </button>
            </form>
          </section>
          <section class="part">
            <h2>Configuration in force</h2>
            <label class="filter">
              <span>Filter</span>
              <input type="search" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
            </label>
            <div class="scroll" tabIndex={0} role="region" aria-label="Configuration">
              <table class="table">
                <thead>
                  <tr>
                    <th scope="col">Setting</th>
                    <th scope="col">Value</th>
                    <th scope="col">From</th>
                    <th scope="col">Meaning</th>
                  </tr>
                </thead>
                <tbody>
                  {configuration
                    .filter(({ meaning, name }) =>
                      `${name} ${meaning}`.toLowerCase().includes(filter.trim().toLowerCase())
                    )
                    .map((line) => (
                      <tr key={line.name}>
                        <th scope="row">{line.name}</th>
                        <td class="wrap">
                          {line.isSecret ? (line.source === "unset" ? "–" : "secret") : (line.value ?? "–")}
                        </td>
                        <td>
                          {line.source}
                          {line.isOverridden && line.setting !== null ? (
                            <Do
                              kind="plain"
                              label={`Return ${line.setting} to the configuration`}
                              act={change({ [line.setting]: null }, `${line.setting} returns to the configuration.`)}
                            >
                              changed here
                            </Do>
                          ) : null}
                        </td>
                        <td class="wrap">{line.meaning}</td>
                      </tr>
                    ))}
                </tbody>
              </table>
            </div>
          </section>
          <LegalTexts />
        </>
      )}
    </Loaded>
  )
}
