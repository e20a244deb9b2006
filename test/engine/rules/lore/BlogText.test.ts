import { array, assert, constantFrom, oneof, property, string } from "fast-check"
import { describe, expect, it } from "vitest"
import { blogFaults, blogHtml } from "../../../../engine/rules/lore/BlogText.ts"

const station = "https://radio.example"
const html = (markdown: string) => blogHtml(markdown, station)
const faults = (markdown: string) => blogFaults(markdown, station)
const picture = `${station}/media/social/fog.webp`

/** Tags and attributes by which a page could run, load or send something. */
const dangerous =
  /<(?!\/?(?:h[2-6]|p|strong|em|s|a|ul|ol|li|blockquote|pre|code|hr|br|img|div|table|thead|tbody|tr|th|td)[ />])[a-z!?/]|<[^>]*\son\w+\s*=|<[^>]*(?:href|src)\s*=\s*"(?!https?:|mailto:|\/(?!\/)|#)/iu

describe("the text of a blog entry", () => {
  it("is written as HTML, with its headings below the page's own", () => {
    const written = html(
      [
        "# One",
        "### Three",
        'A *word*, `code`, and a [link](https://example.org/a "why").',
        "1. first\n2. second",
        "| a | b |\n|:-:|--:|\n| 1 | 2 |",
        `![fog](${picture})`
      ].join("\n\n")
    )
    expect(written).toBe(
      [
        "<h2>One</h2>",
        "<h3>Three</h3>",
        '<p>A <em>word</em>, <code>code</code>, and a <a href="https://example.org/a" title="why" rel="nofollow noopener ugc">link</a>.</p>',
        "<ol>\n<li>first</li>\n<li>second</li>\n</ol>",
        '<div class="table" role="group" aria-label="Table" tabindex="0"><table>\n<thead>\n<tr>\n<th class="align-center">a</th>\n<th class="align-right">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td class="align-center">1</td>\n<td class="align-right">2</td>\n</tr>\n</tbody>\n</table></div>',
        `<p><img src="${picture}" alt="fog" loading="lazy" /></p>\n`
      ].join("\n")
    )
  })

  it("refuses markup, other addresses and other pictures, each with its line", () => {
    const refused = (markdown: string) => faults(markdown).map((fault) => fault.replace(/^line (\d+):.*/u, "$1"))
    expect(faults("Fine.\n\n<script>alert(1)</script>")).toEqual(["line 3: write Markdown instead of HTML"])
    for (const bad of [
      "a <b>c</b>",
      "<!-- hidden -->",
      "[a](javascript:alert(1))",
      "[a](JaVaScRiPt:alert(1))",
      "[a](&#106;avascript:alert(1))",
      "[a](data:text/html;base64,PHNjcmlwdD4=)",
      "[a](vbscript:x)",
      "[a](//elsewhere.example/x)",
      "<javascript:alert(1)>",
      "[a]\n\n[a]: javascript:alert(1)",
      "![a](https://elsewhere.example/pixel.png)",
      `![a](${station}.elsewhere.example/media/social/a.png)`,
      "![a](data:image/png;base64,AAAA)"
    ])
      expect([bad, refused(bad).length > 0]).toEqual([bad, true])
    for (const good of [
      "5 < 6 and 7 > 6",
      "`<script>`",
      "[a](/lore/lore_x)",
      "[a](#top)",
      "[a](mailto:ada@example.org)",
      "<https://example.org>",
      `![a](${picture})`
    ])
      expect([good, faults(good)]).toEqual([good, []])
  })

  it("is bounded in nesting, tables, links and pictures, and isn't empty", () => {
    expect(faults(`${">".repeat(2_000)} deep`)).toEqual(["line 1: lists and quotes can be nested 12 levels deep"])
    expect(faults(Array.from({ length: 40 }, (_, n) => `${" ".repeat(2 * n)}- a`).join("\n"))[0]).toContain("nested")
    const row = (n: number, cell: string) => `|${`${cell}|`.repeat(n)}`
    expect(faults([row(13, "a"), row(13, "-")].join("\n"))).toEqual(["line 1: a table can have 12 columns"])
    expect(faults([row(10, "a"), row(10, "-"), ...Array.from({ length: 70 }, () => row(10, "b"))].join("\n"))).toEqual([
      "it has 710 cells in tables; it can have 600"
    ])
    expect(faults("[a](/b) ".repeat(201))).toEqual(["it has 201 links; it can have 200"])
    expect(faults(`![a](${picture}) `.repeat(21))).toEqual(["it has 21 pictures; it can have 20"])
    expect(faults("[a]: /b\n".repeat(30))).toEqual(["it shows no text"])
    // One refusal names a few of many faults.
    expect(faults("<b>\n\n".repeat(500)).length).toBe(10)
  })

  it("has nothing in it that runs, loads from elsewhere or sends, whatever was written", () => {
    const part = oneof(
      constantFrom(
        "<script>",
        "</script>",
        "<img src=x onerror=alert(1)>",
        "<svg/onload=alert(1)>",
        "javascript:",
        "](",
        "![",
        "[",
        ")",
        "`",
        "```\n",
        "> ",
        "- ",
        "\n",
        "\n\n",
        "&#x6a;",
        "&lt;",
        '"',
        "'",
        " onclick=",
        "<a href=",
        "|",
        "|-|\n",
        "data:text/html,",
        "//evil.example",
        "\\",
        "#",
        "*",
        "<!--",
        "-->",
        "<iframe srcdoc='",
        "style=",
        "\u0000",
        "\u202e",
        "https://example.org"
      ),
      string({ maxLength: 8, unit: "grapheme" })
    )
    assert(
      property(array(part, { maxLength: 40 }), (parts) => {
        const written = html(parts.join(""))
        expect(dangerous.exec(written)?.[0]).toBe(undefined)
        for (const [, src] of written.matchAll(/<img[^>]*\ssrc="([^"]*)"/g))
          expect(src).toMatch(/^https:\/\/radio\.example\/media\//)
      }),
      { numRuns: 400 }
    )
  })

  it("takes the longest and most tangled text in less than a second of the processor", () => {
    for (const tangle of [">", "[", "![", "*a", "_a_", "a\n=\n", "- ", "`", "a|b\n", "<", "[a]: b\n", "**a *b "]) {
      const text = tangle.repeat(20_000 / tangle.length)
      const begun = process.cpuUsage()
      faults(text)
      html(text)
      expect([tangle, process.cpuUsage(begun).user < 1_000_000]).toEqual([tangle, true])
    }
  })
})
