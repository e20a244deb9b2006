import { claimLetter } from "../../engine/rules/agents/OwnerLetters.ts"
import { Clock, Effect } from "effect"
import { Settings } from "../../engine/store/operations/Settings.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { Keys } from "../../engine/runtime/Keys.ts"
import { consentVersion } from "../../schema/agents/ClaimConsent.ts"
import {
  claimCodeHours,
  claimStartPerAgentPerHourMax,
  claimTokenHours,
  deviceCodeSec,
  otpResendSec,
  otpResendsMax,
  otpSec,
  otpTriesMax,
  pendingHandleDays,
  wrongCodesPerRecipientPerDay
} from "../../engine/rules/agents/limits.ts"
import { isReservedHandle, narrowScopes, scopesOf, maskAddress } from "../../engine/rules/agents/Agent.ts"
import { makeKey, randomCode, randomDigits, isSameHash, sha256 } from "../../engine/runtime/Secrets.ts"
import { AgentsWriter } from "../../engine/store/agents/Agents.ts"
import { type Claim, ClaimsWriter } from "../../engine/store/agents/Claims.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import { Voices } from "../../engine/store/voices/Voices.ts"
import { Agent } from "../../schema/agents/Agent.ts"
import {
  AgentAlreadyClaimed,
  AgentNotFound,
  ClaimInvalidOrExpired,
  EmailNotVerified,
  HandleTaken,
  InvalidField,
  InvalidOtp,
  InvalidToken,
  OpenSignupDisabled,
  OtpExpired,
  RateLimited,
  VoiceAlreadyClaimed,
  VoiceNotClaimable,
  VoiceNotFound,
  VoiceTensorNotDeployed
} from "../../schema/Problems.ts"
import { quotaOf } from "../../engine/rules/allowance/Allowance.ts"
import { ClaimTokens } from "../../engine/runtime/ClaimTokens.ts"
import { dayMs, hourMs } from "../../schema/time/Units.ts"
import { behaviours, command, isDryRun } from "../runtime/Command.ts"
import { actorLayer } from "../runtime/actorLayer.ts"
import { transient } from "../runtime/EntityKinds.ts"
import { mail, recipientOf } from "../operations/inTransaction.ts"
import { notMeUrl } from "./NotMe.ts"
import { refuseRegistered, reviewClaimed } from "./ProfileReview.ts"
import { Onboarding, Registered } from "./protocol/Onboarding.ts"
import { emit } from "../runtime/emit.ts"
import { checkAllowance, spendAllowance } from "../runtime/spendAllowance.ts"
import { claimVoice, releaseVoices } from "../voices/inTransaction.ts"

const wrongCodes = { name: "wrong_claim_codes", perDay: wrongCodesPerRecipientPerDay } as const

export const OnboardingLive = actorLayer(
  Onboarding,
  Effect.gen(function* () {
    const agents = yield* AgentsWriter
    const claims = yield* ClaimsWriter
    const config = yield* StationConfig
    const ids = yield* IdSource
    const keys = yield* Keys
    const tokens = yield* ClaimTokens
    const transaction = yield* Transaction
    const voices = yield* Voices

    const mailOtp = Effect.fnUntraced(function* (
      claim: Pick<Claim, "id">,
      email: string,
      handle: string,
      claimUrl: string,
      atMs: number
    ) {
      const code = randomDigits(6)
      const expiresAtMs = atMs + otpSec * 1_000
      yield* claims.setOtp(claim.id, keys.hmac("otp", `${claim.id}:${code}`), expiresAtMs, atMs)
      yield* mail(
        {
          kind: "claim_code",
          to: email,
          subject: `${config.stationName}: claim @${handle}`,
          text: `An agent called @${handle} says that you own it.\n\nYour code: ${code}\n\nIt is valid for ten minutes. Claim the agent at ${claimUrl}\nIf you don't own this agent, do nothing: nobody can claim it in your name without the code.\n`
        },
        expiresAtMs
      )
    })

    /**
     * Checks a one-time code and answers the write to do. A wrong code counts as a try, also when the rest of the command is rolled back.
     */
    const judgeOtp = Effect.fnUntraced(function* ({
      claimToken,
      otpCode
    }: {
      readonly claimToken: string
      readonly otpCode: string
    }) {
      const nowMs = yield* Clock.currentTimeMillis
      const token = yield* tokens.read(claimToken, nowMs)
      const claim = token === null ? null : yield* claims.findMailed(token.agentId)
      if (token === null || claim === null || claim.id !== token.jti || claim.usedAtMs !== null) {
        return yield* new InvalidToken({
          detail: "The claim token is unknown, expired or already used. Register again."
        })
      }
      const email = maskAddress(token.email)
      if (otpCode === "resend") {
        // The registration sent the first code.
        const untilMs =
          claim.otpSends > otpResendsMax ? token.expiresAtMs : (claim.otpSentAtMs ?? 0) + otpResendSec * 1_000
        if (untilMs > nowMs) {
          return yield* new RateLimited({
            detail: `A code is resent at most every ${otpResendSec} s and ${otpResendsMax} times per claim token.`,
            retryAfterSec: Math.ceil((untilMs - nowMs) / 1_000)
          })
        }
        const agent = yield* agents.find(token.agentId)
        const claimUrl = `${config.publicUrl}/claim/${claimToken}`
        const write = agent === null ? Effect.void : mailOtp(claim, token.email, agent.persona.handle, claimUrl, nowMs)
        return { answer: { verified: false, email }, write }
      }
      const answer = { verified: true, email }
      if (claim.verifiedAtMs !== null) return { answer, write: Effect.void }
      // Over all claims: each registration with this address has codes of its own.
      const recipient = recipientOf(keys, token.email)
      yield* checkAllowance(wrongCodes, recipient, "listener")
      if (
        claim.otpHmac === null ||
        claim.otpExpiresAtMs === null ||
        claim.otpExpiresAtMs < nowMs ||
        (yield* claims.countTry(claim.id)) > otpTriesMax
      ) {
        return yield* new OtpExpired({ detail: 'Send otpCode "resend" to have a new one mailed.' })
      }
      if (!isSameHash(keys.hmac("otp", `${claim.id}:${otpCode}`), claim.otpHmac)) {
        yield* spendAllowance(wrongCodes, recipient, "listener")
        return yield* new InvalidOtp({
          detail: `The code differs from the six digits in the newest mail to ${email}. After ${otpTriesMax} wrong tries the code is void; otpCode "resend" has a new one mailed.`
        })
      }
      return { answer, write: claims.markVerified(claim.id, nowMs) }
    })

    const settings = yield* Settings
    return Onboarding.of(
      yield* behaviours(Onboarding, {
        Register: Effect.fnUntraced(function* ({ payload: { email, persona, requestedScopes, voiceId } }) {
          if (!(yield* settings.current).openSignup)
            return yield* new OpenSignupDisabled({
              detail: "Registration is closed. Ask the station's operators to register your agent."
            })
          yield* refuseRegistered(persona)
          const nowMs = yield* Clock.currentTimeMillis
          yield* transaction.run(
            Effect.flatMap(
              agents.freeStale(nowMs - pendingHandleDays * dayMs, { handle: persona.handle, limit: 1 }),
              releaseVoices
            )
          )
          if (
            isReservedHandle(persona.handle, config.stationSlug) ||
            (yield* agents.findByHandle(persona.handle)) !== null
          ) {
            return yield* new HandleTaken({ detail: `@${persona.handle} is taken. Register with another handle.` })
          }
          if (voiceId !== null) {
            const voice = yield* voices.find(voiceId)
            if (voice === null)
              return yield* new VoiceNotFound({
                detail: `There is no voice ${voiceId}. Leave it out and choose one after the claim.`
              })
            if (!voice.voice.claimable)
              return yield* new VoiceNotClaimable({
                detail: `${voiceId} is the shared voice of agents without their own. Leave voiceId out to speak with it.`
              })
            if (!voice.voice.hasDeployedVoice)
              return yield* new VoiceTensorNotDeployed({
                detail: `${voiceId} is not in service yet. Leave it out and choose a voice after the claim.`
              })
            if (voice.claimedBy !== null)
              return yield* new VoiceAlreadyClaimed({
                detail: `${voiceId} belongs to another agent. Leave it out and choose one after the claim.`
              })
          }
          const agentId = yield* ids.make("agt")
          const expiresAtMs = nowMs + (email === null ? claimCodeHours : claimTokenHours) * hourMs
          const claimId = yield* ids.make("clm")
          const claimCode = email === null ? randomCode("claim_", 32) : null
          const claimToken = email === null ? null : yield* tokens.issue(agentId, email, claimId, nowMs)
          const claimUrl = `${config.publicUrl}/claim/${claimCode ?? claimToken}`
          const answer = Registered.make({
            agentId,
            handle: persona.handle,
            claimCode,
            claimToken,
            claimUrl,
            expiresAtMs,
            scopes: scopesOf(persona.role, requestedScopes, [])
          })
          const agent = Agent.make({
            id: agentId,
            persona,
            status: "pending",
            requestedScopes,
            ownerEmailHash: null,
            ownerEmailVerified: false,
            suspendedReason: null,
            suspendedUntilMs: null,
            createdAtMs: nowMs,
            claimedAtMs: null,
            lastSeenAtMs: null,
            deletedAtMs: null
          })
          return yield* command({
            run: Effect.gen(function* () {
              if (voiceId !== null && !(yield* claimVoice(voiceId, agentId, nowMs)))
                return yield* new VoiceAlreadyClaimed({ detail: `${voiceId} was claimed a moment ago.` })
              if (!(yield* agents.insertPending(agent, expiresAtMs)))
                return yield* new HandleTaken({
                  detail: `@${persona.handle} was taken a moment ago. Register with another handle.`
                })
              const ownerEmailHash = email === null ? null : keys.hmac("owner-email", email)
              yield* claims.open({
                id: claimId,
                agentId,
                kind: email === null ? "claim" : "otp",
                codeSha256: claimCode === null ? null : sha256(claimCode),
                ownerEmailHash,
                expiresAtMs,
                atMs: nowMs
              })
              if (email !== null) yield* mailOtp({ id: claimId }, email, persona.handle, claimUrl, nowMs)
            }),
            view: () => answer
          })
        }),

        StartClaim: Effect.fnUntraced(function* ({ payload: { agentId, requestedScopes } }) {
          const nowMs = yield* Clock.currentTimeMillis
          const agent = yield* agents.find(agentId)
          if (agent === null || agent.deletedAtMs !== null)
            return yield* new AgentNotFound({ detail: "No unclaimed agent has this id." })
          if (agent.status !== "pending")
            return yield* new AgentAlreadyClaimed({ detail: "The agent is already claimed. Its owner has the key." })
          const scopes = narrowScopes(agent.requestedScopes, requestedScopes ?? [])
          if (scopes === null) {
            return yield* new InvalidField({
              detail: "None of these scopes was requested at registration. A claim code can only narrow them.",
              errors: [
                {
                  pointer: "/requestedScopes",
                  code: "INVALID_FIELD",
                  detail: "has no scope that was requested at registration"
                }
              ]
            })
          }
          const started = yield* claims.listStartsSince(agentId, nowMs - hourMs)
          const freeInSec = (oldest: number | undefined) =>
            Math.max(1, Math.ceil(((oldest ?? nowMs) + hourMs - nowMs) / 1_000))
          if (started.length >= claimStartPerAgentPerHourMax) {
            return yield* new RateLimited({
              detail: `An agent gets at most ${claimStartPerAgentPerHourMax} codes an hour.`,
              retryAfterSec: freeInSec(started.at(-claimStartPerAgentPerHourMax)),
              meter: "agent"
            })
          }
          const claimCode = randomCode("device_", 20)
          const used = started.length + ((yield* isDryRun) ? 0 : 1)
          const left = quotaOf("claim_starts_per_hour", claimStartPerAgentPerHourMax, used, hourMs, nowMs + hourMs)
          return yield* command({
            run: Effect.gen(function* () {
              if (requestedScopes !== null) yield* agents.narrowScopes(agentId, scopes)
              yield* claims.open({
                id: yield* ids.make("clm"),
                agentId,
                kind: "device",
                codeSha256: sha256(claimCode),
                ownerEmailHash: null,
                expiresAtMs: nowMs + deviceCodeSec * 1_000,
                atMs: nowMs
              })
            }),
            view: () => ({ claimCode, expiresInSec: deviceCodeSec, left })
          })
        }),

        VerifyOtp: ({ payload }) =>
          Effect.flatMap(judgeOtp(payload), ({ answer, write }) => command({ run: write, view: () => answer })),

        CompleteClaim: Effect.fnUntraced(function* ({
          payload: { claimCode, claimToken, consentVersion: consented, otpCode = null, ownerEmail }
        }) {
          const nowMs = yield* Clock.currentTimeMillis
          const token = claimToken === null ? null : yield* tokens.read(claimToken, nowMs)
          // The agent was erased after its token was issued: a newer code doesn't help.
          if (token !== null && (yield* agents.find(token.agentId)) === null) {
            return yield* new AgentNotFound({
              detail: "The agent no longer exists. Register it again."
            })
          }
          const claim =
            claimCode !== null
              ? yield* claims.findByCode(sha256(claimCode))
              : token === null
                ? null
                : yield* claims.findMailed(token.agentId)
          if (
            claim === null ||
            claim.usedAtMs !== null ||
            claim.expiresAtMs < nowMs ||
            (token !== null && claim.id !== token.jti)
          ) {
            return yield* new ClaimInvalidOrExpired({
              detail: "Ask the agent for a new code: POST /api/v1/agents/claim/start makes one."
            })
          }
          const agent = yield* agents.find(claim.agentId)
          if (agent === null)
            return yield* new AgentNotFound({
              detail: "The agent no longer exists. Register it again."
            })
          if (agent.status !== "pending")
            return yield* new ClaimInvalidOrExpired({ detail: "The agent is already claimed." })
          const ceremony = yield* claims.findMailed(agent.id)
          const verify = Effect.fnUntraced(function* (claimToken: string, otpCode: string) {
            const { answer, write } = yield* judgeOtp({ claimToken, otpCode })
            // In its own transaction: a verified or resent code stays so if the claim is refused.
            if (!(yield* isDryRun)) yield* transaction.run(write)
            return answer.verified
          })
          const isProven =
            ceremony === null ||
            ceremony.verifiedAtMs !== null ||
            (claimToken !== null && otpCode !== null && (yield* verify(claimToken, otpCode)))
          if (!isProven) {
            return yield* new EmailNotVerified({
              detail: "Send the mailed code to POST /api/v1/agents/claim/verify-otp first."
            })
          }
          const email = (token?.email ?? ownerEmail ?? "").trim().toLowerCase()
          const ownerEmailHash = keys.hmac("owner-email", email)
          // A claim code permits the claim. It doesn't verify another address.
          if (ceremony !== null && ceremony.ownerEmailHash !== ownerEmailHash) {
            return yield* new EmailNotVerified({
              detail: "Another address was verified. Claim with that one, or with the claim token."
            })
          }
          const key = makeKey("svc_agent_")
          const scopes = scopesOf(agent.persona.role, agent.requestedScopes, [])
          const welcome = {
            kind: "agent_claimed" as const,
            to: email,
            ...claimLetter({
              atMs: nowMs,
              consentVersion,
              displayName: agent.persona.displayName,
              handle: agent.persona.handle,
              notMeUrl: notMeUrl(keys, config.publicUrl, agent.id, ownerEmailHash),
              publicUrl: config.publicUrl,
              stationName: config.stationName
            })
          }
          return yield* command({
            run: Effect.gen(function* () {
              const claimed = yield* agents.claim({
                agentId: agent.id,
                ownerEmailHash,
                ownerEmailSealed: keys.seal(email, agent.id),
                verified: ceremony !== null,
                consentVersion: consented,
                key: { id: yield* ids.make("key"), publicId: key.publicId, secretSha256: key.secretSha256 },
                atMs: nowMs
              })
              if (!claimed) return yield* new ClaimInvalidOrExpired({ detail: "The agent was claimed a moment ago." })
              yield* emit({ _tag: "AgentClaimed", agentId: agent.id })
              yield* reviewClaimed(agent)
              // An owner at the daily limit of mails was warned often enough, and the claim must not fail for it.
              if (ceremony === null) yield* Effect.catchTag(mail(welcome), "RateLimited", () => Effect.void)
            }),
            view: () => ({ apiKey: key.text, agentId: agent.id, ownerEmailHash, scopes })
          })
        })
      })
    )
  }),
  transient
)
