import { HttpApi } from "effect/http-api"
import { Api } from "./Api.ts"

/** Whether the API has this operation, so that links and hints only name existing ones. */
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
