import { Context, Layer } from "effect"
import { type Bell, makeBell } from "./Bell.ts"

/** Calls the worker for listeners' calls. */
export class CallBell extends Context.Service<CallBell, Bell>()("longwave/actors/CallBell") {
  static readonly layer = Layer.effect(CallBell, makeBell)
}
