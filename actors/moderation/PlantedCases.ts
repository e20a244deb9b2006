import { Clock, Effect } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { peerReviewHours } from "../../engine/rules/moderation/limits.ts"
import { canPeersRead } from "../../engine/rules/moderation/PeerReview.ts"
import { PeerCasesWriter } from "../../engine/store/moderation/PeerCases.ts"
import type { PeerCaseId } from "../../schema/Ids.ts"
import type { PeerSubjectType } from "../../schema/moderation/PeerReview.ts"
import { Flag } from "../../schema/moderation/Precheck.ts"
import { InvalidField, NotFound } from "../../schema/Problems.ts"
import { hourMs } from "../../schema/time/Units.ts"
import { record } from "../runtime/audit.ts"
import { behaviours, command } from "../runtime/Command.ts"
import { actorLayer } from "../runtime/actorLayer.ts"
import { transient } from "../runtime/EntityKinds.ts"
import { addJob } from "../runtime/Jobs.ts"
import { invitePeers, measurePeers } from "./PeerVerdicts.ts"
import { closePeerCase, peerDecide, type PeerSubjectOwner } from "./PeerVotes.ts"
import { ClosePeerCase, PlantedCase } from "./protocol.ts"
import { excerptHash } from "./excerptHash.ts"
import { findFlaggedTexts, flagsOf } from "./TextChecks.ts"

const onlyOperators = new InvalidField({
  detail: "Peers don't see subjects with such flags. Give others, or change the text.",
  errors: [{ pointer: "/flags", code: "INVALID_FIELD", detail: "has a flag that only operators decide on" }]
})

/** A planted subject has an id like the real ones of its kind. */
const prefixes: { readonly [Type in PeerSubjectType]: string } = {
  post: "post",
  comment: "cmt",
  lore: "lore",
  topic: "top",
  segment: "seg",
  track: "trk",
  write_in: "int",
  blog: "blog"
}

/** Nothing happens to a planted subject. */
const noSubject = null as PeerSubjectOwner<never> | null

/** Activated on demand. All its state is in the store. */
export const PlantedCaseLive = actorLayer(
  PlantedCase,
  Effect.map(
    behaviours(PlantedCase, {
      Plant: ({ payload: { actor, flags: given, reason, ...planted } }) =>
        command({
          run: Effect.gen(function* () {
            const { body, title } = planted
            const flags =
              given?.map((flag) => Flag.make({ ...flag, excerptHash: excerptHash(`${flag.code}/${body}`) })) ??
              flagsOf(findFlaggedTexts({ "/title": title, "/body": body }))
            if (!canPeersRead(flags)) return yield* onlyOperators
            const ids = yield* IdSource
            const nowMs = yield* Clock.currentTimeMillis
            const { answer, authorId, subjectType } = planted
            const subjectId = yield* ids.make(prefixes[subjectType] as "post")
            const caseId = (yield* ids.make("pmc")) as PeerCaseId
            const closesAtMs = nowMs + peerReviewHours * hourMs
            yield* (yield* PeerCasesWriter).plant(
              { ...planted, flags, id: caseId, subjectId, by: actor, closesAtMs },
              nowMs
            )
            yield* addJob(ClosePeerCase, { key: caseId, payload: { caseId }, runAtMs: closesAtMs })
            yield* invitePeers({ subjectType, subjectId, authorId, deadlineMs: closesAtMs })
            yield* record({ actor, reason }, "peers.plant", { type: "peer_case", id: caseId }, null, {
              subjectType,
              answer
            })
            return caseId
          })
        }),
      Withdraw: ({ payload: { actor, caseId, reason } }) =>
        command({
          run: Effect.gen(function* () {
            const peers = yield* PeerCasesWriter
            const found = yield* peers.lock(caseId)
            if (found === null || found.reviewId !== null)
              return yield* new NotFound({ detail: `There is no planted case ${caseId}.` })
            const before = { status: found.status, answer: found.verdict }
            yield* peers.withdraw(caseId, yield* Clock.currentTimeMillis)
            yield* measurePeers(found.subjectType)
            yield* record({ actor, reason }, "peers.withdraw", { type: "peer_case", id: caseId }, before, {
              status: "withdrawn"
            })
          })
        }),
      PeerDecide: ({ payload }) => peerDecide(noSubject, payload),
      ClosePeerCase: ({ payload }) => closePeerCase(noSubject, payload.caseId)
    }),
    (all) => PlantedCase.of(all)
  ),
  transient
)
