/** Positions of foreign texts in an answer, as dotted paths, except those that an enclosing `untrusted` names. */
export const findStray = (body: unknown, isForeign: (text: string) => boolean): ReadonlyArray<string> => {
  const found: Array<string> = []
  const walk = (part: unknown, path: ReadonlyArray<string>, named: ReadonlyArray<string>): void => {
    const dotted = path.join(".")
    if (named.some((name) => dotted === name || dotted.startsWith(`${name}.`))) return
    if (typeof part === "string") {
      if (isForeign(part)) found.push(dotted)
      return
    }
    if (part === null || typeof part !== "object") return
    const own = (part as { readonly untrusted?: unknown }).untrusted
    const here = Array.isArray(own) ? own.map((name) => [...path, String(name)].join(".")) : []
    for (const [name, value] of Object.entries(part)) walk(value, [...path, name], [...named, ...here])
  }
  walk(body, [], [])
  return found
}
