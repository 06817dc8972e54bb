/** Parts of replies that never change, such as entries of the catalogue: their JSON is written once, when first sent. */

const texts = new WeakMap<object, string>()
const unwritten = ''

/** Declares that an object and all that it holds never change, so that callers may get the same one. Returns it. */
export function constant<T extends object>(part: T): T {
  texts.set(part, unwritten)
  return part
}

/** The JSON of an object that `constant` was told of; undefined for any other one. */
export function constantJson(part: object): string | undefined {
  const known = texts.get(part)
  if (known !== unwritten) return known
  const text = JSON.stringify(part)
  texts.set(part, text)
  return text
}
