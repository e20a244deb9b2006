import { OpenApi } from "effect/http-api"

interface Operation {
  readonly requestBody?: { readonly content: Record<string, object> }
}

const withExample =
  (example: object) =>
  (operation: Operation): object =>
    operation.requestBody === undefined
      ? operation
      : {
          ...operation,
          requestBody: {
            ...operation.requestBody,
            content: Object.fromEntries(
              Object.entries(operation.requestBody.content).map(([type, media]) => [type, { ...media, example }])
            )
          }
        }

/** Summary, description and example body of an operation. */
export const describe = (summary: string, description: string, example?: object) =>
  OpenApi.annotations({
    summary,
    description,
    ...(example === undefined
      ? {}
      : { transform: withExample(example) as (operation: Record<string, unknown>) => Record<string, unknown> })
  })
