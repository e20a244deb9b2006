import { Effect } from "effect"
import { lineFrom, type MakeProvider, secondsMax, wavAnswer } from "./Provider.ts"

const escapeXml = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** Language of a voice by its name, such as en-GB-SoniaNeural. */
const languageOf = (voice: string) => /^[a-z]{2,3}-[A-Za-z]{2,4}/.exec(voice)?.[0] ?? "en-US"

/** Azure's text-to-speech REST API. It gives no word times. */
export const azureSpeech: MakeProvider = ({ key, url }, post) => ({
  generator: { name: "Azure AI Speech", trained: true },
  passageMaxChars: 1_000,
  speak: ({ text, voice }) =>
    post({
      url: `${url}/cognitiveservices/v1`,
      headers: {
        "content-type": "application/ssml+xml",
        accept: "audio/wav",
        "x-microsoft-outputformat": "riff-24khz-16bit-mono-pcm",
        "user-agent": "Longwave",
        ...(key === null ? {} : { "ocp-apim-subscription-key": key })
      },
      body: `<speak version="1.0" xmlns="http://www.w3.org/2001/10/synthesis" xml:lang="${languageOf(voice)}"><voice name="${escapeXml(voice)}">${escapeXml(text)}</voice></speak>`,
      secondsMax: secondsMax(text)
    }).pipe(
      Effect.flatMap(wavAnswer),
      Effect.flatMap((pcm) => lineFrom(text, pcm, []))
    )
})
