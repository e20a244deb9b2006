import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { existsSync, readdirSync } from "node:fs"
import { basename, join } from "node:path"
import { Schema } from "effect"
import { recogniserModelIn } from "./RecogniserModel.ts"
import { isUnfit, voiceModelIn } from "./VoiceModel.ts"
import { unpack } from "./ModelArchive.ts"
import { type CatalogModel, modelCatalog, type ModelFile } from "./ModelCatalog.ts"
import { download, type DownloadAsk, ModelRefused, sha256Of } from "./ModelDownload.ts"

export const modelsFolder = (dataDir: string) => join(dataDir, "models")
const downloads = (dataDir: string) => join(modelsFolder(dataDir), ".downloads")
const checksums = (dataDir: string) => join(modelsFolder(dataDir), "checksums.json")

const refusal = (detail: string) => new ModelRefused({ detail })
const fileName = ({ url }: ModelFile) => basename(new URL(url).pathname)

const findUnfitness = (kind: CatalogModel["kind"], dir: string): string | null => {
  const found = kind === "voice" ? voiceModelIn(dir) : recogniserModelIn(dir)
  return "unfit" in found ? found.unfit : null
}

/** Names of the folders in `DATA_DIR/models`, in the catalog's order, others after them. */
const namesIn = (dataDir: string): ReadonlyArray<string> => {
  const rank = (name: string) => {
    const index = modelCatalog.findIndex((model) => model.name === name)
    return index < 0 ? modelCatalog.length : index
  }
  try {
    return readdirSync(modelsFolder(dataDir), { withFileTypes: true })
      .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith("."))
      .map(({ name }) => name)
      .toSorted((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1))
  } catch {
    return []
  }
}

/** The voice and the recogniser that the station takes from `DATA_DIR/models` when none is configured. */
export const modelsOf = (dataDir: string): { readonly voice: string | null; readonly recogniser: string | null } => {
  const dirs = namesIn(dataDir).map((name) => join(modelsFolder(dataDir), name))
  return {
    voice: dirs.find((dir) => !isUnfit(voiceModelIn(dir))) ?? null,
    recogniser: dirs.find((dir) => isUnfit(voiceModelIn(dir)) && !("unfit" in recogniserModelIn(dir))) ?? null
  }
}

const Checksums = Schema.fromJsonString(Schema.Record(Schema.String, Schema.String))
const readRecord = async (dataDir: string): Promise<Readonly<Record<string, string>>> => {
  let text: string
  try {
    text = await readFile(checksums(dataDir), "utf8")
  } catch {
    return {}
  }
  try {
    return Schema.decodeUnknownSync(Checksums)(text)
  } catch {
    throw refusal(
      `${checksums(dataDir)} can't be read: it is not the JSON that this command writes. Mend or remove it.`
    )
  }
}

export interface PullAsk extends Pick<DownloadAsk, "signal" | "triesMax" | "pauseMs" | "stallMs" | "bytesMax"> {
  readonly dataDir: string
  readonly name: string
  readonly catalog?: ReadonlyArray<CatalogModel>
  readonly say: (line: string) => void
  readonly onProgress?: (file: string, bytes: number, total: number | null) => void
}

const requireModel = (catalog: ReadonlyArray<CatalogModel>, name: string): CatalogModel => {
  const model = catalog.find((one) => one.name === name)
  if (model === undefined)
    throw refusal(`There is no model ${name} in the catalog. It has ${catalog.map((one) => one.name).join(", ")}.`)
  return model
}

/** Downloads, checks and unpacks a model of the catalog. A command that was stopped goes on where it was when it is given again. */
export const pull = async ({
  catalog = modelCatalog,
  dataDir,
  name,
  onProgress = () => {},
  say,
  ...limits
}: PullAsk): Promise<void> => {
  const model = requireModel(catalog, name)
  const target = join(modelsFolder(dataDir), name)
  if (existsSync(target) && findUnfitness(model.kind, target) === null)
    return say(`${name} is there already: ${target}`)
  const before = await readRecord(dataDir)
  const hashes: Record<string, string> = {}
  for (const file of model.files) {
    const to = join(downloads(dataDir), fileName(file))
    const expected = file.sha256 ?? before[file.url] ?? null
    if (existsSync(to)) {
      const hash = await sha256Of(to)
      if (expected !== null && hash !== expected) {
        await rm(to)
        throw refusal(
          `${to} is not the file that it should be: its SHA-256 is ${hash}, not ${expected}. It was deleted.`
        )
      }
      say(`${fileName(file)} is there already`)
      hashes[file.url] = hash
      continue
    }
    say(`${fileName(file)} from ${new URL(file.url).host}`)
    try {
      hashes[file.url] = await download({
        ...limits,
        url: file.url,
        to,
        sha256: expected,
        onProgress: (bytes, total) => onProgress(fileName(file), bytes, total)
      })
    } catch (cause) {
      if (!(cause instanceof ModelRefused)) throw cause
      throw refusal(
        `${cause.detail}\n\nWithout a connection: download ${file.url} elsewhere, put the file at\n  ${to}\n` +
          `and give the command again; or put a model's own files into a folder of\n  ${modelsFolder(dataDir)}`
      )
    }
  }
  const unpacking = join(modelsFolder(dataDir), ".unpacking")
  await rm(unpacking, { recursive: true, force: true })
  try {
    const [archive, ...beside] = model.files
    say("Unpacking")
    await unpack(join(downloads(dataDir), fileName(archive!)), unpacking)
    const entries = await readdir(unpacking)
    const folder =
      entries.length === 1 && (await stat(join(unpacking, entries[0]!))).isDirectory()
        ? join(unpacking, entries[0]!)
        : unpacking
    for (const file of beside) {
      await mkdir(folder, { recursive: true })
      await rename(join(downloads(dataDir), fileName(file)), join(folder, fileName(file)))
    }
    const fault = findUnfitness(model.kind, folder)
    if (fault !== null) throw refusal(`${name} was downloaded, but can't be used. ${fault}`)
    await rm(target, { recursive: true, force: true })
    await rename(folder, target)
  } catch (cause) {
    // A file that can't be used would be found again by the next try.
    for (const file of model.files) await rm(join(downloads(dataDir), fileName(file)), { force: true })
    throw cause
  } finally {
    await rm(unpacking, { recursive: true, force: true })
  }
  const file = checksums(dataDir)
  await writeFile(`${file}.new`, `${JSON.stringify({ ...before, ...hashes }, null, 2)}\n`)
  await rename(`${file}.new`, file)
  for (const each of model.files) await rm(join(downloads(dataDir), fileName(each)), { force: true })
  for (const each of model.files) {
    const isNew = each.sha256 === null && before[each.url] === undefined
    say(
      `SHA-256 ${hashes[each.url]!}  ${fileName(each)}${isNew ? " (recorded: the publisher states none)" : " (as expected)"}`
    )
  }
  say(`${name} is ready: ${target}\nThe station uses it from its next start.`)
}

/** Removes a model's folder and its partial downloads; its recorded hash stays. */
export const remove = async (
  dataDir: string,
  name: string,
  catalog: ReadonlyArray<CatalogModel> = modelCatalog
): Promise<void> => {
  const isListed = catalog.some((model) => model.name === name)
  if (!isListed && !namesIn(dataDir).includes(name))
    throw refusal(`There is no model ${name}. \`npm run models -- list\` shows those that there are.`)
  const target = join(modelsFolder(dataDir), name)
  const parts = (catalog.find((model) => model.name === name)?.files ?? []).flatMap((file) =>
    ["", ".part", ".part.json"].map((end) => join(downloads(dataDir), `${fileName(file)}${end}`))
  )
  if (!existsSync(target) && !parts.some((part) => existsSync(part))) throw refusal(`${name} is not there.`)
  await rm(target, { recursive: true, force: true })
  for (const part of parts) await rm(part, { force: true })
}

export interface ListedModel {
  readonly name: string
  readonly kind: string
  readonly model: CatalogModel | null
  readonly state: "in use" | "there" | "begun" | "damaged" | ""
}

/** The catalog, and what else lies in the folder. `configured` are the folders of the settings. */
export const list = (
  dataDir: string,
  configured: { readonly voice: string | null; readonly recogniser: string | null },
  catalog: ReadonlyArray<CatalogModel> = modelCatalog
): ReadonlyArray<ListedModel> => {
  const found = modelsOf(dataDir)
  const used = new Set([configured.voice ?? found.voice, configured.recogniser ?? found.recogniser])
  const names = namesIn(dataDir)
  const others = names.filter((name) => !catalog.some((model) => model.name === name))
  return [
    ...catalog.map((model): ListedModel => {
      const dir = join(modelsFolder(dataDir), model.name)
      const isBegun = model.files.some((file) =>
        ["", ".part"].some((end) => existsSync(join(downloads(dataDir), `${fileName(file)}${end}`)))
      )
      return {
        name: model.name,
        kind: model.kind,
        model,
        state: !names.includes(model.name)
          ? isBegun
            ? "begun"
            : ""
          : findUnfitness(model.kind, dir) !== null
            ? "damaged"
            : used.has(dir)
              ? "in use"
              : "there"
      }
    }),
    ...others.map((name): ListedModel => {
      const dir = join(modelsFolder(dataDir), name)
      const isVoice = findUnfitness("voice", dir) === null
      const isFit = isVoice || findUnfitness("recogniser", dir) === null
      return {
        name,
        kind: isVoice ? "voice" : isFit ? "recogniser" : "unknown",
        model: null,
        state: used.has(dir) ? "in use" : isFit ? "there" : "damaged"
      }
    })
  ]
}
