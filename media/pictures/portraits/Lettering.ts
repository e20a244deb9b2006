import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

const fonts = join(dirname(createRequire(import.meta.url).resolve("@fontsource/inter/package.json")), "files")
const scripts = ["latin", "latin-ext", "cyrillic", "greek", "vietnamese"] as const

const letters = () =>
  Promise.all(
    scripts.flatMap((script) =>
      ([400, 800] as const).map(async (weight) => ({
        name: `Inter ${script}`,
        weight,
        style: "normal" as const,
        data: await readFile(join(fonts, `inter-${script}-${weight}-normal.woff`))
      }))
    )
  )

/** Characters that the installed fonts have; others are left out instead of shown as boxes. */
export const keepWritable = (text: string): string =>
  text.replaceAll(/[^\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}\p{P}\p{Zs}]/gu, "").trim()

export const shorten = (text: string, charsMax: number): string =>
  text.length <= charsMax ? text : `${text.slice(0, charsMax - 1).trimEnd()}…`

export const box = (style: object, children: unknown) => ({
  type: "div",
  props: { style: { display: "flex", ...style }, children }
})

/** Words as shapes: whoever shows the picture needs no font. */
export const drawWords = async (
  size: { readonly width: number; readonly height: number },
  column: ReturnType<typeof box>
): Promise<string> => {
  const { default: satori } = await import("satori")
  const fontFamily = scripts.map((script) => `"Inter ${script}"`).join(", ")
  return satori(box({ ...size, fontFamily }, [column]) as Parameters<typeof satori>[0], {
    ...size,
    fonts: await letters()
  })
}
