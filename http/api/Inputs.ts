import { Schema, SchemaGetter } from "effect"

// Line feed is the only control character allowed in text.
const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/

// Lone surrogates have no form in UTF-8, and Unicode reserves the noncharacters: XML forbids two of them.
const noText = /[\p{Surrogate}\p{Noncharacter_Code_Point}]/u

/** The fault of an ill-formed text. */
export const findIllFormed = (value: string): string | undefined =>
  noText.test(value) ? "must not contain lone surrogates or noncharacters" : undefined

const wellFormed = Schema.makeFilter<string>(findIllFormed)

/** Text that is compared and not kept, such as a cursor. */
export const anyText = Schema.String.check(wellFormed)

/** Error code of absent values; empty text counts as absent. */
export const missing = "missing"

/** Publishes the bounds in the API description; the check applies to the normalised text. */
export const bound = (charsMax: number, charsMin = 0) =>
  Schema.String.check(
    Schema.makeFilter<string>(() => undefined, {
      toJsonSchema: () => ({ ...(charsMin > 0 ? { minLength: charsMin } : {}), maxLength: charsMax })
    })
  )

const textOf = (charsMax: number, charsMin = 0) =>
  bound(charsMax, charsMin).check(
    wellFormed,
    Schema.makeFilter((value) => (control.test(value) ? "must not contain control characters" : undefined)),
    Schema.makeFilter((value) =>
      [...value].length > charsMax ? `must have at most ${charsMax} characters` : undefined
    )
  )

const tidied = {
  decode: SchemaGetter.transform((value: string) => value.normalize("NFC").trim()),
  encode: SchemaGetter.passthrough<string>()
}

/** Text that may be empty: NFC, trimmed, counted in code points. */
export const text = (charsMax: number) => bound(charsMax).pipe(Schema.decodeTo(textOf(charsMax), tidied))

/** An id or name; the handler checks that it exists. */
export const idText = textOf(100)

/** Required text. */
export const requiredText = (charsMax: number) =>
  bound(charsMax, 1).pipe(
    Schema.decodeTo(textOf(charsMax).check(Schema.makeFilter((value) => (value === "" ? missing : undefined))), tidied)
  )

/** Text with positions reported in refusals: checked in normalised form, passed on as sent. */
export const rawText = (charsMax: number) =>
  textOf(charsMax, 1).check(Schema.makeFilter((value) => (value.trim() === "" ? missing : undefined)))

export const textList = (entriesMax: number, charsMax: number) =>
  Schema.Array(text(charsMax)).check(Schema.isMaxLength(entriesMax))

/** A body that may be omitted because all its fields are optional. */
export const bodyOrNone = <const Fields extends Schema.Struct.Fields>(fields: Fields) => {
  const body = Schema.Struct(fields)
  const none = Schema.Null.pipe(
    Schema.decodeTo(Schema.toType(body), {
      decode: SchemaGetter.transform(() => ({}) as typeof body.Type),
      encode: SchemaGetter.transform(() => null)
    })
  )
  return [body, none] as const
}

/** `?dryRun=true`: all rules are checked, nothing changes. */
export const dryRun = { dryRun: Schema.optionalKey(Schema.Literals(["true", "false", "1", "0"])) }

/** Answer of a dry run: the resource as it would be, and the status of the real request. */
export const dry = Schema.Struct({
  dryRun: Schema.Literal(true),
  wouldBe: Schema.Unknown,
  status: Schema.Int,
  expectedAirAt: Schema.NullOr(Schema.String)
})

export const isDry = (query: { readonly dryRun?: "true" | "false" | "1" | "0" }): boolean =>
  query.dryRun === "true" || query.dryRun === "1"
