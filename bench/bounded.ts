import { Effect } from "effect"
import { createHash } from "node:crypto"
import { jsonBytesMax, jsonItemsMax } from "../engine/rules/http/limits.ts"
import { findings } from "../engine/rules/moderation/Precheck.ts"
import { suggestSplit } from "../engine/rules/segments/Script.ts"
import { scanJson } from "../http/envelope/JsonScan.ts"
import { ownHand } from "../media/pictures/Portraits.ts"
import { hash, type Goal, type Report, type Row } from "./instruments/Report.ts"

/** `share`: fraction of the longest allowed input. */
const plans = { whole: { rounds: 9, share: 1 }, small: { rounds: 1, share: 1 / 8 } } as const
/** Divisor of the anchor's input. */
const part = 8

/** Text fragments at which a pattern may start, each repeated to the full length. */
const floods = [
  "a",
  "1",
  "1 ",
  "(1-",
  " ",
  "\n",
  "@",
  "a@a.",
  "aa.aa",
  "http://",
  "www.a.",
  "you are ",
  "ignore all the my your of ",
  "<|",
  "-----BEGIN ",
  "eyJaaaaaaaaaaa.",
  "sk-",
  "i will really ",
  "12 main ",
  "password: ",
  "DE12 3456 ",
  "\u202E",
  "\u{E0041}",
  "fuck",
  "child ",
  "sex kid ",
  "+1 212 555 0",
  "x at y dot ",
  "[",
  "]",
  "\u0301",
  "data:",
  "4111 1111 ",
  "a b ",
  "a.",
  "\u2066",
  "\u00AD",
  "[https://a](https://b)",
  "[https://a",
  "<!--",
  "user: x\n",
  "忽略忽略",
  "забудьте все ",
  "http://аррӏе.",
  "bearer ",
  "negro el ",
  "naked eye kid ",
  "dick "
]
const textOf = (unit: string, chars: number) => unit.repeat(Math.ceil(chars / unit.length)).slice(0, chars)

const keys = (count: number) => Array.from({ length: count }, (_, n) => `"k${n}":0`).join(",")
/** JSON bodies of a given size in bytes. */
const bodies: ReadonlyArray<readonly [what: string, body: (bytes: number) => string]> = [
  [
    "objects with many keys",
    (bytes) => `[${Array.from({ length: Math.floor(bytes / 1_000) }, () => `{${keys(100)}}`).join(",")}]`
  ],
  ["one string of backslashes", (bytes) => `["${"\\\\".repeat(Math.floor(bytes / 2))}"]`],
  [
    "lists of empty objects",
    (bytes) =>
      `[${`[${"{},".repeat(jsonItemsMax - 1)}{}],`.repeat(Math.max(1, Math.floor(bytes / (3 * jsonItemsMax))))}0]`
  ]
]

/** Minimum over several runs, in milliseconds of this process's CPU. */
const measureLeastMs = (rounds: number, work: () => unknown) => {
  let least = Infinity
  for (let round = 0; round < rounds; round++) {
    const begun = process.cpuUsage()
    work()
    const { system, user } = process.cpuUsage(begun)
    least = Math.min(least, (system + user) / 1_000)
  }
  return least
}

/** The cost of a stranger's input grows in proportion to its length. The anchor is one eighth of the same input in the same run. */
export const run = async (size: "whole" | "small"): Promise<Report> => {
  const { rounds, share } = plans[size]
  const rows: Array<Row> = []
  const computed: Array<unknown> = []
  const goals: Array<Goal> = []
  const kinds: ReadonlyArray<
    readonly [kind: string, limit: number, works: ReadonlyArray<readonly [string, (share: number) => unknown]>]
  > = [
    [
      "precheck",
      24,
      floods.map((unit) => {
        const texts = [1, part].map((by) => textOf(unit, Math.floor((share * jsonBytesMax) / by)))
        return [JSON.stringify(unit), (by) => findings(texts[by === 1 ? 0 : 1]!).length]
      })
    ],
    [
      "scan of a body",
      24,
      bodies.map(([what, body]) => {
        const texts = [1, part].map((by) => body(Math.floor((share * jsonBytesMax) / by)))
        return [what, (by) => Array.from({ length: 40 }, () => scanJson(texts[by === 1 ? 0 : 1]!)).at(-1)]
      })
    ],
    [
      "split of a script",
      24,
      [["short words", (by) => suggestSplit("a ".repeat(Math.floor((share * 131_000) / by))).length]]
    ]
  ]
  for (const [kind, limit, works] of kinds) {
    let worst = 0
    for (const [what, work] of works) {
      work(part)
      const some = measureLeastMs(rounds, () => work(part))
      const all = measureLeastMs(rounds, () => computed.push(work(1)))
      // A time near zero is no usable anchor.
      worst = Math.max(worst, all / Math.max(some, 2))
      rows.push(
        { what: `${kind}: ${what}`, unit: "ms CPU", values: [all] },
        { what: `${kind}: ${what}, an eighth`, unit: "ms CPU", values: [some] }
      )
    }
    goals.push({ name: `${kind}: whole relative to an eighth, worst`, direction: "at most", limit, value: worst })
  }
  const hand = await Effect.runPromise(ownHand)
  const draw = async (handle: string) => {
    const begun = process.cpuUsage()
    const drawn = await Effect.runPromise(
      hand.draw({
        _tag: "Avatar",
        sitter: {
          handle,
          displayName: "Wren",
          tagline: "Notes from the marsh",
          entityType: "human",
          archetype: "storyteller",
          gender: "female",
          entityForm: null,
          signalTraits: ["calm", "static"],
          worldNotes: "a marsh at night",
          prompt: null
        }
      })
    )
    const { system, user } = process.cpuUsage(begun)
    return { ms: (system + user) / 1_000, drawn }
  }
  const block = Buffer.alloc(64 * 1_048_576, 1)
  const anchorMs = measureLeastMs(rounds, () => createHash("sha256").update(block).digest())
  const drawings = []
  for (let round = 0; round < rounds; round++) drawings.push(await draw("wren"))
  const drawnMs = Math.min(...drawings.map(({ ms }) => ms))
  rows.push(
    { what: "an avatar drawn", unit: "ms CPU", values: [drawnMs] },
    { what: "SHA-256 of 64 MiB", unit: "ms CPU", values: [anchorMs] }
  )
  goals.push({
    name: "drawing an avatar, relative to SHA-256 of 64 MiB",
    direction: "at most",
    limit: 2,
    value: drawnMs / anchorMs
  })
  const answers = computed.filter((_, at) => at % rounds === 0)
  return { bench: "bounded", rows, goals, computed: hash(JSON.stringify(answers)) }
}
