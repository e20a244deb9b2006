import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"

interface Package {
  readonly name?: string
  readonly version: string
  readonly license?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly link?: boolean
  readonly dev?: boolean
  readonly optional?: boolean
  readonly hasInstallScript?: boolean
}
type Dependencies = Readonly<Record<string, string>>
interface Manifest {
  readonly dependencies: Dependencies
  readonly devDependencies: Dependencies
  readonly optionalDependencies: Dependencies
}

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Manifest
const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
  readonly packages: Readonly<Record<string, Package>>
}
const root = lock.packages[""] as unknown as Manifest
const locked = Object.entries(lock.packages)
  .filter(([path]) => path !== "")
  .map(([path, entry]) => ({ ...entry, path, name: entry.name ?? path.split("node_modules/").at(-1)! }))

/** Rows of a Markdown table without its head. */
const rowsOf = (file: string) =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.slice(2, -2).split(" | "))
    .slice(1)

// T15 of the threat table.
describe("the installed packages", () => {
  it("are fixed: exact versions, each locked by its hash, from the registry alone", () => {
    for (const group of ["dependencies", "devDependencies", "optionalDependencies"] as const) {
      expect(root[group]).toEqual(manifest[group])
      for (const [name, version] of Object.entries(manifest[group])) {
        expect([name, version]).toEqual([name, expect.stringMatching(/^\d+\.\d+\.\d+(-[\w.]+)?$/)])
        expect([name, lock.packages[`node_modules/${name}`]?.version]).toEqual([name, version])
      }
    }
    expect(locked.length).toBeGreaterThan(300)
    expect(
      locked
        .filter(
          ({ integrity, link, resolved = "https://registry.npmjs.org/" }) =>
            link === true ||
            !/^sha512-[\w+/]{86}==$/.test(integrity ?? "") ||
            !resolved.startsWith("https://registry.npmjs.org/")
        )
        .map(({ path }) => path)
    ).toEqual([])
  })

  it("run only the listed install scripts", () => {
    const named = readFileSync("docs/packages.md", "utf8").split("## Install scripts")[1] ?? ""
    const families = [...named.matchAll(/^\| `([^`]+)`/gm)].map(([, family]) => family!)
    const family = (name: string) => name.replace(/^(@[^/]+)\/.*/, "$1/*")
    const scripts = locked.filter(({ hasInstallScript }) => hasInstallScript === true)
    expect([...new Set(scripts.map(({ name }) => family(name)))].sort()).toEqual(families.sort())
    expect(scripts.filter(({ optional }) => optional !== true).map(({ path }) => path)).toEqual([])
  })

  it("are listed with their licences, once each", () => {
    const rows = rowsOf("LICENCES.md")
    expect(rows.map(([name, version]) => `${name}@${version}`).sort()).toEqual(
      [...new Set(locked.filter(({ dev }) => dev !== true).map(({ name, version }) => `${name}@${version}`))].sort()
    )
    const stated = new Map(locked.map(({ license, name, version }) => [`${name}@${version}`, license]))
    for (const [name, version, licence] of rows) {
      expect([name, licence]).toEqual([name, expect.stringMatching(/^(?!undefined|UNLICENSED|SEE )\S/)])
      expect([name, stated.get(`${name}@${version}`) ?? licence]).toEqual([name, licence])
    }
  })
})
