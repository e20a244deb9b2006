import { it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { Outbound } from "../../../engine/ports/Outbound.ts"
import { OwnKeySpeech } from "../../../engine/ports/OwnKeySpeech.ts"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { HttpOutboundLive } from "../../../engine/runtime/HttpOutbound.ts"
import { ffmpegLayer } from "../../../media/ffmpeg/Ffmpeg.ts"
import { OwnKeySpeechLive } from "../../../media/speech/engines/OwnKeys.ts"
import type { WordTiming } from "../../../schema/Sound.ts"
import { spoken } from "../../support/media/RealSpeech.ts"
import { type ProviderFault, speechProviders } from "../../support/media/SpeechProviders.ts"

const key = "sk-owner-0123456789"
const text = "Good evening, this is the harbour. The ferry to the island leaves at nine."
const names = ["elevenlabs", "openai", "cartesia", "azure"] as const
type Name = (typeof names)[number]
const headers = {
  elevenlabs: ["xi-api-key", key],
  openai: ["authorization", `Bearer ${key}`],
  cartesia: ["authorization", `Bearer ${key}`],
  azure: ["ocp-apim-subscription-key", key]
} as const

/** Speech with owners' keys, at the double. */
const connected = Effect.fnUntraced(function* (
  fault: ProviderFault = "none",
  outbound: Layer.Layer<Outbound, never, StationConfig> = HttpOutboundLive,
  settings: Record<string, string> = {}
) {
  const double = yield* Effect.acquireRelease(Effect.promise(speechProviders), ({ end }) => Effect.promise(end))
  double.state.fault = fault
  const services = yield* Layer.build(
    Layer.fresh(OwnKeySpeechLive).pipe(
      Layer.provide([outbound, ffmpegLayer(null)]),
      Layer.provide(
        StationConfig.fromEnvironment({
          DATA_DIR: "/nowhere",
          ELEVENLABS_URL: double.url,
          CARTESIA_URL: double.url,
          OPENAI_SPEECH_URL: `${double.url}/v1/audio/speech`,
          ...settings
        })
      )
    )
  )
  const own = yield* Effect.provide(OwnKeySpeech, services)
  const speak = (provider: Name, said = text, used = key) =>
    own.speak({ text: said, provider, key: used, voiceId: "nova" })
  return { double, speak }
})
const azureAt = (double: string) => ({ AZURE_SPEECH_URL: double })
const apart = (found: ReadonlyArray<WordTiming>, truth: ReadonlyArray<WordTiming>) =>
  found.map(({ startMs }, k) => Math.abs(startMs - truth[k]!.startMs)).toSorted((one, other) => one - other)

describe("speech with an owner's key", () => {
  it.live("goes to the provider with that key and nowhere else, and has the times of its words within 100 ms", () =>
    Effect.gen(function* () {
      const truth = yield* spoken(text)
      const { double, speak } = yield* connected()
      double.spoken.set(text, truth.pcm)
      for (const provider of ["elevenlabs", "cartesia", "openai"] as const) {
        double.asked.length = 0
        const { by, words } = yield* speak(provider)
        const [header, value] = headers[provider]
        expect(double.asked.map((one) => one.headers[header])).toEqual([value])
        expect(double.asked.map(({ body, path }) => path + body).join("")).not.toContain(key)
        expect(by.name.toLowerCase()).toContain({ elevenlabs: "eleven", cartesia: "cartesia", openai: "gpt" }[provider])
        expect(words.map((word) => word.text)).toEqual(text.split(" "))
        if (provider === "openai") {
          // It tells no times: the script is laid over the sound.
          const errors = apart(words, truth.words)
          expect(errors[Math.floor(errors.length / 2)]).toBeLessThan(20)
          expect(errors.at(-1)).toBeLessThanOrEqual(100)
        }
        // These tell of a word each 300 ms, and are believed.
        else for (const [k, { startMs }] of words.entries()) expect(Math.abs(startMs - k * 300)).toBeLessThan(100)
      }
    }).pipe(Effect.scoped)
  )

  it.live("is refused when the sound leaves out what the script says", () =>
    Effect.gen(function* () {
      const part = yield* spoken("Good evening.")
      const { double, speak } = yield* connected()
      double.spoken.set(text, part.pcm)
      expect(yield* Effect.flip(speak("openai"))).toMatchObject({ reason: "wrong_words" })
    }).pipe(Effect.scoped)
  )

  it.live("with Azure goes to the region that is stored with the key, on the public network alone", () =>
    Effect.gen(function* () {
      const truth = yield* spoken(text)
      const asked: Array<{ readonly url: string; readonly key: string | undefined }> = []
      const { double, speak } = yield* connected()
      double.spoken.set(text, truth.pcm)
      // The double answers in Azure's place.
      const region = Layer.succeed(
        Outbound,
        Outbound.of({
          check: Effect.succeed,
          fetch: () => Effect.die(new Error("nothing is fetched here")),
          ask: ({ body, headers: sent, url }) => {
            asked.push({ url, key: sent["ocp-apim-subscription-key"] })
            return Effect.promise(async () => {
              const answer = await fetch(`${double.url}${new URL(url).pathname}`, {
                method: "POST",
                headers: sent,
                body: body!
              })
              return {
                status: answer.status,
                headers: { "content-type": answer.headers.get("content-type") ?? "" },
                body: new Uint8Array(await answer.arrayBuffer()),
                isCut: false
              }
            })
          }
        })
      )
      const away = yield* connected("none", region)
      const sound = yield* away.speak("azure", text, `westeurope:${key}`)
      expect(sound.by.name).toBe("Azure AI Speech")
      expect(asked).toEqual([{ url: "https://westeurope.tts.speech.microsoft.com/cognitiveservices/v1", key }])
      const errors = apart(sound.words, truth.words)
      expect(errors[Math.floor(errors.length * 0.8)]).toBeLessThan(100)
      expect(yield* Effect.flip(speak("azure"))).toMatchObject({
        reason: "refused",
        detail: expect.stringContaining("region:key")
      })
      // A key can't name another host: what isn't a region is a key.
      double.state.fault = "fails"
      const configured = yield* connected("none", HttpOutboundLive, azureAt(double.url))
      expect(yield* Effect.flip(configured.speak("azure", text, `evil.example/:${key}`))).toMatchObject({
        reason: "unreachable"
      })
      expect(configured.double.asked).toEqual([])
      expect(double.asked.at(-1)!.headers["ocp-apim-subscription-key"]).toBe(`evil.example/:${key}`)
    }).pipe(Effect.scoped)
  )

  const faults: ReadonlyArray<readonly [ProviderFault, string]> = [
    ["refuses", "refused"],
    ["unknown_voice", "unknown_voice"],
    ["limits", "limited"],
    ["fails", "unreachable"],
    ["cuts", "unreachable"],
    ["page", "crashed"],
    ["silent", "silent"]
  ]
  it.live("fails with the provider's reason, and tells neither its words nor the key", () =>
    Effect.gen(function* () {
      const { double, speak } = yield* connected()
      const azure = yield* connected("none", HttpOutboundLive, azureAt(double.url))
      for (const [fault, reason] of faults) {
        double.state.fault = fault
        for (const provider of names) {
          const failure = yield* Effect.flip(provider === "azure" ? azure.speak(provider) : speak(provider))
          expect([provider, fault, failure.reason]).toEqual([provider, fault, reason])
          expect(JSON.stringify(failure)).not.toMatch(/sk-owner|Incorrect|Sign in/)
        }
      }
    }).pipe(Effect.scoped)
  )

  it.effect.each(["elevenlabs", "openai", "cartesia"] as const)(
    "that hangs in the middle of %s's answer ends at the deadline, without a part of the sound",
    (provider) =>
      Effect.gen(function* () {
        const { double, speak } = yield* connected("hangs")
        const hung = yield* Deferred.make<void>()
        double.state.onAsked = () => Deferred.doneUnsafe(hung, Effect.void)
        const asked = yield* Effect.forkChild(Effect.flip(speak(provider)))
        yield* Deferred.await(hung)
        yield* TestClock.adjust("31 seconds")
        expect(yield* Fiber.join(asked)).toMatchObject({ reason: "timeout" })
        expect(double.asked).toHaveLength(1)
      }).pipe(Effect.scoped)
  )
})
