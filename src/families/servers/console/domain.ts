/** Where consoles are opened, and how long after they were asked for. */
export const consolePath = '/wolke/v1/console'

export const sessionMs = 60_000
