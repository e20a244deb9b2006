import { Effect } from "effect"
import { HttpServerRequest, UrlParams } from "effect/http"
import { formFieldCharsMax, formFieldsMax } from "../../engine/rules/http/limits.ts"

/** Fields of a submitted form; the last of several fields with one name wins. An unreadable form has no fields. */
export const formFields = Effect.gen(function* () {
  const sent = yield* Effect.orElseSucceed(
    (yield* HttpServerRequest.HttpServerRequest).urlParamsBody,
    () => UrlParams.empty
  )
  const fields = sent.params.length > formFieldsMax ? {} : UrlParams.toRecord(sent)
  return (name: string): string => {
    const value = fields[name]
    return (typeof value === "string" ? value : (value?.at(-1) ?? "")).slice(0, formFieldCharsMax)
  }
})
