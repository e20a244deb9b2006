import { Context, Option } from "effect"
import { OpenApi } from "effect/http-api"

/** Which operation takes the place of one that is on its way out; null for those that stay. */
export const Successor = Context.Reference<string | null>("longwave/http/api/Successor", { defaultValue: () => null })

/** It works as its successor does, and every answer says where that is. */
export const succeededBy = (path: `/${string}`) =>
  Context.merge(Context.make(Successor, path), OpenApi.annotations({ deprecated: true }))

export const isDeprecated = (annotations: Context.Context<never>): boolean =>
  Context.getOption(annotations, OpenApi.Deprecated).pipe(Option.getOrElse(() => false))
