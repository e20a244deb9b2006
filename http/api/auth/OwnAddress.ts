import { Context, type Effect } from "effect"

/** A person's own address, opened for that person alone. Null where there is none, or where the key is gone that sealed it. */
export class OwnAddress extends Context.Service<
  OwnAddress,
  {
    readonly of: (humanId: string) => Effect.Effect<string | null>
  }
>()("longwave/http/api/OwnAddress") {}
