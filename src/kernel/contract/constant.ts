/** Parts of replies that never change, such as entries of the catalogue: their JSON is written once, when first sent. */

const texts = new WeakMap<object, string>()
const unwritten = ''

/** Declares that an object and all that it holds never change, so that callers may get the same one. Returns it. */
export function constant<T extends object>(part: T): T {
  texts.set(part, unwritten)
  return part
}

/** Shows things that never change, and of which nothing but themselves is shown: the form of each is made once. */
export function constantFormOf<Thing extends object, Form extends object>(make: (thing: Thing) => Form) {
  const made = new WeakMap<Thing, Form>()
  return (thing: Thing): Form => {
    const known = made.get(thing)
    if (known) return known
    const form = constant(make(thing))
    made.set(thing, form)
    return form
  }
}

/** The JSON of an object that `constant` was told of; undefined for any other one. */
export function constantJson(part: object): string | undefined {
  const known = texts.get(part)
  if (known !== unwritten) return known
  const text = JSON.stringify(part)
  texts.set(part, text)
  return text
}
