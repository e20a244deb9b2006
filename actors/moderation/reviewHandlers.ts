import { Effect } from "effect"
import { Reviews } from "../../engine/store/moderation/Reviews.ts"
import type { AgentId, PeerCaseId, ReviewId } from "../../schema/Ids.ts"
import type { ReviewRecord, SubjectType } from "../../schema/moderation/Review.ts"
import { NotFound } from "../../schema/Problems.ts"
import { closePeerCase, judgePeers, peerDecide, subjectOwner } from "./PeerVotes.ts"
import type { Decide, Judge, JudgedType, JudgePeers, PeerDecide, UndoDecision } from "./protocol.ts"
import { decide, isRemovable, type Removable, type Reviewable, undo } from "./Reviews.ts"

type ServicesOf<Kind> = Kind extends Reviewable<SubjectType, infer R> ? R : never

/** Selects an agent's own subjects. The station's own have no owner; the station's slug stands for its id. */
export const ownedBy =
  (id: string, stationSlug: string) =>
  (owner: AgentId | null): boolean =>
    owner === (id === stationSlug ? null : id)

/** Handlers of `reviewing` for an entity that owns these types. `isOwn` selects the agents it owns. */
export const reviewHandlers = <const Kinds extends ReadonlyArray<Reviewable<SubjectType, unknown>>>(
  kinds: Kinds,
  isOwn: (agentId: AgentId | null) => boolean = () => true
) => {
  type Services = ServicesOf<Kinds[number]>
  const kindOf = (type: string) =>
    kinds.find((kind) => kind.type === type) as Reviewable<SubjectType, Services> | undefined
  const kindOfReview = ({ agentId, subjectType }: ReviewRecord) => (isOwn(agentId) ? kindOf(subjectType) : undefined)
  const requireReview = Effect.fnUntraced(function* (reviewId: ReviewId) {
    const review = yield* (yield* Reviews).find(reviewId)
    const kind = review === null ? undefined : kindOfReview(review)
    return review === null || kind === undefined
      ? yield* new NotFound({ detail: `There is no review ${reviewId}.` })
      : { kind, review }
  })
  const owner = subjectOwner(kindOfReview)
  return {
    Decide: ({ payload }: { readonly payload: Decide }) =>
      Effect.flatMap(requireReview(payload.reviewId), ({ kind, review }) => decide(kind, review, payload)),
    UndoDecision: ({ payload }: { readonly payload: UndoDecision }) =>
      Effect.flatMap(requireReview(payload.reviewId), ({ kind, review }) => undo(kind, review, payload)),
    Judge: Effect.fnUntraced(function* ({ payload: { id, judgement, type, ...act } }: { readonly payload: Judge }) {
      const kind = kindOf(type)
      if (kind === undefined || !isRemovable(kind))
        return yield* new NotFound({ detail: `There is no ${type} ${id} to ${judgement}.` })
      yield* (kind as Removable<JudgedType, Services, unknown>).judge(id, isOwn, judgement, act)
    }),
    PeerDecide: ({ payload }: { readonly payload: PeerDecide }) => peerDecide(owner, payload),
    ClosePeerCase: ({ payload }: { readonly payload: { readonly caseId: PeerCaseId } }) =>
      closePeerCase(owner, payload.caseId),
    JudgePeers: ({ payload }: { readonly payload: JudgePeers }) => judgePeers(kindOfReview, payload)
  }
}
