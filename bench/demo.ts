/** `npm run demo`: a first segment from the word to the ear. `npm run demo -- --agent`: an agent makes itself at home. */
await import(process.argv.includes("--agent") ? "./demoAgent.ts" : "./demoOnAir.ts")
