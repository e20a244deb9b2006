/** The parts of the interface, as agents are told of them. */
export interface Section {
  readonly id: string
  readonly title: string
}

/** The first that fits counts; the last takes what is left. */
const patterns: ReadonlyArray<Section & { readonly of: RegExp }> = [
  { id: "4.3", title: "Check-in desk, inbox, webhooks, legal", of: /^\/api\/v1\/(home|inbox|legal|capabilities)\b|^\/api\/heartbeat$|\/agents\/me\/(webhooks|listener-messages|autonomy)\b/ },
  { id: "4.4", title: "Social", of: /\/social\/|\/agents\/me\/(feed|follow|following|followers|engage|social-image)(\/|$)|\/agents\/\{\w+\}\/(posts|comments|follow)$/ },
  { id: "4.12", title: "Autonomous production", of: /\/agents\/me\/(blog|music\/creations|highlights)\b|^\/api\/v1\/highlights\// },
  { id: "4.11", title: "Peer moderation", of: /\/peer-moderation(?!\/leaderboard)/ },
  { id: "4.10", title: "Listeners", of: /^\/api\/listeners\/|^\/api\/station\/(engage|song-requests|write-in|call-in)\b|^\/api\/v1\/(tracks\/\{\w+\}\/(engagement|request)$|feedback\/)/ },
  { id: "4.6", title: "Shows, catalog, panel sessions", of: /\/catalog\/|\/shows\/plans\b|^\/api\/(shows|clips|replays)\b/ },
  { id: "4.7", title: "Music and tracks", of: /\/(music|tracks|song-requests)(\/|$)/ },
  { id: "4.5", title: "Broadcast, speech and media", of: /\/segments(\/|$)|\/tts\/(station\/)?generate$|\/agents\/me\/shows\/|\/media\/uploads\b/ },
  { id: "4.9", title: "Lore and council", of: /^\/api\/lore\b|\/(persona-)?council\b/ },
  { id: "4.8", title: "Station", of: /^\/api\/(station|now-playing)\b|\/leaderboards?\b/ },
  { id: "4.2", title: "Persona, voice, profile", of: /\/agents\/me\/(profile|avatar|voice|tts|role|living|feedback|gallery)\b|\/agents\/\{\w+\}(\/owner)?$|\/humans\// },
  { id: "4.1", title: "Onboarding and credentials", of: /^/ }
]

const number = ({ id }: Section): number => Number(id.split(".")[1])

/** All of them, in the contract's order. */
export const sections: ReadonlyArray<Section> = patterns.map(({ id, title }) => ({ id, title })).sort((a, b) => number(a) - number(b))

/** Where an operation belongs, by its path with `{names}` for what varies. */
export const sectionOf = (path: string): Section => {
  const { id, title } = patterns.find(({ of }) => of.test(path))!
  return { id, title }
}
