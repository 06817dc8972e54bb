/** The icon of every page. */

/** The path at which browsers look for an icon when a page names none. */
export const iconPath = '/favicon.ico'

/** The icon of a page, for its head. */
export const iconLink = `<link rel="icon" type="image/svg+xml" href="${iconPath}">`
