import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const git = (...words: ReadonlyArray<string>): string | null => {
  try {
    return execFileSync("git", words, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()
  } catch {
    return null
  }
}
const isSince = (commit: string, path: string): boolean => git("diff", "--quiet", commit, "--", path) === null
const migrations = "engine/store/sql/Migrations.ts"
const lock = "package-lock.json"

/** A version that this one may replace on a running station; or why this copy of the repository has none. */
export type FormerVersion = { readonly commit: string } | { readonly missing: string }

/**
 * The last commit without the newest migration: this version upgrades its database. If packages have changed since, the commit that changed them, because
 * it runs with those that are installed here.
 */
export const findFormerVersion = (): FormerVersion => {
  if (git("rev-parse", "--verify", "HEAD") === null) return { missing: "this is no copy of the repository" }
  const migrated = git("log", "-1", "--format=%H", "--", migrations)
  const before = isSince("HEAD", migrations) ? "HEAD" : `${migrated}^`
  const commit = git("rev-parse", "--verify", `${before}^{commit}`)
  if (commit === null)
    return { missing: "the history of this copy doesn't reach the version before: git fetch --unshallow" }
  if (!isSince(commit, lock)) return { commit }
  const packed = isSince("HEAD", lock) ? null : git("log", "-1", "--format=%H", "--", lock)
  return packed === null ? { missing: "packages have changed that no commit names" } : { commit: packed }
}

/** Lays the sources of a commit into an empty folder, with the installed packages and the built pages of this version. */
export const layVersion = (commit: string, folder: string): void => {
  mkdirSync(folder, { recursive: true })
  const packed = execFileSync("git", ["archive", "--format=tar", commit], { cwd: root, maxBuffer: 1 << 29 })
  execFileSync("tar", ["-x", "-C", folder], { input: packed })
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  const pages = join("http", "pages", "dist")
  if (existsSync(join(root, pages))) symlinkSync(join(root, pages), join(folder, pages))
}
