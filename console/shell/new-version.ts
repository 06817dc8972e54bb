/** After an upgrade of the server, the chunks of an open page are gone: the page is loaded again, once. */
const key = 'wolke-reloaded'

export function reloadForNewVersions(): void {
  window.addEventListener('vite:preloadError', (event) => {
    const before = Number(sessionStorage.getItem(key) ?? 0)
    if (Date.now() - before < 60_000) return
    sessionStorage.setItem(key, String(Date.now()))
    event.preventDefault()
    window.location.reload()
  })
}
