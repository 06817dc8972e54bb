/** The query parameters of lists that show all parts of a resource at once, without pages. */
import { booleanParam, listing, type Param } from './contract.ts'

/** The query parameters of the list of all parts of a resource, which has no pages. */
export function listingOfParts(fields: readonly string[]) {
  const { sort, name, label_selector } = listing(fields)
  return { sort, name, label_selector } as const
}

/** A boolean as `booleanParam` reads it; absent means no filter. */
export function flagParam(description: string): Param<boolean | undefined> {
  const flag = booleanParam(description)
  return {
    ...flag,
    schema: { type: 'boolean' },
    parse: (texts, nowMs) => (texts.length === 0 ? undefined : flag.parse(texts, nowMs)),
  }
}
