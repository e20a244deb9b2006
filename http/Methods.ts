import { type HttpApi, HttpApi as Reflect } from "effect/http-api"

/** The methods an address knows; none for one that isn't served. */
export type MethodsOf = (path: string) => ReadonlyArray<string>

/** From the declarations that serve: a segment that is a parameter matches anything but a slash. */
export const methodsOfApis = (apis: ReadonlyArray<HttpApi.Top>): MethodsOf => {
  const known: Array<{ readonly pattern: RegExp; readonly method: string }> = []
  for (const api of apis) {
    Reflect.reflect(api, {
      onGroup: () => undefined,
      onEndpoint: ({ endpoint }) => {
        const pattern = endpoint.path.split("/").map((part) => part.startsWith(":") ? "[^/]+" : part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("/")
        known.push({ pattern: new RegExp(`^${pattern}$`), method: endpoint.method })
      }
    })
  }
  return (path) => [...new Set(known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))]
}
