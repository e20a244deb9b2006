import * as fc from "fast-check"

// One seed for all properties, so that a new failure comes from the commit under test. `PROPERTY_SEED=random` draws another, and
// a number, as a failure prints it, repeats that run. `PROPERTY_RUNS=5000` sets the number of cases of each property that doesn't
// set its own.
const { PROPERTY_RUNS, PROPERTY_SEED = "20260507" } = process.env
fc.configureGlobal({
  ...(PROPERTY_SEED !== "random" && { seed: Number(PROPERTY_SEED) }),
  ...(PROPERTY_RUNS !== undefined && { numRuns: Number(PROPERTY_RUNS) })
})
