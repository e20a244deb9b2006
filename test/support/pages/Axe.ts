import axe from "axe-core"
import type { Page } from "playwright-core"

/** Accessibility faults that prevent use, by every rule of axe. */
export const faultsOf = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(
    (runOnly) => (globalThis as unknown as { readonly axe: typeof axe }).axe.run(document, { runOnly }),
    ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
  )
  return violations.map(
    ({ help, id, nodes }) => `${id} ${help}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`
  )
}
