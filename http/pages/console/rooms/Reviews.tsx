import type { ComponentChildren } from "preact"
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { tinykeys } from "tinykeys"
import type { AuditRow, Review } from "../../../../schema/moderation/Review.ts"
import type { Finding } from "../../../../schema/moderation/Precheck.ts"
import type { Segment } from "../../../../schema/segments/Segment.ts"
import { Button } from "../../parts/Button.tsx"
import { Choice } from "../../parts/Field.tsx"
import { hereOf } from "../../parts/Face.tsx"
import { Loaded } from "../../parts/Loaded.tsx"
import { toast } from "../../parts/Toast.tsx"
import { keep, readKept } from "../../station/Kept.ts"
import { useAsk } from "../../station/useAsk.ts"
import { usePages } from "../../station/usePages.ts"
import { type Act, Do, propose, run, send } from "../desk/Act.tsx"
import { touch, useChanges } from "../desk/Live.ts"
import { Filter } from "../parts/Filter.tsx"
import { LongList } from "../parts/LongList.tsx"
import { Sound } from "../parts/Sound.tsx"
import { enter, roomUrl } from "../desk/Place.ts"
import type { RoomProps } from "../desk/Place.ts"
import { agoOf, dayTimeOf, reasonOf, wordsOf } from "../desk/Words.ts"

type Row = typeof Review.Type
type Decision = "approve" | "reject" | "hold" | "escalate" | "request_changes"

interface Page {
  readonly items: ReadonlyArray<Row>
  readonly counts: Readonly<Record<string, number>>
  readonly nextCursor?: string
}

interface One {
  readonly review: Row
  readonly segment: typeof Segment.Type | null
  readonly findings: ReadonlyArray<typeof Finding.Type>
  readonly history: ReadonlyArray<typeof AuditRow.Type>
}

const rowPx = 76
const bulkMax = 100
const pageRows = 100

const decisions: ReadonlyArray<{
  readonly key: Decision
  readonly letter: string
  readonly label: string
  readonly done: string
  readonly reasons: ReadonlyArray<string>
}> = [
  { key: "approve", letter: "a", label: "Approve", done: "Approved", reasons: [] },
  {
    key: "reject",
    letter: "r",
    label: "Reject",
    done: "Rejected",
    reasons: [
      "It names a private person.",
      "It can't be understood.",
      "It advertises.",
      "It breaks the station's rules."
    ]
  },
  {
    key: "request_changes",
    letter: "c",
    label: "Ask for changes",
    done: "Asked for changes",
    reasons: ["Please leave out the name.", "Please make it shorter.", "Please mark the opinion as one."]
  },
  { key: "hold", letter: "h", label: "Hold", done: "Held", reasons: ["Waits for more facts."] },
  {
    key: "escalate",
    letter: "e",
    label: "Escalate",
    done: "Escalated",
    reasons: ["Needs a second look by an admin."]
  }
]

const nameOf = ({ kind, title }: Row): string => title ?? wordsOf(kind)

const undo = (review: Row): Act => ({
  role: "reviewer",
  command: { path: `/api/ops/reviews/${review.id}/undo` },
  reason: "Undone in the console.",
  said: `“${nameOf(review)}” waits again.`,
  changes: ["reviews"]
})

const decide = (review: Row, decision: (typeof decisions)[number], done: () => void): Act => ({
  role: "reviewer",
  command: {
    path: `/api/ops/reviews/${review.id}/decision`,
    body: { decision: decision.key },
    seen: `"${review.version}"`
  },
  reason: decision.key === "approve" ? "Approved in the console." : "",
  said: `${decision.done}: “${nameOf(review)}”.`,
  undo: () => undo(review),
  done,
  changes: ["reviews"],
  ...(decision.key === "approve"
    ? {}
    : {
        ask: {
          title: `${decision.label}: ${nameOf(review)}`,
          button: decision.label,
          needsReason: true,
          reasons: decision.reasons
        }
      })
})

/** A text with its flags marked, by their places in UTF-16 units. */
const Marked = ({ findings, text }: { readonly text: string; readonly findings: One["findings"] }) => {
  const parts: Array<ComponentChildren> = []
  let at = 0
  for (const { code, end, severity, start } of findings.toSorted((one, other) => one.start - other.start)) {
    if (start < at || end > text.length) continue
    parts.push(text.slice(at, start))
    parts.push(
      <mark key={start} class={`flag flag-${severity}`}>
        {text.slice(start, end)}
        <span class="flag-name">{wordsOf(code)}</span>
      </mark>
    )
    at = end
  }
  parts.push(text.slice(at))
  return <p class="transcript wrap">{parts}</p>
}

interface AgentAnswer {
  readonly agent: {
    readonly id: string
    readonly handle: string
    readonly displayName: string
    readonly status: string
    readonly createdAt: string
    readonly segments: { readonly pendingReview: number; readonly waiting: number; readonly aired: number }
    readonly suspension: { readonly reason: string } | null
  }
  readonly segments: ReadonlyArray<typeof Segment.Type>
}

/** What the author has done before. */
const Author = ({ id }: { readonly id: string }) => {
  const asked = useAsk<AgentAnswer>(`/api/ops/agents/${id}`)
  return (
    <Loaded asked={asked}>
      {({ agent, segments }) => (
        <>
          <p>
            <a href={roomUrl("people", "agents", agent.id)}>{`@${agent.handle}`}</a>
            {` ${agent.displayName}, here since ${dayTimeOf(agent.createdAt)}. ${agent.segments.aired} aired, ${agent.segments.waiting} waiting, ${agent.segments.pendingReview} in review.`}
            {agent.suspension === null ? "" : ` Suspended: ${agent.suspension.reason}`}
          </p>
          <ul class="history">
            {segments.slice(0, 8).map(({ createdAt, id, status, statusReason, title }) => (
              <li key={id}>
                <span class="note figures">{dayTimeOf(createdAt)}</span> <span class="wrap">{title}</span>{" "}
                <span class={`state state-${status}`}>{wordsOf(status)}</span>
                {statusReason === null ? null : <span class="note wrap">{` ${reasonOf(statusReason)}`}</span>}
              </li>
            ))}
          </ul>
        </>
      )}
    </Loaded>
  )
}

const Detail = ({
  act,
  changes,
  id,
  show,
  toggle
}: {
  readonly id: string
  readonly changes: number
  /** Told the review on the screen; null once it is decided. */
  readonly show: (review: Row | null) => void
  readonly act: (review: Row, decision: (typeof decisions)[number]) => Act
  readonly toggle: (run: () => void) => void
}) => {
  const asked = useAsk<One>(`/api/ops/reviews/${id}`, changes)
  return (
    <Loaded asked={asked}>
      {({ findings, history, review, segment }) => {
        const text = review.transcript ?? segment?.scriptText ?? ""
        const waits = ["open", "held", "escalated"].includes(review.status)
        show(waits ? review : null)
        return (
          <article class="review" aria-label={nameOf(review)}>
            <p class="note">
              {`${wordsOf(review.kind)} · ${review.author.displayName} · ${dayTimeOf(review.createdAt)}${waits ? ` · due ${dayTimeOf(review.dueAt)}` : ""}`}
            </p>
            <h2 class="wrap">{nameOf(review)}</h2>
            {waits ? (
              <p class="buttons review-acts">
                {decisions.map((decision) => (
                  <Do
                    key={decision.key}
                    act={act(review, decision)}
                    kind={decision.key === "approve" ? "main" : "quiet"}
                  >
                    {decision.label}
                  </Do>
                ))}
              </p>
            ) : (
              <p class="decided">
                {`${wordsOf(review.status)} by ${review.decidedBy ?? "the station"}${review.decidedAt === null ? "" : ` at ${dayTimeOf(review.decidedAt)}`}. ${review.reason ?? ""} `}
                <Do act={undo(review)} kind="plain">
                  Undo
                </Do>
              </p>
            )}
            {review.flags.length === 0 ? null : (
              <ul class="flags" aria-label="Flags">
                {review.flags.map(({ code, excerptHash, severity }) => (
                  <li key={`${code} ${excerptHash}`} class={`flag flag-${severity}`}>
                    {wordsOf(code)}
                    {severity === "high" ? " (grave)" : ""}
                  </li>
                ))}
              </ul>
            )}
            {review.audioUrl === null ? null : (
              <Sound url={hereOf(review.audioUrl)} label={nameOf(review)} toggle={toggle} />
            )}
            {text === "" ? <p class="note">There is no text.</p> : <Marked text={text} findings={findings} />}
            {review.author.agentId === null ? null : (
              <section class="part">
                <h3>Author</h3>
                <Author id={review.author.agentId} />
              </section>
            )}
            {history.length === 0 ? null : (
              <section class="part">
                <h3>What was decided before</h3>
                <ul class="history">
                  {history.map(({ action, actor, at, id, reason }) => (
                    <li key={id}>
                      <span class="note figures">{dayTimeOf(at)}</span> {`${actor}: ${wordsOf(action)}`}
                      {reason === null ? null : <span class="note wrap">{` ${reason}`}</span>}
                    </li>
                  ))}
                </ul>
              </section>
            )}
          </article>
        )
      }}
    </Loaded>
  )
}

interface Results {
  readonly results: ReadonlyArray<{
    readonly reviewId: string
    readonly status: number
    readonly detail: string | null
  }>
}

/** Decides many at once: each has its own result. */
const BulkButton = ({
  chosen,
  decision,
  done
}: {
  readonly chosen: ReadonlyArray<Row>
  readonly decision: (typeof decisions)[number]
  readonly done: () => void
}) => {
  const say = ({ results }: Results): void => {
    done()
    const good = results.filter(({ status }) => status < 400).map(({ reviewId }) => reviewId)
    const bad = results.filter(({ status }) => status >= 400)
    const takeBack = (): void => {
      void Promise.allSettled(
        good.map((id) => send({ path: `/api/ops/reviews/${id}/undo` }, "Undone in the console."))
      ).then((all) => {
        const undone = all.filter(({ status }) => status === "fulfilled").length
        toast(`${undone} of ${good.length} wait again.`)
        touch("reviews")
      })
    }
    toast(
      `${decision.done}: ${good.length}.${bad.length === 0 ? "" : ` ${bad.length} not: ${bad[0]!.detail ?? ""}`}`,
      good.length === 0 ? null : { label: "Undo", run: takeBack }
    )
  }
  return (
    <Do<Results>
      kind="quiet"
      act={{
        role: "reviewer",
        command: {
          path: "/api/ops/reviews/decisions",
          bodyOf: (reason) => ({
            decisions: chosen.map(({ id, version }) => ({ reviewId: id, version, decision: decision.key, reason }))
          })
        },
        reason: decision.key === "approve" ? "Approved in the console." : "",
        changes: ["reviews"],
        done: say,
        ask: {
          title: `${decision.label}: ${chosen.length} ${chosen.length === 1 ? "review" : "reviews"}`,
          button: decision.label,
          needsReason: decision.key !== "approve",
          reasons: decision.reasons
        }
      }}
    >
      {decision.label}
    </Do>
  )
}

const keysKept = "console.keys"

/** One inbox for everything that waits for a decision. */
export const Reviews = ({ rest: [chosen] }: RoomProps) => {
  const [kind, setKind] = useState("")
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  /** Decided here, before the station's list says so. */
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set())
  const [byKeys, setByKeys] = useState(readKept(keysKept) !== "off")
  const changes = useChanges("reviews")
  const path = `/api/ops/reviews?limit=100${kind === "" ? "" : `&kind=${kind}`}`
  /** The changes that the list shows. A long list that somebody reads doesn't jump back to its first page. */
  const [listed, setListed] = useState(changes)
  const asked = usePages<Page, Row>(
    path,
    ({ items, nextCursor }) => ({ rows: items, next: nextCursor === undefined ? null : { cursor: nextCursor } }),
    listed
  )
  const rows = (asked.value ?? []).filter(({ id }) => !gone.has(id))
  const isLong = rows.length > pageRows
  useEffect(() => {
    if (isLong) return
    setListed(changes)
  }, [changes, isLong])
  useEffect(() => setGone(new Set()), [asked.value])
  const at = rows.findIndex(({ id }) => id === chosen)
  const play = useRef<() => void>(() => undefined)
  /** To the next that waits: the decided one leaves the list. */
  const onward = (from: number): void => {
    const next = rows[from + 1] ?? rows[from - 1]
    if (next === undefined) enter("reviews")
    else enter("reviews", next.id)
  }
  const actOf = (review: Row, decision: (typeof decisions)[number]): Act =>
    decide(review, decision, () => {
      onward(rows.findIndex(({ id }) => id === review.id))
      setGone((was) => new Set([...was, review.id]))
    })
  /** The review on the screen, which may be there before the list. */
  const onScreen = useRef<Row | null>(null)
  if (onScreen.current?.id !== chosen) onScreen.current = null
  const current = rows[at]
  const latest = useRef({ actOf, at, current, rows })
  latest.current = { actOf, at, current, rows }
  useEffect(() => {
    if (!byKeys) return
    const go = (by: number) => (): void => {
      const { at, rows } = latest.current
      const to = rows[Math.min(rows.length - 1, Math.max(0, at + by))]
      if (to !== undefined) enter("reviews", to.id)
    }
    const isTyping = (event: KeyboardEvent): boolean =>
      event.target instanceof Element && event.target.closest("input, textarea, select, dialog") !== null
    const unlessTyping = (act: () => void) => (event: KeyboardEvent) => {
      if (isTyping(event)) return
      event.preventDefault()
      act()
    }
    return tinykeys(globalThis as unknown as Window, {
      j: unlessTyping(go(1)),
      k: unlessTyping(go(-1)),
      p: unlessTyping(() => play.current()),
      ...Object.fromEntries(
        decisions.map((decision) => [
          decision.letter,
          unlessTyping(() => {
            const { actOf, current } = latest.current
            const review = current ?? onScreen.current
            if (review === null) return
            const act = actOf(review, decision)
            if (act.ask === undefined) void run(act)
            else propose(act)
          })
        ])
      )
    })
  }, [byKeys])
  const bulk = rows.filter(({ id }) => ticked.has(id)).slice(0, bulkMax)
  const kinds = useMemo(() => Object.entries(asked.first?.counts ?? {}).filter(([, count]) => count > 0), [asked.first])
  return (
    <div class={`reviews ${chosen === undefined ? "reviews-list" : "reviews-one"}`}>
      <div class="reviews-inbox">
        <div class="filters">
          <Filter
            label="Kind"
            all={`All (${kinds.reduce((sum, [, count]) => sum + count, 0)})`}
            names={kinds.map(([name]) => name)}
            value={kind}
            change={setKind}
            labelOf={(name) => `${wordsOf(name)} (${asked.first?.counts[name] ?? 0})`}
          />
          <Choice
            checked={byKeys}
            change={(on) => {
              setByKeys(on)
              keep(keysKept, on ? "on" : "off")
            }}
          >
            Keys
          </Choice>
        </div>
        {byKeys ? (
          <p class="note keys">
            <kbd>j</kbd> next <kbd>k</kbd> previous <kbd>p</kbd> play{" "}
            {decisions.map(({ key, label, letter }) => (
              <span key={key}>
                <kbd>{letter}</kbd> {label.toLowerCase()}{" "}
              </span>
            ))}
          </p>
        ) : null}
        {bulk.length === 0 ? null : (
          <div class="bulk" role="group" aria-label="All chosen reviews">
            <p>{`${bulk.length} chosen`}</p>
            <p class="buttons">
              {decisions.map((decision) => (
                <BulkButton key={decision.key} chosen={bulk} decision={decision} done={() => setTicked(new Set())} />
              ))}
              <Button kind="plain" onClick={() => setTicked(new Set())}>
                Choose none
              </Button>
            </p>
          </div>
        )}
        {isLong && listed !== changes ? (
          <p>
            <Button kind="quiet" onClick={() => setListed(changes)}>
              The list has changed. Show it
            </Button>
          </p>
        ) : null}
        <Loaded
          asked={asked}
          isEmpty={() => rows.length === 0}
          empty={
            <>
              <strong>Nothing waits for a decision.</strong>What arrives is announced here.
            </>
          }
        >
          {() => (
            <LongList
              label="Reviews that wait"
              rows={rows}
              heightPx={rowPx}
              loadMore={asked.loadMore}
              shown={at}
              row={(review) => (
                <div class={`review-row${review.id === chosen ? " review-row-chosen" : ""}`}>
                  <input
                    type="checkbox"
                    aria-label={`Choose ${nameOf(review)}`}
                    checked={ticked.has(review.id)}
                    onChange={({ currentTarget: { checked } }) =>
                      setTicked((was) => {
                        const next = new Set(was)
                        if (checked) next.add(review.id)
                        else next.delete(review.id)
                        return next
                      })
                    }
                  />
                  <a
                    class="review-link"
                    href={roomUrl("reviews", review.id)}
                    {...(review.id === chosen ? { "aria-current": "true" as const } : {})}
                  >
                    <span class="row-title clip">{nameOf(review)}</span>
                    <span class="row-note clip">
                      {`${wordsOf(review.kind)} · ${review.author.displayName} · ${agoOf(Date.now() - Date.parse(review.createdAt))} ago`}
                    </span>
                    <span class="row-note clip">
                      {review.flags.length === 0
                        ? review.status === "open"
                          ? " "
                          : wordsOf(review.status)
                        : review.flags.map(({ code }) => wordsOf(code)).join(", ")}
                    </span>
                  </a>
                </div>
              )}
            />
          )}
        </Loaded>
      </div>
      <div class="reviews-detail">
        {chosen === undefined ? (
          <p class="note">{byKeys ? "Choose a review, or press j." : "Choose a review."}</p>
        ) : (
          <>
            <p class="reviews-back">
              <a href={roomUrl("reviews")}>All reviews</a>
            </p>
            <Detail
              key={chosen}
              id={chosen}
              changes={changes}
              act={actOf}
              show={(review) => {
                onScreen.current = review
              }}
              toggle={(press) => {
                play.current = press
              }}
            />
          </>
        )}
      </div>
    </div>
  )
}
