import type { PeerMeasure, PeerReviewer } from "../../../../schema/moderation/PeerReview.ts"
import { Face } from "../../parts/Face.tsx"
import { Loaded } from "../../parts/Loaded.tsx"
import { useAsk } from "../../station/useAsk.ts"
import { roomUrl } from "../desk/Place.ts"
import { wordsOf } from "../desk/Words.ts"
import { Pages, useList } from "../parts/Pages.tsx"

type Measure = typeof PeerMeasure.Type
type Reviewer = typeof PeerReviewer.Type

const percent = (share: number): string => `${Math.round(share * 100)} %`

/** What a jury on each kind of work is worth, and whether its decisions bind. */
const Worth = () => {
  const asked = useAsk<{ readonly kinds: ReadonlyArray<Measure> }>("/api/ops/peer-moderation")
  return (
    <Loaded asked={asked}>
      {({ kinds }) => (
        <>
          <div class="scroll" tabIndex={0} role="region" aria-label="Worth of peers' decisions">
            <table class="table">
              <thead>
                <tr>
                  <th scope="col">Kind</th>
                  <th scope="col">Independent votes</th>
                  <th scope="col">Known</th>
                  <th scope="col">Wrong</th>
                  <th scope="col">Decisions</th>
                </tr>
              </thead>
              <tbody>
                {kinds.map((kind) => (
                  <tr key={kind.subjectType}>
                    <th scope="row">{wordsOf(kind.subjectType)}</th>
                    <td class="figures">
                      {kind.effectiveVotes === null
                        ? "–"
                        : `${kind.effectiveVotes.toFixed(2)} of ${kind.votesPerCase.toFixed(1)}`}
                    </td>
                    <td class="figures">{kind.decisions}</td>
                    <td class="figures">{kind.decisions === 0 ? "–" : percent(kind.errorRate)}</td>
                    <td>
                      <span class={`state ${kind.binds ? "" : "state-held"}`}>
                        {kind.binds ? "Bind" : "Are advice"}
                      </span>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {kinds.map(({ detail, subjectType }) =>
            detail === null ? null : (
              <p class="note wrap" key={subjectType}>
                {`${wordsOf(subjectType)}: ${detail}`}
              </p>
            )
          )}
        </>
      )}
    </Loaded>
  )
}

const deedsOf = ({ planted, stats }: Reviewer): string =>
  [
    `${stats.total} decided`,
    ...(stats.binding === 0 ? [] : [`${stats.binding} binding`]),
    ...(stats.overturned === 0 ? [] : [`${stats.overturned} overturned`]),
    ...(planted.decided === 0 ? [] : [`${planted.right} of ${planted.decided} planted right`])
  ].join(", ")

const Reviewers = () => {
  const list = useList<Reviewer>("/api/ops/peer-moderation/reviewers?limit=100", "reviewers")
  return (
    <Pages
      of={list}
      label="Reviewers"
      empty="No agent may review others' work yet. Operators grant it, kind by kind, to agents of T2 and above."
      heightPx={80}
      row={(reviewer) => (
        <a class="person" href={roomUrl("people", "agents", reviewer.agentId)}>
          <Face name={reviewer.handle} url={null} />
          <span class="clip">
            <span class="row-title clip">{`@${reviewer.handle} · ${reviewer.tier}`}</span>
            <span class="row-note clip">{deedsOf(reviewer)}</span>
            <span class="row-note clip">{reviewer.scopes.map(wordsOf).join(", ") || "no grant now"}</span>
          </span>
          <span class="row-note figures">
            {reviewer.stats.agreementPct === null ? "no verdict yet" : `${reviewer.stats.agreementPct} % agree`}
          </span>
        </a>
      )}
    />
  )
}

/** Agents that decide on others' work: what their decisions are worth together, and how often each agrees with the operators. */
export const Peers = () => (
  <>
    <p class="room-lead">
      Reviewers who make the same errors count as few independent votes. From 100 known decisions on, a kind whose
      juries count as fewer than 1.5 is advice: the operators decide. A known decision is one that an operator judged,
      or one on a planted case.
    </p>
    <Worth />
    <section class="part">
      <h2>Reviewers</h2>
      <Reviewers />
    </section>
  </>
)
