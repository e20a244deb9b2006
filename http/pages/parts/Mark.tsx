import type { Synthetic } from "../../../schema/Synthetic.ts"

/** How a machine made it, in the few words that its disclosure begins with; none where no machine did. */
export const markText = (synthetic: Synthetic | undefined): string => synthetic?.disclosure.split(".", 1)[0] ?? ""

/** How a machine made a sound, in a few words and never cut off; nothing where no machine did. */
export const Mark = ({ of }: { readonly of: Synthetic | undefined }) =>
  of == null ? null : <span class="row-mark">{markText(of)}</span>
