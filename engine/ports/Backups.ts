import { Context, type Effect, Schema } from "effect"

export class BackupFailed extends Schema.TaggedError<BackupFailed>()("BackupFailed", { detail: Schema.String }) {}

/** Makes backups of the running station. */
export class Backups extends Context.Service<
  Backups,
  {
    /** Writes the station into one encrypted file. `progress` is called with the percentage. Interrupted, it leaves no file. */
    readonly make: (path: string, progress: (percent: number) => void) => Effect.Effect<void, BackupFailed>
  }
>()("longwave/engine/ports/Backups") {}
