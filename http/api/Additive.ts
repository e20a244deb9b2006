import { OpenApi } from "effect/http-api"

const markAdditive = (operation: object) => ({ ...operation, "x-additive": true })

/** Marks one operation that is not in the contract. */
export const additive = OpenApi.annotations({ transform: markAdditive })

/** Marks all operations below a path as not in the contract. */
export const additiveBelow = (prefix: string) =>
  OpenApi.annotations({
    transform: (spec) => ({
      ...spec,
      paths: Object.fromEntries(
        Object.entries(spec["paths"] as Record<string, Record<string, object>>).map(([path, methods]) => [
          path,
          path.startsWith(prefix)
            ? Object.fromEntries(
                Object.entries(methods).map(([method, operation]) => [method, markAdditive(operation)])
              )
            : methods
        ])
      )
    })
  })

/** Marks all operations of an API as not in the contract. */
export const additiveApi = additiveBelow("/")
