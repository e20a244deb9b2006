import { Effect } from "effect"
import { listenerTokenDays } from "../../engine/rules/listeners/limits.ts"
import { songRequestsKeptDays } from "../../engine/rules/music/limits.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { withdrawnVotesMs } from "../../engine/rules/ranks/limits.ts"
import { TrackVotesWriter } from "../../engine/store/music/TrackVotes.ts"
import { TrackTotalsWriter } from "../../engine/store/music/TrackTotals.ts"
import { dayMs, hourMs } from "../../schema/time/Units.ts"
import { repeatEvery, purgeJob } from "../runtime/Jobs.ts"

const next = repeatEvery(hourMs)

/** Folds old requests and the votes of gone guests into the totals of tracks, and counts plays there. */
export const totalsJobs = [
  purgeJob("music.fold_requests", {
    next,
    batch: (nowMs) =>
      Effect.flatMap(TrackTotalsWriter, ({ foldRequests }) => foldRequests(nowMs - songRequestsKeptDays * dayMs))
  }),
  purgeJob("music.fold_votes", {
    next,
    batch: (nowMs) =>
      Effect.flatMap(TrackTotalsWriter, ({ foldVotes }) => foldVotes(nowMs - (listenerTokenDays + 1) * dayMs))
  }),
  purgeJob("music.forget_withdrawn_votes", {
    next,
    batch: (nowMs) =>
      Effect.flatMap(TrackVotesWriter, ({ forgetWithdrawn }) => forgetWithdrawn(nowMs - withdrawnVotesMs))
  }),
  purgeJob("music.count_plays", {
    next,
    batch: () =>
      Effect.flatMap(StationConfig, ({ stationSlug }) =>
        Effect.flatMap(TrackTotalsWriter, ({ countPlays }) => countPlays(stationSlug))
      )
  })
] as const
