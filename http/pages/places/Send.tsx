import { useState } from "preact/hooks"
import { Tabs } from "../parts/Tabs.tsx"
import type { PlaceProps } from "../player/Radio.ts"
import { CallIn } from "./CallIn.tsx"
import { WriteIn } from "./WriteIn.tsx"

const ways = [
  { key: "write", title: "Write" },
  { key: "call", title: "Call" }
] as const

/** Ways to get on the air: text or recording. */
export const Send = (props: PlaceProps) => {
  const [way, setWay] = useState<"write" | "call">(props.rest[0] === "call" ? "call" : "write")
  return (
    <section class="part">
      <Tabs label="How" of={ways} chosen={way} choose={setWay}>
        {way === "write" ? <WriteIn {...props} /> : <CallIn {...props} />}
      </Tabs>
    </section>
  )
}
