/** Parts of replies that never change, such as entries of the catalogue: their JSON is written once, when first sent. */

const texts = new WeakMap<object, string | Buffer>()
const unwritten = ''
/** Longer JSON is kept as bytes, which are sent as they are. */
const mostCharacters = 4_096

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

/**
 * The same for things with which others are shown, as long as those are the same as well: the form is made again when one
 * of them is another one.
 */
export function constantFormWith<Thing extends object, Others extends readonly unknown[], Form extends object>(
  make: (thing: Thing, ...others: Others) => Form,
) {
  const made = new WeakMap<Thing, { readonly others: Others; readonly form: Form }>()
  return (thing: Thing, ...others: Others): Form => {
    const known = made.get(thing)
    if (known?.others.every((other, index) => other === others[index])) return known.form
    const form = constant(make(thing, ...others))
    made.set(thing, { others, form })
    return form
  }
}

/** Declares the same of an object whose JSON is known, so that nobody has to look into it. */
export function written<T extends object>(part: T, json: string): T {
  texts.set(part, json.length > mostCharacters ? Buffer.from(json) : json)
  return part
}

/** The JSON of an object that `constant` was told of, as bytes where it is long; undefined for any other one. */
export function constantJson(part: object): string | Buffer | undefined {
  const known = texts.get(part)
  if (known !== unwritten) return known
  return texts.get(written(part, JSON.stringify(part)))
}
