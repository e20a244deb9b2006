import { HttpApi, type HttpApiGroup } from "effect/http-api"

/** The methods an address knows; none for one that isn't served. */
export type MethodsOf = (path: string) => ReadonlyArray<string>

/** From the declarations that serve: a segment that is a parameter matches anything but a slash. */
export const methodsOfApi = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>): MethodsOf => {
  const known: Array<{ readonly pattern: RegExp; readonly method: string }> = []
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => {
      const pattern = endpoint.path.split("/").map((part) => part.startsWith(":") ? "[^/]+" : part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("/")
      known.push({ pattern: new RegExp(`^${pattern}$`), method: endpoint.method })
    }
  })
  return (path) => [...new Set(known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))]
}

/** Addresses outside the declared APIs that can only be read. */
export const readOnly = (paths: ReadonlyArray<RegExp>): MethodsOf => (path) => paths.some((pattern) => pattern.test(path)) ? ["GET"] : []

export const anyOf = (all: ReadonlyArray<MethodsOf>): MethodsOf => (path) => [...new Set(all.flatMap((methodsOf) => methodsOf(path)))]
