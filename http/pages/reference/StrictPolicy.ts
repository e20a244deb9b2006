/** Holds a style attribute until it is set. */
const laidAside = "data-laid-aside"

/**
 * Lets a library that makes style elements live under a policy that admits only styles with the answer's nonce and makes no code from text.
 * Call it before the library runs.
 */
export const underStrictPolicy = (): void => {
  const nonce = document.querySelector<HTMLMetaElement>("meta[property=csp-nonce]")?.nonce ?? ""
  const create = document.createElement.bind(document)
  document.createElement = ((name: string, options?: ElementCreationOptions): HTMLElement => {
    const made = create(name, options)
    if (made instanceof HTMLStyleElement) made.nonce = nonce
    return made
  }) as typeof document.createElement
  // Set one by one, properties are no inline style.
  const setAttribute = Element.prototype.setAttribute
  Element.prototype.setAttribute = function (name, value) {
    if (name === "style" && this instanceof HTMLElement) this.style.cssText = value
    else setAttribute.call(this, name, value)
  }
  // Set as HTML, they would be: they are set afterwards.
  const html = Object.getOwnPropertyDescriptor(Element.prototype, "innerHTML")!
  Object.defineProperty(Element.prototype, "innerHTML", {
    ...html,
    set(this: Element, value: unknown) {
      html.set!.call(this, String(value).replaceAll(/(<[a-z][^<>]*?) style="/giu, `$1 ${laidAside}="`))
      for (const styled of this.querySelectorAll<HTMLElement>(`[${laidAside}]`)) {
        styled.style.cssText = styled.getAttribute(laidAside)!
        styled.removeAttribute(laidAside)
      }
    }
  })
  // Libraries try whether code can be made from text. The browser would report each try; the answer is no without one.
  globalThis.Function = new Proxy(Function, {
    construct: () => {
      throw new EvalError("The policy of this page forbids making code from text.")
    }
  })
}
