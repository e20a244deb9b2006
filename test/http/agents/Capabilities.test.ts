import { OpenApi } from "effect/http-api"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { Api } from "../../../http/api/Api.ts"
import { capabilities, partOf } from "../../../http/api/Parts.ts"

interface Operation {
  readonly section: string
  readonly method: string
  readonly path: string
  readonly auth: string | ReadonlyArray<string>
  readonly flags: ReadonlyArray<string>
}

const { operations } = JSON.parse(readFileSync(new URL("../../contract/contract.json", import.meta.url), "utf8")) as {
  readonly operations: ReadonlyArray<Operation>
}
const spec = JSON.parse(JSON.stringify(OpenApi.fromApi(Api))) as {
  readonly paths: Record<
    string,
    Record<string, { readonly security?: ReadonlyArray<unknown>; readonly deprecated?: boolean }>
  >
}
const nameOf = ({ method, path }: { readonly method: string; readonly path: string }) => `${method} ${path}`
/** Names of parameters don't matter. */
const shapeOf = (operation: { readonly method: string; readonly path: string }) =>
  nameOf(operation).replaceAll(/\{\w+\}/g, "{}")

describe("the capabilities document", () => {
  const { groups, routes } = capabilities()

  it("lists exactly the declared operations", () => {
    const declared = Object.entries(spec.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation }))
    )
    expect(routes.map(nameOf).sort()).toEqual(declared.map(nameOf).sort())
    for (const { operation, ...where } of declared) {
      const route = routes.find((each) => nameOf(each) === nameOf(where))!
      expect([nameOf(where), route.deprecated]).toEqual([nameOf(where), operation.deprecated === true])
      if (route.auth.includes("public") && route.auth.length === 1)
        expect([nameOf(where), operation.security ?? []]).toEqual([nameOf(where), []])
    }
    expect(groups.flatMap((group) => group.routes.map(nameOf)).sort()).toEqual(routes.map(nameOf).sort())
  })

  it("follows the contract's sections, in their order", () => {
    expect(operations.map((operation) => [nameOf(operation), partOf(operation.path)])).toEqual(
      operations.map((operation) => [nameOf(operation), operation.section])
    )
    const ids = groups.map(({ id }) => id)
    expect([ids[0], [...ids].sort((a, b) => Number(a.split(".")[1] ?? 99) - Number(b.split(".")[1] ?? 99))]).toEqual([
      "4.1",
      ids
    ])
  })

  it("names credentials and deprecations as the contract does", () => {
    const served = operations.flatMap((operation) =>
      routes.filter((route) => shapeOf(route) === shapeOf(operation)).map((route) => ({ operation, route }))
    )
    expect(served.length).toBeGreaterThan(30)
    const said = ({ auth }: Operation) => (typeof auth === "string" ? [auth] : auth)
    expect(
      served
        .filter(({ operation, route }) => said(operation).join() !== route.auth.join())
        .map(({ operation, route }) => [nameOf(operation), said(operation), route.auth])
    ).toEqual([])
    expect(
      served
        .filter(({ operation, route }) => operation.flags.includes("deprecated") !== route.deprecated)
        .map(({ operation }) => nameOf(operation))
    ).toEqual([])
    expect(routes.every(({ idempotencyKey, method }) => idempotencyKey === (method !== "GET"))).toBe(true)
    expect(routes.filter(({ scope }) => scope === "profile.edit").length).toBeGreaterThan(4)
  })
})
