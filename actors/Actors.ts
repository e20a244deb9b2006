import { Layer } from "effect"
import { AccountLive } from "./people/Account.ts"
import { ReplayPublisherLive } from "./panels/ReplayPublisher.ts"
import { ArchivistLive } from "./panels/Replays.ts"
import { AudienceLive } from "./listeners/Audience.ts"
import { MessageLive } from "./listeners/Message.ts"
import { EntranceLive } from "./people/SignIn.ts"
import { AuthorLive } from "./social/Author.ts"
import { BlogDeskLive } from "./lore/BlogDesk.ts"
import { HighlightDeskLive } from "./lore/HighlightDesk.ts"
import { CanonLive } from "./lore/Canon.ts"
import { CouncilLive } from "./lore/Council.ts"
import { DeskLive } from "./agents/Desk.ts"
import { KeyUsesLive } from "./agents/KeyUses.ts"
import { OperatorDeskLive } from "./operations/Operators.ts"
import { InboxFeederLive } from "./inbox/InboxFeeder.ts"
import { ReportLive } from "./moderation/Reports.ts"
import { PlantedCaseLive } from "./moderation/PlantedCases.ts"
import { MusicDeskLive } from "./music/MusicDesk.ts"
import { SubmissionDeskLive } from "./music/SubmissionDesk.ts"
import { OnboardingLive } from "./agents/Onboarding.ts"
import { PanelLive } from "./panels/Panel.ts"
import { WebhookFeederLive } from "./inbox/WebhookFeeder.ts"
import { ProductionNewsLive } from "./programmes/ProductionWorker.ts"
import { ProducerLive } from "./programmes/Producer.ts"
import { RoomLive, RoomWorkerLive } from "./listeners/Room.ts"
import { ShowrunnerLive } from "./programmes/Showrunner.ts"
import { StudioLive } from "./segments/Studio.ts"
import { WeekScheduleLive } from "./programmes/WeekSchedule.ts"
import { ReviewRegistryLive } from "./Reviewables.ts"

/** Actors for agents, listeners and operators, activated on demand. None is on the audio path. */
export const AgentActors = Layer.mergeAll(
  AccountLive,
  EntranceLive,
  WeekScheduleLive,
  OnboardingLive,
  DeskLive,
  KeyUsesLive,
  OperatorDeskLive,
  AuthorLive,
  AudienceLive,
  BlogDeskLive,
  HighlightDeskLive,
  CanonLive,
  CouncilLive,
  MessageLive,
  MusicDeskLive,
  SubmissionDeskLive,
  ReviewRegistryLive,
  PlantedCaseLive,
  ReportLive,
  ProducerLive,
  ArchivistLive,
  PanelLive,
  RoomLive,
  ShowrunnerLive
).pipe(Layer.provideMerge(StudioLive))

/** Background readers of events (inboxes, webhooks, replays, productions) and the chat's rounds. */
export const AgentWorkers = Layer.mergeAll(
  InboxFeederLive,
  ReplayPublisherLive,
  ProductionNewsLive,
  WebhookFeederLive,
  RoomWorkerLive
)
