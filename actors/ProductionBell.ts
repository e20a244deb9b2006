import { Context, Layer } from "effect"
import { type Bell, makeBell } from "./Bell.ts"

/** Calls the worker for shows in the making. */
export class ProductionBell extends Context.Service<ProductionBell, Bell>()("longwave/actors/ProductionBell") {
  static readonly layer = Layer.effect(ProductionBell, makeBell)
}
