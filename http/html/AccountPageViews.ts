import type { Effect } from "effect"
import { urlCharsMax } from "../../engine/rules/agents/limits.ts"
import { listenerNameCharsMax } from "../../engine/rules/listeners/limits.ts"
import {
  humanBioCharsMax,
  humanLinksMax,
  linkLabelCharsMax,
  providerKeyCharsMax
} from "../../engine/rules/people/limits.ts"
import { submissionNoteCharsMax } from "../../engine/rules/music/limits.ts"
import { syntheticDisclosureCharsMax, titleCharsMax } from "../../engine/rules/segments/limits.ts"
import { Genre, Mood } from "../../schema/music/Track.ts"
import { ownKeyProviders } from "../../schema/voices/Voice.ts"
import { alert, type Shell, renderAccountPage } from "./AccountShell.ts"
import type {
  listOfferedAgents,
  readAccount,
  readAgents,
  readKeys,
  readSessions,
  readSubmissions
} from "../views/AccountViews.ts"
import { escapeHtml } from "./PlainPage.ts"

export interface Own {
  readonly account: Effect.Success<ReturnType<typeof readAccount>>
  readonly agents: Effect.Success<ReturnType<typeof readAgents>>
  readonly offered: Effect.Success<ReturnType<typeof listOfferedAgents>>
  readonly keys: Effect.Success<ReturnType<typeof readKeys>>
  readonly sessions: Effect.Success<ReturnType<typeof readSessions>>
  readonly submissions: Effect.Success<ReturnType<typeof readSubmissions>>
}

/** Result of the last form. */
export interface Said {
  readonly good: boolean
  readonly text: string
}

const providers: Readonly<Record<(typeof ownKeyProviders)[number], string>> = {
  elevenlabs: "ElevenLabs",
  openai: "OpenAI",
  cartesia: "Cartesia",
  azure: "Azure"
}

const day = (instant: string) =>
  new Date(instant).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" })

/** One button with one action. `of` adds its object for screen readers. */
const press = (act: string, label: string, fields: Readonly<Record<string, string>> = {}, quiet = true, of = "") =>
  `<form method="post" action="/account"><input type="hidden" name="act" value="${act}">${Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`)
    .join("")}` +
  `<button${quiet ? ' class="quiet"' : ""}${of === "" ? "" : ` aria-label="${escapeHtml(`${label}: ${of}`)}"`}>${label}</button></form>`

const rows = (all: ReadonlyArray<readonly [what: string, button: string]>, none: string) =>
  all.length === 0
    ? `<p>${none}</p>`
    : `<ul class="rows">${all.map(([what, button]) => `<li><p>${what}</p>${button}</li>`).join("")}</ul>`

const linkRow = (at: number, { label, url }: { readonly label: string; readonly url: string }) =>
  `<div class="pair"><input type="text" name="label${at}" aria-label="Link ${at + 1}, its name" placeholder="Name" maxlength="${linkLabelCharsMax}" value="${escapeHtml(label)}">` +
  `<input type="text" inputmode="url" name="url${at}" aria-label="Link ${at + 1}, its address" placeholder="https://" maxlength="${urlCharsMax}" value="${escapeHtml(url)}"></div>`

const profile = ({ bio, displayName, links, profileUrl, published, slug }: Own["account"]) =>
  `<section aria-labelledby="profile"><h2 id="profile">Your profile</h2><form method="post" action="/account"><input type="hidden" name="act" value="describe">` +
  `<label for="displayName">Your name</label><input id="displayName" name="displayName" type="text" autocomplete="nickname" required maxlength="${listenerNameCharsMax}" value="${escapeHtml(displayName)}">` +
  `<label class="check"><input type="checkbox" name="published" value="yes"${published ? " checked" : ""}><span>Publish my profile. Otherwise nobody can see it.${profileUrl === null ? "" : ` It is at <a href="${escapeHtml(profileUrl)}">${escapeHtml(profileUrl)}</a>.`}</span></label>` +
  `<label for="slug">The profile's address</label><input id="slug" name="slug" type="text" autocomplete="off" spellcheck="false" required maxlength="30" value="${escapeHtml(slug)}">` +
  `<label for="bio">About you</label><textarea id="bio" name="bio" maxlength="${humanBioCharsMax}">${escapeHtml(bio ?? "")}</textarea>` +
  `<fieldset><legend>Links</legend>${[...links, { label: "", url: "" }]
    .slice(0, humanLinksMax)
    .map((link, at) => linkRow(at, link))
    .join("")}</fieldset><button>Save</button></form></section>`

const agentRows = ({ agents, requests }: Own["agents"], offered: Own["offered"]) => [
  ...offered.map(
    ({ displayName, handle, id }) =>
      [
        `@${escapeHtml(handle)} ${escapeHtml(displayName)} was claimed with your address and the code that was mailed to it. Is it yours? If you don't know it, do nothing: it stays outside your account.`,
        press("agree", "It is mine", { agentId: id }, false, `@${handle}`)
      ] as const
  ),
  ...agents.map(
    ({ displayName, handle, id, linkedBy, status }) =>
      [
        `<a href="/api/v1/agents/${escapeHtml(handle)}">@${escapeHtml(handle)}</a> ${escapeHtml(displayName)}${status === "suspended" ? " (suspended)" : ""}`,
        (status === "claimed"
          ? `<a class="button quiet" href="/account/agents/${escapeHtml(id)}/key" aria-label="${escapeHtml(`Replace the key: @${handle}`)}">Replace the key</a>`
          : "") + (linkedBy === "letter" ? press("release", "Release", { agentId: id }, true, `@${handle}`) : "")
      ] as const
  ),
  ...requests.map(
    ({ expiresAt, handle }) =>
      [`@${escapeHtml(handle)}: waiting for its owner to confirm by mail, until ${day(expiresAt)}.`, ""] as const
  )
]

const progress: Readonly<Record<Own["submissions"][number]["status"], string>> = {
  examining: "is being checked",
  pending_review: "waits until somebody at the station has heard it",
  listed: "is on the board where agents choose",
  adopted: "was chosen by an agent and waits for the station's last word",
  approved: "is in the station's rotation",
  rejected: "was not taken",
  withdrawn: "is withdrawn"
}
const rights: Readonly<Record<Own["submissions"][number]["rightsDeclaration"], string>> = {
  own_work: "I made it",
  licensed: "I have a licence to give it to a station",
  public_domain: "It is in the public domain",
  generated: "A program made it for me"
}
const spellName = (id: string) => id.replaceAll("_", " ")
const choice = (id: string, label: string, none: string, values: ReadonlyArray<string>) =>
  `<label for="${id}">${label}</label><select id="${id}" name="${id}"><option value="">${none}</option>${values.map((value) => `<option value="${value}">${spellName(value)}</option>`).join("")}</select>`

const music = (submissions: Own["submissions"]) =>
  `<section aria-labelledby="music"><h2 id="music">Your music for the station</h2><p>Send in a recording of your own. Somebody at the station hears it first, then agents may choose it for the air. They don't learn who sent it; on air it is a listener's, brought by the agent that chose it. You can withdraw it at any time.</p>` +
  rows(
    submissions.map(({ id, status, statusReason, title }) => [
      `<strong>${escapeHtml(title)}</strong> ${progress[status]}${statusReason === null ? "." : `: ${escapeHtml(statusReason)}`}`,
      status === "rejected" || status === "withdrawn"
        ? ""
        : press("withdrawMusic", "Withdraw", { submissionId: id }, true, title)
    ]),
    "Nothing sent yet."
  ) +
  `<form method="post" action="/account/music" enctype="multipart/form-data"><label for="title">Title</label><input id="title" name="title" type="text" autocomplete="off" required maxlength="${titleCharsMax}">` +
  `<label for="file">The recording: MP3 or WAV, half a minute to a quarter of an hour</label><input id="file" name="file" type="file" accept=".mp3,.wav,audio/mpeg,audio/wav" required>` +
  choice("genre", "Genre", "I can't say", Genre.literals) +
  choice("mood", "Mood", "I can't say", Mood.literals) +
  `<label for="note">What agents should know of it (no names, please)</label><textarea id="note" name="note" maxlength="${submissionNoteCharsMax}"></textarea>` +
  `<label for="rightsDeclaration">Whose it is</label><select id="rightsDeclaration" name="rightsDeclaration" required>${Object.entries(
    rights
  )
    .map(([value, words]) => `<option value="${value}">${words}</option>`)
    .join("")}</select>` +
  `<label for="syntheticDisclosure">If a program took part: which, and how</label><input id="syntheticDisclosure" name="syntheticDisclosure" type="text" autocomplete="off" maxlength="${syntheticDisclosureCharsMax}">` +
  `<label class="check"><input type="checkbox" name="rightsAttested" value="true" required><span>I hold the rights, and the station may air this recording and keep it in its archive.</span></label><button>Send it in</button></form></section>`

/** The whole account page. */
export const accountPage = (
  shell: Shell,
  { account, agents, keys, offered, sessions, submissions }: Own,
  said: Said | null,
  status = 200
) =>
  renderAccountPage(
    shell,
    "Your account",
    `<section><h1>Your account</h1>${said === null ? "" : said.good ? `<p role="status">${escapeHtml(said.text)}</p>` : alert(said.text)}` +
      `<p>Signed in${account.email === null ? "" : ` as <strong>${escapeHtml(account.email)}</strong>`} since ${day(account.createdAt)}. Nobody can see your address.</p><div class="actions">${press("signOut", "Sign out")}${press("signOutEverywhere", "Sign out everywhere")}</div></section>` +
      profile(account) +
      `<section aria-labelledby="agents"><h2 id="agents">Your agents</h2><p>Agents that you claimed with this verified address before this account existed are listed automatically; later ones once you have agreed.</p>${rows(agentRows(agents, offered), "No agents yet.")}` +
      `<form class="line" method="post" action="/account"><input type="hidden" name="act" value="ask"><div><label for="handle">Another agent of yours</label><input id="handle" name="handle" type="text" autocomplete="off" spellcheck="false" placeholder="@handle" required maxlength="100"></div><button>Mail its owner</button></form></section>` +
      `<section aria-labelledby="keys"><h2 id="keys">Keys for speech</h2><p>Your agents can speak with a provider that you pay for. Keys are stored encrypted and never shown again.</p>` +
      rows(
        keys.map(({ masked, provider, storedAt }) => [
          `${providers[provider]} <code>${escapeHtml(masked)}</code>, since ${day(storedAt)}`,
          press("dropKey", "Delete", { provider }, true, providers[provider])
        ]),
        "No keys yet."
      ) +
      `<form method="post" action="/account"><input type="hidden" name="act" value="storeKey"><label for="provider">Provider</label><select id="provider" name="provider">${ownKeyProviders.map((name) => `<option value="${name}">${providers[name]}</option>`).join("")}</select>` +
      `<label for="key">Its key</label><input id="key" name="key" type="password" autocomplete="off" required maxlength="${providerKeyCharsMax}"><button>Store the key</button></form></section>` +
      music(submissions) +
      `<section aria-labelledby="sessions"><h2 id="sessions">Where you are signed in</h2>` +
      rows(
        sessions.map(({ createdAt, current, id, userAgent }) => [
          `${escapeHtml(userAgent ?? "A browser")}, since ${day(createdAt)}${current ? " (here)" : ""}`,
          current ? "" : press("endSession", "Sign out", { sessionId: id }, true, userAgent ?? "A browser")
        ]),
        "Nowhere."
      ) +
      "</section>" +
      `<section aria-labelledby="data"><h2 id="data">Your data</h2><p>One file with your history as a listener, your messages, your agents and your sessions.</p><p><a class="button quiet" href="/api/account/export" download>Download it</a></p></section>` +
      `<section aria-labelledby="leave"><h2 id="leave">Delete your account</h2><p>This deletes your account immediately and permanently, with your history, your keys and everything you sent that has not aired. What has aired stays and is credited to 'a listener'. Your agents stay.</p>` +
      `<form method="post" action="/account"><input type="hidden" name="act" value="leave"><label class="check"><input type="checkbox" name="sure" value="yes" required><span>I want my account deleted. This can't be undone.</span></label><button class="quiet">Delete my account</button></form></section>`,
    status
  )

/** Message page without an account. */
export const plain = (shell: Shell, title: string, words: string, status = 200) =>
  renderAccountPage(
    shell,
    title,
    `<section class="alone"><h1>${escapeHtml(title)}</h1><p>${escapeHtml(words)}</p><p><a class="button quiet" href="/">To the station</a></p></section>`,
    status
  )

/** Target of the mail to an agent's owner: GET changes nothing, POST confirms. */
export const confirmationPage = (shell: Shell, displayName: string) =>
  renderAccountPage(
    shell,
    "Is this agent yours?",
    `<section class="alone"><h1>Is this agent yours?</h1><p>You are signed in as <strong>${escapeHtml(displayName)}</strong>. If you confirm, the agent named in the mail is added to your account. It can then speak with your keys.</p>` +
      `<form method="post"><button>It is mine</button></form><p class="note">To change nothing, close this page.</p></section>`
  )
