import { createReadStream } from "node:fs"
import { mkdir } from "node:fs/promises"
import { isAbsolute, normalize } from "node:path"
import { type ReadEntry, Unpack } from "tar"
import bunzip from "unbzip2-stream"
import { ModelRefused } from "./ModelDownload.ts"

/** Beyond these an archive is a bomb: the largest model has 1.5 GB and 400 files. */
export const unpackedMaxBytes = 4 * 1_073_741_824
export const unpackedFilesMax = 5_000

const fileTypes = new Set(["File", "OldFile", "ContiguousFile"])

/** Why an entry can't be written; null if it can. */
const faultOf = (path: string, { type }: ReadEntry): string | null => {
  const normal = normalize(path)
  if (isAbsolute(path) || normal.startsWith("..") || path.includes("\\") || path.includes("\0"))
    return `it would write outside its folder: ${JSON.stringify(path.slice(0, 100))}`
  if (type === "Directory" || fileTypes.has(type)) return null
  return `it holds a ${type} (${JSON.stringify(path.slice(0, 100))}); a model consists of files`
}

/**
 * Unpacks a .tar.bz2 into a new folder. An archive that points out of the folder, holds links or devices, or is larger than any model is
 * refused whole, as is one that ends in the middle.
 */
export const unpack = async (
  archive: string,
  into: string,
  { bytesMax = unpackedMaxBytes, filesMax = unpackedFilesMax } = {}
): Promise<void> => {
  await mkdir(into, { recursive: true })
  let bytes = 0
  let files = 0
  await new Promise<void>((resolve, reject) => {
    const source = createReadStream(archive)
    const unzipped = source.pipe(bunzip())
    const fail = (detail: string) => {
      source.destroy()
      reject(new ModelRefused({ detail: `${archive} can't be unpacked: ${detail}. Nothing of it was kept.` }))
    }
    const tree = new Unpack({
      cwd: into,
      strict: true,
      preserveOwner: false,
      noMtime: true,
      // Scripts in an archive stay files: nothing of a model is run.
      processUmask: 0o022,
      fmode: 0o644,
      dmode: 0o755,
      filter: (path, entry) => {
        if (!("type" in entry)) return false
        const fault = faultOf(path, entry)
        bytes += entry.size
        files++
        if (fault !== null) fail(fault)
        else if (bytes > bytesMax || files > filesMax)
          fail(`it holds more than ${filesMax} files or ${Math.round(bytesMax / 1_048_576)} MiB`)
        else return true
        return false
      }
    })
    source.on("error", (error) => fail(error.message))
    unzipped.on("error", (error: Error) => fail(error.message))
    tree.on("error", (error: Error) => fail(error.message))
    tree.on("close", () => {
      if (files === 0) fail("it is empty")
      else resolve()
    })
    unzipped.pipe(tree as unknown as NodeJS.WritableStream)
  })
}
