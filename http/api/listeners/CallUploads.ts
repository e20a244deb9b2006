import { Context, type Effect } from "effect"
import type { Busy } from "../../../schema/Problems.ts"

/** Recordings on their way from a form to whoever judges them. */
export class CallUploads extends Context.Service<
  CallUploads,
  {
    /** The recording where it is found on whichever machine that is; whatever came of it, the upload is gone afterwards. */
    readonly using: <A, E, R>(
      path: string,
      use: (uploadKey: string) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | Busy, R>
  }
>()("longwave/http/api/CallUploads") {}
