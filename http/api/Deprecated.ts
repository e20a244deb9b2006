import { Context, Option } from "effect"
import { OpenApi } from "effect/http-api"

/** The operation that replaces a deprecated one; null for current ones. */
export const Successor = Context.Reference<string | null>("longwave/http/api/Successor", { defaultValue: () => null })

/** The operation works like its successor, and every answer names that. */
export const deprecate = (path: `/${string}`) =>
  Context.merge(Context.make(Successor, path), OpenApi.annotations({ deprecated: true }))

export const isDeprecated = (annotations: Context.Context<never>): boolean =>
  Context.getOption(annotations, OpenApi.Deprecated).pipe(Option.getOrElse(() => false))
