import type { ComponentChildren, JSX } from "preact"

type Plain = Omit<JSX.IntrinsicElements["button"], "class" | "icon">

/** A button. `quiet` is secondary, `plain` is inline. `busy` prevents a second press. */
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

/** A round icon button; its label is also its tooltip. */
export const IconButton = ({ label, path, ...rest }: Plain & { readonly label: string; readonly path: string }) => (
  <button type="button" {...rest} class="icon-button" aria-label={label} title={label}>
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  </button>
)
