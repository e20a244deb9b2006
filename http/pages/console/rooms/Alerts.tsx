import { useState } from "preact/hooks"
import type { Alert } from "../../../../schema/operations/Alert.ts"
import { Do } from "../desk/Act.tsx"
import { useChanges } from "../desk/Live.ts"
import { agoOf, dayTimeOf, wordsOf } from "../desk/Words.ts"
import { Filter } from "../parts/Filter.tsx"
import { Pages, useList } from "../parts/Pages.tsx"

type Row = typeof Alert.Type

const states = ["open", "closed", "all"] as const

/** What is wrong, and who takes care of it. */
export const Alerts = () => {
  const [state, setState] = useState<(typeof states)[number]>("open")
  const changes = useChanges("alerts")
  const list = useList<Row>(`/api/ops/alerts?limit=100&state=${state}`, "alerts", changes)
  return (
    <>
      <div class="filters">
        <Filter label="Alerts" names={states} value={state} change={(name) => setState(name === "" ? "open" : name)} />
      </div>
      <Pages
        of={list}
        label="Alerts"
        empty={state === "open" ? "Nothing is wrong." : "There was no alert."}
        heightPx={84}
        hasActs
        row={(alert) => (
          <div class="row-line">
            <span class="row-figure">{agoOf(Date.now() - Date.parse(alert.raisedAt))}</span>
            <span class="clip">
              <span class="row-title clip">
                <span class={`state state-${alert.closedAt === null ? alert.severity : "closed"}`}>
                  {alert.severity}
                </span>{" "}
                {`${wordsOf(alert.kind)}${alert.subject === "" ? "" : `: ${alert.subject}`}`}
              </span>
              <span class="row-note clip" title={alert.detail}>
                {alert.detail}
              </span>
              <span class="row-note clip">
                {alert.closedAt !== null
                  ? `closed ${dayTimeOf(alert.closedAt)}`
                  : alert.acknowledgedBy === null
                    ? `seen ${alert.times === 1 ? "once" : `${alert.times} times`}, last ${agoOf(Date.now() - Date.parse(alert.lastSeenAt))} ago`
                    : `${alert.acknowledgedBy} takes care of it${alert.note === null ? "" : `: ${alert.note}`}`}
              </span>
            </span>
            {alert.closedAt === null && alert.acknowledgedAt === null ? (
              <Do
                kind="plain"
                label={`Acknowledge ${wordsOf(alert.kind)}`}
                act={{
                  role: "reviewer",
                  command: { path: `/api/ops/alerts/${alert.id}/acknowledge` },
                  reason: "",
                  said: "You take care of it.",
                  changes: ["alerts"],
                  ask: {
                    title: `Acknowledge: ${wordsOf(alert.kind)}`,
                    button: "I take care of it",
                    about: alert.detail,
                    reasons: ["Looking into it.", "Known, and harmless."]
                  }
                }}
              >
                Acknowledge
              </Do>
            ) : (
              <span />
            )}
          </div>
        )}
      />
    </>
  )
}
