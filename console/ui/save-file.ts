/** Saves a text as a file of the browser. */
export function saveFile(name: string, text: string, type = standardType(name)): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }))
  saveFrom(name, url)
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** Saves what is at an address of this server as a file of the browser. */
export function saveFrom(name: string, address: string): void {
  const link = document.createElement('a')
  link.href = address
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
}

/** Browsers add the ending of a type to a name without one, and nothing may come after the name of a private key. */
function standardType(name: string): string {
  return name.endsWith('.txt') ? 'text/plain' : 'application/octet-stream'
}
