import { OpenApi } from "effect/http-api"

const marked = (operation: object) => ({ ...operation, "x-additive": true })

/** For a single operation that the contract doesn't name. */
export const additive = OpenApi.annotations({ transform: marked })

/** For all operations of an API below a path, none of which are in the contract. */
export const additiveBelow = (prefix: string) =>
  OpenApi.annotations({
    transform: (spec) => ({
      ...spec,
      paths: Object.fromEntries(
        Object.entries(spec["paths"] as Record<string, Record<string, object>>).map(([path, methods]) => [
          path,
          path.startsWith(prefix)
            ? Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, marked(operation)]))
            : methods
        ])
      )
    })
  })

/** For an API none of whose operations are in the contract. */
export const additiveApi = additiveBelow("/")
