import { Clock, Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import {
  addressHashHours,
  chatPurgeMinutes,
  influencePageRows,
  listenerRoundMinutes,
  listenerTokenDays
} from "../../engine/rules/listeners/limits.ts"
import { reactionsKeptDays } from "../../engine/rules/lore/limits.ts"
import { voteWindowStartMs } from "../../engine/rules/music/TrackInfluence.ts"
import { dayMs, hourMs } from "../../schema/time/Units.ts"
import { ListenersWriter } from "../../engine/store/listeners/Listeners.ts"
import { ReactionsWriter } from "../../engine/store/listeners/Reactions.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import { TrackVotes } from "../../engine/store/music/TrackVotes.ts"
import { weighAnew } from "../music/TrackInfluence.ts"
import { repeatEvery, periodicJob, purgeJob } from "../runtime/Jobs.ts"
import { Room } from "./protocol/Room.ts"
import { eraseRequestAddresses, eraseVoteAddresses } from "../music/inTransaction.ts"
import { forgetGoneFollowers } from "../social/inTransaction.ts"

/** Recomputes the influence of all tracks with votes, because old votes stop counting. */
const weighAll = Effect.fnUntraced(function* (nowMs: number) {
  const votes = yield* TrackVotes
  const { run } = yield* Transaction
  let after = ""
  for (;;) {
    // One day more than the counted period, to include votes that just left it.
    const page = yield* votes.listTouched(voteWindowStartMs(nowMs) - dayMs, after, influencePageRows)
    for (const trackId of page) yield* run(weighAnew(trackId))
    if (page.length < influencePageRows) return
    after = page.at(-1)!
  }
})
const next = repeatEvery(listenerRoundMinutes * 60_000)
/** Removes guests' addresses after `addressHashHours`, guests with expired tokens and their follows, and old votes from the influence of tracks. */
export const guestJobs = [
  purgeJob("music.erase_vote_addresses", {
    next,
    batch: (nowMs) => eraseVoteAddresses(nowMs - addressHashHours * hourMs)
  }),
  purgeJob("music.erase_request_addresses", {
    next,
    batch: (nowMs) => eraseRequestAddresses(nowMs - addressHashHours * hourMs)
  }),
  purgeJob("listeners.purge_guests", {
    next,
    batch: (nowMs) =>
      Effect.flatMap(ListenersWriter, (listeners) => listeners.purge(nowMs - (listenerTokenDays + 1) * dayMs))
  }),
  purgeJob("social.forget_gone_followers", { next, batch: () => forgetGoneFollowers }),
  periodicJob("music.weigh_tracks", { next, work: Effect.flatMap(Clock.currentTimeMillis, weighAll) })
] as const
export const listenerJobs = [
  ...guestJobs,
  purgeJob("listeners.purge_reactions", {
    next,
    batch: (nowMs) => Effect.flatMap(ReactionsWriter, ({ purge }) => purge(nowMs - reactionsKeptDays * dayMs))
  }),
  purgeJob("listeners.purge_chat", {
    next: repeatEvery(chatPurgeMinutes * 60_000),
    batch: () =>
      Effect.flatMap(StationConfig, ({ stationSlug }) =>
        Effect.flatMap(Room.client, (room) => room(stationSlug).Purge())
      )
  })
] as const
