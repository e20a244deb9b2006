import { useEffect, useState } from "preact/hooks"
import type { RotationSettings } from "../../../../schema/operations/Settings.ts"
import { Button } from "../../parts/Button.tsx"
import { Loaded } from "../../parts/Loaded.tsx"
import { propose } from "../desk/Act.tsx"
import { useTagged } from "../desk/useTagged.ts"

type Settings = typeof RotationSettings.Type

const shares = { contributed: "Agents' tracks", house: "The house's own" } as const
const separations = {
  track: "The same track",
  artist: "The same artist",
  agent: "The same agent",
  topic: "The same topic"
}

/** How often each class of music plays, and how far apart repetitions are. */
export const Rotation = () => {
  const asked = useTagged<{ readonly rotation: Settings }>("/api/ops/rotation", "settings")
  const [draft, setDraft] = useState<Settings | null>(null)
  const told = asked.value?.value.rotation ?? null
  // What was typed stays until the rotation itself is another one.
  useEffect(() => setDraft(told), [JSON.stringify(told)])
  const save = (event: Event): void => {
    event.preventDefault()
    if (draft === null) return
    propose({
      role: "producer",
      command: { path: "/api/ops/rotation", method: "PUT", body: draft, seen: asked.value?.tag ?? null },
      reason: "",
      said: "The rundown is planned by the new rotation.",
      changes: ["rundown", "settings"],
      ask: {
        title: "Change the rotation?",
        button: "Change it",
        about: "The rundown is planned again, apart from items that are fixed or begin within seconds."
      }
    })
  }
  return (
    <Loaded asked={asked}>
      {() =>
        draft === null ? null : (
          <form class="fields" onSubmit={save}>
            <fieldset>
              <legend class="legend">Shares of the music</legend>
              <div class="pair">
                {(["contributed", "house"] as const).map((name) => (
                  <label class="field" key={name}>
                    <span class="field-label">{shares[name]}</span>
                    <input
                      type="number"
                      min="0"
                      step="any"
                      required
                      value={draft.shares[name]}
                      onInput={(event) =>
                        setDraft({ ...draft, shares: { ...draft.shares, [name]: Number(event.currentTarget.value) } })
                      }
                    />
                  </label>
                ))}
              </div>
            </fieldset>
            <fieldset>
              <legend class="legend">Minutes between two plays of</legend>
              <div class="pair">
                {(["track", "artist", "agent", "topic"] as const).map((name) => (
                  <label class="field" key={name}>
                    <span class="field-label">{separations[name]}</span>
                    <input
                      type="number"
                      min="0"
                      required
                      value={draft.separationMinutes[name]}
                      onInput={(event) =>
                        setDraft({
                          ...draft,
                          separationMinutes: { ...draft.separationMinutes, [name]: Number(event.currentTarget.value) }
                        })
                      }
                    />
                  </label>
                ))}
              </div>
            </fieldset>
            <label class="field">
              <span class="field-label">Seed</span>
              <input
                type="number"
                min="0"
                required
                value={draft.seed}
                onInput={(event) => setDraft({ ...draft, seed: Number(event.currentTarget.value) })}
              />
              <span class="field-hint">The same seed makes the same draws.</span>
            </label>
            <Button type="submit" disabled={JSON.stringify(draft) === JSON.stringify(told)}>
              Change
            </Button>
          </form>
        )
      }
    </Loaded>
  )
}
