import { useEffect, useState } from "preact/hooks"
import { ask } from "../../station/Ask.ts"
import { Field } from "../../parts/Field.tsx"
import { timeOf } from "../desk/Words.ts"

interface Sample {
  readonly name: string
  readonly labels: string
  readonly value: number
}

/** Reads the text that Prometheus reads. Buckets of histograms are left out: nobody reads them by eye. */
const samplesOf = (text: string): ReadonlyArray<Sample> =>
  text.split("\n").flatMap((line) => {
    const [, name, labels = "", value] = /^([a-zA-Z_:][\w:]*)(\{[^}]*\})? (\S+)/.exec(line) ?? []
    return name === undefined || name.endsWith("_bucket") ? [] : [{ name, labels, value: Number(value) }]
  })

const everyMs = 5_000
/** Parts of names that people look for. */
const topics = ["actor", "mailbox", "encoder", "lag", "job", "disk", "heap", "sql", "listeners"]

interface Ready {
  readonly checks?: Readonly<Record<string, unknown>>
}

/** The station's own figures, as they are measured. */
export const Figures = () => {
  const [told, setTold] = useState<{ readonly atMs: number; readonly samples: ReadonlyArray<Sample> } | null>(null)
  const [ready, setReady] = useState<Ready | null>(null)
  const [wrong, setWrong] = useState<string | null>(null)
  const [filter, setFilter] = useState("")
  useEffect(() => {
    const look = (): void => {
      ask<string>("/metrics", { type: "text" }).then(
        (text) => {
          setTold({ atMs: Date.now(), samples: samplesOf(text) })
          setWrong(null)
        },
        (fault: Error) => setWrong(fault.message)
      )
      ask<Ready>("/readyz").then(setReady, () => setReady(null))
    }
    look()
    const every = setInterval(look, everyMs)
    return () => clearInterval(every)
  }, [])
  const shown = (told?.samples ?? []).filter(({ labels, name }) => `${name}${labels}`.includes(filter))
  return (
    <>
      <p class="room-lead">
        {told === null ? "Reading the figures." : `Measured at ${timeOf(told.atMs)}, and every 5 s.`}
        {wrong === null ? "" : ` ${wrong}`}
      </p>
      {ready?.checks === undefined ? null : (
        <dl class="figures-row">
          {Object.entries(ready.checks).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value === true ? "good" : value === false ? "bad" : String(value)}</dd>
            </div>
          ))}
        </dl>
      )}
      <p class="chips">
        {topics.map((topic) => (
          <button
            type="button"
            class="chip"
            key={topic}
            aria-pressed={filter === topic}
            onClick={() => setFilter(topic)}
          >
            {topic}
          </button>
        ))}
      </p>
      <Field
        label="Filter"
        type="search"
        value={filter}
        change={setFilter}
        hint="Part of a name, such as lag, disk, job"
      />
      <div class="scroll" tabIndex={0} role="region" aria-label="Figures">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Figure</th>
              <th scope="col">Value</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ labels, name, value }) => (
              <tr key={`${name}${labels}`}>
                <th scope="row" class="wrap">
                  {name} <span class="note wrap">{labels}</span>
                </th>
                <td class="figures">
                  {Number.isInteger(value)
                    ? value.toLocaleString("en")
                    : value.toLocaleString("en", { maximumFractionDigits: 4 })}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
