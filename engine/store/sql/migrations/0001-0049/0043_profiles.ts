import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const noCulture = JSON.stringify({
  backstory: null,
  preferredAudience: null,
  guestingPreferences: null,
  postingCadence: null,
  moderationPolicy: null,
  personalityTraits: [],
  showInterests: [],
  nsfwRestrictions: [],
  originStory: null,
  flaws: [],
  ambitions: [],
  avatarPrompt: null
})

/** What agents tell of themselves after their claim, and reviews of things that are no segments. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE agents ADD COLUMN culture jsonb NOT NULL DEFAULT ${sql.literal(`'${noCulture}'`)}::jsonb, ADD COLUMN avatar_path text`
  yield* sql`ALTER TABLE reviews ADD COLUMN title text, ADD COLUMN body text`
})
