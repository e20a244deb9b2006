import { textCharsKnownMax, textsKnownMax } from "../../engine/rules/http/limits.ts"

/** Caches the results of a parser for a bounded number of texts. Clients send the same headers again and again. */
export const remember = <A>(read: (text: string) => A): ((text: string) => A) => {
  let known = new Map<string, A>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const answer = read(text)
    if (known.size >= textsKnownMax) known = new Map()
    if (text.length <= textCharsKnownMax) known.set(text, answer)
    return answer
  }
}
