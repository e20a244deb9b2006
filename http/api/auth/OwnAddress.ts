import { Context, type Effect } from "effect"

/** A person's own address, decrypted for that person only. Null if there is none, or if its encryption key is lost. */
export class OwnAddress extends Context.Service<
  OwnAddress,
  {
    readonly find: (humanId: string) => Effect.Effect<string | null>
  }
>()("longwave/http/api/OwnAddress") {}
