import type { ComponentChildren } from "preact"
import { useId, useState } from "preact/hooks"
import type { ConfigurationLine, StationSettings } from "../../../../schema/operations/Settings.ts"
import { Button } from "../../parts/Button.tsx"
import { Choice, Field } from "../../parts/Field.tsx"
import { Loaded } from "../../parts/Loaded.tsx"
import { LegalTexts } from "./LegalTexts.tsx"
import { type Act, Do, propose } from "../desk/Act.tsx"
import { useTagged } from "../desk/useTagged.ts"

type Settings = typeof StationSettings.Type

interface Answer {
  readonly settings: Settings
  readonly defaults: Settings
  readonly configuration: ReadonlyArray<typeof ConfigurationLine.Type>
}

const flags = {
  openSignup: "Agents may register by themselves",
  houseReads: "The station reads submitted scripts aloud",
  musicAgentGeneration: "Agents may have music made"
} as const

const meters = {
  speechMinutesPerDay: { label: "Minutes of speech a day, for all agents", max: 1_440 },
  speechPerHour: { label: "Pieces of speech an hour, for all agents", max: 3_600 },
  ownerSpeechMinutesPerDay: { label: "Minutes of speech a day, for all agents of one owner", max: 1_440 },
  ownerSpeechPerHour: { label: "Pieces of speech an hour, for all agents of one owner", max: 3_600 }
} as const
type Meter = keyof typeof meters

const texts = {
  stationDisclosure: {
    label: "How the station says that machines make it",
    hint: "All of it in its record, feeds, podcast and stream; the first sentence on every page, where about 40 characters have room."
  },
  emergencyDisclosure: {
    label: "The same of the emergency programme",
    hint: "From its next start on."
  }
} as const
type Text = keyof typeof texts

/** `words` are the reason unless the operator writes another; `about` says what changes, the words without it. */
type Change = (
  patch: Patch,
  words: string,
  further?: { readonly about: ComponentChildren; readonly done: () => void }
) => Act
type Patch = { readonly [Name in keyof Settings]?: Settings[Name] | null }

/** Form of the meters and disclosures. One command changes all fields that were edited. */
const Allowances = ({
  change,
  defaults,
  settings
}: {
  readonly settings: Settings
  readonly defaults: Settings
  readonly change: Change
}) => {
  const heading = useId()
  const [draft, setDraft] = useState<Partial<Pick<Settings, Meter | Text>>>({})
  const isOf = <Name extends string>(names: Record<Name, unknown>, name: string): name is Name => name in names
  const typed = Object.entries(draft).filter(
    ([name, value]) => (typeof value === "string" ? value.trim() : value) !== settings[name as Meter | Text]
  )
  const labelOf = (name: string) =>
    isOf(meters, name) ? meters[name].label : isOf(texts, name) ? texts[name].label : name
  const back = (name: Meter | Text) =>
    settings[name] === defaults[name] ? null : (
      <Do
        kind="plain"
        label={`${labelOf(name)}: return to the default, ${defaults[name]}`}
        act={change({ [name]: null }, `${labelOf(name)}: returns to the default.`, {
          about: `${labelOf(name)}: ${defaults[name]}`,
          done: () => setDraft((was) => Object.fromEntries(Object.entries(was).filter(([typed]) => typed !== name)))
        })}
      >
        Return to the default
      </Do>
    )
  return (
    <section class="part fields" aria-labelledby={heading}>
      <h2 id={heading}>Speech, and what the station says of itself</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          propose(
            change(Object.fromEntries(typed), `Changed: ${typed.map(([name]) => labelOf(name)).join("; ")}.`, {
              about: typed.map(([name, value]) => <span class="line" key={name}>{`${labelOf(name)}: ${value}`}</span>),
              done: () => setDraft({})
            })
          )
        }}
      >
        {(Object.keys(meters) as ReadonlyArray<Meter>).map((name) => (
          <div key={name}>
            <label class="field">
              <span class="field-label">{meters[name].label}</span>
              <input
                type="number"
                min="1"
                max={meters[name].max}
                required
                value={draft[name] ?? settings[name]}
                onInput={(event) => {
                  const { valueAsNumber } = event.currentTarget
                  setDraft((was) => ({ ...was, [name]: valueAsNumber }))
                }}
              />
            </label>
            {back(name)}
          </div>
        ))}
        {(Object.keys(texts) as ReadonlyArray<Text>).map((name) => (
          <div key={name}>
            <Field
              label={texts[name].label}
              hint={texts[name].hint}
              value={draft[name] ?? settings[name]}
              change={(value) => setDraft((was) => ({ ...was, [name]: value }))}
              required
              max={300}
            />
            {back(name)}
          </div>
        ))}
        <Button type="submit" kind="quiet" disabled={typed.length === 0}>
          Change
        </Button>
      </form>
    </section>
  )
}

/** What is in force and where it comes from, and what can change while the station runs. */
export const Configuration = () => {
  const asked = useTagged<Answer>("/api/ops/settings", "settings")
  const [filter, setFilter] = useState("")
  const change: Change = (patch, words, further) => ({
    role: "admin",
    command: { path: "/api/ops/settings", method: "PUT", body: patch, seen: asked.value?.tag ?? null },
    reason: words,
    said: "The settings are changed.",
    changes: ["settings"],
    ...(further === undefined ? {} : { done: further.done }),
    ask: { title: "Change the settings?", button: "Change them", about: further?.about ?? words }
  })
  return (
    <Loaded asked={asked}>
      {({ value: { configuration, defaults, settings } }) => (
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
          </section>
          <Allowances settings={settings} defaults={defaults} change={change} />
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
