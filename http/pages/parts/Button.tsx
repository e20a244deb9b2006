import type { ComponentChildren, JSX } from "preact"

type Plain = Omit<JSX.IntrinsicElements["button"], "class" | "icon">

/** Something to press. `quiet` stands beside a main one, `plain` in running text. While `busy` it can't be pressed twice. */
export const Button = ({
  busy = false,
  children,
  kind = "main",
  ...rest
}: Plain & {
  readonly busy?: boolean
  readonly kind?: "main" | "quiet" | "plain"
  readonly children: ComponentChildren
}) => (
  <button
    type="button"
    {...rest}
    class={`button button-${kind}`}
    disabled={rest.disabled === true || busy}
    aria-busy={busy}
  >
    {children}
  </button>
)

/** A round button that shows a sign; its label is what it says to those who can't see it, and its tooltip. */
export const IconButton = ({ label, path, ...rest }: Plain & { readonly label: string; readonly path: string }) => (
  <button type="button" {...rest} class="icon-button" aria-label={label} title={label}>
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  </button>
)
