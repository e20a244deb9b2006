import { Context, Effect, Layer, Stream } from "effect"
import { createReadStream } from "node:fs"
import { open } from "node:fs/promises"
import { join } from "node:path"
import { backupFile } from "../../rules/operations/Backup.ts"
import { StationConfig } from "../../runtime/Config.ts"

/** Files of backups, read once from beginning to end. */
export class BackupFiles extends Context.Service<BackupFiles>()("longwave/engine/store/BackupFiles", {
  make: Effect.map(StationConfig, ({ dataDir }) => ({
    /** Null when the file is gone. */
    read: (id: string) =>
      Effect.promise(async () => {
        const file = await open(join(dataDir, "backups", backupFile(id)), "r").catch(() => null)
        if (file === null) return null
        const { size } = await file.stat()
        return {
          size,
          bytes: Stream.fromAsyncIterable(
            createReadStream("", { fd: file, highWaterMark: 262_144 }) as AsyncIterable<Uint8Array>,
            (cause) => cause
          )
        }
      })
  }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
