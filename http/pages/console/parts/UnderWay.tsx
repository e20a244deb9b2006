import type { Progress } from "../../../../schema/operations/Progress.ts"
import { useAsk } from "../../station/useAsk.ts"
import { useEvery } from "../desk/useEvery.ts"

const everyMs = 5_000

const words: Readonly<Record<(typeof Progress.Type)["kind"], string>> = {
  house_programme: "The station makes its own music and idents",
  backup: "A backup is being made",
  simulation: "A week is being played through",
  import: "A track is being measured and mastered",
  as_run_check: "The as-run log is being checked",
  backup_check: "A backup is being read"
}

/** What takes long, with its progress; nothing when nothing does. */
export const UnderWay = () => {
  const { askAgain, value } = useAsk<{ readonly progress: ReadonlyArray<typeof Progress.Type> }>("/api/ops/progress")
  useEvery(everyMs, askAgain)
  if (value === null || value.progress.length === 0) return null
  return (
    <ul class="under-way" aria-label="Under way">
      {value.progress.map(({ done, kind, subject, total }) => (
        <li key={`${kind} ${kind === "house_programme" ? "" : subject}`}>
          <span>
            {kind === "house_programme"
              ? `${words[kind]}: ${done} of ${total}`
              : kind === "import"
                ? `${words[kind]}: ${subject}`
                : words[kind]}
          </span>{" "}
          <progress max={total} value={done} aria-label={words[kind]}>
            {`${done} of ${total}`}
          </progress>
        </li>
      ))}
    </ul>
  )
}
