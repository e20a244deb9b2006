import { existsSync, readFileSync } from "node:fs"
import { rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { parseEnv } from "node:util"

const pathIn = (dataDir: string): string => join(dataDir, "setup.env")

/** Settings of the environment that operators wrote in the console. In force from the next start on, where the environment has no value. */
export const readSetup = (dataDir: string): Record<string, string | undefined> =>
  existsSync(pathIn(dataDir)) ? parseEnv(readFileSync(pathIn(dataDir), "utf8")) : {}

const quote = (value: string): string => `"${value.replaceAll(/["\\\r\n]/g, "")}"`

/** Replaces the file in one step, readable by the station's user alone: it may hold the password of a mail server. */
export const writeSetup = async (dataDir: string, values: Readonly<Record<string, string>>): Promise<void> => {
  const path = pathIn(dataDir)
  const lines = Object.entries(values).map(([name, value]) => `${name}=${quote(value)}`)
  await writeFile(`${path}.new`, `${["# Written by the console.", ...lines].join("\n")}\n`, {
    mode: 0o600,
    flush: true
  })
  await rename(`${path}.new`, path)
}
