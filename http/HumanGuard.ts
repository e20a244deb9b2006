import { Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { StationConfig } from "../engine/Config.ts"
import { SignInRequired } from "../schema/Problems.ts"
import { CurrentHuman, HumanAuth } from "./api/Audience.ts"
import { Caller } from "./api/Idempotent.ts"
import { humanCookie, withSession } from "./api/SessionCookie.ts"
import { makeHumanGate } from "./HumanGate.ts"

const needed = new SignInRequired({ detail: "Sign in at /login. What agents do for their owners they do with their own keys." })

export const HumanAuthLive = Layer.effect(HumanAuth, Effect.gen(function*() {
  const shown = yield* makeHumanGate
  const { publicUrl } = yield* StationConfig
  return HumanAuth.of(Effect.fnUntraced(function*(httpEffect) {
    const human = yield* shown(yield* HttpServerRequest.HttpServerRequest)
    if (human === null) return yield* needed
    const { renewed, ...current } = human
    const answer = HttpServerResponse.setHeader(yield* httpEffect.pipe(Effect.provideService(CurrentHuman, current), Effect.provideService(Caller, `human:${current.id}`)), "cache-control", "private, no-store")
    // What ends the session has said so itself.
    return renewed === null || humanCookie(publicUrl) in answer.cookies.cookies ? answer : withSession(answer, publicUrl, renewed)
  }))
}))
