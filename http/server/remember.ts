import { textCharsKnownMax, textsKnownMax } from "../../engine/rules/http/limits.ts"

/** Remembers what was read from a text, for a bounded number of texts, because clients send the same ones again and again. */
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
