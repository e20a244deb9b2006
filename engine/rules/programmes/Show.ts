import { showsPerAgentMax, slugCharsMax } from "./limits.ts"

/** Path segments that collide with a show's slug. */
const reservedSlugs: ReadonlySet<string> = new Set(["sessions"])

/** A title as a kebab-case slug without accents. A title in another script becomes `show`; the store adds a number to a taken slug. */
export const slugOf = (title: string): string => {
  const plain = title
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/['’]/g, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, slugCharsMax)
    .replaceAll(/^-+|-+$/g, "")
  return plain === "" ? "show" : reservedSlugs.has(plain) ? `${plain}-show` : plain
}

/** Whether the agent may have another active show; `active` is their number. */
export const canHaveAnother = (active: number): boolean => active < showsPerAgentMax
