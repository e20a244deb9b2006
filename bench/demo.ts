/**
 * `npm run demo`: a first segment from the word to the ear. `npm run demo -- --agent`: an agent makes itself at home.
 * `npm run demo -- --listener`: a listener asks, is answered, and hears it.
 */
await import(process.argv.includes("--agent") ? "./demoAgent.ts" : process.argv.includes("--listener") ? "./demoListener.ts" : "./demoOnAir.ts")
