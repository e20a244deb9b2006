import { wordsOf } from "../desk/Words.ts"

/** Narrows a list by one of some names. With `all`, none may be chosen. */
export const Filter = <Name extends string>({
  all,
  change,
  label,
  labelOf = wordsOf,
  names,
  value
}: {
  readonly label: string
  readonly names: ReadonlyArray<Name>
  readonly value: Name | ""
  readonly change: (value: Name | "") => void
  /** What no choice is called. */
  readonly all?: string
  readonly labelOf?: (name: Name) => string
}) => (
  <label class="filter">
    <span>{label}</span>
    <select value={value} onChange={(event) => change(event.currentTarget.value as Name | "")}>
      {all === undefined ? null : <option value="">{all}</option>}
      {names.map((name) => (
        <option key={name} value={name}>
          {labelOf(name)}
        </option>
      ))}
    </select>
  </label>
)
