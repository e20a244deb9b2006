import { englishDataset, englishRecommendedTransformers, RegExpMatcher } from "obscenity"
import type { FlagCode, FlagSeverity } from "../../../schema/moderation/Precheck.ts"
import { precheckFindingsMax } from "./limits.ts"
import {
  findMatches,
  separateWords,
  type NormalizedText,
  type Span,
  spanOf,
  joinSpelledWords
} from "./NormalizedText.ts"

const matcher = new RegExpMatcher({ ...englishDataset.build(), ...englishRecommendedTransformers })

/** Slurs and sexual words of the word list; the rest is profanity. */
const slurs = new Set([
  "abo",
  "abeed",
  "africoon",
  "arabush",
  "boonga",
  "chingchong",
  "chink",
  "dyke",
  "fag",
  "kike",
  "negro",
  "nigger",
  "retard",
  "spastic",
  "tranny"
])
const sexualWords = new Set([
  "anal",
  "anus",
  "bestiality",
  "blowjob",
  "boob",
  "buttplug",
  "cock",
  "cum",
  "deepthroat",
  "dildo",
  "doggystyle",
  "double penetration",
  "ejaculate",
  "felch",
  "fellatio",
  "finger bang",
  "fisting",
  "gangbang",
  "handjob",
  "hentai",
  "incest",
  "jerk off",
  "jizz",
  "lubejob",
  "masturbate",
  "orgasm",
  "orgy",
  "penis",
  "porn",
  "pussy",
  "rape",
  "semen",
  "sex",
  "tit",
  "vagina",
  "wank"
])
/** Words of the list that are common on air. */
const harmless = new Set(["sex", "abo", "hooker", "scat", "penis", "vagina", "anus", "rape", "semen"])

/** Harmless homographs: names, birds, plants, dykes. */
const names = new RegExp(
  "\\b(?:" +
    [
      "moby[- ]dick",
      "dick (?:cheney|van dyke|tracy|clark|cavett|dale|turpin|whittington|francis)",
      "philip k\\.? dick",
      "van dyke",
      "coq au vin",
      "tit for tat",
      "(?:blue|great|coal|marsh|willow|crested|bearded|long-tailed) tits?",
      "(?:pea|wood|weather|han|shuttle)cocks?",
      "cock-?a-?doodle",
      "cocks? (?:crow(?:s|ed|ing)?|feathers?)",
      "cockpits?",
      "pussy ?cats?",
      "pussy[- ]willows?",
      "pussy riot",
      "cum laude",
      "ox and (?:the |an )?ass(?:es)?",
      "ass and (?:the |an )?ox(?:en)?",
      "shiit?akes?",
      "chinks? (?:in|of) (?:the |your |his |her |its |our )?(?:armou?r|light|curtains?|walls?|blinds?)",
      "(?:fire |flame )?retardants?",
      "negro (?:spirituals?|leagues?)",
      "rio negro",
      "(?:sea )?dykes? (?:held|broke|holds?|breaks?|along the|against the)"
    ].join("|") +
    ")\\b",
  "gu"
)

/**
 * Everyday words of other languages that match the list, each with two words of its language. Both have to occur for the text to count as that
 * language.
 */
const falseFriends: ReadonlyMap<string, RegExp> = new Map([
  ["negro", /\b(?:el|los|las|una|del|y|que|en|con|uma|os|em|il|della|di|para)\b/gu],
  ["retard", /\b(?:le|les|une|est|et|du|des|sur|nous|il|la)\b/gu],
  ["slut", /\b(?:och|det|inte|nu|pa|idag|ar|som|vi)\b/gu],
  ["fag", /\b(?:og|er|det|ikke|med|mitt|mit|av|af|pa|som)\b/gu],
  ["dick", /\b(?:der|das|und|ist|nicht|eine|heute|het|een|niet)\b/gu],
  ["ass", /\b(?:der|das|und|ist|nicht|eine|ein|im|als)\b/gu],
  ["cum", /\b(?:ce|la|si|este|esti|unde|pe)\b/gu]
])

const isForeign = (reading: NormalizedText, word: string): boolean => {
  const tongue = falseFriends.get(word)
  return (
    tongue !== undefined && new Set(findMatches(reading, tongue, precheckFindingsMax).map(({ text }) => text)).size >= 2
  )
}

export interface Conduct extends Span {
  readonly code: FlagCode
  readonly severity: FlagSeverity
}

const person =
  "(?:you|u|him|her|them|he|she|they|everyone|everybody|(?:all )?(?:of )?(?:you|them)|that (?:guy|man|woman|host))"
const people =
  "(?:jews|muslims|christians|blacks|whites|asians|mexicans|immigrants|refugees|gays|lesbians|trans people|women|men|arabs|gypsies|roma)"
const minors =
  /\b(?:child|children|kid|kids|minor|minors|underage|preteen|toddler|infant|schoolgirls?|schoolboys?|little (?:girls?|boys?)|\d{1,2}[- ]?(?:year|yr)s?[- ]old)\b/gu
/** Phrases without a sexual meaning, also next to children. */
const innocent =
  /\b(?:naked eye|naked truth|sex pistols|sex education|sex on fire|(?:same|opposite)[- ]sex|explicit (?:permission|consent|lyrics|about|instructions|warning)|(?:pet|dog|cat|horse|pony|poodle)s? grooming|grooming (?:kit|salon|parlou?r|(?:of )?(?:the |their |our )?(?:pets?|dogs?|cats?|horses?|pony|ponies)))\b/gu
const sexualCue =
  /\b(?:sex|sexual|sexually|sexy|nude|nudes|naked|erotic|porn|molest|molesting|grooming|seduce|seducing|fondle|rape|explicit)\b/gu

const patterns: ReadonlyArray<readonly [FlagCode, FlagSeverity, RegExp]> = [
  [
    "threat",
    "high",
    new RegExp(
      `\\b(?:i|we)(?:'ll| will|'m going to| am going to|'re going to| are going to|'m gonna|'re gonna) (?:personally |really )?(?:kill|murder|shoot|stab|hurt|hunt|behead|strangle|beat up|burn) (?:down )?(?:${person}|your (?:family|house|kids|children|home))\\b`,
      "gu"
    )
  ],
  [
    "threat",
    "high",
    /\byou(?:'re| are) (?:going to|gonna) (?:die tonight|regret this|be dead)\b|\bi know where you (?:live|sleep)\b|\bwatch your back\b/gu
  ],
  [
    "threat",
    "high",
    /(?:^|[.!?\n] ?|\b(?:let's|let us|we should|somebody should|someone should|time to|(?:i|we)(?:'ll| will|'m going to| am going to|'re going to| are going to|'m gonna|'re gonna|'d| would)) )(?:bomb|blow up|shoot up|set fire to|burn down) (?:the |that |your |this )(?:school|station|studio|church|mosque|synagogue|building|office|airport|hospital)\b/gu
  ],
  [
    "threat",
    "high",
    /\bi(?:'m| am) (?:coming|going) (?:for|after) you (?:tonight|tomorrow|with a (?:gun|knife|bat))\b|\bi(?:'ll| will) find you and (?:i(?:'ll| will) )?(?:kill|hurt|shoot|stab)\b/gu
  ],
  ["threat", "high", /\bich bringe? dich um\b|\bte voy a matar\b|\bje vais te tuer\b|\bti ammazzo\b/gu],
  ["threat", "high", /\b(?:somebody|someone) should (?:kill|shoot|murder|hang) (?:him|her|them|you)\b/gu],
  [
    "hate",
    "high",
    new RegExp(`\\b(?:kill|gas|exterminate|deport|hang|burn|eradicate|get rid of) (?:all )?(?:the )?${people}\\b`, "gu")
  ],
  [
    "hate",
    "high",
    new RegExp(
      `\\b${people} (?:are|r) (?:all )?(?:vermin|rats|subhuman|animals|filth|parasites|a disease|cockroaches|scum|inferior|criminals|rapists)\\b`,
      "gu"
    )
  ],
  [
    "hate",
    "high",
    new RegExp(
      `\\bdeath to (?:all )?(?:the )?${people}\\b|(?<!\\b(?:no|never|not|why) )\\b${people} (?:must|should|(?:all )?deserve to|(?:all )?ought to|(?:all )?have to|(?:all )?need to) (?:all )?(?:die|be (?:killed|shot|hanged|gassed|burned|burnt|exterminated|eradicated))\\b`,
      "gu"
    )
  ],
  [
    "hate",
    "high",
    /\b(?:heil hitler|sieg heil|white power(?! (?:supply|supplies|cords?|cables?|buttons?|lights?|leds?|banks?|strips?|sockets?|adapters?))|14 ?[/-] ?88|gas chambers? (?:were|was) (?:right|good)|hitler was right|race war now|white genocide)\b/gu
  ],
  [
    "self_harm",
    "high",
    /\b(?:kill yourself|kys|go (?:and )?die(?! hard)|end yourself|hang yourself|slit your wrists|drink bleach)\b/gu
  ],
  [
    "self_harm",
    "high",
    /\b(?:how to|best way to|easiest way to|ways to|painless way to) (?:kill myself|kill yourself|commit suicide|end my life|overdose|hang myself)\b/gu
  ],
  [
    "self_harm",
    "low",
    /\bi (?:want|wish|am going|'m going|plan) to (?:die|kill myself|end my life|hurt myself|disappear forever)\b|\bcutting myself\b/gu
  ],
  [
    "abuse",
    "low",
    /\b(?:you(?:'re| are| people are)(?: all)?|u r) (?:such )?(?:an? )?(?:absolute |complete |total |fucking |stupid |worthless |pathetic |miserable ){0,2}(?:idiots?|morons?|imbeciles?|losers?|scum|trash|garbage|worthless|pathetic|disgusting|stupid|pigs?)\b(?! (?:collectors?|m[ae]n|trucks?|cans?|bins?))/gu
  ],
  [
    "abuse",
    "low",
    /\beres (?:un |una )?(?:idiota|imbecil|estupid[oa]|inutil)\b|\bdu bist (?:ein |so )?(?:idiot|arschloch|dumm|trottel)\b|\btu es (?:un )?(?:idiot|imbecile|abruti)\b|\b(?:tu )?sei un idiota\b/gu
  ],
  ["abuse", "low", /\b(?:shut up,? you|nobody likes you|go to hell|piece of (?:trash|garbage))\b/gu],
  [
    "sexual",
    "low",
    /\b(?:send (?:me )?nudes|hot singles|onlyfans|explicit (?:sex|content|photos)|have sex with (?:me|you)|sexual favou?rs)\b/gu
  ]
]

const profanity = (reading: NormalizedText): ReadonlyArray<Conduct> => {
  const found: Array<Conduct> = []
  if (reading.folded === "") return found
  const known = findMatches(reading, names, precheckFindingsMax)
  for (const match of matcher.getAllMatches(reading.folded, true)) {
    const word = englishDataset.getPayloadWithPhraseMetadata(match).phraseMetadata?.originalWord ?? ""
    if (harmless.has(word)) continue
    const span = spanOf(reading, match.startIndex, match.endIndex + 1)
    const said = reading.folded.slice(match.startIndex, match.endIndex + 1)
    // The matcher reads digits as letters, but a number alone is a number: room 4455, a handle with a port.
    if (/^\d+$/u.test(said) || isForeign(reading, said)) continue
    if (known.some((name) => name.start <= span.start && span.end <= name.end)) continue
    found.push(
      slurs.has(word)
        ? { ...span, code: "hate", severity: "high" }
        : { ...span, code: sexualWords.has(word) ? "sexual" : "abuse", severity: "low" }
    )
    if (found.length === precheckFindingsMax) break
  }
  return found
}

/** Sexual content within a sentence's distance of a child. */
const minorSafety = (reading: NormalizedText): ReadonlyArray<Conduct> => {
  const children = findMatches(reading, minors, precheckFindingsMax).filter(
    ({ text }) => !/^\d/u.test(text) || Number.parseInt(text, 10) < 18
  )
  if (children.length === 0) return []
  const meant = findMatches(reading, innocent, precheckFindingsMax)
  const cues = [
    ...findMatches(reading, sexualCue, precheckFindingsMax).filter(
      (cue) => !meant.some(({ end, start }) => start <= cue.start && cue.end <= end)
    ),
    ...profanity(reading).filter(({ code }) => code === "sexual")
  ]
  return cues
    .filter((cue) => children.some((child) => Math.abs(child.start - cue.start) < 60))
    .map(({ start, end }) => ({ start, end, code: "minor_safety", severity: "high" }))
}

const findPatterns = (reading: NormalizedText): ReadonlyArray<Conduct> =>
  patterns.flatMap(([code, severity, pattern]) =>
    findMatches(reading, pattern, precheckFindingsMax).map(({ start, end }) => ({ start, end, code, severity }))
  )

/** Conduct towards people, by word lists and sentence patterns. Listeners and agents flag the rest. */
export const conduct = (reading: NormalizedText): ReadonlyArray<Conduct> => [
  ...findPatterns(reading),
  ...findPatterns(separateWords(reading)),
  ...profanity(reading),
  ...profanity(joinSpelledWords(reading)),
  ...minorSafety(reading)
]
