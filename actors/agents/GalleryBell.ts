import { Context, Layer } from "effect"
import { type Wakeup, makeWakeup } from "../runtime/Wakeup.ts"

/** Calls the gallery's worker. */
export class GalleryBell extends Context.Service<GalleryBell, Wakeup>()("longwave/actors/GalleryBell") {
  static readonly layer = Layer.effect(GalleryBell, makeWakeup)
}
