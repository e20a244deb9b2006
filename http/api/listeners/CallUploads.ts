import { Context, type Effect } from "effect"
import type { Busy } from "../../../schema/Problems.ts"

/** Recordings in a form, on their way to the rules. */
export class CallUploads extends Context.Service<
  CallUploads,
  {
    /** Makes the recording readable from the object store. The upload is deleted afterwards, whatever the result. */
    readonly runWithUpload: <A, E, R>(
      path: string,
      use: (uploadKey: string) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | Busy, R>
  }
>()("longwave/http/api/CallUploads") {}
