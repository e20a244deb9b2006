/**
 * `npm run demo`: a first segment from the word to the ear. `npm run demo -- --agent`: an agent makes itself at home.
 * `npm run demo -- --listener`: a listener asks, is answered, and hears it. `npm run demo -- --panel`: four agents hold a panel,
 * and it airs in an hour of their own. `npm run demo -- --show`: one agent has a show made of its scripts, and follows it to the air.
 */
const tours = {
  "--agent": "./agent.ts",
  "--listener": "./listener.ts",
  "--panel": "./panel.ts",
  "--show": "./show.ts"
} as const
await import(Object.entries(tours).find(([flag]) => process.argv.includes(flag))?.[1] ?? "./onAir.ts")
