import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { becomeAgent, call } from "../../bench/instruments/clients/Stranger.ts"
import { spoken } from "../support/media/RealSpeech.ts"
import { type SpeechProviders, speechProviders } from "../support/media/SpeechProviders.ts"
import { type MusicProvidersDouble, musicProvidersDouble, wavOf } from "../support/music/MusicProvidersDouble.ts"
import { endLeases } from "../support/runtime/Leases.ts"
import { enterStation, killAndRestart, askUntil, type WholeStation } from "../support/station/WholeStation.ts"

describe("a station that is killed while a provider works for it", () => {
  let music: MusicProvidersDouble
  let speech: SpeechProviders
  let whole: WholeStation
  let settings: Record<string, string>
  beforeAll(async () => {
    music = await musicProvidersDouble(wavOf)
    speech = await speechProviders()
    settings = { ACESTEP_URL: music.url, ELEVENLABS_URL: speech.url }
    whole = await enterStation(settings)
  }, 300_000)
  afterAll(async () => {
    await whole.leave()
    await Promise.all([music.end(), speech.end()])
  }, 300_000)

  const asked = (of: { readonly state: { onAsked: (path: string) => void } }, path: string) =>
    new Promise<void>((resolve) => {
      of.state.onAsked = (at) => {
        if (path === "" || at === path) resolve()
      }
    })

  it("goes on with the same order, makes each piece once, and counts nothing of speech that never came", async () => {
    const { apiKey: bearer, agentId } = await becomeAgent(whole.station.base, "guillemot")
    await call(whole.station.base, "PUT", `/api/ops/agents/${agentId}/grants`, {
      bearer: whole.station.operator,
      body: { tierPin: 2, freeAir: true, stationSpeech: true }
    })
    const mine = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      call(whole.station.base, method, `/api/v1/agents/me/${path}`, {
        bearer,
        headers,
        ...(body === undefined ? {} : { body })
      }).then((answer) => answer.body as Record<string, never>)
    const own = {
      category: "station_id",
      title: "Killed in the middle",
      scriptText: "This is the station with a voice of its own.",
      provider: "elevenlabs",
      voiceId: "nova"
    }
    await mine("PATCH", "tts/voice", { provider: "elevenlabs", voiceId: "nova", providerKey: "sk-owner-secret" })

    // First: the provider works on a piece, and another one has sent half of a sound.
    speech.state.fault = "hangs"
    music.state.looksUntilDone = 1_000_000
    const looked = asked(music, "/query_result")
    const { requestId } = (await mine("POST", "music/generate", {
      prompt: "A slow song of the harbour at night",
      lyrics: "[verse]\nLow water, slow water",
      variants: 1,
      seed: 5
    })) as unknown as { requestId: string }
    await looked
    const hung = asked(speech, "")
    const speaking = mine("POST", "tts/generate", own, { "idempotency-key": "killed-1" }).catch(() => null)
    await hung
    // The provider is well again before the station asks it anew, which it may do at once.
    const recover = (of: { fault: unknown }) => () => {
      of.fault = "none"
      return endLeases(whole.station.dataDir)
    }
    await killAndRestart(whole, settings, recover(speech.state))
    expect(await speaking).toBe(null)

    // Then: the piece is ready, and its file is on the way.
    music.state.fault = "link_hangs"
    music.state.looksUntilDone = 0
    await asked(music, "/v1/audio")
    await killAndRestart(whole, settings, recover(music.state))

    const done = await askUntil(async () => {
      const now = (await mine("GET", `music/requests/${requestId}`)) as unknown as {
        status: string
        variants: ReadonlyArray<{ id: string }>
      }
      return now.status === "complete" || now.status === "failed" ? now : undefined
    })
    // One order, whatever died meanwhile.
    expect([done.status, done.variants.length, music.orders()]).toEqual(["complete", 1, 1])
    const { quota } = (await mine("GET", "music/capabilities")) as unknown as { quota: ReadonlyArray<{ used: number }> }
    expect(quota[0]!.used).toBe(1)

    const variantId = done.variants[0]!.id
    await fetch(`${whole.station.base}/api/v1/agents/me/music/requests/${requestId}/variants/${variantId}/preview`, {
      headers: { authorization: `Bearer ${bearer}` }
    })
    const { track } = (await mine("POST", `music/requests/${requestId}/variants/designate`, {
      variantId
    })) as unknown as {
      track: { synthetic: { digitalSourceType: string; generator: string }; lyrics: string }
    }
    expect(track).toMatchObject({
      lyrics: "[verse]\nLow water, slow water",
      synthetic: { generator: "ACE-Step 1.5", digitalSourceType: expect.stringMatching(/\/trainedAlgorithmicMedia$/) }
    })

    // Nothing of the speech that was cut off was kept or counted; asked for again, it is made once.
    const { quota: speechQuota } = (await mine("GET", "tts/capabilities")) as unknown as {
      quota: ReadonlyArray<{ used: number }>
    }
    expect(speechQuota.map(({ used }) => used)).toEqual(speechQuota.map(() => 0))
    const segmentsSpoken = async () =>
      (
        (await mine("GET", "segments?limit=50")) as unknown as { segments: ReadonlyArray<{ title: string }> }
      ).segments.filter(({ title }) => title === own.title).length
    expect(await segmentsSpoken()).toBe(0)
    speech.spoken.set(own.scriptText, (await Effect.runPromise(spoken(own.scriptText))).pcm)
    const again = { "idempotency-key": "after the kill" }
    await mine("POST", "tts/generate", own, again)
    await mine("POST", "tts/generate", own, again)
    expect(await segmentsSpoken()).toBe(1)
    expect(whole.station.output()).not.toContain("sk-owner-secret")
  }, 600_000)
})
