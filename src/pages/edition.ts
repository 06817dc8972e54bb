/** The reference as it is rendered: the OpenAPI document and a page made from it that needs no network and runs no script. */
import { calendar } from '../kernel/contract/changes.ts'
import { openApiDocument } from './openapi.ts'
import { renderReference } from './render.ts'

/** The reference from one dated change to the next. */
export interface Edition {
  /** JSON. */
  readonly document: string
  /** HTML. */
  readonly page: string
}

/** Renders the reference of a moment (ms since the epoch). */
export function renderEdition(nowMs: number): Edition {
  const document = openApiDocument(nowMs)
  return { document: JSON.stringify(document), page: renderReference(document) }
}

/** Renders every edition that differs from the one before it, with the moment (ms since the epoch) that it holds from. */
export function renderEditions(): (Edition & { readonly from: number })[] {
  const starts = new Set([0, ...calendar.map(({ fromMs }) => fromMs)])
  const all = [...starts].map((from) => ({ from, ...renderEdition(from) }))
  return all.filter(({ document }, i) => document !== all[i - 1]?.document)
}
