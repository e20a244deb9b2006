import { Layer } from "effect"
import { AccountLive } from "./people/Account.ts"
import { ReplayWorkerLive } from "./panels/ReplayWorker.ts"
import { ArchivistLive } from "./panels/Replays.ts"
import { AudienceLive } from "./listeners/Audience.ts"
import { EntranceLive } from "./people/SignIn.ts"
import { AuthorLive } from "./social/Author.ts"
import { CallWorkerLive } from "./listeners/CallWorker.ts"
import { DeskLive } from "./agents/Desk.ts"
import { GalleryWorkerLive } from "./agents/GalleryWorker.ts"
import { GatekeeperLive } from "./operations/Operators.ts"
import { JobsLive } from "./Jobs.ts"
import { InboxFeederLive } from "./inbox/InboxFeeder.ts"
import { ListenerWorkerLive } from "./listeners/ListenerWorker.ts"
import { OnboardingLive } from "./agents/Onboarding.ts"
import { PanelLive } from "./panels/Panel.ts"
import { PanelDeadlinesLive } from "./panels/PanelDeadlines.ts"
import { PanelSpeechLive } from "./panels/PanelSpeech.ts"
import { PostmanLive } from "./inbox/WebhookDelivery.ts"
import { WebhookWorkerLive } from "./inbox/WebhookWorker.ts"
import { ProductionWorkerLive } from "./programmes/ProductionWorker.ts"
import { ProducerLive } from "./programmes/Producer.ts"
import { RoomLive, RoomRoundsLive } from "./listeners/Room.ts"
import { ReviewRegistryLive } from "./Reviewables.ts"
import { StewardLive } from "./ranks/Steward.ts"
import { ShowrunnerLive } from "./programmes/Showrunner.ts"
import { StudioLive } from "./segments/Studio.ts"
import { TimetableLive } from "./programmes/WeekSchedule.ts"

/** The actors that agents and listeners speak to. They come when they are spoken to; none of them has a part in the sound. */
export const AgentActors = Layer.mergeAll(
  AccountLive,
  EntranceLive,
  TimetableLive,
  OnboardingLive,
  DeskLive,
  GatekeeperLive,
  AuthorLive,
  PostmanLive,
  AudienceLive,
  ReviewRegistryLive,
  ProducerLive,
  ArchivistLive,
  PanelLive,
  RoomLive,
  ShowrunnerLive
).pipe(Layer.provideMerge(StudioLive))

/** Background work: events into inboxes and to webhooks, pictures and calls that wait for processing, ranks at night. */
export const AgentRounds = Layer.mergeAll(
  JobsLive,
  InboxFeederLive,
  ListenerWorkerLive,
  StewardLive,
  GalleryWorkerLive,
  CallWorkerLive,
  ReplayWorkerLive,
  ProductionWorkerLive,
  PanelDeadlinesLive,
  PanelSpeechLive,
  WebhookWorkerLive,
  RoomRoundsLive
)
