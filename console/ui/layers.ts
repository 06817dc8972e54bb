/**
 * Where menus, dialogs and tips are put: inside a landmark, so that nothing on the page is outside of one. They are
 * loaded after the first picture.
 */

export function layerRoot(): HTMLElement {
  return document.getElementById('layers') ?? document.body
}

/** Loads what pops up before it is asked for, once the page stands. */
export function loadLayersSoon(more: () => Promise<unknown>): void {
  const load = () =>
    void Promise.all([import('./menu-popup.tsx'), import('./dialog-popup.tsx'), more()]).catch(() => undefined)
  if ('requestIdleCallback' in window) window.requestIdleCallback(load, { timeout: 2_000 })
  else setTimeout(load, 500)
}
