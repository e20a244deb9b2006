import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, symlink, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import type { Answered, Door } from "./Doors.ts"

const run = promisify(execFile)
const packages = resolve(import.meta.dirname, "../../../node_modules")

/** Folder of a generated client, with the description that it was made from. */
export interface GeneratedClient {
  readonly folder: string
  readonly file: string
  readonly description: Description
}
interface Description {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly operationId: string
            readonly parameters?: ReadonlyArray<{ readonly name: string; readonly in: string }>
          }
        >
      >
    >
  >
}

/** Makes a client from a station's OpenAPI document, as any developer would: oazapfts, nothing but the document. */
export const generateClient = async (description: unknown, folder: string): Promise<GeneratedClient> => {
  await mkdir(folder, { recursive: true })
  if (!existsSync(join(folder, "node_modules"))) await symlink(packages, join(folder, "node_modules"))
  await writeFile(join(folder, "package.json"), `{"type":"module"}`)
  await writeFile(join(folder, "openapi.json"), JSON.stringify(description))
  const file = join(folder, "client.ts")
  await run(
    process.execPath,
    [
      join(packages, "oazapfts/dist/cli.js"),
      "--argumentStyle=object",
      "--futureStripLegacyMethods",
      "--useUnknown",
      join(folder, "openapi.json"),
      file
    ],
    { maxBuffer: 1 << 26 }
  )
  return { folder, file, description: description as Description }
}

/** Compiler errors of files beside a generated client, in strict mode; empty if there are none. */
export const typeCheck = async (files: ReadonlyArray<string>): Promise<string> => {
  const options =
    "--ignoreConfig --noEmit --pretty false --strict --noUncheckedIndexedAccess --noImplicitReturns --allowImportingTsExtensions --skipLibCheck --target es2024 --lib es2024,dom,dom.iterable --types node --module nodenext --moduleResolution nodenext"
  return run(process.execPath, [join(packages, "typescript/lib/tsc.js"), ...options.split(" "), ...files], {
    maxBuffer: 1 << 26
  }).then(
    () => "",
    ({ stdout }: { readonly stdout: string }) => stdout
  )
}

type Call = (...given: ReadonlyArray<unknown>) => Promise<{ readonly status: number; readonly data: unknown }>

/** The functions of a generated client: each operation by its id, path, query and body as one argument. */
export const makeGeneratedDoor = async (client: GeneratedClient, base: string): Promise<Door> => {
  const functions = (await import(pathToFileURL(client.file).href)) as Readonly<Record<string, Call>>
  const door = (key?: string): Door => ({
    name: "generated client",
    use: async (method, path, given = {}): Promise<Answered> => {
      const operation = client.description.paths[path]?.[method.toLowerCase()]
      if (operation === undefined) throw new Error(`the document describes no ${method} ${path}`)
      const name = operation.operationId.replaceAll(/\W+(\w)/g, (_, letter: string) => letter.toUpperCase())
      const call = functions[name]
      if (call === undefined) throw new Error(`the client has no ${name}`)
      const named = new Set(operation.parameters?.map((parameter) => parameter.name))
      const inBody = Object.entries(given).filter(([field]) => !named.has(field))
      const options = { baseUrl: base, headers: key === undefined ? {} : { authorization: `Bearer ${key}` } }
      const fields = {
        ...Object.fromEntries(Object.entries(given).filter(([field]) => named.has(field))),
        ...(inBody.length === 0 ? {} : { body: Object.fromEntries(inBody) })
      }
      // An operation without any parameter takes the options alone.
      const { data, status } = await (call.length === 1 ? call(options) : call(fields, options))
      return { status, body: data }
    },
    withKey: async (other) => door(other),
    close: async () => undefined
  })
  return door()
}
