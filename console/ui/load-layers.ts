/** Loads what pops up before it is asked for. */
export async function loadLayers(): Promise<void> {
  await Promise.all([import('./menu-popup.tsx'), import('./dialog-popup.tsx')])
}
