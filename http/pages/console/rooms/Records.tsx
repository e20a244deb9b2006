import { useState } from "preact/hooks"
import type { AuditRow } from "../../../../schema/moderation/Review.ts"
import { Button } from "../../parts/Button.tsx"
import { hereOf } from "../../parts/Face.tsx"
import { Loaded } from "../../parts/Loaded.tsx"
import { ask } from "../../station/Ask.ts"
import { useAsk } from "../../station/useAsk.ts"
import { LongList } from "../parts/LongList.tsx"
import { Pages, useList } from "../parts/Pages.tsx"
import { RoomTabs, tabOf } from "../parts/RoomTabs.tsx"
import { useSettled } from "../parts/TrackSearch.tsx"
import { Sound } from "../parts/Sound.tsx"
import { UnderWay } from "../parts/UnderWay.tsx"
import type { RoomProps } from "../desk/Place.ts"
import { dayTimeOf, timeOf, wordsOf } from "../desk/Words.ts"

const tabs = [
  { key: "audit", title: "Audit", role: "viewer" as const },
  { key: "as-run", title: "As-run", role: "viewer" as const }
]

/** Says whether a signed log is unbroken, when asked. */
const Verify = ({ path }: { readonly path: string }) => {
  const [said, setSaid] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const check = (): void => {
    setBusy(true)
    ask<{ readonly ok: boolean; readonly rows?: number; readonly firstBad: unknown }>(path)
      .then(
        ({ firstBad, ok, rows }) =>
          setSaid(
            ok
              ? `Unbroken${rows === undefined ? "" : `: ${rows} rows`}, checked at ${timeOf(Date.now())}.`
              : `Broken at ${JSON.stringify(firstBad)}.`
          ),
        (fault: Error) => setSaid(fault.message)
      )
      .finally(() => setBusy(false))
  }
  return (
    <span class="verify">
      <Button kind="quiet" busy={busy} onClick={check}>
        Check it
      </Button>
      <span role="status">{said}</span>
      {busy ? <UnderWay /> : null}
    </span>
  )
}

type Audited = typeof AuditRow.Type

const formatValue = (value: unknown): string => (value == null ? "–" : JSON.stringify(value, null, 1))

/** The fields of a value, each by its path. */
const fieldsOf = (value: unknown, path = ""): ReadonlyArray<readonly [string, string]> =>
  value !== null && typeof value === "object"
    ? Object.entries(value).flatMap(([name, part]) => fieldsOf(part, path === "" ? name : `${path} ${name}`))
    : [[path, String(value ?? "–")]]

const changesMax = 40

/** The fields that differ. */
const Changes = ({ after, before }: { readonly before: unknown; readonly after: unknown }) => {
  const [was, is] = [new Map(fieldsOf(before)), new Map(fieldsOf(after))]
  const names = [...new Set([...was.keys(), ...is.keys()])].filter(
    (name) => (was.get(name) ?? "–") !== (is.get(name) ?? "–")
  )
  if (names.length === 0) return <p class="note">No field differs.</p>
  return (
    <ul class="changes">
      {names.slice(0, changesMax).map((name) => (
        <li key={name} class="wrap">
          <span class="note">{name === "" ? "value" : name}</span> <del>{was.get(name) ?? "–"}</del>{" "}
          <ins>{is.get(name) ?? "–"}</ins>
        </li>
      ))}
    </ul>
  )
}

const Audit = () => {
  const [actor, setActor] = useState("")
  const [subject, setSubject] = useState("")
  const [open, setOpen] = useState<Audited | null>(null)
  const [who, what] = [useSettled(actor.trim()), useSettled(subject.trim())]
  const filters = { ...(who === "" ? {} : { actor: who }), ...(what === "" ? {} : { subject: what }) }
  const query = new URLSearchParams({ limit: "100", ...filters })
  const list = useList<Audited>(`/api/ops/audit?${query}`, "rows")
  return (
    <>
      <div class="filters">
        <label class="filter">
          <span>Who</span>
          <input value={actor} onInput={(event) => setActor(event.currentTarget.value)} />
        </label>
        <label class="filter">
          <span>What (id)</span>
          <input value={subject} onInput={(event) => setSubject(event.currentTarget.value)} />
        </label>
        <Verify path="/api/ops/audit/verify" />
        {(["csv", "json"] as const).map((format) => (
          <a
            key={format}
            class="button button-quiet"
            href={`/api/ops/audit?${new URLSearchParams({ ...filters, format })}`}
            download={`audit.${format}`}
          >
            {format.toUpperCase()}
          </a>
        ))}
      </div>
      <div class="beside">
        <Pages
          of={list}
          label="The audit log"
          empty="No row has this."
          row={(row) => (
            <button type="button" class="row-button" aria-pressed={open?.id === row.id} onClick={() => setOpen(row)}>
              <span class="row-figure">{dayTimeOf(row.at)}</span>
              <span class="clip">
                <span class="row-title clip">{`${row.actor}: ${wordsOf(row.action)}`}</span>
                <span class="row-note clip">{row.reason ?? row.subject.id}</span>
              </span>
            </button>
          )}
        />
        {open === null ? null : (
          <article class="beside-one" aria-label="The chosen row">
            <h2 class="wrap">{wordsOf(open.action)}</h2>
            <dl class="pairs">
              <dt>Who</dt>
              <dd class="wrap">{open.actor}</dd>
              <dt>When</dt>
              <dd>{`${dayTimeOf(open.at)}:${open.at.slice(17, 19)}`}</dd>
              <dt>Subject</dt>
              <dd class="wrap">{`${open.subject.type} ${open.subject.id}`}</dd>
              <dt>Reason</dt>
              <dd class="wrap">{open.reason ?? "–"}</dd>
            </dl>
            <h3>What changed</h3>
            <Changes before={open.before} after={open.after} />
            <details>
              <summary>All of it</summary>
              <h3>Before</h3>
              <pre class="value" tabIndex={0}>
                {formatValue(open.before)}
              </pre>
              <h3>After</h3>
              <pre class="value" tabIndex={0}>
                {formatValue(open.after)}
              </pre>
            </details>
            <p class="note wrap">{`Row ${open.id}, hash ${open.hash.slice(0, 16)}…`}</p>
          </article>
        )}
      </div>
    </>
  )
}

interface AsRunRow {
  readonly id: string
  readonly startedAt: string | null
  readonly text: string
  readonly prevHash: string
  readonly hash: string
  readonly signature: string
}

interface Hour {
  readonly hour: string
  readonly firstId: string
  readonly lastId: string
}

/** Saves a text as a file of the browser. */
const saveFile = (name: string, text: string): void => {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

/** Proof of one airing: its signed row with the row before it, and the signed root of its hour. */
const saveReceipt = (row: AsRunRow, hours: ReadonlyArray<Hour>): void => {
  const hour =
    row.startedAt === null ? undefined : hours.find((one) => one.hour.slice(0, 13) === row.startedAt!.slice(0, 13))
  saveFile(
    `receipt-${row.id}.json`,
    JSON.stringify({ row, hour: hour ?? null, checkedWith: "npm run verify-asrun" }, null, 2)
  )
}
/** What a row of the log says; the text that is signed is JSON. */
const factsOf = (text: string): Readonly<Record<string, unknown>> => {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>
  } catch {
    return {}
  }
}

/** The place in the stream that still has an instant; the newest day can be heard again. */
const replayUrlAt = (startedAt: string): string | null =>
  Date.now() - Date.parse(startedAt) < 24 * 3_600_000 ? `/live/index.m3u8?start=${startedAt}` : null

const AsRun = () => {
  const [day, setDay] = useState(new Date().toISOString().slice(0, 10))
  const [open, setOpen] = useState<AsRunRow | null>(null)
  const asked = useAsk<{ readonly rows: ReadonlyArray<AsRunRow>; readonly hours: ReadonlyArray<Hour> }>(
    `/api/ops/as-run?day=${day}`
  )
  const facts = open === null ? {} : factsOf(open.text)
  const asset = facts["assetId"]
  return (
    <>
      <div class="filters">
        <label class="filter">
          <span>Day (UTC)</span>
          <input type="date" value={day} onInput={(event) => setDay(event.currentTarget.value)} />
        </label>
        <Verify key={day} path={`/api/ops/as-run/verify?day=${day}`} />
        {(["csv", "ndjson"] as const).map((format) => (
          <a
            key={format}
            class="button button-quiet"
            href={`/api/ops/as-run?day=${day}&format=${format}`}
            download={`as-run-${day}.${format}`}
          >
            {format.toUpperCase()}
          </a>
        ))}
      </div>
      <div class="beside">
        <Loaded asked={asked} isEmpty={({ rows }) => rows.length === 0} empty="Nothing aired on this day.">
          {({ rows }) => (
            <LongList
              label="What aired"
              rows={rows.toReversed()}
              heightPx={60}
              row={(row) => {
                const { kind, title } = factsOf(row.text)
                return (
                  <button
                    type="button"
                    class="row-button"
                    aria-pressed={open?.id === row.id}
                    onClick={() => setOpen(row)}
                  >
                    <span class="row-figure">{row.startedAt === null ? "–" : timeOf(row.startedAt)}</span>
                    <span class="clip">
                      <span class="row-title clip">{String(title ?? kind ?? row.id)}</span>
                      <span class="row-note clip">{String(kind ?? "")}</span>
                    </span>
                  </button>
                )
              }}
            />
          )}
        </Loaded>
        {open === null ? null : (
          <article class="beside-one" aria-label="The chosen row">
            <h2 class="wrap">{String(facts["title"] ?? facts["kind"] ?? open.id)}</h2>
            {typeof asset === "string" ? (
              <Sound url={hereOf(`/media/audio/${asset}.mp3`)} label={String(facts["title"] ?? "the item")} />
            ) : null}
            {open.startedAt === null || replayUrlAt(open.startedAt) === null ? null : (
              <p>
                <a href={replayUrlAt(open.startedAt)!}>The broadcast from there, for a player</a>
              </p>
            )}
            <pre class="value" tabIndex={0}>
              {JSON.stringify(facts, null, 1)}
            </pre>
            <p class="buttons">
              <Button kind="quiet" onClick={() => saveReceipt(open, asked.value?.hours ?? [])}>
                Take the receipt
              </Button>
            </p>
            <p class="note wrap">{`Row ${open.id}, hash ${open.hash.slice(0, 16)}…`}</p>
          </article>
        )}
      </div>
    </>
  )
}

/** The station's signed records: what operators did, and what was heard. */
export const Records = ({ rest: [tab] }: RoomProps) => {
  const chosen = tabOf(tabs, tab)
  return (
    <>
      <RoomTabs room="records" tabs={tabs} chosen={chosen} />
      {chosen === "audit" ? <Audit /> : <AsRun />}
    </>
  )
}
