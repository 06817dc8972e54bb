/** Headers that state the caller's preferences (RFC 9110, 12.4.2), such as `text/html;q=0.8`. */

/** The weight, from 0 to 1, of each choice in a header, in lower case. */
export function readWeights(header: string): ReadonlyMap<string, number> {
  return new Map(header.toLowerCase().split(',').map(readWeight))
}

function readWeight(part: string): [name: string, weight: number] {
  const [name = '', ...parameters] = part.split(';').map((text) => text.trim())
  const weight = parameters.find((text) => text.startsWith('q='))
  return [name, weight === undefined ? 1 : Number(weight.slice(2)) || 0]
}

/**
 * Tells whether an Accept header prefers HTML to JSON, as those of browsers do. Programs that accept anything or send
 * no such header get JSON.
 */
export function prefersHtml(accept: string | undefined): boolean {
  if (!accept) return false
  const weights = readWeights(accept)
  const weightOf = (type: string, subtype: string) =>
    weights.get(`${type}/${subtype}`) ?? weights.get(`${type}/*`) ?? weights.get('*/*') ?? 0
  return weightOf('text', 'html') > weightOf('application', 'json')
}
