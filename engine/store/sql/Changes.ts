import { Context, Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { statementsKnownMax } from "../../rules/runtime/limits.ts"
import { afterCommitTogether, transactionOf } from "./afterCommit.ts"

/** `names` is null when anything may have changed. */
type Listener = (names: ReadonlySet<string> | null, isElsewhere: boolean) => void

/**
 * Records which tables committed transactions change, and which snapshots are published (as `@` and the name). Caches of reads drop what was made from them. Whole
 * tables are named, so that no change can be forgotten.
 */
export class ChangeLog {
  readonly #versions = new Map<string, number>()
  readonly #listeners = new Set<Listener>()
  #version = 0
  /** The version at which anything may have changed. */
  #allVersion = 0

  /** The number of changes so far. */
  get version(): number {
    return this.#version
  }

  /** `isElsewhere`: another process of the station made the change. */
  note(names: ReadonlySet<string>, isElsewhere = false): void {
    this.#version++
    for (const name of names) this.#versions.set(name, this.#version)
    for (const listener of this.#listeners) listener(names, isElsewhere)
  }

  /** Anything may have changed: changes of another process may have been missed. */
  noteAll(): void {
    this.#allVersion = ++this.#version
    for (const listener of this.#listeners) listener(null, true)
  }

  /** Whether something of these sources has changed after this version. */
  hasChanged(sources: ReadonlyArray<ReadonlySet<string>>, sinceVersion: number): boolean {
    if (sinceVersion === this.#version) return false
    if (sinceVersion < this.#allVersion) return true
    for (const [name, version] of this.#versions)
      if (version > sinceVersion && sources.some((names) => names.has(name))) return true
    return false
  }

  /** Calls the listener after each change, until the result is called. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}

/** One for the process, which has one database. */
export const Changes = Context.Reference<ChangeLog>("longwave/engine/store/Changes", {
  defaultValue: () => new ChangeLog()
})

/** Collects what an answer is made from; null where nobody asks. */
export const Sources = Context.Reference<Array<ReadonlySet<string>> | null>("longwave/engine/store/Sources", {
  defaultValue: () => null
})

/** What the text of a statement says: the same object each time for the same text. */
export interface Facts {
  /** Reads, writes, or must be sent alone. */
  readonly kind: "read" | "write" | null
  readonly answersRows: boolean
  /** Every word, and so every table that it reads. */
  readonly words: ReadonlySet<string>
  /** Tables that it changes; null without any. */
  readonly changes: ReadonlySet<string> | null
}

/** Views, and the tables that they read. */
export const views: Readonly<Record<string, ReadonlyArray<string>>> = {
  agent_owners: ["agents", "human_agents", "humans"],
  peer_queue: ["reviews", "peer_cases"]
}

const written = /(?<!\b(?:FOR|DO|KEY)\s+)\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM|TRUNCATE)\s+(?:ONLY\s+)?([a-z_]+)/g

/** Statements that begin with the same parts. A statement has the same parts each time, so that looking them up takes less time than joining them. */
interface Known {
  readonly next: Map<string, Known>
  facts: Facts | null
}
const known: Known = { next: new Map(), facts: null }
let knownCount = 0

/** Whether a text has an instant in it, as those of the cluster's mailbox have: it won't come again, and remembering it would only take memory. */
export const isOnlyOnce = (text: string): boolean => /\d{13}/.test(text)

const partOf = (segment: Statement.Segment): string =>
  segment._tag === "Literal" || segment._tag === "Identifier" ? segment.value : "?"

export const factsOf = ({ segments }: Statement.Fragment): Facts => {
  let at: Known | undefined = known
  for (const segment of segments) if ((at = at.next.get(partOf(segment))) === undefined) break
  return at?.facts ?? learnFacts(segments.map(partOf))
}

const learnFacts = (parts: ReadonlyArray<string>): Facts => {
  const text = parts.join("")
  const facts = readFacts(text)
  if (isOnlyOnce(text)) return facts
  if (++knownCount > statementsKnownMax) {
    known.next.clear()
    knownCount = 1
  }
  let at = known
  for (const part of parts) {
    let next = at.next.get(part)
    if (next === undefined) at.next.set(part, (next = { next: new Map(), facts: null }))
    at = next
  }
  return (at.facts = facts)
}

const readFacts = (text: string): Facts => {
  const changes = new Set([...text.matchAll(written)].map(([, table]) => table!))
  const words = new Set(text.match(/[a-z_]+/g))
  for (const [view, tables] of Object.entries(views)) if (words.has(view)) for (const table of tables) words.add(table)
  return {
    kind: /^\s*(\(?SELECT|WITH RECURSIVE)\b/i.test(text)
      ? "read"
      : /^\s*(INSERT|UPDATE|DELETE)\b/i.test(text)
        ? "write"
        : null,
    answersRows: /\bRETURNING\b/i.test(text),
    words,
    changes: changes.size === 0 ? null : changes
  }
}

/**
 * Watches the statements of a client: what an answer is made from, and what a transaction has changed when it commits. What a statement
 * outside of any transaction changes is noted before it, and by `ask` after it.
 */
export const watchStatements = (sql: SqlClient.SqlClient): Statement.Transformer => {
  /** For each open transaction, the statements whose changes are recorded when it commits. */
  const due = new WeakMap<object, Set<Facts>>()
  const afterCommit = afterCommitTogether(sql)
  return (statement, _, fiber) => {
    const facts = factsOf(statement)
    fiber.getRef(Sources)?.push(facts.words)
    const { changes } = facts
    if (changes === null) return Effect.succeed(statement)
    const transaction = transactionOf(sql, fiber.context)
    const log = fiber.getRef(Changes)
    if (transaction === undefined) {
      log.note(changes)
      return Effect.succeed(statement)
    }
    const noted = due.get(transaction) ?? new Set()
    due.set(transaction, noted)
    if (noted.has(facts)) return Effect.succeed(statement)
    noted.add(facts)
    return Effect.as(afterCommit(Effect.sync(() => log.note(changes))), statement)
  }
}
