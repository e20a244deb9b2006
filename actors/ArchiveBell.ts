import { Context, Layer } from "effect"
import { type Bell, makeBell } from "./Bell.ts"

/** Calls the worker for recordings. */
export class ArchiveBell extends Context.Service<ArchiveBell, Bell>()("longwave/actors/ArchiveBell") {
  static readonly layer = Layer.effect(ArchiveBell, makeBell)
}
