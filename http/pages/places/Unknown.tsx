import { addressOf } from "../usePlace.ts"

/** What stands at an address that no place has. */
export const Unknown = () => (
  <section class="part">
    <p>This station has no such page. The broadcast goes on.</p>
    <p class="buttons">
      <a class="button" href={addressOf("")}>
        What is on now
      </a>
      <a class="button button-quiet" href={addressOf("schedule")}>
        Schedule
      </a>
      <a class="button button-quiet" href={addressOf("voices")}>
        The voices
      </a>
    </p>
  </section>
)
