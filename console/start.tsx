/** Puts the console on the page. */
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createCache } from './api/cache.ts'
import { onFailure } from './api/client.ts'
import { ApiFailure } from './api/failure.ts'
import { createConsoleRouter } from './router.tsx'
import { loadStates } from './shell/states-later.tsx'
import { listenToKeys } from './shortcuts.ts'
import { firstPicture } from './ui/layers.ts'
import { loadLayers } from './ui/load-layers.ts'
import { loadErrorWords } from './ui/said.tsx'

/** Logs mistakes of the console; what the API refused is on the page. */
function onCaughtError(cause: unknown): void {
  if (!(cause instanceof ApiFailure)) console.error(cause)
}

export function start(root: HTMLElement): void {
  const cache = createCache()
  removeFrame(root)
  listenToKeys()
  const loadNames = async () => {
    const { nameOfId } = await import('./api/known-names.ts')
    return (id: number) => nameOfId(cache, id)
  }
  onFailure(() => loadErrorWords(loadNames))
  createRoot(root, { onCaughtError }).render(
    <StrictMode>
      <QueryClientProvider client={cache}>
        <RouterProvider router={createConsoleRouter(cache)} />
      </QueryClientProvider>
    </StrictMode>,
  )
  void firstPicture
    .then(() => Promise.all([loadLayers(), loadErrorWords(loadNames), loadStates()]))
    // A part that could not be loaded now is loaded when it is asked for.
    .catch(() => undefined)
}

/** The frame of the page stands until the program has drawn its own, in the same picture. */
function removeFrame(root: HTMLElement): void {
  const drawn = new MutationObserver(() => {
    document.getElementById('frame')?.remove()
    drawn.disconnect()
  })
  drawn.observe(root, { childList: true })
}
