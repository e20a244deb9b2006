import { Clock, Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { Keys } from "../../engine/runtime/Keys.ts"
import { humanSessionDays, signInLinkMinutes, signInLinksPerDay } from "../../engine/rules/people/limits.ts"
import { unnamed } from "../../engine/rules/people/HumanProfile.ts"
import { makeKey, sha256 } from "../../engine/runtime/Secrets.ts"
import { HumanIdentitiesWriter } from "../../engine/store/people/HumanIdentities.ts"
import { HumansWriter } from "../../engine/store/people/Humans.ts"
import { HumanSessionsWriter } from "../../engine/store/people/HumanSessions.ts"
import { Human } from "../../schema/people/Human.ts"
import type { HumanId } from "../../schema/Ids.ts"
import { Forbidden } from "../../schema/Problems.ts"
import { mail, recipientOf } from "../operations/inTransaction.ts"
import { command } from "../runtime/Command.ts"
import { statelessLayer } from "../runtime/statelessLayer.ts"
import { Entrance } from "./protocol/SignIn.ts"

interface Comer {
  readonly issuer: string
  readonly subject: string
  readonly email: string
}

/**
 * The account of an identity, else of the verified address, else a new one. A second identity of the same provider can't sign in by an
 * address already linked there, because providers reassign addresses.
 */
const accountOf = Effect.fnUntraced(function* ({ email, issuer, subject }: Comer, nowMs: number) {
  const [humans, identities, ids, keys] = [
    yield* HumansWriter,
    yield* HumanIdentitiesWriter,
    yield* IdSource,
    yield* Keys
  ]
  const emailHash = keys.hmac("owner-email", email)
  const sealFor = (humanId: string) => keys.seal(email, humanId)
  const known = yield* identities.find(issuer, subject)
  if (known !== null) {
    const human = (yield* humans.find(known))!
    // An address unlinked by operators stays unlinked.
    if (human.emailHash !== null && human.emailHash !== emailHash)
      yield* identities.setAddress(known, emailHash, sealFor(known))
    return { humanId: human.id, blockedReason: human.blockedReason }
  }
  const byAddress = yield* humans.findByEmailHash(emailHash)
  if (byAddress !== null) {
    if ((yield* identities.list(byAddress.id)).some((other) => other.issuer === issuer)) {
      return yield* new Forbidden({
        detail:
          "Another account with this provider already uses your address. If it is yours, contact the station's operators."
      })
    }
    yield* identities.link(issuer, subject, byAddress.id, nowMs)
    yield* identities.setAddress(byAddress.id, emailHash, sealFor(byAddress.id))
    return { humanId: byAddress.id, blockedReason: byAddress.blockedReason }
  }
  const id = (yield* ids.make("usr")) as HumanId
  yield* humans.insert(
    Human.make({
      id,
      slug: `listener-${id.slice(-10)}`,
      displayName: unnamed,
      bio: null,
      avatarPath: null,
      links: [],
      published: false,
      emailHash: null,
      blockedReason: null,
      createdAtMs: nowMs
    })
  )
  yield* identities.link(issuer, subject, id, nowMs)
  yield* identities.setAddress(id, emailHash, sealFor(id))
  return { humanId: id, blockedReason: null }
})

/** Sign-ins of one address or identity, one at a time. */
export const EntranceLive = statelessLayer(
  Entrance,
  Effect.map(
    Effect.all([HumanIdentitiesWriter, HumanSessionsWriter]),
    ([identities, sessions]) =>
      () =>
        Entrance.of({
          MailSignIn: Effect.fnUntraced(function* ({ payload: { email, expiresAtMs, url } }) {
            const { stationName } = yield* StationConfig
            yield* command({
              by: recipientOf(yield* Keys, email),
              allowances: [{ name: "sign_in_links", perDay: signInLinksPerDay }],
              meter: "listener",
              run: mail(
                {
                  kind: "sign_in",
                  to: email,
                  subject: `${stationName}: sign in`,
                  text: `Open this link to sign in to ${stationName}:\n${url}\n\nIt works once, within ${signInLinkMinutes} minutes. If you didn't ask for it, do nothing: nobody is signed in without it.\n`
                },
                expiresAtMs
              )
            })
          }),
          Enter: ({ payload: { former, state, stateExpiresAtMs, userAgent, ...comer } }) =>
            command({
              run: Effect.gen(function* () {
                const nowMs = yield* Clock.currentTimeMillis
                if (!(yield* identities.use(sha256(state), stateExpiresAtMs))) return null
                const { blockedReason, humanId } = yield* accountOf(comer, nowMs)
                if (blockedReason !== null)
                  return yield* new Forbidden({
                    detail: `The station's operators blocked this account: ${blockedReason}`
                  })
                if (former !== null) yield* sessions.close(former.humanId, former.sessionId)
                const key = makeKey("human_session_")
                yield* sessions.open(
                  {
                    publicId: key.publicId,
                    secretSha256: key.secretSha256,
                    humanId,
                    userAgent,
                    expiresAtMs: nowMs + humanSessionDays * 86_400_000
                  },
                  nowMs
                )
                return { session: key.text }
              })
            })
        })
  )
)
