/** The mark as SVG: the text of console/look/mark.svg, which a test compares. It is the icon of every page. */
export const mark =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#0f8ca6" stroke-linecap="round" stroke-linejoin="round" stroke-width="1.75"><path d="M21.5 12a9.5 9.5 0 1 0-19 0 9.5 9.5 0 0 0 19 0z"/><path fill="#0f8ca6" stroke="#0f8ca6" d="M2.7 13.9A4.9 4.9 0 0 1 9.9 13a5.7 5.7 0 0 1 11.35 1.2A9.5 9.5 0 0 1 2.7 13.9z"/></svg>'

/** The path at which browsers look for an icon when a page names none. */
export const iconPath = '/favicon.ico'

/** The icon of a page, for its head. */
export const iconLink = `<link rel="icon" type="image/svg+xml" href="${iconPath}">`
