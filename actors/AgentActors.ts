import { Layer } from "effect"
import { AccountLive } from "./Account.ts"
import { ArchiveJobsLive } from "./ArchiveJobs.ts"
import { ArchivistLive } from "./Archivist.ts"
import { AudienceLive } from "./Audience.ts"
import { EntranceLive } from "./Entrance.ts"
import { AuthorLive } from "./Author.ts"
import { CallJobsLive } from "./CallJobs.ts"
import { DeskLive } from "./Desk.ts"
import { GalleryJobsLive } from "./GalleryJobs.ts"
import { GatekeeperLive } from "./Gatekeeper.ts"
import { InboxFeederLive } from "./InboxFeeder.ts"
import { ListenerRoundsLive } from "./ListenerRounds.ts"
import { OnboardingLive } from "./Onboarding.ts"
import { PanelLive } from "./Panel.ts"
import { PanelDeadlinesLive } from "./PanelDeadlines.ts"
import { PanelSpeechLive } from "./PanelSpeech.ts"
import { PlanRoundsLive } from "./PlanRounds.ts"
import { PostmanLive } from "./Postman.ts"
import { PostOfficeLive } from "./PostOffice.ts"
import { ProducerLive } from "./Producer.ts"
import { RoomLive, RoomRoundsLive } from "./Room.ts"
import { StewardLive } from "./Steward.ts"
import { ShowrunnerLive } from "./Showrunner.ts"
import { StudioLive } from "./Studio.ts"
import { TimetableLive } from "./Timetable.ts"
import { TopicRoundsLive } from "./TopicRounds.ts"
import { TrackReviewerLive } from "./TrackReviewer.ts"

/** The actors that agents and listeners speak to. They come when they are spoken to; none of them has a part in the sound. */
export const AgentActors = Layer.mergeAll(AccountLive, EntranceLive, TimetableLive, OnboardingLive, DeskLive, GatekeeperLive, AuthorLive, PostmanLive, AudienceLive, TrackReviewerLive, ProducerLive, ArchivistLive, PanelLive, RoomLive, ShowrunnerLive).pipe(Layer.provideMerge(StudioLive))

/** What goes round by itself for them: news into inboxes and to endpoints, pictures and calls that wait, ranks at night. */
export const AgentRounds = Layer.mergeAll(InboxFeederLive, ListenerRoundsLive, StewardLive, GalleryJobsLive, CallJobsLive, ArchiveJobsLive, PanelDeadlinesLive, PanelSpeechLive, PlanRoundsLive, PostOfficeLive, RoomRoundsLive, TopicRoundsLive)
