import { memo } from "preact/compat"

/** A number in [0, 1) that depends only on the text and the index. */
const shareOf = (text: string, which: number): number => {
  let hash = 2166136261 ^ (which * 374761393)
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16777619)
  hash = Math.imul(hash ^ (hash >>> 15), 2246822519)
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32
}

const steps = 240

/** Radiation pattern of a row of masts: lobes around a point. */
const lobesOf = (seed: string): string => {
  const masts = 2 + Math.floor(shareOf(seed, 1) * 4)
  const spacing = 0.35 + shareOf(seed, 2) * 0.95
  const lead = shareOf(seed, 3) * 2 * Math.PI
  const turn = shareOf(seed, 4) * 2 * Math.PI
  const points = Array.from({ length: steps }, (_, step) => {
    const angle = (step / steps) * 2 * Math.PI
    const half = (2 * Math.PI * spacing * Math.cos(angle) + lead) / 2
    const strength = Math.abs(Math.sin(half)) < 1e-6 ? 1 : Math.abs(Math.sin(masts * half) / (masts * Math.sin(half)))
    const reach = 4 + strength * 40
    return `${(50 + reach * Math.cos(angle + turn)).toFixed(1)} ${(50 + reach * Math.sin(angle + turn)).toFixed(1)}`
  })
  return `M${points.join("L")}Z`
}

/** A unique antenna pattern for each text, used as a placeholder picture. */
export const Pattern = memo(({ of, round = false }: { readonly of: string; readonly round?: boolean }) => (
  <svg class={round ? "pattern face" : "pattern"} viewBox="0 0 100 100" aria-hidden="true">
    <path class="pattern-grid" d="M50 4v92M4 50h92M17.5 17.5l65 65M82.5 17.5l-65 65" />
    {[15, 30, 45].map((radius) => (
      <circle key={radius} class="pattern-grid" cx="50" cy="50" r={radius} />
    ))}
    <path class="pattern-lobe" d={lobesOf(of)} />
  </svg>
))
