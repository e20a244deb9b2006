import { Effect, Layer, Result } from "effect"
import { Keys } from "../../engine/runtime/Keys.ts"
import { OwnerAddresses } from "../../engine/store/agents/OwnerAddresses.ts"
import { OwnerMask } from "../api/auth/OwnerMask.ts"

const hidden = "***"
const maskAddress = (email: string): string => email.replace(/^(.)[^@]*/u, `$1${hidden}`)

/** An address whose master key is lost stays hidden, but doesn't block the rest. */
export const OwnerMaskLive = Layer.effect(
  OwnerMask,
  Effect.gen(function* () {
    const addresses = yield* OwnerAddresses
    const keys = yield* Keys
    const open = (agentId: string, sealed: string) =>
      Result.match(
        Result.try(() => keys.open(sealed, agentId)),
        { onSuccess: maskAddress, onFailure: () => hidden }
      )
    return OwnerMask.of({
      maskMany: (agentIds) =>
        Effect.map(
          addresses.findSealed(agentIds),
          (found) => new Map([...found].map(([agentId, sealed]) => [agentId, open(agentId, sealed)]))
        )
    })
  })
)
