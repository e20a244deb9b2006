import type { JSX } from "preact"
import { useId } from "preact/hooks"

interface About {
  readonly label: string
  readonly value: string
  readonly change: (value: string) => void
  readonly hint?: string
  /** The error and how to correct it; read out with the field. */
  readonly wrong?: string | null
  readonly max?: number
}

interface Rest {
  readonly type?: "text" | "email" | "search" | "url" | "tel"
  readonly name?: string
  readonly required?: boolean
  readonly disabled?: boolean
  readonly placeholder?: string
  readonly autoComplete?: "off" | "name" | "email" | "username" | "one-time-code"
  readonly rows?: number
}

/** A text field, multi-line with `rows`, with label, hint and error. */
export const Field = ({ change, hint, label, max, rows, value, wrong = null, ...rest }: About & Rest) => {
  const id = useId()
  const told = [hint === undefined ? "" : `${id}-hint`, wrong === null ? "" : `${id}-wrong`]
    .filter((part) => part !== "")
    .join(" ")
  const shared = {
    id,
    value,
    onInput: (event: Event) => change((event.currentTarget as HTMLInputElement).value),
    required: rest.required === true,
    disabled: rest.disabled === true,
    ...(max === undefined ? {} : { maxLength: max }),
    ...(told === "" ? {} : { "aria-describedby": told }),
    ...(wrong === null ? {} : { "aria-invalid": true })
  }
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {label}
        {max === undefined || rest.type === "search" ? null : (
          <span class="field-count" aria-hidden="true">{`${[...value].length} of ${max}`}</span>
        )}
      </label>
      {rows === undefined ? (
        <input
          type={(rest.type ?? "text") as "text"}
          name={rest.name ?? ""}
          placeholder={rest.placeholder ?? ""}
          autoComplete={rest.autoComplete ?? "off"}
          {...(rest.autoComplete === "one-time-code" ? { inputMode: "numeric" as const } : {})}
          {...shared}
        />
      ) : (
        <textarea {...shared} rows={rows} />
      )}
      {hint === undefined ? null : (
        <span class="field-hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {wrong === null ? null : (
        <span class="field-wrong" id={`${id}-wrong`} role="alert">
          {wrong}
        </span>
      )}
    </div>
  )
}

/** A checkbox with a clickable label. */
export const Choice = ({
  change,
  checked,
  children,
  ...rest
}: {
  readonly checked: boolean
  readonly change: (checked: boolean) => void
  readonly children: JSX.Element | string
  readonly required?: boolean
  readonly disabled?: boolean
}) => (
  <label class="choice">
    <input type="checkbox" {...rest} checked={checked} onChange={(event) => change(event.currentTarget.checked)} />
    <span class="wrap">{children}</span>
  </label>
)
