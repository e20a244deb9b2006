import { Effect, Layer, Option, Result, Schema } from "effect"
import { Keys } from "../../engine/runtime/Keys.ts"
import { ReportContacts } from "../api/auth/ReportContacts.ts"

const Contact = Schema.fromJsonString(Schema.Struct({ name: Schema.NullOr(Schema.String), email: Schema.String }))
const read = Schema.decodeUnknownOption(Contact)

/** A contact whose master key is lost stays hidden, but doesn't block the rest. */
export const ReportContactsLive = Layer.effect(
  ReportContacts,
  Effect.map(Keys, (keys) =>
    ReportContacts.of({
      claimantOf: ({ contactSealed, id }) => {
        const opened =
          contactSealed === null
            ? null
            : Result.getOrElse(
                Result.try(() => keys.open(contactSealed, id)),
                () => null
              )
        const contact = opened === null ? null : Option.getOrNull(read(opened))
        return contact?.name == null ? null : { name: contact.name, email: contact.email }
      }
    })
  )
)
