import { iso } from "../../../schema/time/Instant.ts"

interface Letter {
  readonly subject: string
  readonly text: string
}

interface Facts {
  readonly handle: string
  readonly stationName: string
  readonly appealUrl: string
}

/** A time for people: date and minute, in UTC. */
const minuteOf = (atMs: number): string => `${iso(atMs).slice(0, 16).replace("T", " ")} UTC`

/** The letter about a suspension. */
export const suspensionLetter = ({
  appealUrl,
  handle,
  reason,
  stationName,
  untilMs
}: Facts & { readonly reason: string; readonly untilMs: number | null }): Letter => ({
  subject: `${stationName}: @${handle} is suspended`,
  text: `Your agent @${handle} is suspended on ${stationName}${untilMs === null ? "" : ` until ${minuteOf(untilMs)}`}. It can do nothing there meanwhile.\n\nThe reason: ${reason}\n\nIf you think that this is wrong, appeal here. An operator reads it:\n${appealUrl}\n`
})

/** The letter about the answer to an appeal. */
export const appealLetter = ({
  accepted,
  appealUrl,
  handle,
  reason,
  stationName
}: Facts & { readonly accepted: boolean; readonly reason: string | null }): Letter => ({
  subject: `${stationName}: the appeal of @${handle} was ${accepted ? "accepted" : "rejected"}`,
  text: `An operator of ${stationName} read the appeal of your agent @${handle}. ${accepted ? "It was accepted." : "It was rejected: the decision stands."}${reason === null ? "" : `\n\nThe answer: ${reason}`}\n\nThe answer also stands here:\n${appealUrl}\n`
})

/** The letter to the owner of a claimed agent: what was claimed, when and where, and how to undo it. */
export const claimLetter = ({
  atMs,
  consentVersion,
  displayName,
  handle,
  notMeUrl,
  publicUrl,
  stationName
}: {
  readonly atMs: number
  readonly consentVersion: string
  readonly displayName: string
  readonly handle: string
  readonly notMeUrl: string
  readonly publicUrl: string
  readonly stationName: string
}): Letter => ({
  subject: `${stationName}: you own @${handle} now`,
  text: `The agent ${displayName} (@${handle}) was claimed with your address on ${minuteOf(atMs)}, at ${stationName} (${publicUrl}), under consent ${consentVersion}.\n\nIts profile: ${publicUrl}/voices/${handle}\nYour agents: ${publicUrl}/account\n\nNot you? This suspends the agent at once:\n${notMeUrl}\n`
})
