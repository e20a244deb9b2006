import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { expect } from "vitest"
import type { Cost } from "./StatementCount.ts"

/** Set to write what was counted into the table, and the statements themselves to a file of this name. */
const trace = process.env["STATEMENTS"]
const header = "operation\tstatements\ttransactions"

/** The database statements of each operation, in a file that says how many there may be: a rise fails, and a fall asks to lower the figure. */
export class CostTable {
  readonly #file: URL
  readonly #known: Map<string, string>
  readonly #traces: Array<string> = []

  constructor(file: URL) {
    this.#file = file
    this.#known = new Map(
      (existsSync(file) ? readFileSync(file, "utf8") : header)
        .trim()
        .split("\n")
        .slice(1)
        .map((line) => [line.slice(0, line.indexOf("\t")), line.slice(line.indexOf("\t") + 1)])
    )
  }

  check(operation: string, cost: Cost | null): void {
    if (cost === null) throw new Error(`${operation} was not asked in its own success`)
    const { statements, texts, transactions } = cost
    const figures = `${statements}\t${transactions}`
    if (trace !== undefined) {
      this.#known.set(operation, figures)
      this.#traces.push(`${operation}: ${statements} in ${transactions}\n  ${texts.join("\n  ")}`)
      return
    }
    expect(
      [operation, figures],
      `STATEMENTS=/tmp/statements.txt writes ${this.#file.pathname} anew and shows the statements`
    ).toEqual([operation, this.#known.get(operation)])
  }

  save(): void {
    if (trace === undefined) return
    writeFileSync(
      this.#file,
      `${[header, ...[...this.#known].map(([operation, figures]) => `${operation}\t${figures}`).sort()].join("\n")}\n`
    )
    writeFileSync(trace, this.#traces.join("\n\n"))
  }
}
