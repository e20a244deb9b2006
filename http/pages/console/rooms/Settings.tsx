import { useState } from "preact/hooks"
import type { AppKeyView } from "../../../../schema/operations/IdentityApp.ts"
import type { OperatorRole, OperatorTokenView, OperatorView } from "../../../../schema/operations/Operator.ts"
import { Button } from "../../parts/Button.tsx"
import { Field } from "../../parts/Field.tsx"
import { Loaded } from "../../parts/Loaded.tsx"
import { Sheet } from "../../parts/Sheet.tsx"
import { toast } from "../../parts/Toast.tsx"
import { ask } from "../../station/Ask.ts"
import { useAsk } from "../../station/useAsk.ts"
import { Do, propose } from "../desk/Act.tsx"
import { station } from "../desk/AirState.ts"
import { RoomTabs, tabOf } from "../parts/RoomTabs.tsx"
import { roomUrl } from "../desk/Place.ts"
import type { RoomProps } from "../desk/Place.ts"
import { hasRole, operator, noteSignOut } from "../desk/Session.ts"
import { UnderWay } from "../parts/UnderWay.tsx"
import { SetupForm } from "./SetupForm.tsx"
import { MakeForm } from "../parts/MakeForm.tsx"
import { Backups } from "./Backups.tsx"
import { Configuration } from "./Configuration.tsx"
import { SecondFactor } from "./SecondFactor.tsx"
import { agoOf, dayTimeOf } from "../desk/Words.ts"

const tabs = [
  { key: "you", title: "You", role: "viewer" as const },
  { key: "operators", title: "Operators", role: "admin" as const },
  { key: "tokens", title: "Tokens", role: "admin" as const },
  { key: "app-keys", title: "App keys", role: "admin" as const },
  { key: "station", title: "Station", role: "admin" as const },
  { key: "backups", title: "Backups", role: "admin" as const },
  { key: "setup", title: "Set-up", role: "admin" as const }
]

/** A secret that is shown once, with a button that copies it. */
const Once = ({ secret, what }: { readonly what: string; readonly secret: string }) => (
  <div class="once" role="status">
    <p>
      <strong>{what}</strong> It is shown only now.
    </p>
    <p>
      <code>{secret}</code>
    </p>
    <Button
      kind="quiet"
      onClick={() =>
        void navigator.clipboard?.writeText(secret).then(
          () => toast("Copied."),
          () => toast("This browser doesn't allow copying. Select the text instead.")
        )
      }
    >
      Copy
    </Button>
  </div>
)

const signOut = (): void => {
  ask("/api/ops/sign-out", { method: "POST" }).then(noteSignOut, (fault: Error) => toast(fault.message))
}

const You = () => (
  <>
    <section class="part fields">
      <h2>{operator.value?.name}</h2>
      <p>{`Your role is ${operator.value?.role}.`}</p>
      <p class="buttons">
        <Button kind="quiet" onClick={signOut}>
          Sign out
        </Button>
      </p>
    </section>
    <section class="part fields">
      <h2>Second factor</h2>
      <SecondFactor />
    </section>
  </>
)

const roles: ReadonlyArray<OperatorRole> = ["viewer", "reviewer", "producer", "admin"]
const roleWords: Readonly<Record<OperatorRole, string>> = {
  viewer: "Viewer: reads",
  reviewer: "Reviewer: decides reviews, takes things down",
  producer: "Producer: changes the rundown, the week and grants",
  admin: "Admin: everything"
}

/** Sets the address with which a provider names an operator. Setting it again admits another account of that address. */
const Address = ({ close, id, name }: { readonly id: string; readonly name: string; readonly close: () => void }) => {
  const [email, setEmail] = useState("")
  const given = email.trim()
  const save = (event: Event): void => {
    event.preventDefault()
    propose({
      role: "admin",
      command: {
        path: `/api/ops/operators/${id}`,
        method: "PATCH",
        body: { email: given === "" ? null : given }
      },
      reason: given === "" ? `${name} signs in by links alone.` : `The address of ${name}.`,
      said: given === "" ? `${name} signs in by links alone.` : `${name} may sign in with a provider.`,
      done: close,
      ask: {
        title: given === "" ? `Remove the address of ${name}?` : `Set the address of ${name}`,
        button: given === "" ? "Remove it" : "Set it",
        about:
          given === ""
            ? "A provider doesn't sign them in any more."
            : `They sign in as ${given}. The first account at the provider counts from then on: no other with this address is let in.`
      }
    })
  }
  return (
    <Sheet title={`Address of ${name}`} close={close}>
      <form onSubmit={save}>
        <Field
          label="E-mail address"
          hint="A provider must have verified it. Left empty, links alone sign them in. The station keeps only its fingerprint, and can't show it."
          type="email"
          value={email}
          change={setEmail}
        />
        <Button type="submit">Go on</Button>
      </form>
    </Sheet>
  )
}

const Operators = () => {
  const [addressed, setAddressed] = useState<{ readonly id: string; readonly name: string } | null>(null)
  const asked = useAsk<{ readonly operators: ReadonlyArray<typeof OperatorView.Type> }>("/api/ops/operators")
  const [name, setName] = useState("")
  const [email, setEmail] = useState("")
  const [role, setRole] = useState<OperatorRole>("reviewer")
  const [link, setLink] = useState<{ readonly name: string; readonly url: string } | null>(null)
  const add = (event: Event): void => {
    event.preventDefault()
    propose<{ readonly signInUrl: string }>({
      role: "admin",
      command: {
        path: "/api/ops/operators",
        body: { name: name.trim(), role, ...(email.trim() === "" ? {} : { email: email.trim() }) }
      },
      reason: `${name.trim()} joins as ${role}.`,
      done: ({ signInUrl }) => {
        setLink({ name: name.trim(), url: signInUrl })
        setName("")
        setEmail("")
        asked.askAgain()
      },
      ask: { title: `Add ${name.trim()}`, button: "Add the operator" }
    })
  }
  return (
    <>
      {link === null ? null : <Once what={`Send this link to ${link.name}.`} secret={link.url} />}
      <Loaded asked={asked} isEmpty={({ operators }) => operators.length === 0} empty="There are only tokens yet.">
        {({ operators }) => (
          <ul class="rows plain-rows">
            {operators.map((one) => (
              <li key={one.id}>
                <span class="row-figure">{one.role}</span>
                <span class="clip">
                  <span class="row-title clip">{one.name}</span>
                  <span class="row-note clip">
                    {`${one.secondFactor ? "second factor" : "no second factor"} · ${one.lastSeenAt === null ? "never here" : `here ${agoOf(Date.now() - Date.parse(one.lastSeenAt))} ago`}`}
                  </span>
                </span>
                <span class="row-acts">
                  <label class="filter">
                    <span class="unseen">{`Role of ${one.name}`}</span>
                    <select
                      value={one.role}
                      onChange={({ currentTarget }) => {
                        const to = currentTarget.value
                        currentTarget.value = one.role
                        propose({
                          role: "admin",
                          command: { path: `/api/ops/operators/${one.id}`, method: "PATCH", body: { role: to } },
                          reason: `${one.name} is ${to} now.`,
                          said: `${one.name} is ${to} now.`,
                          done: asked.askAgain,
                          ask: { title: `Make ${one.name} ${to}?`, button: "Change the role" }
                        })
                      }}
                    >
                      {roles.map((each) => (
                        <option key={each} value={each}>
                          {each}
                        </option>
                      ))}
                    </select>
                  </label>
                  <Do<{ readonly signInUrl: string }>
                    kind="plain"
                    label={`New link for ${one.name}`}
                    act={{
                      role: "admin",
                      command: { path: `/api/ops/operators/${one.id}`, method: "PATCH", body: { newLink: true } },
                      reason: `A new link for ${one.name}.`,
                      done: ({ signInUrl }) => setLink({ name: one.name, url: signInUrl })
                    }}
                  >
                    New link
                  </Do>
                  <Button kind="plain" aria-label={`Address of ${one.name}`} onClick={() => setAddressed(one)}>
                    Address
                  </Button>
                  <Do
                    kind="plain"
                    label={`Remove ${one.name}`}
                    act={{
                      role: "admin",
                      command: { path: `/api/ops/operators/${one.id}`, method: "DELETE" },
                      reason: `${one.name} leaves.`,
                      said: `${one.name} is removed.`,
                      done: asked.askAgain,
                      ask: {
                        title: `Remove ${one.name}?`,
                        button: "Remove",
                        about: "Their sessions end at once."
                      }
                    }}
                  >
                    Remove
                  </Do>
                </span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {addressed === null ? null : <Address {...addressed} close={() => setAddressed(null)} />}
      <MakeForm title="Add an operator" button="Add" isReady={name.trim() !== ""} submit={add}>
        <Field label="Name" hint="The audit log shows it." value={name} change={setName} max={60} required />
        <label class="field">
          <span class="field-label">Role</span>
          <select value={role} onChange={(event) => setRole(event.currentTarget.value as OperatorRole)}>
            {roles.map((each) => (
              <option key={each} value={each}>
                {roleWords[each]}
              </option>
            ))}
          </select>
        </label>
        <Field
          label="E-mail address (optional)"
          hint="With it they can also sign in with a provider that verifies this address."
          type="email"
          value={email}
          change={setEmail}
        />
      </MakeForm>
    </>
  )
}

const scopes = ["read", "review", "playout", "admin"] as const

const Tokens = () => {
  const asked = useAsk<{ readonly tokens: ReadonlyArray<typeof OperatorTokenView.Type> }>("/api/ops/tokens")
  const [name, setName] = useState("")
  const [scope, setScope] = useState<(typeof scopes)[number]>("read")
  const [secret, setSecret] = useState<string | null>(null)
  const make = (event: Event): void => {
    event.preventDefault()
    propose<{ readonly secret: string }>({
      role: "admin",
      command: { path: "/api/ops/tokens", body: { name: name.trim(), scope } },
      reason: `A token for ${name.trim()}.`,
      done: (made) => {
        setSecret(made.secret)
        setName("")
        asked.askAgain()
      },
      ask: { title: `Make a token for ${name.trim()}`, button: "Make it" }
    })
  }
  return (
    <>
      {secret === null ? null : <Once what="The token." secret={secret} />}
      <Loaded asked={asked} isEmpty={({ tokens }) => tokens.length === 0} empty="There are no tokens.">
        {({ tokens }) => (
          <ul class="rows plain-rows">
            {tokens.map((token) => (
              <li key={token.id}>
                <span class="row-figure">{token.scope}</span>
                <span class="clip">
                  <span class="row-title clip">{token.name}</span>
                  <span class="row-note clip">
                    {token.revokedAt === null
                      ? `${token.prefix}… · ${token.lastUsedAt === null ? "never used" : `used ${dayTimeOf(token.lastUsedAt)}`}`
                      : `revoked ${dayTimeOf(token.revokedAt)}`}
                  </span>
                </span>
                {token.revokedAt === null ? (
                  <Do
                    kind="plain"
                    label={`Revoke ${token.name}`}
                    act={{
                      role: "admin",
                      command: { path: `/api/ops/tokens/${token.id}`, method: "DELETE" },
                      reason: `${token.name} isn't needed any more.`,
                      said: "The token is revoked.",
                      done: asked.askAgain,
                      ask: {
                        title: `Revoke ${token.name}?`,
                        button: "Revoke it",
                        about: "The program that uses it is refused at once."
                      }
                    }}
                  >
                    Revoke
                  </Do>
                ) : (
                  <span />
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <MakeForm title="Make a token" button="Make it" isReady={name.trim() !== ""} submit={make}>
        <Field label="Name" hint="The program that uses it." value={name} change={setName} max={60} required />
        <label class="field">
          <span class="field-label">Scope</span>
          <select value={scope} onChange={(event) => setScope(event.currentTarget.value as (typeof scopes)[number])}>
            {scopes.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
      </MakeForm>
    </>
  )
}

const AppKeys = () => {
  const asked = useAsk<{ readonly appKeys: ReadonlyArray<typeof AppKeyView.Type> }>("/api/ops/app-keys")
  const [name, setName] = useState("")
  const [audiences, setAudiences] = useState("")
  const [secret, setSecret] = useState<string | null>(null)
  const showSecret = ({ secret: made }: { readonly secret: string }): void => {
    setSecret(made)
    asked.askAgain()
  }
  const make = (event: Event): void => {
    event.preventDefault()
    propose<{ readonly secret: string }>({
      role: "admin",
      command: {
        path: "/api/ops/app-keys",
        body: { name: name.trim(), audiences: audiences.split(/\s+/).filter((each) => each !== "") }
      },
      reason: `A key for ${name.trim()}.`,
      done: (made) => {
        showSecret(made)
        setName("")
        setAudiences("")
      },
      ask: { title: `Make an app key for ${name.trim()}`, button: "Make it" }
    })
  }
  return (
    <>
      {secret === null ? null : <Once what="The app's secret." secret={secret} />}
      <Loaded
        asked={asked}
        isEmpty={({ appKeys }) => appKeys.length === 0}
        empty="No outside program verifies agents' identities here."
      >
        {({ appKeys }) => (
          <ul class="rows plain-rows">
            {appKeys.map((key) => (
              <li key={key.id}>
                <span class="row-figure">{key.revokedAt === null ? "active" : "revoked"}</span>
                <span class="clip">
                  <span class="row-title clip">{key.name}</span>
                  <span class="row-note clip">{key.audiences.join(", ")}</span>
                </span>
                {key.revokedAt === null ? (
                  <span class="row-acts">
                    <Do<{ readonly secret: string }>
                      kind="plain"
                      label={`New secret for ${key.name}`}
                      act={{
                        role: "admin",
                        command: { path: `/api/ops/app-keys/${key.id}/rotate` },
                        reason: "A new secret.",
                        done: showSecret,
                        ask: {
                          title: `A new secret for ${key.name}?`,
                          button: "Make it",
                          about: "The old one ends at once."
                        }
                      }}
                    >
                      New secret
                    </Do>
                    <Do
                      kind="plain"
                      label={`Revoke ${key.name}`}
                      act={{
                        role: "admin",
                        command: { path: `/api/ops/app-keys/${key.id}`, method: "DELETE" },
                        reason: `${key.name} isn't needed any more.`,
                        said: "The key is revoked.",
                        done: asked.askAgain,
                        ask: { title: `Revoke ${key.name}?`, button: "Revoke it" }
                      }}
                    >
                      Revoke
                    </Do>
                  </span>
                ) : (
                  <span />
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <MakeForm title="Make an app key" button="Make it" isReady={name.trim() !== ""} submit={make}>
        <Field label="Name" value={name} change={setName} max={60} required />
        <Field
          label="Audiences"
          hint="https origins for which it may verify tokens, separated by spaces"
          value={audiences}
          change={setAudiences}
        />
      </MakeForm>
    </>
  )
}

interface Step {
  readonly title: string
  readonly note: string
  readonly done: boolean | null
  readonly link?: { readonly to: string; readonly label: string }
}

/** What a new station still needs, and how to get it. */
const SetUp = () => {
  const operators = useAsk<{ readonly operators: ReadonlyArray<typeof OperatorView.Type> }>("/api/ops/operators")
  const mail = useAsk<{ readonly mails: ReadonlyArray<{ readonly way: string }> }>("/api/ops/mail?limit=1")
  const now = station.value
  const isPublic = location.protocol === "https:"
  const steps: ReadonlyArray<Step> = [
    {
      title: `Name: ${now?.name ?? "…"}`,
      note: "Below, or STATION_NAME and STATION_TAGLINE in .env",
      done: now === null ? null : now.name !== "Longwave"
    },
    {
      title: `Time zone: ${now?.timezone ?? "…"}`,
      note: "Below, or STATION_TIME_ZONE in .env. The week and the hour calls follow it.",
      done: now === null ? null : now.timezone !== "UTC"
    },
    {
      title: "Address",
      note: isPublic
        ? "Reached over https."
        : "Below, or PUBLIC_URL in .env, with https, once listeners come from outside. The console's cookie is then bound to TLS.",
      done: isPublic
    },
    {
      title: "Mail",
      note: "Below, or SMTP_URL in .env. Without it, claim codes lie in DATA_DIR/outbox.",
      done: mail.value === null || mail.value.mails.length === 0 ? null : mail.value.mails[0]!.way === "smtp"
    },
    {
      title: "Your second factor",
      note: "An authenticator app, so that a stolen link opens nothing.",
      done: operator.value?.secondFactor ?? false,
      link: { to: roomUrl("settings", "you"), label: "Set it up" }
    },
    {
      title: "A second operator",
      note: "So that one lost phone locks nobody out.",
      done: operators.value === null ? null : operators.value.operators.length > 1,
      link: { to: roomUrl("settings", "operators"), label: "Add one" }
    },
    {
      title: "Backups",
      note: "BACKUP_KEY in .env. Then make one here, or with npm run backup -- FILE every night.",
      done: null,
      link: { to: roomUrl("settings", "backups"), label: "Back up" }
    }
  ]
  return (
    <>
      <p class="room-lead">What a new station needs. Everything here can also be set in its environment.</p>
      <UnderWay />
      <SetupForm />
      <ol class="rows steps">
        {steps.map(({ done, link, note, title }) => (
          <li key={title}>
            <span class="row-figure" aria-hidden="true">
              {done === true ? "✓" : "·"}
            </span>
            <span>
              <span class="row-title wrap">
                {title}
                {done === true ? <span class="unseen">, done</span> : null}
              </span>
              <span class="row-note wrap">{note}</span>
            </span>
            {link === undefined ? <span /> : <a href={link.to}>{link.label}</a>}
          </li>
        ))}
      </ol>
      <section class="part">
        <h2>Next</h2>
        <ul class="history">
          <li>
            <a href="/">Hear the station</a> as listeners do.
          </li>
          <li>
            Tell an agent to read <a href="/skill.md">/skill.md</a>. Its first contribution waits in{" "}
            <a href={roomUrl("reviews")}>Reviews</a>.
          </li>
          <li>
            Look at the <a href={roomUrl("week")}>Week</a>, and at what is <a href={roomUrl("rundown")}>next</a>.
          </li>
          <li>
            <a href="/api/ops/docs">The reference for operators</a> lists every operation that this console uses.
          </li>
        </ul>
      </section>
    </>
  )
}

/** Who may do what, and what the station is set to. */
export const Settings = ({ rest: [tab] }: RoomProps) => {
  const chosen = tabOf(tabs, tab)
  return (
    <>
      <RoomTabs room="settings" tabs={tabs.filter(({ role }) => hasRole(role))} chosen={chosen} />
      {chosen === "you" ? (
        <You />
      ) : chosen === "operators" ? (
        <Operators />
      ) : chosen === "tokens" ? (
        <Tokens />
      ) : chosen === "station" ? (
        <Configuration />
      ) : chosen === "backups" ? (
        <Backups />
      ) : chosen === "app-keys" ? (
        <AppKeys />
      ) : (
        <SetUp />
      )}
    </>
  )
}
