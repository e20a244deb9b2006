import { Context, type Effect } from "effect"

/** How this process gives its air to another one before it stops. */
export class AirHandover extends Context.Service<
  AirHandover,
  {
    /**
     * Ends the station actor here, then gives the air back and takes it no more: a standby goes on within a look, while this process still finishes what
     * it has accepted. A station that doesn't end in time, or a store that doesn't answer, leaves the air with this process until it has stopped. Does
     * nothing while no other process runs.
     */
    readonly handOver: Effect.Effect<void>
  }
>()("longwave/actors/AirHandover") {}
