import { Effect, Layer, Result } from "effect"
import { Keys } from "../../engine/runtime/Keys.ts"
import { HumanIdentities } from "../../engine/store/people/HumanIdentities.ts"
import { OwnAddress } from "../api/auth/OwnAddress.ts"

export const OwnAddressLive = Layer.effect(
  OwnAddress,
  Effect.gen(function* () {
    const identities = yield* HumanIdentities
    const keys = yield* Keys
    return OwnAddress.of({
      find: (humanId) =>
        Effect.map(identities.findSealedAddress(humanId), (sealed) =>
          sealed === null
            ? null
            : Result.match(
                Result.try(() => keys.open(sealed, humanId)),
                { onSuccess: (email): string | null => email, onFailure: () => null }
              )
        )
    })
  })
)
