import { Context, Layer } from "effect"
import { type Bell, makeBell } from "./Bell.ts"

/** Calls the worker that writes marks into files. */
export class MarkBell extends Context.Service<MarkBell, Bell>()("longwave/actors/MarkBell") {
  static readonly layer = Layer.effect(MarkBell, makeBell)
}
