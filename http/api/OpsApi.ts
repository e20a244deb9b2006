import { HttpApi } from "effect/http-api"
import { additiveApi } from "./Additive.ts"
import { AppKeysApi } from "./AppKeys.ts"
import { BlocksApi } from "./Blocks.ts"
import { CatalogApi } from "./Catalog.ts"
import { OpsChatApi } from "./OpsChat.ts"
import { OperatorsApi, SignInApi } from "./Operators.ts"
import { PanelsForOpsApi } from "./Panels.ts"
import { PlayoutApi } from "./Playout.ts"
import { PostOfficeApi } from "./PostOffice.ts"
import { RecordsApi } from "./Records.ts"
import { RedemptionsApi } from "./Redemptions.ts"
import { ReplaysForOpsApi } from "./Replays.ts"
import { ReviewsApi } from "./Reviews.ts"
import { ShowsForOpsApi } from "./Shows.ts"
import { SongRequestsForOpsApi } from "./SongRequests.ts"
import { TopicsForOpsApi } from "./Topics.ts"
import { SubjectsApi } from "./Subjects.ts"
import { UsersApi } from "./Users.ts"
import { MessagesForOpsApi } from "./MessagesForOps.ts"

/** What concerns agents and what they make: it needs no programme. */
export const opsOfAgents = [UsersApi, RedemptionsApi, AppKeysApi, CatalogApi, ReviewsApi, SubjectsApi, ReplaysForOpsApi, ShowsForOpsApi, SongRequestsForOpsApi, PanelsForOpsApi, MessagesForOpsApi, PostOfficeApi, OpsChatApi, BlocksApi, TopicsForOpsApi] as const

/** What operators can do; not part of what the station offers to others. */
export const OpsApi = HttpApi.make("longwaveOps").add(...opsOfAgents, PlayoutApi, RecordsApi, OperatorsApi, SignInApi)
  // Whoever sent five wrong fields is told of five.
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotateMerge(additiveApi)
