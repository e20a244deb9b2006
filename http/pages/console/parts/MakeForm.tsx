import type { ComponentChildren } from "preact"
import { Button } from "../../parts/Button.tsx"

/** The form below a list that makes another of its entries. */
export const MakeForm = ({
  button,
  children,
  isReady,
  submit,
  title
}: {
  readonly title: string
  readonly button: string
  readonly isReady: boolean
  readonly submit: (event: Event) => void
  readonly children: ComponentChildren
}) => (
  <section class="part fields">
    <h2>{title}</h2>
    <form onSubmit={submit}>
      {children}
      <Button type="submit" disabled={!isReady}>
        {button}
      </Button>
    </form>
  </section>
)
