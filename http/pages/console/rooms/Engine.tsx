import { useMemo, useState } from "preact/hooks"
import type { ActorNode, MailboxFigures, ProcessFigures } from "../../../../schema/ActorTree.ts"
import type { Job } from "../../../../schema/operations/Job.ts"
import type { MailLetter, MailSent } from "../../../../schema/operations/Mail.ts"
import type { Webhook, WebhookDelivery } from "../../../../schema/inbox/Webhook.ts"
import { Button } from "../../parts/Button.tsx"
import { Sheet } from "../../parts/Sheet.tsx"
import { Loaded } from "../../parts/Loaded.tsx"
import { useAsk } from "../../station/useAsk.ts"
import { type Act, Do } from "../desk/Act.tsx"
import { useChanges, useLive } from "../desk/Live.ts"
import { Filter } from "../parts/Filter.tsx"
import { Pages, useList } from "../parts/Pages.tsx"
import { RoomTabs, tabOf } from "../parts/RoomTabs.tsx"
import { hasRole } from "../desk/Session.ts"
import type { RoomProps } from "../desk/Place.ts"
import { agoOf, dayTimeOf, wordsOf } from "../desk/Words.ts"
import { Alerts } from "./Alerts.tsx"
import { Figures } from "./Figures.tsx"
import { Logs } from "./Logs.tsx"

const tabs = [
  { key: "alerts", title: "Alerts", role: "viewer" as const },
  { key: "actors", title: "Actors", role: "viewer" as const },
  { key: "jobs", title: "Jobs", role: "viewer" as const },
  { key: "deliveries", title: "Webhooks", role: "viewer" as const },
  { key: "mail", title: "Mail", role: "viewer" as const },
  { key: "figures", title: "Figures", role: "viewer" as const },
  { key: "logs", title: "Log", role: "admin" as const }
]

type Node = typeof ActorNode.Type & { readonly parent?: string | null }

/** Actors below their parents: a name without a known parent is at the top. */
const treeOf = (nodes: ReadonlyArray<Node>): ReadonlyArray<{ readonly node: Node; readonly depth: number }> => {
  const names = new Set(nodes.map(({ name }) => name))
  const parentOf = ({ name, parent }: Node): string | null =>
    parent !== undefined && parent !== null && names.has(parent)
      ? parent
      : (name
          .split("/")
          .slice(0, -1)
          .map((_, at, parts) => parts.slice(0, parts.length - at).join("/"))
          .find((above) => names.has(above)) ?? null)
  const listBelow = (
    above: string | null,
    depth: number
  ): ReadonlyArray<{ readonly node: Node; readonly depth: number }> =>
    nodes
      .filter((node) => parentOf(node) === above)
      .flatMap((node) => [{ node, depth }, ...(depth < 8 ? listBelow(node.name, depth + 1) : [])])
  return listBelow(null, 0)
}

const standbyOf = (standby: (typeof ProcessFigures.Type)["standby"]) =>
  standby === null ? "waits" : standby.isReady ? "ready to take it" : "not ready to take it"

const Actors = () => {
  const asked = useLive<{
    readonly actors: ReadonlyArray<Node>
    readonly mailboxes: ReadonlyArray<typeof MailboxFigures.Type>
    readonly processes?: ReadonlyArray<typeof ProcessFigures.Type>
  }>("/api/ops/actors", "actors")
  const tree = useMemo(() => treeOf(asked.value?.actors ?? []), [asked.value])
  return (
    <Loaded asked={asked} isEmpty={({ actors }) => actors.length === 0} empty="The actors haven't reported yet.">
      {({ actors, mailboxes, processes = [] }) => (
        <>
          {processes.length === 0 ? null : (
            <section class="part">
              <h2>Processes</h2>
              <div class="scroll" tabIndex={0} role="region" aria-label="Processes">
                <table class="table">
                  <thead>
                    <tr>
                      <th scope="col">Process</th>
                      <th scope="col">Air</th>
                      <th scope="col">Why</th>
                      <th scope="col">Behind</th>
                      <th scope="col">Actors</th>
                      <th scope="col">Runs for</th>
                    </tr>
                  </thead>
                  <tbody>
                    {processes.map(
                      ({ airReason, airSinceMs, entities, hasAir, isThis, name, standby, startedAtMs }) => (
                        <tr key={name}>
                          <th scope="row">{isThis ? `${name} (answers here)` : name}</th>
                          <td>
                            {hasAir && airSinceMs !== null
                              ? `has it for ${agoOf(Date.now() - airSinceMs)}`
                              : standbyOf(standby)}
                          </td>
                          <td class="wrap">{airReason ?? "–"}</td>
                          <td class="figures">
                            {standby?.lagMs == null ? "–" : `${(standby.lagMs / 1_000).toFixed(1)} s`}
                          </td>
                          <td class="figures">{entities ?? "not heard"}</td>
                          <td class="figures">{startedAtMs === null ? "–" : agoOf(Date.now() - startedAtMs)}</td>
                        </tr>
                      )
                    )}
                  </tbody>
                </table>
              </div>
            </section>
          )}
          <p class="room-lead">{`${actors.length} actors, ${actors.filter(({ state }) => state === "running").length} running, ${actors.reduce((sum, { restarts }) => sum + restarts, 0)} restarts. They report every second.`}</p>
          <div class="scroll" tabIndex={0} role="region" aria-label="Actors">
            <table class="table">
              <thead>
                <tr>
                  <th scope="col">Actor</th>
                  <th scope="col">State</th>
                  <th scope="col">Runs for</th>
                  <th scope="col">Restarts</th>
                  <th scope="col">Last fault</th>
                  {hasRole("admin") ? (
                    <th scope="col">
                      <span class="unseen">Restart</span>
                    </th>
                  ) : null}
                </tr>
              </thead>
              <tbody>
                {tree.map(({ depth, node: { lastFault, name, restarts, startedAtMs, state } }) => (
                  <tr key={name}>
                    <th scope="row" class={`depth-${Math.min(4, depth)} wrap`}>
                      {name}
                    </th>
                    <td>
                      <span class={`state state-${state}`}>{state}</span>
                    </td>
                    <td class="figures">{agoOf(Date.now() - startedAtMs)}</td>
                    <td class="figures">{restarts}</td>
                    <td class="wrap">{lastFault ?? "–"}</td>
                    {hasRole("admin") ? (
                      <td>
                        <Do
                          kind="plain"
                          label={`Restart ${name}`}
                          act={{
                            role: "admin",
                            command: { path: "/api/ops/actors/restart", body: { name } },
                            reason: "",
                            said: `${name} begins again.`,
                            changes: ["actors"],
                            ask: {
                              title: `Restart ${name}?`,
                              button: "Restart it",
                              about: "It begins again at once, from what is stored. The sound goes on.",
                              needsReason: true,
                              reasons: ["It doesn't react."]
                            }
                          }}
                        >
                          Restart
                        </Do>
                      </td>
                    ) : null}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <section class="part">
            <h2>Mailboxes</h2>
            <div class="scroll" tabIndex={0} role="region" aria-label="Mailboxes">
              <table class="table">
                <thead>
                  <tr>
                    <th scope="col">Kind of actor</th>
                    <th scope="col">Waiting</th>
                    <th scope="col">Oldest</th>
                    <th scope="col">Handled</th>
                    <th scope="col">Died</th>
                    <th scope="col">Mean</th>
                  </tr>
                </thead>
                <tbody>
                  {mailboxes.map(({ actor, died, handled, meanMs, oldestSec, waiting }) => (
                    <tr key={actor}>
                      <th scope="row">{actor}</th>
                      <td class="figures">{waiting}</td>
                      <td class="figures">{waiting === 0 ? "–" : agoOf(oldestSec * 1_000)}</td>
                      <td class="figures">{handled.toLocaleString("en")}</td>
                      <td class="figures">{died}</td>
                      <td class="figures">{meanMs === null ? "–" : `${meanMs.toFixed(1)} ms`}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          </section>
        </>
      )}
    </Loaded>
  )
}

type JobRow = typeof Job.Type

const jobAct = (job: JobRow, what: "retry" | "cancel"): Act => ({
  role: "producer",
  command: { path: `/api/ops/jobs/${job.id}/${what}` },
  reason: what === "retry" ? "Tried again in the console." : "",
  said: what === "retry" ? "The job is tried again." : "The job is cancelled.",
  changes: ["jobs"],
  ...(what === "retry"
    ? {}
    : {
        ask: {
          title: `Cancel ${wordsOf(job.kind)}?`,
          button: "Cancel the job",
          about: "It ends within seconds, with its consequence: an upload is refused, a segment stays without sound.",
          needsReason: true
        }
      })
})

const Jobs = () => {
  const [state, setState] = useState("")
  const changes = useChanges("jobs")
  const path = `/api/ops/jobs?limit=100${state === "" ? "" : `&state=${state}`}`
  const counts = useAsk<{
    readonly counts: {
      readonly waiting: number
      readonly running: number
      readonly failed: number
      readonly cancelled: number
      readonly lateSec: number
    }
  }>("/api/ops/jobs?limit=1", changes)
  const list = useList<JobRow>(path, "jobs", changes)
  const now = counts.value?.counts
  return (
    <>
      <p class="room-lead">
        {now === undefined
          ? " "
          : `${now.waiting} waiting, ${now.running} running, ${now.failed} failed, ${now.cancelled} cancelled. The latest is ${agoOf(now.lateSec * 1_000)} late.`}
      </p>
      <div class="filters">
        <Filter
          label="State"
          all="All"
          names={["waiting", "running", "failed", "cancelled"]}
          value={state}
          change={setState}
        />
      </div>
      <Pages
        of={list}
        label="Jobs"
        empty="No job is in this state."
        heightPx={76}
        hasActs
        row={(job) => (
          <div class="row-line">
            <span class="row-figure">{agoOf(job.ageSec * 1_000)}</span>
            <span class="clip">
              <span class="row-title clip">{job.kind}</span>
              <span class="row-note clip">
                <span class={`state state-${job.state}`}>{job.state}</span>
                {` · ${job.tries} ${job.tries === 1 ? "try" : "tries"}${job.periodic ? " · periodic" : ""}${job.about === "" ? "" : ` · ${job.about}`}`}
              </span>
              <span class="row-note clip">
                {job.lastError ?? (job.nextTryAt === null ? " " : `next ${dayTimeOf(job.nextTryAt)}`)}
              </span>
            </span>
            <span class="row-acts">
              {job.state === "running" ? null : (
                <Do act={jobAct(job, "retry")} kind="plain">
                  Retry
                </Do>
              )}
              {job.periodic || job.state === "failed" || job.state === "cancelled" ? null : (
                <Do act={jobAct(job, "cancel")} kind="plain">
                  Cancel
                </Do>
              )}
            </span>
          </div>
        )}
      />
    </>
  )
}

/** What an endpoint gets. */
const DeliveryBody = ({ close, id }: { readonly id: string; readonly close: () => void }) => {
  const asked = useAsk<{ readonly delivery: { readonly body: string } }>(`/api/ops/webhooks/deliveries/${id}`)
  return (
    <Sheet title="The delivery's body" close={close}>
      <Loaded asked={asked}>
        {({ delivery }) => (
          <pre class="value" tabIndex={0}>
            {delivery.body}
          </pre>
        )}
      </Loaded>
    </Sheet>
  )
}

/** A mail as the recipient got it, without its codes and links. */
const Letter = ({ close, id }: { readonly id: string; readonly close: () => void }) => {
  const asked = useAsk<{ readonly letter: typeof MailLetter.Type | null }>(`/api/ops/mail/${id}`)
  return (
    <Sheet title="The letter" close={close}>
      <Loaded asked={asked}>
        {({ letter }) =>
          letter === null ? (
            <p>It isn't kept any more.</p>
          ) : (
            <>
              <p class="wrap">{`To ${letter.to}: ${letter.subject}`}</p>
              <pre class="value" tabIndex={0}>
                {letter.text}
              </pre>
            </>
          )
        }
      </Loaded>
    </Sheet>
  )
}

type Endpoint = typeof Webhook.Type & { readonly agentId: string; readonly handle: string }
type Delivery = typeof WebhookDelivery.Type & { readonly webhookId: string }

const Deliveries = () => {
  const [open, setOpen] = useState<string | null>(null)
  const [status, setStatus] = useState("")
  const path = `/api/ops/webhooks?limit=100${status === "" ? "" : `&status=${status}`}`
  const changes = useChanges("deliveries")
  const asked = useAsk<{
    readonly counts: Readonly<Record<string, number>>
    readonly inTrouble: ReadonlyArray<Endpoint>
  }>("/api/ops/webhooks?limit=1", changes)
  const list = useList<Delivery>(path, "deliveries", changes)
  return (
    <>
      <Loaded asked={asked}>
        {({ counts, inTrouble }) => (
          <>
            <dl class="figures-row">
              {Object.entries(counts).map(([name, count]) => (
                <div key={name}>
                  <dt>{wordsOf(name)}</dt>
                  <dd>{count}</dd>
                </div>
              ))}
            </dl>
            {inTrouble.length === 0 ? null : (
              <section class="part">
                <h2>Endpoints in trouble</h2>
                <ul class="rows plain-rows">
                  {inTrouble.map((endpoint) => (
                    <li key={endpoint.id}>
                      <span class="row-figure">{endpoint.active ? "failing" : "disabled"}</span>
                      <span class="clip">
                        <span class="row-title clip">{endpoint.url}</span>
                        <span class="row-note clip">{`@${endpoint.handle}${endpoint.failingSince === null ? "" : `, failing since ${dayTimeOf(endpoint.failingSince)}`}`}</span>
                      </span>
                      <Do
                        act={{
                          role: "producer",
                          command: {
                            path: `/api/ops/webhooks/${endpoint.id}/${endpoint.active ? "disable" : "enable"}`
                          },
                          reason: endpoint.active ? "" : "Enabled in the console.",
                          said: endpoint.active ? "The endpoint is disabled." : "The endpoint is enabled.",
                          changes: ["deliveries"],
                          ...(endpoint.active
                            ? {
                                ask: {
                                  title: "Disable this endpoint?",
                                  button: "Disable it",
                                  about: "Nothing is sent to it until an operator enables it again.",
                                  needsReason: true
                                }
                              }
                            : {})
                        }}
                      >
                        {endpoint.active ? "Disable" : "Enable"}
                      </Do>
                    </li>
                  ))}
                </ul>
              </section>
            )}
          </>
        )}
      </Loaded>
      <section class="part">
        <h2>Deliveries</h2>
        <div class="filters">
          <Filter
            label="Status"
            all="All"
            names={["pending", "delivered", "failed"]}
            value={status}
            change={setStatus}
          />
        </div>
        <Pages
          of={list}
          label="Deliveries"
          hasActs
          empty="Nothing was delivered yet."
          row={(delivery) => (
            <div class="row-line">
              <span class="row-figure">{dayTimeOf(delivery.createdAt)}</span>
              <span class="clip">
                <span class="row-title clip">{delivery.type}</span>
                <span class="row-note clip">
                  <span class={`state state-${delivery.status}`}>{delivery.status}</span>
                  {` · ${delivery.attempts} tries${delivery.responseStatus === null ? "" : ` · answer ${delivery.responseStatus}`}${delivery.fault === null ? "" : ` · ${delivery.fault}`}`}
                </span>
              </span>
              <span class="row-acts">
                {hasRole("producer") ? (
                  <Button kind="plain" aria-label={`Body of ${delivery.type}`} onClick={() => setOpen(delivery.id)}>
                    Body
                  </Button>
                ) : null}
                <Do
                  kind="plain"
                  label={`Resend ${delivery.type}`}
                  act={{
                    role: "producer",
                    command: { path: `/api/ops/webhooks/deliveries/${delivery.id}/resend` },
                    reason: "Sent again in the console.",
                    said: "It is sent again.",
                    changes: ["deliveries"]
                  }}
                >
                  Resend
                </Do>
              </span>
            </div>
          )}
        />
      </section>
      {open === null ? null : <DeliveryBody id={open} close={() => setOpen(null)} />}
    </>
  )
}

const Mail = () => {
  const [open, setOpen] = useState<string | null>(null)
  const [turn, setTurn] = useState(0)
  const list = useList<typeof MailSent.Type>("/api/ops/mail?limit=100", "mails", turn)
  return (
    <>
      <Pages
        of={list}
        label="Mail"
        hasActs
        empty="No mail was sent yet."
        row={(mail) => (
          <div class="row-line">
            <span class="row-figure">{dayTimeOf(mail.at)}</span>
            <span class="clip">
              <span class="row-title clip">{wordsOf(mail.kind)}</span>
              <span class="row-note clip">
                <span class={`state state-${mail.status}`}>{mail.status}</span>
                {mail.way === "smtp"
                  ? " · by SMTP"
                  : " · kept in DATA_DIR/outbox, because no mail server is configured"}
              </span>
            </span>
            {hasRole("admin") ? (
              <span class="row-acts">
                <Button kind="plain" aria-label={`Read ${wordsOf(mail.kind)}`} onClick={() => setOpen(mail.id)}>
                  Read
                </Button>
                <Do
                  kind="plain"
                  label={`Resend ${wordsOf(mail.kind)}`}
                  act={{
                    role: "admin",
                    command: { path: `/api/ops/mail/${mail.id}/resend` },
                    reason: "Sent again in the console.",
                    said: "It is sent again.",
                    done: () => setTurn((was) => was + 1)
                  }}
                >
                  Resend
                </Do>
              </span>
            ) : (
              <span />
            )}
          </div>
        )}
      />
      {open === null ? null : <Letter id={open} close={() => setOpen(null)} />}
    </>
  )
}

/** What the program does inside: its actors, its work, what it sends, and how it fares. */
export const Engine = ({ rest: [tab] }: RoomProps) => {
  const chosen = tabOf(tabs, tab)
  return (
    <>
      <RoomTabs room="engine" tabs={tabs} chosen={chosen} />
      {chosen === "alerts" ? (
        <Alerts />
      ) : chosen === "logs" ? (
        <Logs />
      ) : chosen === "actors" ? (
        <Actors />
      ) : chosen === "jobs" ? (
        <Jobs />
      ) : chosen === "deliveries" ? (
        <Deliveries />
      ) : chosen === "mail" ? (
        <Mail />
      ) : (
        <Figures />
      )}
    </>
  )
}
