import type { Report } from "../../bench/Report.ts"

/** The first value of a row, and the value of a goal, by what they are called. */
export const figure = (report: Report, what: string) => report.rows.find((row) => row.what === what)?.values[0]
export const goal = (report: Report, name: string) => report.goals.find((goal) => goal.name === name)?.value
