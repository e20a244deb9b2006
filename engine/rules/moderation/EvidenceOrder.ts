/** 32-bit FNV-1a with a final mix, so that similar seeds give unrelated orders. */
const hashText = (text: string): number => {
  let hash = 0x811c9dc5
  for (const sign of text) hash = Math.imul(hash ^ sign.codePointAt(0)!, 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/**
 * The items in an order that only the seed decides. Reviewers of the same case see its evidence in different orders: what comes first weighs
 * more, and would make all of them err alike.
 */
export const orderFor = <A>(seed: string, items: ReadonlyArray<A>): ReadonlyArray<A> =>
  items
    .map((item, index) => ({ item, index, place: hashText(`${seed}/${index}`) }))
    .sort((a, b) => a.place - b.place || a.index - b.index)
    .map(({ item }) => item)
