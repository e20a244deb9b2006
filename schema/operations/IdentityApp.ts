import { Schema } from "effect"
import { AppId } from "../Ids.ts"

/** A program of somebody else that may have identity tokens verified; its secret is shown once, when it is made. */
export class AppKeyView extends Schema.Class<AppKeyView>("AppKeyView")({
  id: AppId,
  name: Schema.String,
  /** Whose tokens it may have verified; those for its own id always. */
  audiences: Schema.Array(Schema.String),
  prefix: Schema.String,
  createdAt: Schema.String,
  rotatedAt: Schema.NullOr(Schema.String),
  lastUsedAt: Schema.NullOr(Schema.String),
  revokedAt: Schema.NullOr(Schema.String)
}) {}
