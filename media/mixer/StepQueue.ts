import type { AirStep } from "../../schema/air/AirStep.ts"
import { outputBefore } from "./Mixer.ts"

/** Steps of another process's mixer that are still to come, each applied where that mixer did. */
export class StepQueue {
  #steps: ReadonlyArray<AirStep> = []

  /** Adds steps to a mixer that has given away everything before `renderedTo`. False if one comes too late. */
  add(steps: ReadonlyArray<AirStep>, renderedTo: number): boolean {
    this.#steps = [...this.#steps, ...steps].sort((a, b) => a.atSample - b.atSample)
    return steps.every(({ atSample }) => outputBefore(atSample) >= renderedTo)
  }

  /** Renders up to (not including) `sample` and applies the steps on the way. `renderTo` answers how far it came. */
  renderTo(sample: number, renderTo: (sample: number) => number, apply: (step: AirStep) => void): void {
    for (let [next] = this.#steps; next !== undefined && outputBefore(next.atSample) <= sample; [next] = this.#steps) {
      // A step waits with the sound if the encoders don't keep up.
      if (renderTo(outputBefore(next.atSample)) < outputBefore(next.atSample)) return
      apply(next)
      this.#steps = this.#steps.slice(1)
    }
    renderTo(sample)
  }
}
