import { Context } from "effect"
import { HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"
import type { Scope } from "../../schema/Agent.ts"
import { RequiredScope } from "./Authorization.ts"
import { type Section, sectionOf } from "./Sections.ts"

/** An operation as the interface declares it. */
export interface DeclaredOperation {
  readonly method: string
  /** With `{names}` for what varies. */
  readonly path: string
  readonly summary: string
  readonly section: Section
  /** Who may call it: anybody, an agent with its key; a program with an app key, or a listener, and agents as well. */
  readonly auth: "public" | "agent" | "app" | "listener"
  readonly scope: Scope | null
  readonly isDeprecated: boolean
}

/** Every operation of an interface, in the order it is declared in. */
export const operationsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>): ReadonlyArray<DeclaredOperation> => {
  const found: Array<DeclaredOperation> = []
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, mergedAnnotations, middleware }) => {
      const path = endpoint.path.replaceAll(/:(\w+)/g, "{$1}")
      const guards = [...middleware].map(({ key }) => key.split("/").at(-1))
      found.push({
        method: endpoint.method,
        path,
        summary: Context.getOrElse(mergedAnnotations, OpenApi.Summary, () => endpoint.identifier),
        section: sectionOf(path),
        auth: guards.includes("AgentAuth") ? "agent" : guards.includes("AppOrAgentAuth") ? "app" : guards.includes("ListenerOrAgentAuth") ? "listener" : "public",
        scope: Context.get(mergedAnnotations, RequiredScope),
        isDeprecated: Context.getOrElse(mergedAnnotations, OpenApi.Deprecated, () => false)
      })
    }
  })
  return found
}
