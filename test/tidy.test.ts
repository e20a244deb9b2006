import { describe, expect, it } from "vitest"
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { floors } from "./support/Floors.ts"

/** Tracked and not yet tracked files alike: a stray file is caught before it is committed. */
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" })
  .split("\n").filter((file) => /\.tsx?$/.test(file))

const source = (file: string) => readFileSync(file, "utf8")

/** Comments may speak of what code must not do. */
const code = (file: string) => source(file).replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "$1")

const imports = (file: string) =>
  [...code(file).matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g), ...code(file).matchAll(/new URL\("(\.[^"]+\.ts)"/g)].map((match) => match[1]!)

describe("the house", () => {
  it("has five floors, test and bench", () => {
    const rooms = new Set(files.filter((file) => file.includes("/")).map((file) => file.split("/")[0]!))
    expect([...rooms].sort()).toEqual(["actors", "bench", "engine", "http", "media", "schema", "test"].filter((room) => rooms.has(room)))
  })

  it("lets a floor import only what lies below it", () => {
    const strays = files.flatMap((file) => {
      const floor = floors.find(({ of }) => of.test(file))
      if (floor === undefined) return [`${file}: belongs to no floor`]
      return imports(file).filter((target) => target.startsWith("."))
        .map((target) => normalize(join(dirname(file), target)))
        .filter((target) => !floor.may.some((allowed) => allowed.test(target)))
        .map((target) => `${file} imports ${target}`)
    })
    expect(strays).toEqual([])
  })

  it("lets nothing import main", () => {
    expect(files.filter((file) => !/^(test|bench)\//.test(file) && imports(file).some((target) => /(^|\/)main\.ts$/.test(target)))).toEqual([])
  })

  it("keeps SQL in the store", () => {
    expect(files.filter((file) => imports(file).some((target) => /^(effect\/sql|@effect\/sql-pg|pg$)/.test(target)))
      .filter((file) => !/^(engine\/store|test)\//.test(file) && file !== "http/main.ts")).toEqual([])
  })

  it("keeps rules pure", () => {
    const impure = /from "(effect\/(?!Schema)[^"]*|node:[^"]*)"|import \{[^}]*\b(Clock|Random|Effect|Context|Layer)\b[^}]*\} from "effect"/
    expect(files.filter((file) => file.startsWith("engine/rules/") && impure.test(code(file)))).toEqual([])
  })

  /** Wall time, chance, environment and timers each have one home; everything else is told. */
  const homes: ReadonlyArray<readonly [RegExp, RegExp]> = [
    [/\bDate\.now\b|\bnew Date\(\s*\)/, /^media\/StationClock\.ts$/],
    [/\bMath\.random\b/, /^$/],
    [/\bprocess\.env\b/, /^engine\/Config\.ts$/],
    // A socket's own setTimeout is a method of it, no timer of ours.
    [/(?<![.\w])set(Timeout|Interval|Immediate)\(/, /^media\/Ticker\.ts$/]
  ]
  it.each(homes)("%s stays at home", (pattern, home) => {
    expect(files.filter((file) => !/^(test|bench|http\/pages)\//.test(file) && !home.test(file) && pattern.test(code(file)))).toEqual([])
  })

  it("has no drawer for odds and ends", () => {
    expect(files.filter((file) => /(^|\/)(utils?|common|helpers?|managers?|index|misc)(\/|\.tsx?$)/i.test(file))).toEqual([])
  })

  it("imports with extensions and relative paths only where a floor allows", () => {
    expect(files.flatMap((file) => imports(file).filter((target) => target.startsWith(".") && !/\.(tsx?|css|json|mjs)$/.test(target)).map((target) => `${file}: ${target}`))).toEqual([])
  })
})
