import { englishDataset, englishRecommendedTransformers, RegExpMatcher } from "obscenity"
import type { FlagCode, FlagSeverity } from "../../schema/Precheck.ts"
import { precheckFindingsMax } from "../Limits.ts"
import { matches, type Reading, type Span, spanOf } from "./Reading.ts"

const matcher = new RegExpMatcher({ ...englishDataset.build(), ...englishRecommendedTransformers })

/** Words that are hatred by themselves, and words that speak of sex; the rest of the word list is swearing. */
const slurs = new Set(["abo", "abeed", "africoon", "arabush", "boonga", "chingchong", "chink", "dyke", "fag", "kike", "negro", "nigger", "retard", "spastic", "tranny"])
const sexualWords = new Set([
  "anal", "anus", "bestiality", "blowjob", "boob", "buttplug", "cock", "cum", "deepthroat", "dildo", "doggystyle", "double penetration", "ejaculate", "felch", "fellatio",
  "finger bang", "fisting", "gangbang", "handjob", "hentai", "incest", "jerk off", "jizz", "lubejob", "masturbate", "orgasm", "orgy", "penis", "porn", "pussy", "rape",
  "semen", "sex", "tit", "vagina", "wank"
])
/** Said on any station every day. */
const harmless = new Set(["sex", "abo", "hooker", "scat", "penis", "vagina", "anus", "rape", "semen"])

/** Names that swear only to a word list. */
const names = /\b(?:moby[- ]dick|dick (?:cheney|van dyke|tracy|clark|cavett)|philip k\.? dick|coq au vin|tit for tat|blue tits?|great tits?|peacock|cock[- ]a[- ]doodle)\b/gu

export interface Conduct extends Span {
  readonly code: FlagCode
  readonly severity: FlagSeverity
}

const person = "(?:you|u|him|her|them|he|she|they|everyone|everybody|(?:all )?(?:of )?(?:you|them)|that (?:guy|man|woman|host))"
const people = "(?:jews|muslims|christians|blacks|whites|asians|mexicans|immigrants|refugees|gays|lesbians|trans people|women|men|arabs|gypsies|roma)"
const minors = /\b(?:child|children|kid|kids|minor|minors|underage|preteen|toddler|infant|schoolgirls?|schoolboys?|little (?:girls?|boys?)|\d{1,2}[- ]?(?:year|yr)s?[- ]old)\b/gu
const sexualCue = /\b(?:sex|sexual|sexually|sexy|nude|nudes|naked|erotic|porn|molest|molesting|grooming|seduce|seducing|fondle|rape|explicit)\b/gu

const patterns: ReadonlyArray<readonly [FlagCode, FlagSeverity, RegExp]> = [
  ["threat", "high", new RegExp(`\\b(?:i|we)(?:'ll| will|'m going to| am going to|'re going to| are going to|'m gonna|'re gonna) (?:personally |really )?(?:kill|murder|shoot|stab|hurt|hunt|behead|strangle|beat up|burn) (?:down )?(?:${person}|your (?:family|house|kids|children|home))\\b`, "gu")],
  ["threat", "high", /\byou(?:'re| are) (?:going to|gonna) (?:die tonight|regret this|be dead)\b|\bi know where you (?:live|sleep)\b|\bwatch your back\b/gu],
  ["threat", "high", /\b(?:bomb|blow up|shoot up|set fire to|burn down) (?:the |that |your |this )(?:school|station|studio|church|mosque|synagogue|building|office|airport|hospital)\b/gu],
  ["threat", "high", /\b(?:somebody|someone) should (?:kill|shoot|murder|hang) (?:him|her|them|you)\b/gu],
  ["hate", "high", new RegExp(`\\b(?:kill|gas|exterminate|deport|hang|burn|eradicate|get rid of) (?:all )?(?:the )?${people}\\b`, "gu")],
  ["hate", "high", new RegExp(`\\b${people} (?:are|r) (?:all )?(?:vermin|rats|subhuman|animals|filth|parasites|a disease|cockroaches|scum|inferior|criminals|rapists)\\b`, "gu")],
  ["hate", "high", /\b(?:heil hitler|sieg heil|white power|14 ?88|gas chambers? (?:were|was) (?:right|good)|hitler was right|race war now|white genocide)\b/gu],
  ["self_harm", "high", /\b(?:kill yourself|kys|go (?:and )?die|end yourself|hang yourself|slit your wrists|drink bleach)\b/gu],
  ["self_harm", "high", /\b(?:how to|best way to|easiest way to|ways to|painless way to) (?:kill myself|kill yourself|commit suicide|end my life|overdose|hang myself)\b/gu],
  ["self_harm", "low", /\bi (?:want|wish|am going|'m going|plan) to (?:die|kill myself|end my life|hurt myself|disappear forever)\b|\bcutting myself\b/gu],
  ["abuse", "low", /\b(?:you(?:'re| are)(?: all)?|u r) (?:such )?(?:an? )?(?:absolute |complete |total |fucking |stupid |worthless |pathetic |miserable ){0,2}(?:idiots?|morons?|imbeciles?|losers?|scum|trash|garbage|worthless|pathetic|disgusting|stupid|pigs?)\b/gu],
  ["abuse", "low", /\b(?:shut up,? you|nobody likes you|go to hell|piece of (?:trash|garbage))\b/gu],
  ["sexual", "low", /\b(?:send (?:me )?nudes|hot singles|onlyfans|explicit (?:sex|content|photos)|have sex with (?:me|you)|sexual favou?rs)\b/gu]
]

const profanity = (reading: Reading): ReadonlyArray<Conduct> => {
  const found: Array<Conduct> = []
  const known = matches(reading, names, precheckFindingsMax)
  for (const match of matcher.getAllMatches(reading.folded, true)) {
    const word = englishDataset.getPayloadWithPhraseMetadata(match).phraseMetadata?.originalWord ?? ""
    if (harmless.has(word)) continue
    const span = spanOf(reading, match.startIndex, match.endIndex + 1)
    if (known.some((name) => name.start <= span.start && span.end <= name.end)) continue
    found.push(slurs.has(word)
      ? { ...span, code: "hate", severity: "high" }
      : { ...span, code: sexualWords.has(word) ? "sexual" : "abuse", severity: "low" })
    if (found.length === precheckFindingsMax) break
  }
  return found
}

/** Anything sexual within a sentence's reach of a child. */
const minorSafety = (reading: Reading): ReadonlyArray<Conduct> => {
  const children = matches(reading, minors, precheckFindingsMax).filter(({ text }) => !/^\d/u.test(text) || Number.parseInt(text, 10) < 18)
  if (children.length === 0) return []
  const cues = [...matches(reading, sexualCue, precheckFindingsMax), ...profanity(reading).filter(({ code }) => code === "sexual")]
  return cues.filter((cue) => children.some((child) => Math.abs(child.start - cue.start) < 60))
    .map(({ start, end }) => ({ start, end, code: "minor_safety", severity: "high" }))
}

/** How people are spoken to and of. Word lists and sentence shapes; what they miss, listeners and agents flag. */
export const conduct = (reading: Reading): ReadonlyArray<Conduct> => [
  ...patterns.flatMap(([code, severity, pattern]) => matches(reading, pattern, precheckFindingsMax).map(({ start, end }) => ({ start, end, code, severity }))),
  ...profanity(reading),
  ...minorSafety(reading)
]
