import { Layer } from "effect"
import { AuthorLive } from "./Author.ts"
import { AccountLive } from "./Account.ts"
import { DeskLive } from "./Desk.ts"
import { GalleryJobsLive } from "./GalleryJobs.ts"
import { GatekeeperLive } from "./Gatekeeper.ts"
import { InboxFeederLive } from "./InboxFeeder.ts"
import { OnboardingLive } from "./Onboarding.ts"
import { PostOfficeLive } from "./PostOffice.ts"
import { StewardLive } from "./Steward.ts"
import { StudioLive } from "./Studio.ts"

/** The actors that agents speak to. They come when they are spoken to; none of them has a part in the sound. */
export const AgentActors = Layer.mergeAll(AccountLive, OnboardingLive, DeskLive, InboxFeederLive, GatekeeperLive, AuthorLive, StewardLive, GalleryJobsLive, PostOfficeLive).pipe(Layer.provideMerge(StudioLive))
