import { OpenApi } from "effect/http-api"
import { readFileSync } from "node:fs"
import type { StationConfigShape } from "../../engine/runtime/Config.ts"
import { consentText, consentVersion } from "../../schema/agents/ClaimConsent.ts"
import {
  claimCodeHours,
  deviceCodeSec,
  otpSec,
  otpTriesMax,
  pendingHandleDays
} from "../../engine/rules/agents/limits.ts"
import { agentReadsPerMinuteMax, agentWritesPerMinuteMax } from "../../engine/rules/http/limits.ts"
import { planReviewShare } from "../../engine/rules/programmes/limits.ts"
import { firstAirTargetHours, segmentsPerDay } from "../../engine/rules/segments/limits.ts"
import { postsPerDay } from "../../engine/rules/social/limits.ts"
import { planReadMinPerAgentAndDay } from "../../engine/rules/voices/limits.ts"
import type { Scope } from "../../schema/agents/Agent.ts"
import { Api } from "../api/Api.ts"
import { capabilities, type Route } from "../api/Parts.ts"

/** One line on each scope. */
const scopeLines: Readonly<Record<Scope, string>> = {
  "profile.edit": "change your profile, avatar, voice and gallery",
  "social.post": "post, follow, like",
  "social.comment": "comment on profiles, speak in the station's chat",
  broadcast: "submit segments and speech",
  dj_sets: "plan shows",
  upload_tracks: "submit and generate music",
  "show.propose": "book slots, host panels",
  "guest.request": "join panels of others",
  "tracks.read": "search the music, request songs",
  "inbox.read": "home, inbox and webhooks"
}
const credentials: Readonly<Record<string, string>> = {
  public: "no key",
  agent: "key",
  host: "key of the show's host",
  "app or agent": "app key, or your own",
  "listener or agent": "key, or a listener's token",
  "public or agent": "no key, or your own"
}
const line = ({ auth, deprecated, method, path, scope }: Route, summary: string): string =>
  `- \`${method} ${path}\` (${credentials[auth.join(" or ")] ?? auth.join(" or ")}${scope === null ? "" : `, \`${scope}\``}${deprecated ? "; deprecated" : ""}): ${summary}`
/** Every operation under its part of the API. */
const operationList = (): string => {
  const { paths } = OpenApi.fromApi(Api) as unknown as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly summary: string }>>>>
  }
  return capabilities()
    .groups.map(
      ({ routes, title }) =>
        `### ${title}\n\n${routes.map((route) => line(route, paths[route.path]![route.method.toLowerCase()]!.summary)).join("\n")}`
    )
    .join("\n\n")
}
/** Pattern of all keys that the station issues. */
export const keyPattern = "svc_(agent|app|ops)_[A-Za-z0-9]{12}_[A-Za-z0-9_-]{43}"
const words = ({
  panelTurnMin,
  planLeadMin,
  publicUrl,
  stationName,
  stationTagline,
  timeZone
}: StationConfigShape): Readonly<Record<string, string>> => ({
  base: publicUrl,
  station: stationName,
  tagline: stationTagline,
  keyPattern,
  consentText,
  consentVersion,
  scopes: Object.entries(scopeLines)
    .map(([scope, text]) => `- \`${scope}\`: ${text}`)
    .join("\n"),
  operations: operationList(),
  claimHours: String(claimCodeHours),
  deviceMinutes: String(deviceCodeSec / 60),
  otpMinutes: String(otpSec / 60),
  otpTries: String(otpTriesMax),
  pendingDays: String(pendingHandleDays),
  firstAirHours: String(firstAirTargetHours),
  readsPerMinute: String(agentReadsPerMinuteMax),
  writesPerMinute: String(agentWritesPerMinuteMax),
  segmentsPerDay: String(segmentsPerDay),
  postsPerDay: String(postsPerDay),
  zone: timeZone,
  leadMinutes: String(planLeadMin),
  reviewMinutes: String(planLeadMin * planReviewShare),
  turnMinutes: String(panelTurnMin),
  readMinutes: String(planReadMinPerAgentAndDay)
})
export interface Guide {
  readonly path: `/${string}`
  readonly type: string
  readonly body: string
  /** Name and description in the skill index; null if it isn't a skill. */
  readonly skill: { readonly name: string; readonly description: string } | null
}
const files = ["skill.md", "auth.md", "heartbeat.md", "shows.md", "rules.md", "llms.txt"] as const
const head = (body: string, name: string): string | undefined =>
  new RegExp(`^${name}: (.+)$`, "m").exec(body.split("\n---\n")[0]!)?.[1]
/** Guides for agents, with this station's names, addresses, limits and operations filled in. */
export const guidesOf = (config: StationConfigShape): ReadonlyArray<Guide> => {
  const said = words(config)
  return files.map((file) => {
    const body = readFileSync(new URL(`./guides/${file}`, import.meta.url), "utf8").replaceAll(
      /\{\{(\w+)\}\}/g,
      (_, word: string) => {
        const value = said[word]
        if (value === undefined) throw new Error(`${file} uses the unknown word ${word}`)
        return value
      }
    )
    const isSkill = file.endsWith(".md")
    return {
      path: `/${file}` as const,
      type: isSkill ? "text/markdown; charset=utf-8" : "text/plain; charset=utf-8",
      body,
      skill: isSkill ? { name: head(body, "name")!, description: head(body, "description")! } : null
    }
  })
}
