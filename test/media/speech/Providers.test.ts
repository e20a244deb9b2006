import { it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { HttpOutboundLive } from "../../../engine/runtime/HttpOutbound.ts"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { azureSpeech } from "../../../media/speech/engines/AzureSpeech.ts"
import { cartesia } from "../../../media/speech/engines/Cartesia.ts"
import { elevenLabs } from "../../../media/speech/engines/ElevenLabs.ts"
import { openAiSpeech } from "../../../media/speech/engines/OpenAiSpeech.ts"
import { passagesOf, speakPassages } from "../../../media/speech/engines/ProviderEngine.ts"
import { configuredPost, guardedPost } from "../../../media/speech/engines/ProviderRequest.ts"
import { voicePool } from "../../../media/speech/engines/VoicePool.ts"
import { joinLines } from "../../../media/speech/SpokenSound.ts"
import { sentencesOf } from "../../../media/speech/SpokenText.ts"
import { catalog } from "../../../media/speech/VoiceCatalog.ts"
import { type ProviderFault, speechProviders } from "../../support/media/SpeechProviders.ts"

const key = "sk-secret-0123456789"
const text = "Good evening, this is the harbour."
const providers = {
  openai: {
    make: openAiSpeech,
    path: "/v1/audio/speech",
    header: ["authorization", `Bearer ${key}`],
    request: ["/v1/audio/speech", { model: "model-1", input: text, voice: "nova", response_format: "wav" }],
    generator: "model-1",
    marks: false
  },
  elevenlabs: {
    make: elevenLabs,
    path: "",
    header: ["xi-api-key", key],
    request: ["/v1/text-to-speech/nova/with-timestamps?output_format=pcm_24000", { text, model_id: "model-1" }],
    generator: "ElevenLabs model-1",
    marks: true
  },
  cartesia: {
    make: cartesia,
    path: "",
    header: ["authorization", `Bearer ${key}`],
    request: [
      "/tts/sse",
      {
        model_id: "model-1",
        transcript: text,
        voice: { mode: "id", id: "nova" },
        output_format: { container: "raw", encoding: "pcm_s16le", sample_rate: 44_100 },
        add_timestamps: true
      }
    ],
    generator: "Cartesia model-1",
    marks: true
  },
  azure: {
    make: azureSpeech,
    path: "",
    header: ["ocp-apim-subscription-key", key],
    request: [
      "/cognitiveservices/v1",
      `<speak version="1.0" xmlns="http://www.w3.org/2001/10/synthesis" xml:lang="en-US"><voice name="nova">${text}</voice></speak>`
    ],
    generator: "Azure AI Speech",
    marks: false
  }
} as const
const names = Object.keys(providers) as ReadonlyArray<keyof typeof providers>

const doubles = Effect.acquireRelease(Effect.promise(speechProviders), ({ end }) => Effect.promise(end))

/** A provider on the double, and what it is asked. */
const connected = Effect.fnUntraced(function* (name: keyof typeof providers, fault: ProviderFault = "none") {
  const double = yield* doubles
  double.state.fault = fault
  const { make, path } = providers[name]
  const provider = make({ url: `${double.url}${path}`, key, model: "model-1" }, yield* configuredPost)
  return { double, provider, speak: provider.speak({ text, voice: "nova" }) }
})

const client = Effect.provide(FetchHttpClient.layer)

describe("a provider of speech", () => {
  it.live.each(names)("%s is asked as its interface has it, and is heard", (name) =>
    Effect.gen(function* () {
      const { double, provider, speak } = yield* connected(name)
      const line = yield* speak
      expect(line.pcm.length / line.sampleRateHz).toBeCloseTo(1.8, 1)
      expect(Math.max(...line.pcm)).toBeGreaterThan(0.2)
      const [header, value] = providers[name].header
      const { body, headers, path } = double.asked[0]!
      expect(headers[header]).toBe(value)
      expect(`${path}${body}`).not.toContain(key)
      expect([path, name === "azure" ? body : JSON.parse(body)]).toEqual(providers[name].request)
      expect(provider.generator).toEqual({ name: providers[name].generator, trained: true })
      // The words lie where the provider says; without its times they are spread over the sound.
      expect(line.marks.length > 0).toBe(providers[name].marks)
      const [passage] = yield* speakPassages(provider, sentencesOf(text), "nova")
      const { words } = joinLines([passage!])
      expect(words.map(({ text }) => text)).toEqual(text.split(" "))
      if (providers[name].marks)
        for (const [index, { startMs }] of words.entries()) expect(Math.abs(startMs - index * 300)).toBeLessThan(20)
    }).pipe(Effect.scoped, client)
  )

  const refusals: ReadonlyArray<readonly [ProviderFault, string, object]> = [
    ["refuses", "refused", {}],
    ["unknown_voice", "unknown_voice", {}],
    ["limits", "limited", { retryAfterSec: 120 }],
    ["fails", "unreachable", {}],
    ["cuts", "unreachable", {}],
    ["garbage", "crashed", {}],
    ["page", "crashed", {}],
    ["silent", "silent", {}],
    ["endless", "crashed", {}],
    ["redirects", "unreachable", {}]
  ]
  it.live.each(names.flatMap((name) => refusals.map((refusal) => [name, ...refusal] as const)))(
    "%s that %s fails with %s, without its words or the key",
    ([name, fault, reason, more]) =>
      Effect.gen(function* () {
        const { double, speak } = yield* connected(name, fault)
        const failure = yield* Effect.flip(speak)
        expect(failure).toMatchObject({ reason, ...more })
        expect(JSON.stringify(failure)).not.toMatch(/sk-secret|Incorrect|Sign in/)
        expect(double.asked.map(({ path }) => path)).not.toContain("/elsewhere")
        expect(double.asked.length).toBe(reason === "unreachable" ? 2 : 1)
      }).pipe(Effect.scoped, client)
  )

  it.live("is asked once more after a passing fault", () =>
    Effect.gen(function* () {
      const { double, speak } = yield* connected("elevenlabs", "fails_once")
      expect((yield* speak).pcm.length).toBeGreaterThan(0)
      expect(double.asked.length).toBe(2)
    }).pipe(Effect.scoped, client)
  )

  it.effect.each(names)("%s that hangs in the middle of its answer is given up at the deadline, with nothing", (name) =>
    Effect.gen(function* () {
      const { double, speak } = yield* connected(name, "hangs")
      const hung = yield* Deferred.make<void>()
      double.state.onAsked = () => Deferred.doneUnsafe(hung, Effect.void)
      const asked = yield* Effect.forkChild(Effect.flip(speak))
      yield* Deferred.await(hung)
      yield* TestClock.adjust("31 seconds")
      expect(yield* Fiber.join(asked)).toMatchObject({ reason: "timeout" })
    }).pipe(Effect.scoped, client)
  )

  it.live("isn't reached on a private network where a user named it", () =>
    Effect.gen(function* () {
      const double = yield* doubles
      const provider = azureSpeech({ url: double.url, key, model: "" }, yield* guardedPost)
      expect(yield* Effect.flip(provider.speak({ text, voice: "en-GB-RyanNeural" }))).toMatchObject({
        reason: "refused"
      })
      expect(double.asked).toEqual([])
    }).pipe(Effect.scoped, Effect.provide(HttpOutboundLive.pipe(Layer.provide(StationConfig.fromEnvironment({})))))
  )
})

describe("the script of a provider", () => {
  it("is cut at pauses, paragraphs and its longest passage only", () => {
    const passages = (script: string, charsMax: number) =>
      passagesOf(sentencesOf(script), charsMax).map(({ pauseMs, words }) => [
        words.map(({ text }) => text).join(" "),
        pauseMs
      ])
    expect(passages("One two. Three four? Five.\n\nSix. Seven [pause 1s] eight.", 1_000)).toEqual([
      ["One two. Three four? Five.", 620],
      ["Six. Seven", 1000],
      ["eight.", 260]
    ])
    expect(passages("One two. Three four? Five.", 12).map(([said]) => said)).toEqual([
      "One two.",
      "Three four?",
      "Five."
    ])
  })

  it("is spoken by the same voice of the right gender, and voices that are given belong to one", () => {
    const voiceOf = voicePool("f:nova,f:coral,m:onyx,fable,voice_ember=shimmer")
    const by = new Map(catalog.map(({ voice }) => [voice, voiceOf(voice)]))
    for (const [voice, id] of by) {
      if (voice.voiceId === "voice_ember") expect(id).toBe("shimmer")
      else if (voice.gender === "female") expect(["nova", "coral"]).toContain(id)
      else expect(id).toBe(voice.gender === "male" ? "onyx" : "fable")
    }
    expect(new Set(by.values()).size).toBe(5)
    expect(voicePool("voice_ember=shimmer")(catalog[0]!.voice)).toBe(null)
  })
})
