/**
 * The place of menus, dialogs and tips: inside a landmark, so that nothing on the page is outside of one. They are
 * loaded after the first picture, by load-layers.ts.
 */

export function layerRoot(): HTMLElement {
  return document.getElementById('layers') ?? document.body
}

let begin = () => {}

/** Resolves once a page has been drawn: until then, nothing is loaded that its first picture can do without. */
export const firstPicture = new Promise<void>((resolve) => {
  begin = resolve
})

/** A page has been drawn, and is about to be painted. */
export function pageStands(): void {
  if ('requestIdleCallback' in window) window.requestIdleCallback(begin, { timeout: 2_000 })
  else setTimeout(begin, 500)
}
