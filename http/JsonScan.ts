import { jsonDepthMax } from "../engine/Limits.ts"

/**
 * What `JSON.parse` lets pass in silence: a key given twice (of which it keeps the last) and nesting without end.
 * One walk over text that is known to be JSON; answers what is wrong, or null.
 */
export const scanJson = (text: string): string | null => {
  const open: Array<Set<string> | null> = []
  let isKey = false
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case "\"": {
        const from = at
        for (at++; text[at] !== "\""; at++) if (text[at] === "\\") at++
        const keys = open.at(-1)
        if (!isKey || keys === undefined || keys === null) break
        const key = JSON.parse(text.slice(from, at + 1)) as string
        if (keys.has(key)) return `the key ${JSON.stringify(key)} is given twice`
        keys.add(key)
        isKey = false
        break
      }
      case "{":
      case "[":
        open.push(text[at] === "{" ? new Set() : null)
        isKey = text[at] === "{"
        if (open.length > jsonDepthMax) return `it is nested deeper than ${jsonDepthMax} levels`
        break
      case "}":
      case "]":
        open.pop()
        isKey = false
        break
      case ",":
        isKey = open.at(-1) instanceof Set
        break
    }
  }
  return null
}
