import type { FlagCode, FlagSeverity } from "../../../schema/moderation/Precheck.ts"
import { precheckFindingsMax } from "./limits.ts"
import {
  replaceDigits,
  findMatches,
  separateWords,
  type NormalizedText,
  type Span,
  joinSpelledWords,
  verbatim
} from "./NormalizedText.ts"

export interface Trick extends Span {
  readonly code: FlagCode
  readonly severity: FlagSeverity
}

const verbs = "(?:ignore|disregard|forget|override|bypass|drop)"
const orders = "(?:instructions?|prompts?|rules?|directions?|guidelines|guardrails|programming|training|context)"

const earlier = "(?:previous|prior|above|earlier|preceding|former|system|original|safety|initial)"

const injections: ReadonlyArray<readonly [FlagSeverity, RegExp]> = [
  [
    "high",
    new RegExp(`\\b${verbs} (?:all |any |every |the |your |my |of |these |those ){0,4}${earlier} ?${orders}\\b`, "gu")
  ],
  [
    "high",
    new RegExp(
      `\\b${verbs} (?:the |of |my ){0,2}(?:all|any|every|your|these|those) (?:all |any |every |the |your |my |of |these |those ){0,3}${orders}\\b`,
      "gu"
    )
  ],
  [
    "high",
    new RegExp(
      `\\b${verbs} (?:(?:everything|anything) ${earlier}|(?:everything|anything|all) (?:that )?you (?:were|have been) told)\\b`,
      "gu"
    )
  ],
  [
    "low",
    /\b(?:ignore|disregard|override|bypass) (?:the |my )?(?:instructions|prompts?|guidelines|guardrails|programming)\b/gu
  ],
  [
    "high",
    /<\|(?:im_start|im_end|system|user|assistant|endoftext)\|>|\[\/?inst\]|<<\/?sys>>|<\/?(?:system|assistant|tool_call|function_call)>/gu
  ],
  [
    "high",
    /(?:^|\n)[ \t]{0,3}(?:#{1,4} ?)?(?:system(?: (?:prompt|message))?|(?:assistant|developer) (?:prompt|message)) ?:/gu
  ],
  ["high", /(?:^|\n)[ \t]{0,3}(?:user|human) ?:[^\n]{0,200}\n[ \t]{0,3}(?:assistant|ai) ?:/gu],
  ["high", /<!--[^>]{0,300}\b(?:agents?|ai|assistants?|ignore|instructions?|keys?)\b/gu],
  [
    "high",
    /\b(?:reveal|print|repeat|show|output|leak|tell me) (?:me )?(?:your|the) (?:full |entire |hidden |initial |secret )?(?:system prompt|initial instructions|hidden instructions|api key|credentials|bearer token)\b/gu
  ],
  [
    "low",
    /\byou are now (?:in )?(?:dan|developer mode|jailbroken|unrestricted|a different (?:ai|model|assistant)|no longer)\b|\b(?:enable|enter|activate) (?:developer|god|jailbreak|dan) mode\b/gu
  ],
  [
    "low",
    /\b(?:pretend|act as if) (?:you have|there are) no (?:rules|restrictions|guidelines|limits|filters)\b|\bdo anything now\b/gu
  ],
  [
    "low",
    /\b(?:ai|language model|llm|assistant|agent)s? (?:reading|processing|listening to|summari[sz]ing) this,? (?:must|should|please|will|need to)\b/gu
  ],
  [
    "low",
    /\bcurl (?:-[a-z]{1,4} ){0,4}https?:|\brm -rf [/~]|\bpowershell -e(?:nc|ncodedcommand)?\b|\bdrop table (?!tennis|tops?\b|mats?\b|service|manners)[a-z_]{1,40}\b/gu
  ]
]

/** The same instruction in the languages that most agents read. Matched in the original letters: folding would turn half of them into Latin ones. */
const foreignInjections: ReadonlyArray<readonly [FlagSeverity, RegExp]> = [
  [
    "high",
    /(?<!\p{L})(?:ignorier\p{L}{0,3}|vergiss|missachte) (?:\p{L}{1,12} ){0,2}(?:vorherigen|bisherigen|obigen|vorigen|früheren) (?:anweisungen|instruktionen|regeln|befehle)/giu
  ],
  [
    "high",
    /(?<!\p{L})ignor\p{L}{1,4} (?:\p{L}{1,9} ){0,3}(?:instrucciones|instruções|istruzioni|instructions|consignes) (?:anteriores|previas|prévias|precedenti|précédentes|antérieures|ci-dessus)/giu
  ],
  ["high", /(?<!\p{L})(?:игнорируй|забудь)(?:те)? (?:\p{L}{1,14} ){0,3}(?:инструкции|указания|правила)/giu],
  ["high", /(?:忽略|无视|無視|忽視)\p{Script=Han}{0,10}(?:指令|指示|提示|说明|說明)/gu],
  ["high", /(?:これまで|以前|上記|前)の(?:指示|命令|プロンプト)を(?:すべて|全て)?(?:無視|忘れ)/gu]
]

const impersonations: ReadonlyArray<readonly [FlagSeverity, RegExp]> = [
  [
    "high",
    /\b(?:emergency alert system|emergency broadcast system|civil emergency message|nuclear (?:attack|strike) (?:is )?(?:imminent|incoming)|take (?:immediate )?shelter (?:now|immediately))\b/gu
  ],
  [
    "low",
    /\b(?:i am|i'm|this is|speaking as|on behalf of) (?:the |an? |your )?(?:station (?:operator|management|admin|owner|moderator)|official station|operators? of (?:the|this) station|police|fbi|irs|tax office|your bank)\b/gu
  ],
  [
    "low",
    /\bofficial (?:station )?(?:notice|announcement) from (?:the )?(?:management|operators?|station|government|police)\b/gu
  ],
  [
    "low",
    /\b(?:verify|confirm|send (?:us|me)) your (?:password|api key|account|login|card number|seed phrase|one-time code|otp)\b/gu
  ]
]

/** A common joke; next to the phrases above it frightens listeners. */
const notATest = /\bthis is not a (?:test|drill)\b/gu
const alarm =
  /\b(?:emergency|alert|attack|missiles?|warning|shelter|evacuate|evacuation|tsunami|nuclear|explosion|gunman|gas leak)\b/gu

const falseAlarms = (reading: NormalizedText): ReadonlyArray<Trick> => {
  const alarms = findMatches(reading, alarm, precheckFindingsMax)
  return findMatches(reading, notATest, precheckFindingsMax)
    .filter((said) => alarms.some(({ start }) => Math.abs(start - said.start) < 120))
    .map(({ end, start }): Trick => ({ start, end, code: "impersonation", severity: "high" }))
}

const link = /\b(?:[a-z][a-z0-9+.-]{1,15}:\/\/|www\.)[^\s<>"]{1,2048}/gu
const activeScheme = /\b(?:javascript|vbscript|data|file):[^\s<>"]{1,200}/gu
const shortener =
  /^(?:www\.)?(?:bit\.ly|t\.co|goo\.gl|tinyurl\.com|is\.gd|ow\.ly|cutt\.ly|rb\.gy|shorturl\.at|rebrand\.ly|t\.ly)$/u
const riskyEnding = /\.(?:zip|mov|tk|ml|ga|cf|gq|top|xyz|click|loan|work|rest|country|kim|onion)$/u
const download = /\.(?:exe|scr|bat|cmd|msi|apk|dmg|jar|vbs|ps1|iso)(?:$|[?#])/u

/** A link is unsafe by its target or by a disguised target; a plain link to a plain target is safe. */
const rateLink = (text: string): FlagSeverity | null => {
  const rest = text.replace(/^[a-z][a-z0-9+.-]{1,15}:\/\//u, "")
  const authority = rest.split(/[/?#]/u, 1)[0]!
  const host = authority
    .slice(authority.lastIndexOf("@") + 1)
    .replace(/:\d{1,5}$/u, "")
    .replace(/[.,;:!)]+$/u, "")
  if (!/^(?:https?:\/\/|www\.)/u.test(text)) return "low"
  if (authority.includes("@")) return "high"
  if (
    /^\d{1,3}(?:\.\d{1,3}){3}$/u.test(host) ||
    host.startsWith("[") ||
    host === "localhost" ||
    /^(?:0x[0-9a-f]+|\d{6,})$/u.test(host)
  )
    return "high"
  if (download.test(rest)) return "high"
  if (host.startsWith("xn--") || host.includes(".xn--")) return "low"
  return shortener.test(host) || riskyEnding.test(host) ? "low" : null
}

/** A host name that mixes Latin letters with lookalikes, so that it leads elsewhere. */
const isDisguised = (original: string, folded: string): boolean => {
  const hostOf = (text: string) => /^(?:[^/]{0,20}\/\/)?([^/?#]{0,255})/u.exec(text)![1]!
  return (
    /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}]/u.test(hostOf(original)) &&
    /^[\x21-\x7e]{1,255}$/u.test(hostOf(folded))
  )
}

/** A Markdown link whose text names a different host than its address. */
const lure = /\[https?:\/\/([^[\]\s/]{1,255})[^[\]\s]{0,500}\]\(https?:\/\/([^)\s/]{1,255})/gu

const links = (reading: NormalizedText): ReadonlyArray<Trick> => [
  ...findMatches(reading, lure, precheckFindingsMax)
    .filter(({ text }) => new Set([...text.matchAll(/\/\/([^\])\s/]{1,255})/gu)].map(([, host]) => host)).size > 1)
    .map(({ end, start }): Trick => ({ start, end, code: "unsafe_link", severity: "high" })),
  ...findMatches(reading, link, precheckFindingsMax).flatMap((span): ReadonlyArray<Trick> => {
    const severity =
      rateLink(span.text) ?? (isDisguised(reading.original.slice(span.start, span.end), span.text) ? "low" : null)
    return severity === null ? [] : [{ start: span.start, end: span.end, code: "unsafe_link", severity }]
  }),
  ...findMatches(reading, activeScheme, precheckFindingsMax)
    .filter(({ text }) => !/^file:(?!\/\/)|^data:(?![a-z]+\/|;|,)/u.test(text))
    .map(({ start, end }): Trick => ({ start, end, code: "unsafe_link", severity: "high" }))
]

const directions = /[\u202A-\u202E\u2066-\u2069]/gu
/** Invisible characters, except zero-width spaces in Thai and related scripts, and soft hyphens within words. */
const hidden =
  /[\u115F\u1160\u180E\u2060-\u2064\u3164\uFFA0]|(?<![\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}])\u200B|(?<!\p{L})\u00AD|\u00AD(?!\p{L})|(?<!^)\uFEFF/gu
/** One variation selector chooses the glyph of the character before it; several in a row carry hidden bytes. */
const selectors = /[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]{2,4000}/gu
/** Flags such as Scotland's are tag characters after a black flag; elsewhere tag characters are hidden text. */
const tags = /\u{1F3F4}[\u{E0020}-\u{E007E}]{1,8}\u{E007F}|([\u{E0000}-\u{E007F}]{1,4000})/gu

/** Isolates and embeddings occur in bidirectional text, opened and closed in pairs; an override reverses letters and is never needed. */
const findOverride = (text: string): number | null => {
  let open = 0
  let first: number | null = null
  for (const { 0: sign, index } of text.matchAll(directions)) {
    first ??= index
    if (sign === "\u202D" || sign === "\u202E") return index
    open += sign === "\u202C" || sign === "\u2069" ? -1 : 1
    if (open < 0) return index
  }
  return first !== null &&
    (open > 0 || !/[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u.test(text))
    ? first
    : null
}

const findConcealed = (text: string): ReadonlyArray<Trick> => {
  const found: Array<Trick> = []
  for (const match of text.matchAll(tags))
    if (match[1] !== undefined)
      found.push({ start: match.index, end: match.index + match[0].length, code: "prompt_injection", severity: "high" })
  for (const match of text.matchAll(selectors))
    found.push({ start: match.index, end: match.index + match[0].length, code: "prompt_injection", severity: "high" })
  for (const index of [findOverride(text), text.search(hidden)]) {
    if (index !== null && index >= 0)
      found.push({ start: index, end: index + 1, code: "prompt_injection", severity: "low" })
  }
  return found.slice(0, precheckFindingsMax)
}

const sales =
  /\b(?:buy now|click here|limited time offer|act now|free money|double your (?:bitcoin|money|crypto)|guaranteed (?:profit|returns|income)|crypto giveaway|work from home and earn|subscribe to my channel|promo code|100% free|make \$?\d{2,6} (?:a|per) (?:day|week|hour))\b/gu
const stretched = /(.)\1{29,}/gu

const spam = (reading: NormalizedText): ReadonlyArray<Trick> => {
  const pitches = findMatches(reading, sales, precheckFindingsMax)
  const all = findMatches(reading, link, precheckFindingsMax)
  const runs = findMatches(reading, stretched, 1).filter(({ text }) => !/^[\s\-=_*.~]/u.test(text))
  const trick = (span: Span): Trick => ({ start: span.start, end: span.end, code: "spam", severity: "low" })
  return [
    ...(pitches.length >= 2 || (pitches.length === 1 && all.length > 0) ? [pitches[0]!] : []),
    ...(all.length > 5 ? [all[5]!] : []),
    ...runs
  ].map(trick)
}

/** Text meant to mislead readers, language models or the station. */
export const promptInjection = (reading: NormalizedText): ReadonlyArray<Trick> => {
  const findTricks = (code: FlagCode, patterns: ReadonlyArray<readonly [FlagSeverity, RegExp]>, as: NormalizedText) =>
    patterns.flatMap(([severity, pattern]) =>
      findMatches(as, pattern, precheckFindingsMax).map(({ start, end }): Trick => ({ start, end, code, severity }))
    )
  return [
    ...findTricks("prompt_injection", injections, replaceDigits(reading)),
    ...findTricks("prompt_injection", injections, separateWords(replaceDigits(reading))),
    ...findTricks("prompt_injection", injections, joinSpelledWords(reading)),
    ...findTricks("prompt_injection", foreignInjections, verbatim(reading)),
    ...findConcealed(reading.original),
    ...findTricks("impersonation", impersonations, reading),
    ...falseAlarms(reading),
    ...links(reading),
    ...spam(reading)
  ]
}
