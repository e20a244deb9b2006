import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef } from "preact/hooks"
import { IconButton } from "./Button.tsx"

/** A modal dialog: the browser traps the focus, Escape closes it, and the focus returns to its origin. */
export const Sheet = ({
  children,
  close,
  title
}: {
  readonly title: string
  readonly close: () => void
  readonly children: ComponentChildren
}) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => before instanceof HTMLElement && before.focus()
  }, [])
  return (
    <dialog
      class="sheet"
      ref={dialog}
      aria-labelledby={id}
      onClose={close}
      onClick={(event) => event.target === event.currentTarget && event.currentTarget.close()}
    >
      <div class="sheet-top">
        <h2 id={id}>{title}</h2>
        <IconButton label="Close" path="M6 6l12 12M18 6L6 18" onClick={() => dialog.current?.close()} />
      </div>
      <div class="sheet-body">{children}</div>
    </dialog>
  )
}
