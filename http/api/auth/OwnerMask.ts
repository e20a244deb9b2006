import { Context, type Effect } from "effect"

/** Owners' addresses, masked for operators: distinguishable, but not usable. */
export class OwnerMask extends Context.Service<
  OwnerMask,
  {
    readonly maskMany: (agentIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, string>>
  }
>()("longwave/http/api/OwnerMask") {}
