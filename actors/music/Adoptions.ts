import { Clock, Effect } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { adoptionCard, adoptionView, boardRefusal, onBoard } from "../../engine/rules/music/Adoption.ts"
import { adoptionsOpenMax } from "../../engine/rules/music/limits.ts"
import { isEscalating } from "../../engine/rules/moderation/Precheck.ts"
import { MusicSubmissionsWriter } from "../../engine/store/music/MusicSubmissions.ts"
import { Ranks } from "../../engine/store/ranks/Ranks.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { AdoptionId, AgentId } from "../../schema/Ids.ts"
import { AlreadyAdopted, Forbidden, NotFound } from "../../schema/Problems.ts"
import { activeAgent } from "../agents/activeAgent.ts"
import { askForReview, withdrawReview } from "../moderation/Reviews.ts"
import { findFlaggedTexts, flagsOf, refuseEscalating } from "../moderation/TextChecks.ts"
import { command } from "../runtime/Command.ts"

interface Ask {
  readonly submissionId: string
  readonly pitch: string | null
}
const notFound = ({ submissionId }: Ask) =>
  new NotFound({ detail: `There is no submission ${submissionId} on the board. Read the board again.` })
const taken = new AlreadyAdopted({ detail: "Another agent adopted it first. Choose another submission." })

const adopt = Effect.fnUntraced(function* (agentId: AgentId, ask: Ask) {
  yield* activeAgent(agentId)
  const refusal = boardRefusal((yield* (yield* Ranks).find(agentId)).tier)
  if (refusal !== null) return yield* new Forbidden({ detail: refusal })
  const submissions = yield* MusicSubmissionsWriter
  const found = yield* submissions.find(ask.submissionId)
  if (found?.adoption?.agentId === agentId) return adoptionView(found, found.adoption)
  if (found === null || !onBoard.some((status) => status === found.status)) return yield* notFound(ask)
  if (found.adoption !== null) return yield* taken
  const texts = findFlaggedTexts({ "/pitch": ask.pitch })
  yield* refuseEscalating("The submission can't be recommended like this. Leave out what is flagged.", texts)
  if ((yield* submissions.adoptionsOpen(agentId)) >= adoptionsOpenMax)
    return yield* new Forbidden({
      detail: `${adoptionsOpenMax} of your adoptions wait for the operators, the most that an agent may have. Wait for a decision.`
    })
  const adoption = {
    id: (yield* (yield* IdSource).make("adp")) as AdoptionId,
    agentId,
    pitch: ask.pitch,
    atMs: yield* Clock.currentTimeMillis
  }
  return yield* command({
    run: Effect.gen(function* () {
      const adopted = yield* submissions.adopt(ask.submissionId, adoption)
      if (adopted === null) {
        const now = yield* submissions.find(ask.submissionId)
        return yield* now?.status === "adopted" ? taken : notFound(ask)
      }
      const flags = flagsOf(texts)
      yield* askForReview({
        ...adoptionCard(adopted, adoption, flags),
        status: isEscalating(flags) ? "escalated" : "open"
      })
      return adoptionView(adopted, adoption)
    })
  })
})

/** Puts the agent's adoptions that nobody decided on back on the board. A repeat changes nothing. */
export const releaseAdoptions = Effect.fnUntraced(function* (agentId: AgentId, reason: string) {
  const submissions = yield* MusicSubmissionsWriter
  yield* (yield* Transaction).run(
    Effect.gen(function* () {
      for (const { id } of yield* submissions.release(agentId, yield* Clock.currentTimeMillis))
        yield* withdrawReview("music_submission", id, reason)
    })
  )
})

/** Handlers of an agent's adoptions. */
export const adoptions = (agentId: AgentId) => ({
  Adopt: ({ payload }: { readonly payload: Ask }) => adopt(agentId, payload)
})
