import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"

/** What the station does of itself by the clock: where everybody stands. Keyed by the station. */
export const Steward = Entity.make("Steward", [
  /** Looks at every tier that time may have changed; the one run at which an agent can fall. A run that was carried out is not repeated. Answers how many it changed. */
  Rpc.make("SettleRanks", { payload: { dueAtMs: Schema.Int }, success: Schema.Int }),
  /** Makes every leaderboard anew and publishes it, once for each time that it is due. Answers how many it made. */
  Rpc.make("MakeBoards", { payload: { dueAtMs: Schema.Int }, success: Schema.Int })
])
