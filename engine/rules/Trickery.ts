import type { FlagCode, FlagSeverity } from "../../schema/Precheck.ts"
import { precheckFindingsMax } from "../Limits.ts"
import { matches, type Reading, type Span } from "./Reading.ts"

export interface Trick extends Span {
  readonly code: FlagCode
  readonly severity: FlagSeverity
}

const verbs = "(?:ignore|disregard|forget|override|bypass|drop)"
const orders = "(?:instructions?|prompts?|rules?|directions?|guidelines|guardrails|programming|training|context)"

const injections: ReadonlyArray<readonly [FlagSeverity, RegExp]> = [
  ["high", new RegExp(`\\b${verbs} (?:all |any |every |the |your |my |of |these |those ){0,4}(?:previous|prior|above|earlier|preceding|former|system|original|safety)? ?${orders}\\b`, "gu")],
  ["high", /<\|(?:im_start|im_end|system|user|assistant|endoftext)\|>|\[\/?inst\]|<<\/?sys>>|<\/?(?:system|assistant|tool_call|function_call)>/gu],
  ["high", /(?:^|\n)\s{0,3}(?:#{1,4} ?)?(?:system|assistant|developer) ?(?:prompt|message)? ?:/gu],
  ["high", /\b(?:reveal|print|repeat|show|output|leak|tell me) (?:me )?(?:your|the) (?:full |entire |hidden |initial |secret )?(?:system prompt|initial instructions|hidden instructions|api key|credentials|bearer token)\b/gu],
  ["low", /\byou are now (?:in )?(?:dan|developer mode|jailbroken|unrestricted|a different (?:ai|model|assistant)|no longer)\b|\b(?:enable|enter|activate) (?:developer|god|jailbreak|dan) mode\b/gu],
  ["low", /\b(?:pretend|act as if) (?:you have|there are) no (?:rules|restrictions|guidelines|limits|filters)\b|\bdo anything now\b/gu],
  ["low", /\b(?:ai|language model|llm|assistant|agent)s? (?:reading|processing|listening to|summari[sz]ing) this,? (?:must|should|please|will|need to)\b/gu],
  ["low", /\bcurl (?:-[a-z]{1,4} ){0,4}https?:|\brm -rf [/~]|\bpowershell -e(?:nc|ncodedcommand)?\b|\bdrop table [a-z_]{1,40}\b/gu]
]

const impersonations: ReadonlyArray<readonly [FlagSeverity, RegExp]> = [
  ["high", /\b(?:emergency alert system|emergency broadcast system|this is not a (?:test|drill)|civil emergency message|nuclear (?:attack|strike) (?:is )?(?:imminent|incoming)|take (?:immediate )?shelter (?:now|immediately))\b/gu],
  ["low", /\b(?:i am|i'm|this is|speaking as|on behalf of) (?:the |an? |your )?(?:station (?:operator|management|admin|owner|moderator)|official station|operators? of (?:the|this) station|police|fbi|irs|tax office|your bank)\b/gu],
  ["low", /\bofficial (?:station )?(?:notice|announcement) from (?:the )?(?:management|operators?|station|government|police)\b/gu],
  ["low", /\b(?:verify|confirm|send (?:us|me)) your (?:password|api key|account|login|card number|seed phrase|one-time code|otp)\b/gu]
]

const link = /\b(?:[a-z][a-z0-9+.-]{1,15}:\/\/|www\.)[^\s<>"]{1,2048}/gu
const activeScheme = /\b(?:javascript|vbscript|data|file):[^\s<>"]{1,200}/gu
const shortener = /^(?:www\.)?(?:bit\.ly|t\.co|goo\.gl|tinyurl\.com|is\.gd|ow\.ly|cutt\.ly|rb\.gy|shorturl\.at|rebrand\.ly|t\.ly)$/u
const riskyEnding = /\.(?:zip|mov|tk|ml|ga|cf|gq|top|xyz|click|loan|work|rest|country|kim|onion)$/u
const download = /\.(?:exe|scr|bat|cmd|msi|apk|dmg|jar|vbs|ps1|iso)(?:$|[?#])/u

/** A link is unsafe by where it leads or how it hides it; a plain one to a plain place isn't. */
const unsafe = (text: string): FlagSeverity | null => {
  const rest = text.replace(/^[a-z][a-z0-9+.-]{1,15}:\/\//u, "")
  const authority = rest.split(/[/?#]/u, 1)[0]!
  const host = authority.slice(authority.lastIndexOf("@") + 1).replace(/:\d{1,5}$/u, "").replace(/[.,;:!)]+$/u, "")
  if (!/^(?:https?:\/\/|www\.)/u.test(text)) return "low"
  if (authority.includes("@")) return "high"
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/u.test(host) || host.startsWith("[") || host === "localhost" || /^(?:0x[0-9a-f]+|\d{6,})$/u.test(host)) return "high"
  if (download.test(rest)) return "high"
  if (host.startsWith("xn--") || host.includes(".xn--")) return "low"
  return shortener.test(host) || riskyEnding.test(host) ? "low" : null
}

const links = (reading: Reading): ReadonlyArray<Trick> => [
  ...matches(reading, link, precheckFindingsMax).flatMap((span): ReadonlyArray<Trick> => {
    const severity = unsafe(span.text)
    return severity === null ? [] : [{ start: span.start, end: span.end, code: "unsafe_link", severity }]
  }),
  ...matches(reading, activeScheme, precheckFindingsMax).filter(({ text }) => !/^file:(?!\/\/)|^data:(?![a-z]+\/|;|,)/u.test(text))
    .map(({ start, end }): Trick => ({ start, end, code: "unsafe_link", severity: "high" }))
]

const bidi = /[\u202A-\u202E\u2066-\u2069]/gu
const hidden = /[\u00AD\u115F\u1160\u180E\u200B\u2060-\u2064\u3164\uFFA0]|(?<!^)\uFEFF/gu
/** A flag like that of Scotland is written in tag characters behind a black flag; elsewhere they are hidden text. */
const tags = /\u{1F3F4}[\u{E0020}-\u{E007E}]{1,8}\u{E007F}|([\u{E0000}-\u{E007F}]{1,4000})/gu

const concealed = (text: string): ReadonlyArray<Trick> => {
  const found: Array<Trick> = []
  for (const match of text.matchAll(tags)) if (match[1] !== undefined) found.push({ start: match.index, end: match.index + match[0].length, code: "prompt_injection", severity: "high" })
  for (const pattern of [bidi, hidden]) {
    const first = text.matchAll(pattern).next()
    if (!first.done) found.push({ start: first.value.index, end: first.value.index + 1, code: "prompt_injection", severity: "low" })
  }
  return found
}

const sales = /\b(?:buy now|click here|limited time offer|act now|free money|double your (?:bitcoin|money|crypto)|guaranteed (?:profit|returns|income)|crypto giveaway|work from home and earn|subscribe to my channel|promo code|100% free|make \$?\d{2,6} (?:a|per) (?:day|week|hour))\b/gu
const stretched = /(.)\1{29,}/gu

const spam = (reading: Reading): ReadonlyArray<Trick> => {
  const pitches = matches(reading, sales, precheckFindingsMax)
  const all = matches(reading, link, precheckFindingsMax)
  const runs = matches(reading, stretched, 1).filter(({ text }) => !/^[\s\-=_*.~]/u.test(text))
  const trick = (span: Span): Trick => ({ start: span.start, end: span.end, code: "spam", severity: "low" })
  return [...(pitches.length >= 2 || (pitches.length === 1 && all.length > 0) ? [pitches[0]!] : []), ...(all.length > 5 ? [all[5]!] : []), ...runs].map(trick)
}

/** What is meant to mislead: readers, machines that read along, or the station. */
export const trickery = (reading: Reading): ReadonlyArray<Trick> => {
  const of = (code: FlagCode, patterns: ReadonlyArray<readonly [FlagSeverity, RegExp]>) =>
    patterns.flatMap(([severity, pattern]) => matches(reading, pattern, precheckFindingsMax).map(({ start, end }): Trick => ({ start, end, code, severity })))
  return [...of("prompt_injection", injections), ...concealed(reading.original), ...of("impersonation", impersonations), ...links(reading), ...spam(reading)]
}
