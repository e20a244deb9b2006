import { jsonDepthMax, jsonItemsMax, jsonKeysMax } from "../../engine/rules/http/limits.ts"

/** Characters of a key in a report. */
const keyCharsShown = 60

/**
 * Finds faults that `JSON.parse` accepts: duplicate keys (it keeps the last), unlimited nesting, and arrays and objects
 * larger than any operation takes. One pass over valid JSON; returns the fault, or null.
 */
export const scanJson = (text: string): string | null => {
  const open: Array<Set<string> | null> = []
  const commas: Array<number> = []
  let isKey = false
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"': {
        const from = at
        for (at++; text[at] !== '"'; at++) if (text[at] === "\\") at++
        const keys = open.at(-1)
        if (!isKey || keys === undefined || keys === null) break
        const key = JSON.parse(text.slice(from, at + 1)) as string
        if (keys.has(key)) return `the key ${JSON.stringify(key.slice(0, keyCharsShown))} is given twice`
        keys.add(key)
        if (keys.size > jsonKeysMax) return `an object has more than ${jsonKeysMax} fields`
        isKey = false
        break
      }
      case "{":
      case "[":
        open.push(text[at] === "{" ? new Set() : null)
        commas.push(0)
        isKey = text[at] === "{"
        if (open.length > jsonDepthMax) return `it is nested deeper than ${jsonDepthMax} levels`
        break
      case "}":
      case "]":
        open.pop()
        commas.pop()
        isKey = false
        break
      case ",":
        isKey = open.at(-1) instanceof Set
        if (!isKey && ++commas[commas.length - 1]! >= jsonItemsMax)
          return `a list has more than ${jsonItemsMax} entries`
        break
    }
  }
  return null
}
