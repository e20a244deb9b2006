import type { Synthetic } from "../../../schema/Synthetic.ts"

/** Short synthetic-content mark: the beginning of the disclosure; empty without one. */
export const markText = (synthetic: Synthetic | undefined): string => synthetic?.disclosure.split(".", 1)[0] ?? ""

/** Synthetic-content mark, never truncated; nothing without one. */
export const Mark = ({ of }: { readonly of: Synthetic | undefined }) =>
  of == null ? null : <span class="row-mark">{markText(of)}</span>
