import { Schema, SchemaGetter } from "effect"

// A line feed is the one control character that text may carry.
const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/

/** What the reader of refusals takes for an absent value: empty text is no text. */
export const missing = "missing"

/** Says the bounds to readers of the interface's description; what is checked is the text once it is tidied. */
export const bounded = (charsMax: number, charsMin = 0) =>
  Schema.String.check(
    Schema.makeFilter<string>(() => undefined, {
      toJsonSchema: () => ({ ...(charsMin > 0 ? { minLength: charsMin } : {}), maxLength: charsMax })
    })
  )

const written = (charsMax: number, charsMin = 0) =>
  bounded(charsMax, charsMin).check(
    Schema.makeFilter((value) => (control.test(value) ? "must not contain control characters" : undefined)),
    Schema.makeFilter((value) =>
      [...value].length > charsMax ? `must have at most ${charsMax} characters` : undefined
    )
  )

const tidied = {
  decode: SchemaGetter.transform((value: string) => value.normalize("NFC").trim()),
  encode: SchemaGetter.passthrough<string>()
}

/** Text that may be empty, as people write it: NFC, trimmed, counted in code points. */
export const text = (charsMax: number) => bounded(charsMax).pipe(Schema.decodeTo(written(charsMax), tidied))

/** A name of something: whether there is such a thing is for others to say. */
export const idText = written(100)

/** Text that has to be there. */
export const filledText = (charsMax: number) =>
  bounded(charsMax, 1).pipe(
    Schema.decodeTo(written(charsMax).check(Schema.makeFilter((value) => (value === "" ? missing : undefined))), tidied)
  )

/** Text whose places are told back in refusals: it is checked as it will be read, and handed on as it was sent. */
export const sentText = (charsMax: number) =>
  written(charsMax, 1).check(Schema.makeFilter((value) => (value.trim() === "" ? missing : undefined)))

export const textList = (entriesMax: number, charsMax: number) =>
  Schema.Array(text(charsMax)).check(Schema.isMaxLength(entriesMax))

/** A body none of whose fields is needed: it may be left out. */
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

/** `?dryRun=true`: every rule is asked, nothing is changed. */
export const dryRun = { dryRun: Schema.optionalKey(Schema.Literals(["true", "false", "1", "0"])) }

/** What a dry run answers instead: the resource as it would be, and the status it would have come with. */
export const dry = Schema.Struct({
  dryRun: Schema.Literal(true),
  wouldBe: Schema.Unknown,
  status: Schema.Int,
  expectedAirAt: Schema.NullOr(Schema.String)
})

export const isDry = (query: { readonly dryRun?: "true" | "false" | "1" | "0" }): boolean =>
  query.dryRun === "true" || query.dryRun === "1"
