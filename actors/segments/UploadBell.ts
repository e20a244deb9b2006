import { Context, Layer } from "effect"
import { type Wakeup, makeWakeup } from "../runtime/Wakeup.ts"

/** Calls the worker for recordings of agents. */
export class UploadBell extends Context.Service<UploadBell, Wakeup>()("longwave/actors/UploadBell") {
  static readonly layer = Layer.effect(UploadBell, makeWakeup)
}
