/** A rendered reference: the OpenAPI document, and an HTML page made from it without scripts or external resources. */
import { calendar } from '../calendar.ts'
import { openApiDocument } from './openapi.ts'
import { renderReference } from './render.ts'

/** The reference as it is between two dated changes. */
export interface Edition {
  /** JSON. */
  readonly document: string
  /** HTML. */
  readonly page: string
}

/** Renders the reference as of a time in ms since the epoch. */
export function renderEdition(nowMs: number): Edition {
  const document = openApiDocument(nowMs)
  return { document: JSON.stringify(document), page: renderReference(document) }
}

/** Renders every edition that differs from the previous one, with the time (ms since the epoch) from which it holds. */
export function renderEditions(): (Edition & { readonly from: number })[] {
  const starts = new Set([0, ...calendar.map(({ fromMs }) => fromMs)])
  const all = [...starts].map((from) => ({ from, value: openApiDocument(from) }))
  const documents = all.map(({ value }) => JSON.stringify(value))
  return all.flatMap(({ from, value }, i) => {
    const document = documents[i]!
    return document === documents[i - 1] ? [] : [{ from, document, page: renderReference(value) }]
  })
}
