import { Context, type Effect } from "effect"
import type { SegmentId } from "../schema/Ids.ts"
import type { PanelSession } from "../schema/Panel.ts"
import type { Recording } from "../schema/Recording.ts"
import type { Unvoiced, VoicingBusy } from "./Voicing.ts"

/** What `produce` has made of a panel. */
export type Produced = Recording

/** From the turns of a panel to one piece for the air. */
export class PanelProduction extends Context.Service<PanelProduction, {
  /**
   * Makes the one sound of a session, once its turns have theirs, which it waits for. The same session gives the same recording, whoever asks
   * and however often, also after the process ended in the middle. Whoever loses patience does not stop it: asking again finds it further on.
   */
  readonly produce: (session: PanelSession) => Effect.Effect<Produced, VoicingBusy | Unvoiced>
  /** Writes the segment of a panel, its replay and what it adds to the lore, within the caller's transaction. Done again, it changes nothing. */
  readonly enter: (session: PanelSession, produced: Produced) => Effect.Effect<SegmentId>
}>()("longwave/actors/PanelProduction") {}
