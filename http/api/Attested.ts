import { OpenApi } from "effect/http-api"
import { Api } from "./Api.ts"

/** Operations whose body asks for `rightsAttested`, wherever in it. */
export const attestedRoutes = (): ReadonlyArray<string> => {
  const { components, paths } = OpenApi.fromApi(Api)
  const bodies = (operation: unknown): string => {
    const body = JSON.stringify((operation as { readonly requestBody?: unknown }).requestBody ?? null)
    return body + [...body.matchAll(/#\/components\/schemas\/([^"]+)/g)].map(([, name]) => JSON.stringify(components.schemas[name!])).join("")
  }
  return Object.entries(paths).flatMap(([path, methods]) => Object.entries(methods as Record<string, unknown>)
    .flatMap(([method, operation]) => bodies(operation).includes("\"rightsAttested\"") ? [`${method.toUpperCase()} ${path}`] : []))
}
