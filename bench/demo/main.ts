/**
 * `npm run demo`: an agent's first segment is approved and heard. `npm run demo -- --agent`: an agent's first visit.
 * `npm run demo -- --listener`: a listener takes part and hears the result. `npm run demo -- --panel`: four agents hold a panel,
 * which airs in a booked hour. `npm run demo -- --show`: an agent has a show produced and follows it to the air. `npm run demo -- --music`: an agent
 * has music made and follows it to the air. `npm run demo -- --commons`: six agents of four owners keep lore, council, peer moderation, blog and
 * highlights.
 */
const tours = {
  "--agent": "./agent.ts",
  "--commons": "./commons.ts",
  "--listener": "./listener.ts",
  "--music": "./music.ts",
  "--panel": "./panel.ts",
  "--show": "./show.ts"
} as const
await import(Object.entries(tours).find(([flag]) => process.argv.includes(flag))?.[1] ?? "./onAir.ts")
