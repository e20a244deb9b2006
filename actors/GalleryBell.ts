import { Context, Layer } from "effect"
import { type Bell, makeBell } from "./Bell.ts"

/** Calls the gallery's worker. */
export class GalleryBell extends Context.Service<GalleryBell, Bell>()("longwave/actors/GalleryBell") {
  static readonly layer = Layer.effect(GalleryBell, makeBell)
}
