/**
 * These values are noted in a page by console-probe.js. It writes to the page's console when a row was painted
 * (`rowsAt`), and when a table was that is as high as thousands of rows (`everythingAt`).
 */

/** Times in milliseconds after the start of the page. */
export interface Noted {
  readonly fcp: number
  readonly lcp: number
  readonly cls: number
  /** The time by which tasks after the first paint exceeded 50 ms. */
  readonly blockedMs: number
  /** The duration of the answers to keys and clicks, of those that took 16 ms and more. */
  readonly interactions: readonly number[]
  /** Begins to watch for the next input. */
  watchInput(): void
  /** Resolves with the time from the input to the page's last change. */
  settled(): Promise<number>
  /** Scrolls down from above in 120 steps of so many pixels, or through everything; how long each frame took. */
  scrolled(pixels?: number): Promise<number[]>
  /** Follows a link; how long it took until there was another title. */
  followed(link: unknown): Promise<number>
  /** Resolves when the row of a resource changes next, in milliseconds since the epoch. */
  changed(id: number): Promise<number>
}
