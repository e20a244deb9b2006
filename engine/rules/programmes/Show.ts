import { showsPerAgentMax, slugCharsMax } from "./limits.ts"

/** Words that stand where a slug would in the addresses of shows. */
const reservedSlugs: ReadonlySet<string> = new Set(["sessions"])

/** A title as an address: kebab-case, without accents. A title of other scripts is called a show; the store numbers what is taken. */
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

/** Whether another show of the agent's may be on the air; `active` are those that are. */
export const mayHaveAnother = (active: number): boolean => active < showsPerAgentMax
