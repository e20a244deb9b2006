import { Schema } from "effect"
import { AppId } from "../Ids.ts"

/** An outside program that may verify identity tokens. Its secret is shown once, at creation. */
export class AppKeyView extends Schema.Class<AppKeyView>("AppKeyView")({
  id: AppId,
  name: Schema.String,
  /** Audiences whose tokens it may verify; always including its own id. */
  audiences: Schema.Array(Schema.String),
  prefix: Schema.String,
  createdAt: Schema.String,
  rotatedAt: Schema.NullOr(Schema.String),
  lastUsedAt: Schema.NullOr(Schema.String),
  revokedAt: Schema.NullOr(Schema.String)
}) {}
