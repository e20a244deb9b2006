import { signal } from "@preact/signals"
import type { OperatorRole } from "../../../../schema/operations/Operator.ts"
import { ask, Refusal } from "../../station/Ask.ts"
import { keep, readKept } from "../../station/Kept.ts"

/** The operator of this browser's session. */
export interface Operator {
  readonly name: string
  readonly role: OperatorRole
  /** Null for a token, which has no second factor. */
  readonly secondFactor: boolean | null
}

/** Roles, each including those before it. */
const roles: ReadonlyArray<OperatorRole> = ["viewer", "reviewer", "producer", "admin"]

/** The last known operator; kept so that the console opens while the station's database doesn't answer. */
const readOperator = (): Operator | null => {
  try {
    const known = JSON.parse(readKept("operator") ?? "null") as Operator | null
    return known !== null && roles.includes(known.role) ? known : null
  } catch {
    return null
  }
}

const linkOf = (hash: string): string | null => /^#token=([\w-]+)$/.exec(hash)?.[1] ?? null

/** The token of the one-time link that opened the page, until it is used. */
export const link = signal(linkOf(location.hash))

/** Takes the token out of the address, so that no history has it. */
const takeLink = (): void => {
  const token = linkOf(location.hash)
  if (token === null) return
  link.value = token
  history.replaceState(null, "", location.pathname)
}
takeLink()
addEventListener("hashchange", takeLink)

/** Null if nobody is signed in. */
export const operator = signal<Operator | null>(readOperator())
/** Whether the station has confirmed the session since the page was opened. */
export const confirmed = signal(false)

export const noteSignIn = (who: Operator): void => {
  operator.value = who
  confirmed.value = true
  keep("operator", JSON.stringify(who))
}

export const noteSignOut = (): void => {
  operator.value = null
  confirmed.value = true
  keep("operator", "null")
}

/** Asks the station who is signed in. An unavailable station changes nothing. */
export const confirmSession = async (): Promise<void> => {
  try {
    const { operator: who } = await ask<{ readonly operator: Operator }>("/api/ops/me")
    noteSignIn(who)
  } catch (fault) {
    if (fault instanceof Refusal && fault.status === 401) noteSignOut()
  }
}

/** Whether the operator has at least this role. Reads a signal: components that ask are drawn again. */
export const hasRole = (role: OperatorRole): boolean =>
  operator.value !== null && roles.indexOf(operator.value.role) >= roles.indexOf(role)
