import { HttpApi } from "effect/http-api"
import { Api } from "./Api.ts"

/** Whether the interface has such an operation: links and advice lead only to what is there. */
export const makeServes = (): ((method: string, path: string) => boolean) => {
  const served: Array<{ readonly method: string; readonly pattern: RegExp }> = []
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) =>
      void served.push({
        method: endpoint.method,
        pattern: new RegExp(`^${endpoint.path.replaceAll(/:\w+/g, "[^/]+")}(\\?.*)?$`)
      })
  })
  return (method, path) => served.some((each) => each.method === method && each.pattern.test(path))
}
