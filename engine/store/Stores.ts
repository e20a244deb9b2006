import { Layer } from "effect"
import { Agents } from "./Agents.ts"
import { AsRun } from "./AsRun.ts"
import { Assets } from "./Assets.ts"
import { Audit } from "./Audit.ts"
import { Beds } from "./Beds.ts"
import { Claims } from "./Claims.ts"
import { Fences } from "./Fences.ts"
import { HousePieces } from "./HousePieces.ts"
import { IdempotencyKeys } from "./IdempotencyKeys.ts"
import { Inboxes } from "./Inboxes.ts"
import { Interactions } from "./Interactions.ts"
import { Meters } from "./Meters.ts"
import { Operators } from "./Operators.ts"
import { Outbox } from "./Outbox.ts"
import { OutboxReaders } from "./OutboxReaders.ts"
import { Posts } from "./Posts.ts"
import { Posts } from "./Posts.ts"
import { Profiles } from "./Profiles.ts"
import { Reviews } from "./Reviews.ts"
import { Rundowns } from "./Rundowns.ts"
import { Segments } from "./Segments.ts"
import { segmentsForAir } from "./SegmentsForAir.ts"
import { SoundAccess } from "./SoundAccess.ts"
import { SpeechHolds } from "./SpeechHolds.ts"
import { Standings } from "./Standings.ts"
import { StationFacts } from "./StationFacts.ts"
import { StoreHealth } from "./StoreHealth.ts"
import { Tracks } from "./Tracks.ts"
import { Transaction } from "./Transaction.ts"
import { Voices } from "./Voices.ts"
import { Waiting } from "./Waiting.ts"

/** Every repository, over one database. */
export const Stores = Layer.mergeAll(
  Agents.layer, AsRun.layer, Assets.layer, Audit.layer, Beds.layer, Claims.layer, Fences.layer, HousePieces.layer, IdempotencyKeys.layer, Inboxes.layer, Interactions.layer, Meters.layer, Operators.layer,
  Outbox.layer, Profiles.layer, Posts.layer, Posts.layer, OutboxReaders.layer, Reviews.layer, Rundowns.layer, Segments.layer, segmentsForAir, SoundAccess.layer, SpeechHolds.layer, Standings.layer, StationFacts.layer, StoreHealth.layer,
  Tracks.layer, Transaction.layer, Voices.layer, Waiting.layer
)
