import type { Backup } from "../../../../schema/operations/Backup.ts"
import { Loaded } from "../../parts/Loaded.tsx"
import { useAsk } from "../../station/useAsk.ts"
import { Do } from "../desk/Act.tsx"
import { useEvery } from "../desk/useEvery.ts"
import { agoOf, dayTimeOf } from "../desk/Words.ts"

const everyMs = 2_000
const mebibyte = 1_048_576

/** Backups of the running station: made, checked and taken home. */
export const Backups = () => {
  const asked = useAsk<{ readonly backups: ReadonlyArray<typeof Backup.Type> }>("/api/ops/backups")
  const isBusy = asked.value?.backups.some(({ state }) => state === "waiting" || state === "running") ?? false
  useEvery(isBusy ? everyMs : everyMs * 10, asked.askAgain)
  return (
    <>
      <p class="buttons">
        <Do
          kind="main"
          disabled={isBusy}
          act={{
            role: "admin",
            command: { path: "/api/ops/backups" },
            reason: "Made in the console.",
            said: "The backup is being made.",
            done: asked.askAgain
          }}
        >
          Back up now
        </Do>
      </p>
      <p class="note">
        Database, media and keys go into one encrypted file. Nobody can read it without BACKUP_KEY: keep that elsewhere.
      </p>
      <Loaded asked={asked} isEmpty={({ backups }) => backups.length === 0} empty="No backup was made here yet.">
        {({ backups }) => (
          <ul class="rows plain-rows">
            {backups.map((backup) => (
              <li key={backup.id}>
                <span class="row-figure">{dayTimeOf(backup.requestedAt)}</span>
                <span class="clip">
                  <span class="row-title clip">
                    {backup.state === "made"
                      ? `${((backup.bytes ?? 0) / mebibyte).toFixed(1)} MiB, ${agoOf(Date.now() - Date.parse(backup.endedAt ?? backup.requestedAt))} ago`
                      : backup.state === "failed"
                        ? "Failed"
                        : "Being made"}
                  </span>
                  <span class="row-note wrap">
                    {backup.detail ??
                      (backup.check === null
                        ? `by ${backup.requestedBy}`
                        : backup.check.ok
                          ? `checked ${dayTimeOf(backup.check.checkedAt)}: ${backup.check.tables} tables, ${backup.check.files} files`
                          : `check failed: ${backup.check.detail ?? ""}`)}
                  </span>
                  {backup.state === "running" || backup.state === "waiting" ? (
                    <progress max="100" value={backup.progress} aria-label="Progress of the backup">
                      {backup.progress} %
                    </progress>
                  ) : null}
                </span>
                <span class="row-acts">
                  {backup.state === "made" ? (
                    <>
                      <Do
                        kind="plain"
                        act={{
                          role: "admin",
                          command: { path: "/api/ops/restore/check", body: { backupId: backup.id } },
                          reason: "Checked in the console.",
                          said: "The whole file is being read.",
                          done: asked.askAgain
                        }}
                      >
                        Check
                      </Do>
                      <a class="button button-plain" href={`/api/ops/backups/${backup.id}/file`} download>
                        Take it
                      </a>
                    </>
                  ) : null}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </>
  )
}
