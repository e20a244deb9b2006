import { describe, expect, it } from "vitest"
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { floors } from "./support/Floors.ts"
import { owners, ownersTable } from "./support/Owners.ts"

/** Tracked and untracked files alike: a stray file is found before it is committed. */
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" })
  .split("\n")
  .filter((file) => /\.tsx?$/.test(file))

const source = (file: string) => readFileSync(file, "utf8")

/** Comments may mention what code must not do. */
const code = (file: string) =>
  source(file)
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/(^|\s)\/\/.*$/gm, "$1")

const imports = (file: string) =>
  [
    ...code(file).matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g),
    ...code(file).matchAll(/new URL\("(\.[^"]+\.ts)"/g)
  ].map((match) => match[1]!)

describe("the house", () => {
  it("has five floors, test and bench", () => {
    const rooms = new Set(files.filter((file) => file.includes("/")).map((file) => file.split("/")[0]!))
    expect([...rooms].sort()).toEqual(
      ["actors", "bench", "engine", "http", "media", "schema", "test"].filter((room) => rooms.has(room))
    )
  })

  it("lets a floor import only from lower floors", () => {
    const strays = files.flatMap((file) => {
      const floor = floors.find(({ of }) => of.test(file))
      if (floor === undefined) return [`${file}: belongs to no floor`]
      return imports(file)
        .filter((target) => target.startsWith("."))
        .map((target) => normalize(join(dirname(file), target)))
        .filter((target) => !floor.may.some((allowed) => allowed.test(target)))
        .map((target) => `${file} imports ${target}`)
    })
    expect(strays).toEqual([])
  })

  /** The same subjects on every floor, so that a reader finds a subject in the same place. */
  const subjects = [
    "agents",
    "air",
    "inbox",
    "listeners",
    "lore",
    "moderation",
    "music",
    "operations",
    "panels",
    "people",
    "programmes",
    "ranks",
    "segments",
    "social",
    "voices"
  ]
  /** Folders without a subject, named after their job. */
  const machinery: Readonly<Record<string, ReadonlyArray<string>>> = {
    schema: ["time"],
    "engine/rules": ["allowance", "http", "runtime", "simulation", "sound", "time"],
    "engine/store": ["sound", "sql"],
    actors: ["runtime"],
    "http/api": ["auth"],
    "http/handlers": []
  }

  it("divides floors by the same subjects, and names the folders of machinery", () => {
    const rooms = files.flatMap((file) => {
      const floor = Object.keys(machinery).find((floor) => file.startsWith(`${floor}/`))
      // A subject with one file on a floor has no folder there.
      const room =
        floor === undefined
          ? undefined
          : file
              .slice(floor.length + 1)
              .split("/")[0]!
              .replace(/\.ts$/, "")
      return room === undefined || /^[A-Z]/.test(room) ? [] : [`${floor!}: ${room}`]
    })
    const known = Object.entries(machinery).flatMap(([floor, own]) =>
      [...subjects, ...own].map((room) => `${floor}: ${room}`)
    )
    expect([...new Set(rooms)].filter((room) => !known.includes(room))).toEqual([])
  })

  /** A folder, or a file beside folders. Methods for use in another subject's transaction are separate, and so are messages. */
  const unitOf = (file: string): string => {
    const apart = /^actors\/\w+\/(protocol|inTransaction)\b/.exec(file)
    if (apart !== null) return apart[0]
    const folder = dirname(file)
    const holdsFolders = [
      "schema",
      "engine/rules",
      "engine/store",
      "actors",
      "media",
      "http",
      "http/api",
      "http/handlers",
      "http/pages",
      "bench"
    ]
    if (holdsFolders.includes(folder)) return file
    const subject = /^(schema|actors|engine\/(rules|store)|http\/(api|handlers))\/\w+/.exec(file)
    return subject === null ? folder : subject[0]
  }

  it("has no cycle between folders or subjects", () => {
    const uses = new Map<string, Set<string>>()
    for (const file of files.filter((file) => !file.startsWith("test/"))) {
      const unit = unitOf(file)
      const used = uses.get(unit) ?? new Set()
      uses.set(unit, used)
      for (const target of imports(file).filter((target) => target.startsWith("."))) {
        const other = unitOf(normalize(join(dirname(file), target)))
        if (other !== unit) used.add(other)
      }
    }
    // A folder that imports no remaining folder can't be part of a cycle.
    for (let gone = [""]; gone.length > 0;) {
      gone = [...uses].filter(([, used]) => ![...used].some((other) => uses.has(other))).map(([unit]) => unit)
      for (const unit of gone) uses.delete(unit)
    }
    expect(
      [...uses].map(([unit, used]) => `${unit} uses ${[...used].filter((other) => uses.has(other)).join(", ")}`)
    ).toEqual([])
  })

  it("lets nothing import main, and only main import the parts it loads", () => {
    expect(
      files.filter(
        (file) =>
          !/^(test|bench|http\/main\.ts)/.test(file) &&
          imports(file).some((target) =>
            /^(main|http\/(main|App|Edge|OperatorReset|VerifyAsRun))\.ts$/.test(normalize(join(dirname(file), target)))
          )
      )
    ).toEqual([])
  })

  it("keeps SQL in the store", () => {
    expect(
      files
        .filter((file) => imports(file).some((target) => /^(effect\/sql|@effect\/sql-pg|pg$)/.test(target)))
        .filter((file) => !/^(engine\/store|test|bench\/instruments)\//.test(file) && file !== "http/main.ts")
    ).toEqual([])
  })

  it("lets only its own subject write a table: others send a message, or join its transaction through inTransaction.ts", () => {
    const strays = files.flatMap((file) =>
      /^(engine\/store|test|bench)\//.test(file)
        ? []
        : [...code(file).matchAll(/import \{([^}]*)\} from "([^"]*engine\/store\/(\w+)\/[^"]*)"/g)]
            .filter(([, names, , subject]) => {
              const isWriting = names!.split(",").some((name) => /^(?!type )\w+Writer$/.test(name.trim()))
              return isWriting && !file.startsWith(`actors/${subject!}/`)
            })
            .map(([, , target]) => `${file}: ${target!}`)
    )
    expect(strays).toEqual([])
  })

  it("writes each table in the store of the subject that owns it, as the README says", () => {
    const ownerOf = new Map(owners.flatMap(({ subject, tables }) => tables.map((table) => [table, subject] as const)))
    const written = files
      .filter((file) => /^engine\/store\/\w+\/\w+\.ts$/.test(file) && !/^engine\/store\/(sql|sound)\//.test(file))
      .flatMap((file) =>
        [...code(file).matchAll(/\b(?:INSERT INTO|DELETE FROM|UPDATE(?! OF\b| SET\b| SKIP\b))\s+([a-z_]+)\b/g)].map(
          ([, table]) => ({ file, table: table!, subject: file.split("/")[2]! })
        )
      )
    expect(written.filter(({ subject, table }) => ownerOf.get(table) !== subject)).toEqual([])
    expect([...ownerOf.keys()].filter((table) => !written.some((one) => one.table === table))).toEqual([])
    expect(source("README.md")).toContain(ownersTable)
  })

  it("decodes every row: nothing checks a type that is only claimed", () => {
    expect(
      files.filter((file) => file.startsWith("engine/") && /\bsql<|\bunsafe<|Statement\.make</.test(code(file)))
    ).toEqual([])
  })

  it("keeps rules pure", () => {
    const impure =
      /from "(effect\/(?!Schema)[^"]*|node:[^"]*)"|import \{[^}]*\b(Clock|Random|Effect|Context|Layer)\b[^}]*\} from "effect"/
    expect(files.filter((file) => file.startsWith("engine/rules/") && impure.test(code(file)))).toEqual([])
  })

  /** Wall time, randomness, environment and timers each have one home; all other code gets them as arguments. */
  const homes: ReadonlyArray<readonly [RegExp, RegExp]> = [
    [/\bDate\.now\b|\bnew Date\(\s*\)/, /^media\/clock\/StationClock\.ts$/],
    [/\bMath\.random\b/, /^$/],
    [/\bprocess\.env\b/, /^engine\/runtime\/Config\.ts$/],
    // A socket's own setTimeout is its method, not one of our timers.
    [/(?<![.\w])set(Timeout|Interval|Immediate)\(/, /^media\/clock\/Ticker\.ts$/]
  ]
  it.each(homes)("%s stays in its home", (pattern, home) => {
    expect(
      files.filter((file) => !/^(test|bench|http\/pages)\//.test(file) && !home.test(file) && pattern.test(code(file)))
    ).toEqual([])
  })

  it("makes no spans of functions, which nothing collects: Effect.fnUntraced instead of Effect.fn", () => {
    expect(files.filter((file) => /\bEffect\.fn\(/.test(code(file)))).toEqual([])
  })

  it("has no folder for odds and ends", () => {
    expect(
      files.filter((file) => /(^|\/)(utils?|common|helpers?|managers?|index|misc)(\/|\.tsx?$)/i.test(file))
    ).toEqual([])
  })

  it("imports with extensions and relative paths only", () => {
    expect(
      files.flatMap((file) =>
        imports(file)
          .filter((target) => target.startsWith(".") && !/\.(tsx?|css|json|mjs)$/.test(target))
          .map((target) => `${file}: ${target}`)
      )
    ).toEqual([])
  })
})
