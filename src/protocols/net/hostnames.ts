/** The syntax of host names in ASCII; an internationalized name must be in punycode. */

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i
const maxLabel = 63

/**
 * Tells whether a text is one label of a host name in either case: letters, digits and inner hyphens (RFC 1123, 2.1).
 */
export function isHostLabel(text: string): boolean {
  return label.test(text)
}

/**
 * Tells whether a text is one label of a DNS name, such as `_dmarc`: like a host label, but underscores count as
 * letters.
 */
export function isDnsLabel(text: string): boolean {
  return text.length <= maxLabel && label.test(text.replaceAll('_', 'x'))
}

/** Tells whether a text is a host name in either case, without a trailing dot. */
export function isHostName(text: string): boolean {
  return isName(text, isHostLabel)
}

/** Tells whether a text is a DNS name in either case, without a trailing dot; its labels may have underscores. */
export function isDnsName(text: string): boolean {
  return isName(text, isDnsLabel)
}

/** Tells whether a text has no ASCII letter in upper case. */
export function isLowerCase(text: string): boolean {
  return !/[A-Z]/.test(text)
}

function isName(text: string, isLabel: (label: string) => boolean): boolean {
  return text.length <= 253 && text.split('.').every(isLabel)
}
