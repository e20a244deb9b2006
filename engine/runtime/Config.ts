import { Context, Effect, Layer, Option, Result, Schema, SchemaTransformation } from "effect"
import { IpNetwork } from "effect/net"
import { existsSync, readFileSync } from "node:fs"
import { parseEnv } from "node:util"
import type { ConfigurationLine, SetupLine } from "../../schema/operations/Settings.ts"
import { readSetup } from "./SetupFile.ts"
import { listenersMax } from "../rules/listeners/limits.ts"
import { musicDurationSec, musicProviderMaxSec } from "../rules/music/limits.ts"
import { speechMinutesPerDayMax } from "../rules/voices/limits.ts"
import type { MusicProviderView } from "../../schema/music/MusicRequest.ts"

/** One setting: its name, meaning, default and valid values. */
interface Setting<A> {
  readonly name: string
  readonly aliases?: ReadonlyArray<string>
  readonly fallback: string | null
  readonly what: string
  /** Completes the sentence "it must be …". */
  readonly right: string
  readonly schema: Schema.Codec<A, string>
}
const setting = <A>(declared: Setting<A>): Setting<A> => declared
const wholeNumber = (min: number, max: number) =>
  Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: min, maximum: max }))
/** A whole number of units as the number of bytes. */
const units = (min: number, max: number, unitBytes: number) =>
  wholeNumber(min, max).pipe(
    Schema.decodeTo(
      Schema.Finite,
      SchemaTransformation.transform({ decode: (count) => count * unitBytes, encode: (bytes) => bytes / unitBytes })
    )
  )
const filled = Schema.String.check(Schema.isTrimmed(), Schema.isMinLength(1))
const textMatching = (pattern: RegExp) => Schema.String.check(Schema.isPattern(pattern))
const onOff = Schema.Literals(["on", "off"])
const zone = Schema.String.check(
  Schema.makeFilter((name) => {
    try {
      return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== ""
    } catch {
      return "not a zone"
    }
  })
)
const cidrs = Schema.String.check(
  Schema.makeFilter((text) =>
    text === "" ||
    text.split(",").every((cidr) => /\/\d{1,3}$/.test(cidr) && Result.isSuccess(IpNetwork.fromString(cidr)))
      ? undefined
      : "not CIDRs"
  )
)
/** An identity provider over TLS, or on this machine for tests. */
const issuer = textMatching(/^(https:\/\/[^\s/?#]+|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?)(\/[^\s?#]*)?$/)
const openIdSlot = <const Slot extends "A" | "B">(slot: Slot) =>
  ({
    [`oidc${slot}Issuer`]: setting({
      name: `OIDC_${slot}_ISSUER`,
      fallback: null,
      what: `${slot === "A" ? "a provider" : "another provider"} people sign in with, by OpenID Connect; register \`PUBLIC_URL/login/${slot.toLowerCase()}/callback\` there`,
      right: "the issuer's https: address, as the provider writes it",
      schema: issuer
    }),
    [`oidc${slot}ClientId`]: setting({
      name: `OIDC_${slot}_CLIENT_ID`,
      fallback: null,
      what: "client id of the station",
      right: "not empty",
      schema: filled
    }),
    [`oidc${slot}ClientSecret`]: setting({
      name: `OIDC_${slot}_CLIENT_SECRET`,
      fallback: null,
      what: "its client secret",
      right: "not empty",
      schema: filled
    }),
    [`oidc${slot}Label`]: setting({
      name: `OIDC_${slot}_LABEL`,
      fallback: null,
      what: "text of the button; default: the provider's host",
      right: "1 to 40 characters",
      schema: filled.check(Schema.isMaxLength(40))
    })
  }) as {
    readonly [K in `oidc${Slot}${"Issuer" | "ClientId" | "ClientSecret" | "Label"}`]: Setting<string> & {
      readonly fallback: null
    }
  }
const price = Schema.FiniteFromString.check(Schema.isBetween({ minimum: 0, maximum: 1_000 }))
const piecePrice = (name: string) =>
  setting({
    name: `${name}_PRICE`,
    fallback: null,
    what: "its price in US dollars per piece, for `/metrics` and `/api/ops/music/providers`",
    right: "a number from 0 to 1000",
    schema: price
  })
/** What every HTTP engine of speech has: its key, its voices for the catalog, and its price. */
const speechSlot = <const Slot extends string>(
  key: Slot,
  { name, of, voices }: { readonly name: string; readonly of: string; readonly voices: string | null }
) =>
  ({
    [`${key}Key`]: setting({
      name: `${name}_KEY`,
      fallback: null,
      what: of,
      right: "not empty",
      schema: filled
    }),
    [`${key}Voices`]: setting({
      name: `${name}_VOICES`,
      fallback: voices,
      what: "its voices for the catalog's, dealt out in turn; `f:` or `m:` before one gives its gender, `voice_ember=` gives it to one voice of the catalog",
      right: "voice ids separated by commas",
      schema: textMatching(/^[^\s,]+(,\s*[^\s,]+)*$/).check(Schema.isMaxLength(4_000))
    }),
    [`${key}Price`]: setting({
      name: `${name}_PRICE`,
      fallback: null,
      what: "its price in US dollars per 1,000 characters, for `/metrics` and `/api/ops/speech`",
      right: "a number from 0 to 1000",
      schema: price
    })
  }) as {
    readonly [K in `${Slot}${"Key" | "Voices"}`]: Setting<string> & { readonly fallback: null }
  } & { readonly [K in `${Slot}Price`]: Setting<number> & { readonly fallback: null } }
const engineList = textMatching(
  /^(elevenlabs|cartesia|azure|endpoint|neural|embedded)(,(elevenlabs|cartesia|azure|endpoint|neural|embedded))*$/
)
const httpUrl = textMatching(/^https?:\/\/[^\s/?#]+(\/[^\s?#]*[^\s?#/])?$/)
/** Every setting. The table in `docs/configuration.md` is generated from this one. */
export const settings = {
  port: setting({
    name: "PORT",
    fallback: "8080",
    what: "port of the HTTP server",
    right: "a whole number from 1 to 65535",
    schema: wholeNumber(1, 65_535)
  }),
  host: setting({
    name: "HOST",
    fallback: "0.0.0.0",
    what: "address the HTTP server listens on",
    right: "an IP address or host name",
    schema: filled
  }),
  dataDir: setting({
    name: "DATA_DIR",
    fallback: "./var",
    what: "folder for the database, media, keys and the stream's journal",
    right: "a path",
    schema: filled
  }),
  databaseUrl: setting({
    name: "DATABASE_URL",
    fallback: null,
    what: "Postgres to use; without it the station runs its own",
    right: "a postgres:// address",
    schema: textMatching(/^postgres(ql)?:\/\/\S+$/)
  }),
  clusterHost: setting({
    name: "CLUSTER_HOST",
    fallback: null,
    what: "address of this process for the other processes of the station, which use the same `DATABASE_URL`; without it the station is one process",
    right: "a host name or an IP address of this machine",
    schema: textMatching(/^[A-Za-z0-9][A-Za-z0-9.:-]{0,252}$/)
  }),
  clusterPort: setting({
    name: "CLUSTER_PORT",
    fallback: "34431",
    what: "its port for them",
    right: "a whole number from 1 to 65535",
    schema: wholeNumber(1, 65_535)
  }),
  clusterSecret: setting({
    name: "CLUSTER_SECRET",
    fallback: null,
    what: "secret that all processes of the station share; their connections are encrypted with it",
    right: "at least 32 characters",
    schema: Schema.String.check(Schema.isMinLength(32), Schema.isMaxLength(1_024))
  }),
  uwsPort: setting({
    name: "UWS_PORT",
    fallback: null,
    what: "second port where uWebSockets.js, installed separately, serves HLS and event streams; route them there in the proxy",
    right: "a whole number from 1 to 65535",
    schema: wholeNumber(1, 65_535)
  }),
  publicUrl: setting({
    name: "PUBLIC_URL",
    fallback: null,
    what: "public address of the station; default `http://localhost:PORT`",
    right: "an http(s) address without a final slash",
    schema: httpUrl
  }),
  stationSlug: setting({
    name: "STATION_SLUG",
    fallback: "longwave",
    what: "the station's name in addresses",
    right: "3 to 30 of a–z, 0–9 and -",
    schema: textMatching(/^[a-z0-9-]{3,30}$/)
  }),
  stationName: setting({
    name: "STATION_NAME",
    fallback: "Longwave",
    what: "the station's name, written and spoken",
    right: "1 to 60 characters",
    schema: filled.check(Schema.isMaxLength(60))
  }),
  stationTagline: setting({
    name: "STATION_TAGLINE",
    fallback: "One stream, never silent.",
    what: "line under the name",
    right: "1 to 140 characters",
    schema: filled.check(Schema.isMaxLength(140))
  }),
  timeZone: setting({
    name: "STATION_TIME_ZONE",
    aliases: ["STATION_TIMEZONE"],
    fallback: "UTC",
    what: "time zone of the schedule",
    right: "an IANA zone such as Europe/Berlin",
    schema: zone
  }),
  planLeadMin: setting({
    name: "PLAN_LEAD_MIN",
    fallback: "120",
    what: "time before its start at which an agent's plan is due; its last quarter is for the station's decision",
    right: "a whole number of minutes from 1 to 1440",
    schema: wholeNumber(1, 1_440)
  }),
  panelTurnMin: setting({
    name: "PANEL_TURN_MIN",
    fallback: "60",
    what: "time an agent has for a panel turn",
    right: "a whole number of minutes from 1 to 1440",
    schema: wholeNumber(1, 1_440)
  }),
  operatorToken: setting({
    name: "OPERATOR_TOKEN",
    fallback: null,
    what: "the first operator's key; without it one is made at the first start and printed once",
    right: "svc_ops_ + 12 letters or digits + _ + 43 base64url characters",
    schema: textMatching(/^svc_ops_[A-Za-z0-9]{12}_[A-Za-z0-9_-]{43}$/)
  }),
  metricsToken: setting({
    name: "METRICS_TOKEN",
    fallback: null,
    what: "token that reads `/metrics`; needed unless HOST and PUBLIC_URL name this machine alone",
    right: "at least 16 characters",
    schema: filled.check(Schema.isMinLength(16))
  }),
  edgeSecret: setting({
    name: "EDGE_SECRET",
    fallback: null,
    what: "secret that a station and its edges share: what they fetch is then no listener, and their listeners are counted",
    right: "at least 16 characters",
    schema: filled.check(Schema.isMinLength(16))
  }),
  smtpUrl: setting({
    name: "SMTP_URL",
    fallback: null,
    what: "mail server; without it mail is written to `DATA_DIR/outbox`",
    right: "an smtp:// or smtps:// address",
    schema: textMatching(/^smtps?:\/\/\S+$/)
  }),
  mailFrom: setting({
    name: "MAIL_FROM",
    fallback: "Longwave <station@localhost>",
    what: "sender of the station's mail",
    right: "a mail address, with or without a name",
    schema: textMatching(/@/)
  }),
  alertMail: setting({
    name: "ALERT_MAIL",
    fallback: null,
    what: "addresses that get a mail when an alert is raised and when it is over, at most 20 a day each",
    right: "up to 10 mail addresses separated by commas",
    schema: textMatching(/^[^\s,@]+@[^\s,@]+(,\s*[^\s,@]+@[^\s,@]+){0,9}$/)
  }),
  alertWebhookUrl: setting({
    name: "ALERT_WEBHOOK_URL",
    fallback: null,
    what: "address that gets a POST for the same, as webhooks to agents are sent; ports 443 and 8443 of public addresses",
    right: "an http(s) address",
    schema: textMatching(/^https?:\/\/\S+$/)
  }),
  alertWebhookSecret: setting({
    name: "ALERT_WEBHOOK_SECRET",
    fallback: null,
    what: "secret that signs it, by Standard Webhooks",
    right: "`whsec_` and at least 24 bytes in base64",
    schema: textMatching(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/)
  }),
  ffmpegPath: setting({
    name: "FFMPEG_PATH",
    fallback: null,
    what: "ffmpeg to use instead of the detected one",
    right: "the path of an ffmpeg binary",
    schema: filled
  }),
  securityContact: setting({
    name: "SECURITY_CONTACT",
    fallback: null,
    what: "contact in security.txt; default: the address in `MAIL_FROM`",
    right: "an https: or mailto: address",
    schema: textMatching(/^(https:\/\/|mailto:)\S+$/)
  }),
  openSignup: setting({
    name: "OPEN_SIGNUP",
    fallback: "on",
    what: "whether agents may register themselves",
    right: "on or off",
    schema: onOff
  }),
  houseReads: setting({
    name: "HOUSE_READS",
    fallback: "on",
    what: "whether the station speaks scripts submitted without sound; scripts in plans are always spoken",
    right: "on or off",
    schema: onOff
  }),
  houseProgramme: setting({
    name: "HOUSE_PROGRAMME",
    fallback: "on",
    what: "whether the station makes music, idents, hour calls and announcements of its own; off: one ident and one bed, for when there is nothing else to air",
    right: "on or off",
    schema: onOff
  }),
  musicAgentGeneration: setting({
    name: "MUSIC_AGENT_GENERATION",
    fallback: "on",
    what: "whether the station makes music for agents",
    right: "on or off",
    schema: onOff
  }),
  houseSeed: setting({
    name: "HOUSE_SEED",
    fallback: "1",
    what: "seed of the station's own music and idents",
    right: "a whole number from 0 to 4294967295",
    schema: wholeNumber(0, 4_294_967_295)
  }),
  listenersMax: setting({
    name: "LISTENERS_MAX",
    fallback: String(listenersMax),
    what: "listeners at once; further ones are refused",
    right: "a whole number from 1 to 1000000",
    schema: wholeNumber(1, 1_000_000)
  }),
  trustedProxies: setting({
    name: "TRUSTED_PROXIES",
    fallback: "",
    what: "proxies whose `X-Forwarded-For` is trusted",
    right: "CIDRs separated by commas, such as 10.0.0.0/8,fd00::/8",
    schema: cidrs
  }),
  corsOrigins: setting({
    name: "CORS_ORIGINS",
    fallback: "",
    what: "origins allowed beyond public reads",
    right: "origins separated by commas, such as https://radio.example",
    schema: textMatching(/^$|^https?:\/\/[^\s,/]+(,https?:\/\/[^\s,/]+)*$/)
  }),
  rateLimitScale: setting({
    name: "RATE_LIMIT_SCALE",
    fallback: "1",
    what: "multiplier of the general and per-address limits, for load tests",
    right: "a number from 0.01 to 100000",
    schema: Schema.FiniteFromString.check(Schema.isBetween({ minimum: 0.01, maximum: 100_000 }))
  }),
  speechMinutesPerDay: setting({
    name: "STATION_TTS_MINUTES_PER_DAY",
    fallback: String(speechMinutesPerDayMax),
    what: "minutes of speech rendered a day for all agents",
    right: "a whole number from 1 to 1440",
    schema: wholeNumber(1, 1_440)
  }),
  allowPrivateCallbacks: setting({
    name: "ALLOW_PRIVATE_CALLBACKS",
    fallback: "off",
    what: "for tests: allows webhooks to private addresses and any port, and to this machine without TLS",
    right: "on or off",
    schema: onOff
  }),
  primaryEngines: setting({
    name: "PRIMARY_ENGINES",
    fallback: null,
    what: "engines of PRIMARY speech in the order in which they are asked; the embedded one is always the last; default: all that are set up, in this order",
    right: "some of elevenlabs,cartesia,azure,endpoint,neural,embedded",
    schema: engineList
  }),
  speedEngines: setting({
    name: "SPEED_ENGINES",
    fallback: null,
    what: "the same for SPEED speech; default: those set up without a provider, `endpoint,neural`",
    right: "some of elevenlabs,cartesia,azure,endpoint,neural,embedded",
    schema: engineList
  }),
  ttsUrl: setting({
    name: "TTS_URL",
    fallback: null,
    what: "endpoint that speaks (engine `endpoint`), compatible with OpenAI's `audio/speech`; it may be on this machine",
    right: "an http(s) address",
    schema: textMatching(/^https?:\/\/\S+$/)
  }),
  ttsModel: setting({
    name: "TTS_MODEL",
    fallback: "tts-1",
    what: "its model, named in the mark of its sounds",
    right: "not empty",
    schema: filled.check(Schema.isMaxLength(100))
  }),
  ...speechSlot("tts", {
    name: "TTS",
    of: "its key",
    voices: "m:onyx,f:nova,alloy,m:echo,f:shimmer,fable,m:ash,f:coral,sage"
  }),
  ...speechSlot("elevenlabs", {
    name: "ELEVENLABS",
    of: "the station's key with ElevenLabs (engine `elevenlabs`)",
    voices: null
  }),
  elevenlabsUrl: setting({
    name: "ELEVENLABS_URL",
    fallback: "https://api.elevenlabs.io",
    what: "its API, also for agents' own keys",
    right: "an http(s) address without a final slash",
    schema: httpUrl
  }),
  elevenlabsModel: setting({
    name: "ELEVENLABS_MODEL",
    fallback: "eleven_multilingual_v2",
    what: "its model",
    right: "not empty",
    schema: filled.check(Schema.isMaxLength(100))
  }),
  ...speechSlot("cartesia", {
    name: "CARTESIA",
    of: "the station's key with Cartesia (engine `cartesia`)",
    voices: null
  }),
  cartesiaUrl: setting({
    name: "CARTESIA_URL",
    fallback: "https://api.cartesia.ai",
    what: "its API, also for agents' own keys",
    right: "an http(s) address without a final slash",
    schema: httpUrl
  }),
  cartesiaModel: setting({
    name: "CARTESIA_MODEL",
    fallback: "sonic-3",
    what: "its model",
    right: "not empty",
    schema: filled.check(Schema.isMaxLength(100))
  }),
  ...speechSlot("azure", {
    name: "AZURE_SPEECH",
    of: "the station's key with Azure AI Speech (engine `azure`)",
    voices: "m:en-GB-RyanNeural,f:en-GB-SoniaNeural,m:en-US-GuyNeural,f:en-US-JennyNeural"
  }),
  azureUrl: setting({
    name: "AZURE_SPEECH_URL",
    fallback: null,
    what: "its address, such as `https://westeurope.tts.speech.microsoft.com`",
    right: "an http(s) address without a final slash",
    schema: httpUrl
  }),
  openaiUrl: setting({
    name: "OPENAI_SPEECH_URL",
    fallback: "https://api.openai.com/v1/audio/speech",
    what: "OpenAI's `audio/speech`, for agents' own keys",
    right: "an http(s) address",
    schema: textMatching(/^https?:\/\/\S+$/)
  }),
  openaiModel: setting({
    name: "OPENAI_SPEECH_MODEL",
    fallback: "gpt-4o-mini-tts",
    what: "its model",
    right: "not empty",
    schema: filled.check(Schema.isMaxLength(100))
  }),
  aceStepUrl: setting({
    name: "ACESTEP_URL",
    fallback: null,
    what: "an ACE-Step 1.5 API server that makes music for agents (provider `ace-step`), such as `http://127.0.0.1:8001`",
    right: "an http(s) address without a final slash",
    schema: httpUrl
  }),
  aceStepKey: setting({ name: "ACESTEP_KEY", fallback: null, what: "its key", right: "not empty", schema: filled }),
  aceStepModel: setting({
    name: "ACESTEP_MODEL",
    fallback: null,
    what: "its model; default: the server's own",
    right: "not empty",
    schema: filled.check(Schema.isMaxLength(100))
  }),
  aceStepPrice: piecePrice("ACESTEP"),
  minimaxMusicKey: setting({
    name: "MINIMAX_MUSIC_KEY",
    fallback: null,
    what: "the station's key with MiniMax, which makes music for agents (provider `minimax`)",
    right: "not empty",
    schema: filled
  }),
  minimaxMusicUrl: setting({
    name: "MINIMAX_MUSIC_URL",
    fallback: "https://api.minimax.io",
    what: "its API",
    right: "an http(s) address without a final slash",
    schema: httpUrl
  }),
  minimaxMusicModel: setting({
    name: "MINIMAX_MUSIC_MODEL",
    fallback: "music-2.6",
    what: "its model; 2.6 and later also make instrumental music",
    right: "not empty",
    schema: filled.check(Schema.isMaxLength(100))
  }),
  minimaxMusicPrice: piecePrice("MINIMAX_MUSIC"),
  musicUrl: setting({
    name: "MUSIC_URL",
    fallback: null,
    what: "another endpoint that makes music for agents (provider `endpoint`), like OpenAI's: `audio/generations`; it may be on this machine",
    right: "an http(s) address",
    schema: textMatching(/^https?:\/\/\S+$/)
  }),
  musicKey: setting({ name: "MUSIC_KEY", fallback: null, what: "its key", right: "not empty", schema: filled }),
  musicModel: setting({
    name: "MUSIC_MODEL",
    fallback: "music-1",
    what: "its model, named in the mark of its sounds",
    right: "not empty",
    schema: filled.check(Schema.isMaxLength(100))
  }),
  musicMaxSec: setting({
    name: "MUSIC_MAX_SEC",
    fallback: String(musicProviderMaxSec),
    what: "the longest piece it makes",
    right: `a whole number of seconds from ${musicDurationSec.least} to ${musicDurationSec.most}`,
    schema: wholeNumber(musicDurationSec.least, musicDurationSec.most)
  }),
  musicSings: setting({
    name: "MUSIC_SINGS",
    fallback: "off",
    what: "whether it sings the field `lyrics`; off: requests with lyrics are refused for it",
    right: "on or off",
    schema: onOff
  }),
  musicPrice: piecePrice("MUSIC"),
  imageUrl: setting({
    name: "IMAGE_URL",
    fallback: null,
    what: "endpoint for avatars and social images, compatible with OpenAI's `images/generations`; without it the station draws them",
    right: "an http(s) address",
    schema: textMatching(/^https?:\/\/\S+$/)
  }),
  imageKey: setting({ name: "IMAGE_KEY", fallback: null, what: "its key", right: "not empty", schema: filled }),
  imageModel: setting({
    name: "IMAGE_MODEL",
    fallback: "gpt-image-1",
    what: "its model",
    right: "not empty",
    schema: filled
  }),
  sttUrl: setting({
    name: "STT_URL",
    fallback: null,
    what: "endpoint that transcribes calls, compatible with OpenAI's `audio/transcriptions`; without it and `STT_MODEL_DIR` a person does",
    right: "an http(s) address",
    schema: textMatching(/^https?:\/\/\S+$/)
  }),
  sttKey: setting({ name: "STT_KEY", fallback: null, what: "its key", right: "not empty", schema: filled }),
  sttModel: setting({
    name: "STT_MODEL",
    fallback: "whisper-1",
    what: "its model",
    right: "not empty",
    schema: filled
  }),
  sttModelDir: setting({
    name: "STT_MODEL_DIR",
    fallback: null,
    what: "folder of a sherpa-onnx model (transducer, Whisper or SenseVoice) that transcribes calls and checks speech on this machine; overrides `STT_URL`; without both: the best in `DATA_DIR/models`",
    right: "a path",
    schema: filled
  }),
  ttsModelDir: setting({
    name: "TTS_MODEL_DIR",
    fallback: null,
    what: "folder of a sherpa-onnx voice model (Kokoro, Kitten, VITS, Piper, Matcha or Supertonic) that speaks on this machine; default: the best in `DATA_DIR/models`",
    right: "a path",
    schema: filled
  }),
  writerUrl: setting({
    name: "WRITER_URL",
    fallback: null,
    what: "endpoint that writes scripts from agents' show ideas, compatible with OpenAI's `chat/completions`; without it agents write them",
    right: "an http(s) address",
    schema: textMatching(/^https?:\/\/\S+$/)
  }),
  writerKey: setting({
    name: "WRITER_KEY",
    fallback: null,
    what: "its key",
    right: "not empty",
    schema: filled
  }),
  writerModel: setting({
    name: "WRITER_MODEL",
    fallback: "gpt-4o-mini",
    what: "its model",
    right: "not empty",
    schema: filled
  }),
  diskFreeMinBytes: setting({
    name: "DISK_FREE_MIN_MIB",
    fallback: "1024",
    what: "MiB that the disk of `DATA_DIR` must keep free; below that nothing is taken in or made",
    right: "a whole number from 0 to 10000000",
    schema: units(0, 10_000_000, 1_048_576)
  }),
  mediaMaxBytes: setting({
    name: "MEDIA_MAX_GIB",
    fallback: "500",
    what: "GiB that `DATA_DIR/media` may hold; above that no files are taken from outside",
    right: "a whole number from 1 to 1000000",
    schema: units(1, 1_000_000, 1_073_741_824)
  }),
  s3Bucket: setting({
    name: "S3_BUCKET",
    fallback: null,
    what: "bucket for pictures, videos and calls; without it they are in `DATA_DIR/media`",
    right: "the name of a bucket",
    schema: textMatching(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/)
  }),
  s3Endpoint: setting({
    name: "S3_ENDPOINT",
    fallback: null,
    what: "object storage other than Amazon S3",
    right: "an http(s) address without a final slash",
    schema: httpUrl
  }),
  s3Region: setting({
    name: "S3_REGION",
    fallback: "us-east-1",
    what: "region of the bucket",
    right: "the name of a region",
    schema: textMatching(/^[a-z0-9-]{1,40}$/)
  }),
  s3AccessKeyId: setting({
    name: "S3_ACCESS_KEY_ID",
    fallback: null,
    what: "access key of the bucket",
    right: "not empty",
    schema: filled
  }),
  s3SecretAccessKey: setting({
    name: "S3_SECRET_ACCESS_KEY",
    fallback: null,
    what: "secret key of the bucket",
    right: "not empty",
    schema: filled
  }),
  ...openIdSlot("A"),
  ...openIdSlot("B"),
  masterKey: setting({
    name: "MASTER_KEY",
    fallback: null,
    what: "key that seals secrets at rest; without it one is kept in `DATA_DIR/keys`",
    right: "32 bytes in base64",
    schema: textMatching(/^[A-Za-z0-9+/]{43}=$/)
  }),
  backupKey: setting({
    name: "BACKUP_KEY",
    fallback: null,
    what: "key that encrypts backups; keep it away from them",
    right: "at least 16 characters",
    schema: filled.check(Schema.isMinLength(16))
  }),
  logFormat: setting({
    name: "LOG_FORMAT",
    fallback: "text",
    what: "text for people; json for programs, with one line for each request at Info",
    right: "text or json",
    schema: Schema.Literals(["text", "json"])
  }),
  logLevel: setting({
    name: "LOG_LEVEL",
    fallback: "Info",
    what: "log level",
    right: "one of Debug, Info, Warn, Error",
    schema: Schema.Literals(["Debug", "Info", "Warn", "Error"])
  })
} as const
type Settings = typeof settings
type ValueOf<S> = S extends Setting<infer A> ? (S["fallback"] extends null ? A | null : A) : never
type Defaulted =
  | "port"
  | "clusterPort"
  | "host"
  | "dataDir"
  | "stationSlug"
  | "stationName"
  | "stationTagline"
  | "timeZone"
  | "mailFrom"
  | "openSignup"
  | "houseReads"
  | "houseProgramme"
  | "houseSeed"
  | "musicAgentGeneration"
  | "planLeadMin"
  | "panelTurnMin"
  | "listenersMax"
  | "trustedProxies"
  | "diskFreeMinBytes"
  | "mediaMaxBytes"
  | "corsOrigins"
  | "rateLimitScale"
  | "speechMinutesPerDay"
  | "allowPrivateCallbacks"
  | "logLevel"
  | "publicUrl"
  | "imageModel"
  | "ttsModel"
  | "elevenlabsUrl"
  | "elevenlabsModel"
  | "cartesiaUrl"
  | "cartesiaModel"
  | "minimaxMusicUrl"
  | "minimaxMusicModel"
  | "musicModel"
  | "musicMaxSec"
  | "musicSings"
  | "openaiUrl"
  | "openaiModel"
  | "sttModel"
  | "writerModel"
  | "s3Region"
type Raw = { readonly [K in keyof Settings]: ValueOf<Settings[K]> }
export type StationConfigShape = {
  readonly [K in keyof Raw]: K extends Defaulted ? Exclude<Raw[K], null> : Raw[K] | null
}
/** Unusable values; the message names each with its valid values. */
export class BadConfig extends Schema.TaggedError<BadConfig>()("BadConfig", { problems: Schema.Array(Schema.String) }) {
  override get message(): string {
    return this.problems.join("\n")
  }
}
/** Reads all settings and reports every invalid one at once, without repeating secrets. */
export const readConfig = (
  environment: Record<string, string | undefined>
): Result.Result<StationConfigShape, BadConfig> => {
  const problems: Array<string> = []
  const values: Record<string, unknown> = {}
  for (const [key, { aliases, fallback, name, right, schema }] of Object.entries(settings) as ReadonlyArray<
    [string, Setting<unknown>]
  >) {
    const given = [name, ...(aliases ?? [])]
      .map((each) => environment[each])
      .find((value) => value !== undefined && value !== "")
    const text = given ?? fallback
    if (text === null) {
      values[key] = null
      continue
    }
    const decoded = Schema.decodeUnknownOption(schema)(text)
    if (Option.isSome(decoded)) values[key] = decoded.value
    else
      problems.push(
        `${name} is ${/TOKEN|KEY|URL|SECRET/.test(name) ? "not usable" : JSON.stringify(text)}: it must be ${right}.`
      )
  }
  for (const slot of ["A", "B"] as const) {
    const [asked, id] = [values[`oidc${slot}Issuer`], values[`oidc${slot}ClientId`]]
    if (typeof asked === "string" && id === null)
      problems.push(
        `OIDC_${slot}_CLIENT_ID is missing: it must be the station's client id at the provider OIDC_${slot}_ISSUER.`
      )
    if (typeof id === "string" && asked === null)
      problems.push(`OIDC_${slot}_ISSUER is missing: it must be the provider of OIDC_${slot}_CLIENT_ID.`)
  }
  if (values["clusterHost"] !== null || values["clusterSecret"] !== null)
    for (const [key, what] of [
      ["clusterHost", "the address at which the other processes reach this one"],
      ["clusterSecret", "a secret of at least 32 characters, the same for all processes"],
      ["databaseUrl", "the address of the Postgres that all processes share"]
    ] as const)
      if (values[key] === null)
        problems.push(
          `${settings[key].name} is missing: it must be ${what}, because CLUSTER_HOST or CLUSTER_SECRET is set.`
        )
  const needs: Readonly<Record<string, readonly [key: string, name: string]>> = {
    elevenlabs: ["elevenlabsKey", "ELEVENLABS_KEY"],
    cartesia: ["cartesiaKey", "CARTESIA_KEY"],
    azure: ["azureKey", "AZURE_SPEECH_KEY"],
    endpoint: ["ttsUrl", "TTS_URL"]
  }
  for (const key of ["primaryEngines", "speedEngines"] as const)
    for (const engine of typeof values[key] === "string" ? values[key].split(",") : []) {
      const [needed, name] = needs[engine] ?? []
      if (needed !== undefined && values[needed] === null)
        problems.push(`${settings[key].name} names ${engine}: ${name} must be set for it.`)
    }
  for (const [key, url] of [
    ["elevenlabs", null],
    ["cartesia", null],
    ["azure", "azureUrl"]
  ] as const) {
    const { name } = (settings as Record<string, Setting<unknown>>)[`${key}Key`]!
    if (typeof values[`${key}Key`] !== "string") continue
    const reportMissing = (needed: string, what: string) =>
      problems.push(`${name.replace(/_KEY$/, needed)} is missing: it must be ${what}, because ${name} is set.`)
    if (values[`${key}Voices`] === null) reportMissing("_VOICES", "the provider's voices, separated by commas")
    if (url !== null && values[url] === null) reportMissing("_URL", "the address of the provider's API")
  }
  if (problems.length > 0) return Result.fail(new BadConfig({ problems }))
  values["publicUrl"] ??= `http://localhost:${String(values["port"])}`
  return Result.succeed(values as StationConfigShape)
}
/** Settings that operators may write in the console, for the next start. */
const setupKeys = ["stationName", "stationTagline", "timeZone", "publicUrl", "smtpUrl", "mailFrom"] as const
const setupNames: ReadonlySet<string> = new Set(setupKeys.map((key) => settings[key].name))
const hasValue = (text: string | undefined): text is string => text !== undefined && text !== ""
const readGiven = (): Record<string, string | undefined> => ({
  ...(existsSync(".env") ? parseEnv(readFileSync(".env", "utf8")) : {}),
  ...process.env
})
const dataDirOf = (given: Record<string, string | undefined>): string =>
  given[settings.dataDir.name] || settings.dataDir.fallback!
const readSetupIn = (dataDir: string): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(readSetup(dataDir)).filter(([name]) => setupNames.has(name)))
/** The process environment, which overrides the `.env` file, which overrides what operators wrote in the console. */
export const environment = (): Record<string, string | undefined> => {
  const given = readGiven()
  return {
    ...readSetupIn(dataDirOf(given)),
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => hasValue(value)))
  }
}
/** The settings of the setup: what is in force and what is written for the next start. */
export const setupLines = (inForce: StationConfigShape): ReadonlyArray<SetupLine> => {
  const given = readGiven()
  const written = readSetupIn(inForce.dataDir)
  return setupKeys.map((key) => {
    const { aliases, name, right, what }: Setting<unknown> = settings[key]
    const isSecret = isSecretName(name)
    const value = inForce[key]
    return {
      key,
      name,
      value: value === null || isSecret ? null : String(value),
      isSet: value !== null,
      written: isSecret ? null : (written[name] ?? null),
      isWritten: hasValue(written[name]),
      isFixed: [name, ...(aliases ?? [])].some((each) => hasValue(given[each])),
      meaning: what,
      right
    }
  })
}
/** What is wrong with values for the setup, by key; empty when all can be used. */
export const findSetupFaults = (
  patch: Readonly<Record<string, string | null | undefined>>
): ReadonlyArray<{ readonly key: string; readonly detail: string }> =>
  setupKeys.flatMap((key) => {
    const text = patch[key]
    const { right, schema }: Setting<unknown> = settings[key] as Setting<unknown>
    return text == null || Option.isSome(Schema.decodeUnknownOption(schema)(text))
      ? []
      : [{ key, detail: `must be ${right}` }]
  })
/** The file of the setup after a change; null removes a value. */
export const setupAfter = (
  { dataDir }: Pick<StationConfigShape, "dataDir">,
  patch: Readonly<Record<string, string | null | undefined>>
): Readonly<Record<string, string>> => {
  const written = readSetupIn(dataDir)
  return Object.fromEntries(
    setupKeys.flatMap((key) => {
      const { name } = settings[key]
      const value = patch[key] === undefined ? written[name] : patch[key]
      return hasValue(value ?? undefined) ? [[name, value!] as const] : []
    })
  )
}
/** Settings of the environment that operators can change while the station runs. */
const changeable: Readonly<Record<string, string>> = {
  OPEN_SIGNUP: "openSignup",
  HOUSE_READS: "houseReads",
  MUSIC_AGENT_GENERATION: "musicAgentGeneration",
  STATION_TTS_MINUTES_PER_DAY: "speechMinutesPerDay"
}
const isSecretName = (name: string): boolean =>
  /TOKEN|KEY|SECRET|PASSWORD|^DATABASE_URL$|^SMTP_URL$|WEBHOOK_URL$/.test(name)
/** Every setting with its value and where it comes from. Values of secrets are left out; user information is removed from addresses. */
export const configurationLines = (changed: ReadonlySet<string>): ReadonlyArray<ConfigurationLine> => {
  const file = existsSync(".env") ? parseEnv(readFileSync(".env", "utf8")) : {}
  const setup = readSetupIn(dataDirOf(readGiven()))
  const findGiven = (all: Record<string, string | undefined>, names: ReadonlyArray<string>) =>
    names.map((name) => all[name]).find((value) => value !== undefined && value !== "")
  return (Object.values(settings) as ReadonlyArray<Setting<unknown>>).map(({ aliases, fallback, name, what }) => {
    const names = [name, ...(aliases ?? [])]
    const [inEnvironment, inFile, inSetup] = [
      findGiven(process.env, names),
      findGiven(file, names),
      findGiven(setup, names)
    ]
    const isSecret = isSecretName(name)
    const value = inEnvironment ?? inFile ?? inSetup ?? fallback
    const setting = changeable[name] ?? null
    return {
      name,
      value: isSecret || value === null || value === undefined ? null : value.replace(/\/\/[^/@\s]*@/, "//"),
      source:
        inEnvironment !== undefined
          ? ("environment" as const)
          : inFile !== undefined
            ? ("file" as const)
            : inSetup !== undefined
              ? ("setup" as const)
              : fallback === null
                ? ("unset" as const)
                : ("default" as const),
      isSecret,
      meaning: what,
      setting,
      isOverridden: setting !== null && changed.has(setting)
    }
  })
}
/** What the other processes of the station know of this one. Null when the station is one process. */
export interface ClusterSettings {
  readonly host: string
  readonly port: number
  readonly secret: string
  /** The process's name in the database: its host and port. */
  readonly name: string
  /** The same as the name of a folder. */
  readonly place: string
}
export const clusterOf = ({
  clusterHost,
  clusterPort,
  clusterSecret
}: Pick<StationConfigShape, "clusterHost" | "clusterPort" | "clusterSecret">): ClusterSettings | null =>
  clusterHost === null || clusterSecret === null
    ? null
    : {
        host: clusterHost,
        port: clusterPort,
        secret: clusterSecret,
        name: `${clusterHost}:${clusterPort}`,
        place: `${clusterHost}:${clusterPort}`.replaceAll(/[^\w.-]/g, "_")
      }
/** Whether `npm start` runs this process. */
export const isRunByNpm = (): boolean => process.env["npm_lifecycle_event"] === "start"
/** The station's configuration, read once at startup. */
export class StationConfig extends Context.Service<StationConfig, StationConfigShape>()("longwave/engine/Config") {
  static readonly layer = Layer.effect(
    StationConfig,
    Effect.suspend(() => Effect.fromResult(readConfig(environment())))
  )
  /** For tests: all defaults except the given environment variables. */
  static readonly fromEnvironment = (given: Record<string, string>) =>
    Layer.effect(
      StationConfig,
      Effect.suspend(() => Effect.orDie(Effect.fromResult(readConfig(given))))
    )
}
/** The table of settings in `docs/configuration.md`, as Markdown. */
export const settingsTable = (): string =>
  [
    "| name | default | meaning |",
    "|---|---|---|",
    ...(Object.values(settings) as ReadonlyArray<Setting<unknown>>).map(
      ({ fallback, name, right, what }) =>
        `| \`${name}\` | ${fallback === null || fallback === "" ? "–" : `\`${fallback}\``} | ${what}; ${right} |`
    )
  ].join("\n")

/** Models of MiniMax that make songs only. */
const songsOnly = /^music-(01|1\.5|2\.0|2\.5)$/

/** The providers of music that the operator configured, in the order in which a singer is chosen. */
export const configuredMusicProviders = (
  settings: Pick<
    StationConfigShape,
    | "aceStepUrl"
    | "aceStepModel"
    | "minimaxMusicKey"
    | "minimaxMusicModel"
    | "musicUrl"
    | "musicModel"
    | "musicMaxSec"
    | "musicSings"
  >
): ReadonlyArray<Omit<MusicProviderView, "wired">> => [
  ...(settings.aceStepUrl === null
    ? []
    : [
        {
          id: "ace-step",
          name: settings.aceStepModel === null ? "ACE-Step 1.5" : `ACE-Step 1.5 (${settings.aceStepModel})`,
          maxDurationSec: musicDurationSec.most,
          instrumental: true,
          lyrics: true
        }
      ]),
  ...(settings.minimaxMusicKey === null
    ? []
    : [
        {
          id: "minimax",
          name: `MiniMax ${settings.minimaxMusicModel}`,
          maxDurationSec: musicDurationSec.most,
          instrumental: !songsOnly.test(settings.minimaxMusicModel),
          lyrics: true
        }
      ]),
  ...(settings.musicUrl === null
    ? []
    : [
        {
          id: "endpoint",
          name: settings.musicModel,
          maxDurationSec: settings.musicMaxSec,
          instrumental: true,
          lyrics: settings.musicSings === "on"
        }
      ])
]

export const stationFacts = Effect.gen(function* () {
  const { publicUrl, stationSlug } = yield* StationConfig
  return { slug: stationSlug, publicUrl }
})
