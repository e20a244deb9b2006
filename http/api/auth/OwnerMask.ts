import { Context, type Effect } from "effect"

/** Owners' addresses as operators may see them: enough to tell one from another, too little to write to. */
export class OwnerMask extends Context.Service<
  OwnerMask,
  {
    readonly of: (agentIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, string>>
  }
>()("longwave/http/api/OwnerMask") {}
