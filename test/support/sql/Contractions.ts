/** The newest migration from before this rule. Later ones only expand, or are listed below. */
export const expandOnlyAfter = 250

/**
 * Migrations that take something away, by number: what, word by word as `contractionsBetween` says it, and the release whose code no longer used it.
 * That release must be older than the one that this version belongs to: during an upgrade, the version before still runs.
 */
export const contractions: Readonly<
  Record<number, { readonly unusedSince: string; readonly what: ReadonlyArray<string> }>
> = {}
