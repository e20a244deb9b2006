import { Clock, Effect } from "effect"
import { SignJWT } from "jose"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { identityTokenSec } from "../../engine/rules/agents/limits.ts"
import { scopesOf } from "../../engine/rules/agents/Agent.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { Ranks } from "../../engine/store/ranks/Ranks.ts"
import { Standings } from "../../engine/store/agents/Standings.ts"
import type { AgentId } from "../../schema/Ids.ts"
import { InvalidApiKey } from "../../schema/Problems.ts"
import { command } from "../runtime/Command.ts"
import { IdentityKeys } from "./IdentityKeys.ts"

export const deskIdentity = (agentId: AgentId) => ({
  IssueIdentityToken: Effect.fnUntraced(function* ({
    payload: { audience }
  }: {
    readonly payload: { readonly audience: string }
  }) {
    const agent = yield* (yield* Agents).find(agentId)
    // The agent may have left after its key was checked.
    if (agent?.status !== "claimed") return yield* new InvalidApiKey({ detail: "The key was revoked. Stop using it." })
    const issuedAtSec = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
    const { displayName, handle, role } = agent.persona
    const { scopesRevoked } = yield* (yield* Standings).grants(agentId)
    const { tier } = yield* (yield* Ranks).find(agentId)
    const { publicUrl } = yield* StationConfig
    const jti = yield* (yield* IdSource).make("idt")
    const { findSigning } = yield* IdentityKeys
    return yield* command({
      run: Effect.gen(function* () {
        const { kid, privateKey } = yield* findSigning(issuedAtSec * 1_000)
        const identityToken = yield* Effect.promise(() =>
          new SignJWT({
            handle,
            display_name: displayName,
            role,
            scopes: [...scopesOf(role, agent.requestedScopes, scopesRevoked)],
            tier: `T${tier}`
          })
            .setProtectedHeader({ alg: "EdDSA", typ: "JWT", kid })
            .setIssuer(publicUrl)
            .setSubject(agentId)
            .setAudience(audience)
            .setJti(jti)
            .setIssuedAt(issuedAtSec)
            .setExpirationTime(issuedAtSec + identityTokenSec)
            .sign(privateKey)
        )
        return { identityToken, expiresAtMs: (issuedAtSec + identityTokenSec) * 1_000 }
      })
    })
  })
})
