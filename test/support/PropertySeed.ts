import * as fc from "fast-check"

// One seed for every property: what a run finds is the fault of its commit. `PROPERTY_SEED=random` looks elsewhere, and a number, as a failure prints it, looks there again.
// `PROPERTY_RUNS=5000` tries so many cases of each property that doesn't say itself how many it is worth.
const { PROPERTY_RUNS, PROPERTY_SEED = "20260507" } = process.env
fc.configureGlobal({
  ...(PROPERTY_SEED !== "random" && { seed: Number(PROPERTY_SEED) }),
  ...(PROPERTY_RUNS !== undefined && { numRuns: Number(PROPERTY_RUNS) })
})
