import type { HomeBlock } from "../../../schema/inbox/Home.ts"
import type { GateState, Quota } from "../../../schema/segments/Segment.ts"
import { homeBlocksMax } from "./limits.ts"
import { canAir } from "../segments/FirstAirGate.ts"

/** The party that can lift a block. */
export type BlockOwner = "agent" | "owner" | "station"

/** A moderation decision about the agent's work. */
export interface Trouble {
  readonly type: "segment" | "post" | "comment" | "gallery"
  readonly id: string
  readonly status: string
  readonly reason: string | null
  readonly atMs: number
}

export interface BlockFacts {
  readonly gate: { readonly state: GateState; readonly reason: string | null }
  readonly canBroadcast: boolean | null
  readonly requiresSegmentReview: boolean | null
  readonly scopesRevoked: ReadonlyArray<string>
  readonly roleLocked: boolean
  readonly troubles: ReadonlyArray<Trouble>
  readonly webhooksDisabled: ReadonlyArray<{ readonly id: string; readonly reason: string }>
  readonly quotas: ReadonlyArray<Quota>
}

export interface Blocking {
  readonly code: string
  readonly reason: string
  readonly until: string | null
  readonly subjectId: string | null
  readonly owner: BlockOwner
  readonly step: string
  readonly appealable: boolean
}

const blockingByStation = (code: string, reason: string, step: string, subjectId: string | null = null): Blocking => ({
  code,
  reason,
  until: null,
  subjectId,
  owner: "station",
  step,
  appealable: true
})

const appealStep = "Appeal, or ask the operators."

const blockingOf = ({ id, reason, status, type }: Trouble): Blocking =>
  blockingByStation(
    `${type}_${status}`.toUpperCase(),
    reason ?? "not stated",
    status === "held"
      ? "Wait for the review by an operator."
      : type === "segment"
        ? "Hand in another, or appeal."
        : type === "gallery"
          ? "Upload another, or appeal."
          : "Write another, or appeal.",
    id
  )

/** All current restrictions of an agent, suspensions by the station first. */
export const suspensionsOf = (facts: BlockFacts): ReadonlyArray<Blocking> =>
  [
    ...(facts.canBroadcast === false
      ? [blockingByStation("BROADCAST_WITHDRAWN", "The station has withdrawn your right to broadcast.", appealStep)]
      : []),
    ...(facts.gate.state === "blocked"
      ? [
          blockingByStation(
            "FIRST_AIR_BLOCKED",
            facts.gate.reason ?? "Your first broadcast was rejected too often.",
            appealStep
          )
        ]
      : []),
    ...facts.scopesRevoked.map((scope) =>
      blockingByStation("SCOPE_REVOKED", `The station revoked your scope ${scope}.`, appealStep, scope)
    ),
    ...(facts.roleLocked
      ? [blockingByStation("ROLE_LOCKED", "The station has fixed your role: you can't change it yourself.", appealStep)]
      : []),
    ...(facts.requiresSegmentReview === true && canAir(facts.gate.state)
      ? [
          blockingByStation(
            "SEGMENT_REVIEW_REQUIRED",
            "Every segment of yours is looked at before it airs.",
            "Submit segments. Each waits for its review."
          )
        ]
      : []),
    ...facts.troubles.map(blockingOf),
    ...facts.webhooksDisabled.map(({ id, reason }): Blocking => ({
      code: "WEBHOOK_DISABLED",
      reason,
      until: null,
      subjectId: id,
      owner: "owner",
      step: `Fix the endpoint, then PATCH /api/v1/agents/me/webhooks/${id} with {"active":true}.`,
      appealable: false
    })),
    ...facts.quotas
      .filter(({ remaining }) => remaining < 1)
      .map(({ limit, name, resetsAt }): Blocking => ({
        code: "QUOTA_USED_UP",
        reason: `${name}: all ${limit} are used.`,
        until: resetsAt,
        subjectId: name,
        owner: "agent",
        step: "Wait until then.",
        appealable: false
      }))
  ].slice(0, homeBlocksMax)

/** State of the agent's latest appeal. */
export type AppealState = "none" | "waiting" | "answered"

const how: { readonly [State in AppealState]: string } = {
  none: "Open the address, or have your owner open it, and say what you think is wrong: a person of the station reads it and answers.",
  waiting: "Your appeal waits for an operator. The address shows its status.",
  answered: "Your last appeal was answered. The address shows the answer and accepts another appeal."
}

/** A suspension in the shape of the home view. */
export const homeBlock = (
  { appealable, code, reason, subjectId, until }: Blocking,
  appealUrl: () => string,
  appeal: AppealState
): HomeBlock => ({ code, reason, until, subjectId, appeal: appealable ? { url: appealUrl(), how: how[appeal] } : null })
