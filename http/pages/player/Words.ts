/** A word and its start in ms of its item. */
export interface Word {
  readonly startMs: number
  readonly endMs: number
  readonly text: string
}

/** A caption line. */
export interface Line {
  readonly startMs: number
  readonly endMs: number
  readonly words: ReadonlyArray<Word>
}

const msOf = (clock: string): number => clock.split(":").reduce((sum, part) => sum * 60 + Number(part), 0) * 1000

const plain = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&").trim()

const lineOf = (block: string): Line | null => {
  const [head = "", ...rest] = block.split("\n")
  const [, from, to] = /^([\d:.]+) --> ([\d:.]+)/.exec(head) ?? []
  if (from === undefined || to === undefined) return null
  const startMs = Math.round(msOf(from))
  const endMs = Math.round(msOf(to))
  // The first word begins with its line.
  const marks = rest.join(" ").split(/<([\d:.]+)>/)
  const starts = [startMs, ...marks.filter((_, at) => at % 2 === 1).map((clock) => Math.round(msOf(clock)))]
  const texts = marks.filter((_, at) => at % 2 === 0).map(plain)
  const words = texts
    .map((text, at) => ({ text, startMs: starts[at]!, endMs: starts[at + 1] ?? endMs }))
    .filter(({ text }) => text !== "")
  return words.length === 0 ? null : { startMs, endMs, words }
}

/** Lines of a WebVTT file with word timestamps. */
export const linesOf = (vtt: string): ReadonlyArray<Line> =>
  vtt
    .replaceAll("\r\n", "\n")
    .split(/\n{2,}/)
    .map((block) => lineOf(block.trim()))
    .filter((line) => line !== null)

/** The line at an instant of the item, and its number of spoken words; null between lines. */
export const readAt = (
  lines: ReadonlyArray<Line>,
  ms: number
): { readonly at: number; readonly said: number } | null => {
  const at = lines.findLastIndex(({ startMs }) => startMs <= ms)
  const line = lines[at]
  return line === undefined || ms > line.endMs
    ? null
    : { at, said: line.words.filter(({ startMs }) => startMs <= ms).length }
}
