import { Effect } from "effect"
import { lineFrom, type MakeProvider, secondsMax, wavAnswer } from "./Provider.ts"

/** OpenAI's `audio/speech`, which local servers also speak. It gives no word times. */
export const openAiSpeech: MakeProvider = ({ key, model, url }, post) => ({
  // The name of a host inside the operator's network is nobody's business.
  generator: { name: new URL(url).hostname === "api.openai.com" ? `OpenAI ${model}` : model, trained: true },
  passageMaxChars: 1_000,
  speak: ({ text, voice }) =>
    post({
      url,
      headers: {
        "content-type": "application/json",
        accept: "audio/wav",
        ...(key === null ? {} : { authorization: `Bearer ${key}` })
      },
      body: JSON.stringify({ model, input: text, voice, response_format: "wav" }),
      secondsMax: secondsMax(text)
    }).pipe(
      Effect.flatMap(wavAnswer),
      Effect.flatMap((pcm) => lineFrom(text, pcm, []))
    )
})
