import { Context, Layer } from "effect"
import { type Bell, makeBell } from "./Bell.ts"

/** Calls the worker for recordings of agents. */
export class UploadBell extends Context.Service<UploadBell, Bell>()("longwave/actors/UploadBell") {
  static readonly layer = Layer.effect(UploadBell, makeBell)
}
