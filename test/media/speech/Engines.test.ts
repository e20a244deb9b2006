import { it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { describe, expect } from "vitest"
import { Speech, SpeechFailed } from "../../../engine/ports/Speech.ts"
import { readConfig, StationConfig } from "../../../engine/runtime/Config.ts"
import { SpeechLive } from "../../../media/speech/engines/Engines.ts"
import { ffmpegLayer } from "../../../media/ffmpeg/Ffmpeg.ts"
import { EmbeddedSpeech, makeSpeech } from "../../../media/speech/Speech.ts"
import type { SpeechEngine } from "../../../media/speech/SpeechEngine.ts"
import { houseVoiceId } from "../../../media/speech/VoiceCatalog.ts"
import { TestClock } from "effect/testing"
import { speechProviders } from "../../support/media/SpeechProviders.ts"

const say = { text: "Good evening, this is the harbour.", voiceId: houseVoiceId, role: "PRIMARY" } as const

/** Real speech at the rate of the double. */
const spokenBy24k = (text: string) =>
  Effect.gen(function* () {
    const { channels, sampleRateHz } = yield* (yield* Speech).speak({ text, voiceId: "voice_ember", role: "SPEED" })
    const pcm = channels[0]!
    return Int16Array.from(
      { length: Math.floor((pcm.length * 24_000) / sampleRateHz) },
      (_, i) => pcm[Math.floor((i * sampleRateHz) / 24_000)]! * 32_767
    )
  }).pipe(Effect.provide(EmbeddedSpeech))

/** The station's speech with these settings. */
const configured = (settings: Record<string, string>) =>
  Effect.provide(
    Layer.fresh(SpeechLive).pipe(
      Layer.provide([StationConfig.fromEnvironment({ DATA_DIR: "/nowhere", ...settings }), ffmpegLayer(null)])
    )
  )

const states = Effect.flatMap(Speech, ({ engines }) =>
  Effect.map(engines, (all) => Object.fromEntries(all.map(({ name, state }) => [name, state])))
)

describe("the configured engines", () => {
  it.live("speak with TTS_URL at once, and with the embedded engine when it fails; the mark names who spoke", () =>
    Effect.gen(function* () {
      const double = yield* Effect.acquireRelease(Effect.promise(speechProviders), ({ end }) => Effect.promise(end))
      double.spoken.set(say.text, yield* spokenBy24k(say.text))
      yield* Effect.gen(function* () {
        const speech = yield* Speech
        const first = yield* speech.speak(say)
        expect(first.by).toEqual({ name: "kokoro", trained: true })
        expect(double.asked.map(({ path }) => path)).toEqual(["/v1/audio/speech"])
        // Kept, so that it isn't paid for twice.
        expect((yield* speech.speak(say)).channels[0]).toBe(first.channels[0])
        expect(double.asked.length).toBe(1)

        double.state.fault = "limits"
        const second = yield* speech.speak({ ...say, text: "The second line." })
        expect(second.by).toEqual({ name: "eSpeak NG", trained: false })
        expect(yield* states).toEqual({ endpoint: "out", embedded: "ready" })
        // It rests, as it asked for; its fault is known.
        double.state.fault = "none"
        yield* speech.speak({ ...say, text: "The third line." })
        expect(double.asked.length).toBe(2)
        const [endpoint, embedded] = yield* speech.engines
        expect(endpoint).toMatchObject({ scripts: 1, failures: 1, pricePer1000Chars: 0.5, roles: ["PRIMARY", "SPEED"] })
        expect(endpoint!.characters).toBe(say.text.length)
        expect(endpoint!.lastFailure).toMatchObject({ reason: "limited" })
        expect(embedded).toMatchObject({ scripts: 2, failures: 0, pricePer1000Chars: 0 })
      }).pipe(
        configured({ TTS_URL: `${double.url}/v1/audio/speech`, TTS_KEY: "sk", TTS_MODEL: "kokoro", TTS_PRICE: "0.5" })
      )
    }).pipe(Effect.scoped)
  )

  it.live("stand in the order that the operator names, providers outside SPEED unless named", () =>
    Effect.gen(function* () {
      const keys = { ELEVENLABS_KEY: "k", ELEVENLABS_VOICES: "a", CARTESIA_KEY: "k", CARTESIA_VOICES: "b" }
      const chains = (settings: Record<string, string>) =>
        Effect.flatMap(Speech, ({ engines, paidEngines }) =>
          Effect.map(engines, (all) => {
            const of = (role: "PRIMARY" | "SPEED") =>
              all.filter(({ roles }) => roles.includes(role)).map(({ name }) => name)
            return { PRIMARY: of("PRIMARY"), SPEED: of("SPEED"), paid: paidEngines }
          })
        ).pipe(configured(settings))
      expect(yield* chains(keys)).toEqual({
        PRIMARY: ["elevenlabs", "cartesia", "embedded"],
        SPEED: ["embedded"],
        paid: ["elevenlabs", "cartesia"]
      })
      expect(
        yield* chains({ ...keys, PRIMARY_ENGINES: "cartesia,embedded,elevenlabs", SPEED_ENGINES: "cartesia" })
      ).toEqual({
        PRIMARY: ["cartesia", "embedded"],
        SPEED: ["cartesia", "embedded"],
        paid: ["elevenlabs", "cartesia"]
      })
    })
  )

  it("are refused at the start when something is missing", () => {
    const problems = (settings: Record<string, string>) => String(readConfig(settings))
    expect(problems({ ELEVENLABS_KEY: "secret" })).toMatch(/ELEVENLABS_VOICES is missing/)
    expect(problems({ AZURE_SPEECH_KEY: "secret" })).toMatch(/AZURE_SPEECH_URL is missing/)
    expect(problems({ PRIMARY_ENGINES: "elevenlabs" })).toMatch(/PRIMARY_ENGINES names elevenlabs: ELEVENLABS_KEY/)
    expect(problems({ ELEVENLABS_KEY: "secret" })).not.toContain("secret")
  })
})

describe("a chain", () => {
  const line = {
    pcm: Float32Array.from({ length: 22_050 }, (_, i) => 0.3 * Math.sin(i / 8)),
    sampleRateHz: 22_050,
    marks: []
  }
  const engine = (name: string, fails: () => SpeechFailed["reason"] | "hangs" | null): SpeechEngine => ({
    name,
    generator: { name, trained: true },
    pricePer1000Chars: null,
    timeoutMs: 5_000,
    speak: ({ sentences }) => {
      const reason = fails()
      if (reason === "hangs") return Effect.never
      return reason === null
        ? Effect.succeed(sentences.map((sentence) => ({ sentence, line })))
        : Effect.fail(new SpeechFailed({ reason, detail: reason }))
    }
  })

  it.effect("gives an engine its deadline, rests it longer each time, and takes it back", () =>
    Effect.gen(function* () {
      let fault: SpeechFailed["reason"] | "hangs" | null = "hangs"
      let asked = 0
      const first = engine("first", () => (asked++, fault))
      const last = engine("last", () => null)
      const speech = yield* makeSpeech({ PRIMARY: [first, last], SPEED: [last] })
      const by = (text: string) => Effect.map(speech.speak({ ...say, text }), (sound) => sound.by.name)
      const hung = yield* Effect.forkChild(by("One."))
      yield* TestClock.adjust("6 seconds")
      expect(yield* Fiber.join(hung)).toBe("last")
      expect(yield* by("Two.")).toBe("last")
      expect(asked).toBe(1)
      // After 30 s it is asked again, and after another failure it rests for a minute.
      fault = "crashed"
      yield* TestClock.adjust("30 seconds")
      expect([yield* by("Three."), asked]).toEqual(["last", 2])
      yield* TestClock.adjust("31 seconds")
      expect([yield* by("Four."), asked]).toEqual(["last", 2])
      fault = null
      yield* TestClock.adjust("30 seconds")
      expect([yield* by("Five."), asked]).toEqual(["first", 3])
      expect((yield* speech.engines).map(({ state }) => state)).toEqual(["ready", "ready"])
    }).pipe(Effect.scoped)
  )

  it.effect("passes a sound without the words on to the next engine", () =>
    Effect.gen(function* () {
      const [first, last] = [engine("first", () => null), engine("last", () => null)]
      const speech = yield* makeSpeech({ PRIMARY: [first, last], SPEED: [last] }, (_, __, sound) =>
        sound.by.name === "first"
          ? Effect.fail(new SpeechFailed({ reason: "wrong_words", detail: "A word is missing." }))
          : Effect.succeed(sound)
      )
      expect((yield* speech.speak(say)).by.name).toBe("last")
      // A text that nobody can speak is not tried by the next one.
      expect(yield* Effect.flip(speech.speak({ ...say, text: "…" }))).toMatchObject({ reason: "unreadable" })
    }).pipe(Effect.scoped)
  )
})
