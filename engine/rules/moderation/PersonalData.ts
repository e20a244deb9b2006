import { parsePhoneNumberFromString } from "libphonenumber-js"
import type { FlagSeverity } from "../../../schema/moderation/Precheck.ts"
import { precheckFindingsMax } from "./limits.ts"
import { findMatches, type NormalizedText, type Span, verbatim } from "./NormalizedText.ts"

export interface Found extends Span {
  readonly severity: FlagSeverity
}

/** Keys and passwords by their formats. Every quantifier is bounded or precedes a character it can't match, so each pattern runs in linear time. */
const secretShapes: ReadonlyArray<RegExp> = [
  /\bsvc_(?:agent|ops|app)_[a-z0-9_-]{8,120}/giu,
  /\bwhsec_[a-z0-9+/=]{16,120}/giu,
  /\b(?:sk|pk|rk)[-_](?:live|test|proj|ant|or)[-_][a-z0-9_-]{10,200}/giu,
  /\bsk-[a-z0-9]{20,200}/giu,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/gu,
  /\bgh[pousr]_[A-Za-z0-9]{30,100}|\bgithub_pat_[A-Za-z0-9_]{30,120}/gu,
  /\bglpat-[A-Za-z0-9_-]{16,64}/gu,
  /\bxox[abeprs]-[A-Za-z0-9-]{10,120}/gu,
  /\bAIza[A-Za-z0-9_-]{30,60}/gu,
  /\bnpm_[A-Za-z0-9]{30,60}\b/gu,
  /\bhf_[A-Za-z0-9]{28,60}\b/gu,
  /\beyJ[A-Za-z0-9_-]{10,1000}\.eyJ[A-Za-z0-9_-]{10,2000}/gu,
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/gu,
  /\b(?:postgres|postgresql|mysql|mongodb|redis|amqp|https?|ftp):\/\/[^\s:@/]{1,64}:[^\s:@/]{1,128}@/giu,
  /\b\d{8,10}:AA[A-Za-z0-9_-]{32,35}/gu,
  /\bSG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{39,50}/gu,
  /\bhooks\.slack\.com\/services\/[A-Z0-9]{6,14}\/[A-Z0-9]{6,14}\/[A-Za-z0-9]{16,32}|\bdiscord(?:app)?\.com\/api\/webhooks\/\d{15,22}\/[A-Za-z0-9_-]{40,100}/gu,
  /\b(?:dop|doo|dor)_v1_[a-f0-9]{64}\b|\bpypi-[A-Za-z0-9_-]{50,200}|\bya29\.[A-Za-z0-9_-]{30,300}|\bAGE-SECRET-KEY-1[A-Z0-9]{40,70}/gu,
  /\bprivate[-_ ]key\s{0,3}(?:=|:|\bis\b)?\s{0,3}(?:0x)?[0-9a-f]{64}\b/giu,
  /\bbearer\s{1,3}(?=[a-z._~+/-]{0,40}\d)[a-z0-9._~+/-]{24,512}/giu,
  /(?<![a-z0-9])(?:password|passwd|pwd|passphrase|passwort|kennwort|contraseña|contrasena|mot de passe|api[-_ ]?key|secret[-_ ]?(?:access[-_ ]?)?key|access[-_ ]?(?:token|key)|auth[-_ ]?token)\s{0,3}(?:=|:|\b(?:is|ist|es|est)\b)\s{0,3}["']?(?=[^\s"']{0,63}\d)[^\s"']{8,128}/giu
]

/** Luhn's check: card numbers pass, most telephone and order numbers fail. */
export const luhn = (digits: string): boolean => {
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i])
    const doubled = i % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

const cardIssuers = /^(?:4|5[1-5]|2[2-7]|3[47]|6(?:011|5|4[4-9])|35|30[0-5]|36|38)/u

/** ISO 13616: letters count 10–35, and the whole number modulo 97 must be 1. */
const iban = (text: string): boolean => {
  const compact = text.replace(/ /g, "").toUpperCase()
  if (compact.length < 15 || compact.length > 34) return false
  let rest = 0
  for (const sign of compact.slice(4) + compact.slice(0, 4)) {
    const value = Number.parseInt(sign, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}

const email = /(?<![a-z0-9._%+-])[a-z0-9._%+-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,4}[a-z]{2,24}\b/gu
const spokenEmail =
  /\b[a-z0-9._-]{1,40}\s{1,2}(?:[([]at[)\]]\s{1,2}[a-z0-9-]{2,40}\s{1,2}[([]dot[)\]]\s{1,2}[a-z]{2,10}|at\s{1,2}[a-z0-9-]{2,40}\s{1,2}dot\s{1,2}(?:com|org|net|io|de|uk|edu|gov|mil|fm|me))\b/gu
/** "Find us at longwave dot fm" is the address of a page, not of a person. */
const noMailbox = new Set(
  "us me it him her them you online in look more here out only now live listen visit page site website again everything everybody meet see archive podcast station show music programme program tonight always up is are be found".split(
    " "
  )
)
const digitRun = /(?<![\d.,])\+?\(?\d(?:[\s().\-/]{0,2}\d){6,18}(?!\d|[.,]\d)/gu
const socialSecurity = /(?<![\d-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])/gu
const ibanShape = /\b[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){2,7}(?: ?[a-z0-9]{1,3})?\b/gu
const street =
  /\b\d{1,5}[a-z]?\s{1,2}(?:[a-z'.-]{2,20}\s{1,2}){1,3}(?:street|st|avenue|ave|road|rd|boulevard|blvd|lane|ln|drive|court|ct|square|terrace)\b|\b[a-z-]{3,25}(?:strasse|straße|gasse|weg|allee)\s{1,2}\d{1,4}\b(?!\s{1,2}(?:minuten|kilometer|km|meter|m|uhr|jahre|stunden|tage|prozent)\b)/gu
/** "40 years on the road", "a 5 minute scenic drive": words that occur in no street's name. */
const noStreet = new Set(
  "a an the of on in at to from by with and for or is are was were down up along across off years year people minutes minute hours hour days day miles mile km kilometres metres times songs more".split(
    " "
  )
)
const doxxing =
  /\b(?:(?:home|private) address|lives? at|living at|here is where (?:he|she|they) lives?|real name is|find (?:him|her|them) at)\b/gu

const digitsOf = (text: string) => text.replace(/\D/g, "")

const cards = (reading: NormalizedText): ReadonlyArray<Found> =>
  findMatches(reading, digitRun, precheckFindingsMax)
    .filter(({ text }) => {
      const digits = digitsOf(text)
      return digits.length >= 13 && digits.length <= 19 && cardIssuers.test(digits) && luhn(digits)
    })
    .map((span) => ({ ...span, severity: "high" }))

const phones = (reading: NormalizedText): ReadonlyArray<Found> =>
  findMatches(reading, digitRun, precheckFindingsMax)
    .filter(({ text }) => {
      const digits = digitsOf(text)
      if (digits.length > 15) return false
      // Bare digits are an ordinary number; a telephone number has a `+` or separators.
      if (!text.startsWith("+") && !/[\s().\-/]/u.test(text)) return false
      return parsePhoneNumberFromString(text, "US")?.isValid() === true
    })
    .map((span) => ({ ...span, severity: "low" }))

export const secrets = (reading: NormalizedText): ReadonlyArray<Found> => {
  // Keys are case-sensitive, so their formats are matched in the original text.
  const asItStands = verbatim(reading)
  return secretShapes
    .flatMap((shape) => findMatches(asItStands, shape, precheckFindingsMax))
    .map((span) => ({ ...span, severity: "high" }))
}

/** Mail, telephone and street alone wait for a review. Account numbers, and an address given as a person's home, escalate. */
export const personalData = (reading: NormalizedText): ReadonlyArray<Found> => {
  const findLow = (pattern: RegExp) => findMatches(reading, pattern, precheckFindingsMax)
  const streets = findLow(street).filter(
    ({ text }) =>
      !text
        .split(/\s+/u)
        .slice(1, -1)
        .some((word) => noStreet.has(word))
  )
  const dox = findLow(doxxing)
  const homes = streets.filter((place) => dox.some((cue) => Math.abs(cue.start - place.start) < 120))
  const numbers = [
    ...cards(reading),
    ...findLow(socialSecurity).map((span) => ({ ...span, severity: "high" as const })),
    ...findLow(ibanShape)
      .filter(({ text }) => iban(text))
      .map((span) => ({ ...span, severity: "high" as const }))
  ]
  const isOverlapping = (span: Span) => numbers.some((number) => span.start < number.end && number.start < span.end)
  return [
    ...numbers,
    ...[...findLow(email), ...findLow(spokenEmail).filter(({ text }) => !noMailbox.has(text.split(/\s/u, 1)[0]!))].map(
      (span) => ({ ...span, severity: "low" as const })
    ),
    ...phones(reading).filter((span) => !isOverlapping(span)),
    ...streets.map((span) => ({ ...span, severity: homes.includes(span) ? ("high" as const) : ("low" as const) }))
  ]
}
