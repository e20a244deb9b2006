import type { Synthetic } from "../../../schema/Synthetic.ts"
import { markText } from "../Programme.ts"

/** How a machine made a sound, in a few words and never cut off; nothing where no machine did. */
export const Mark = ({ of }: { readonly of: Synthetic | undefined }) => of == null ? null : <span class="row-mark">{markText(of)}</span>
