/** Gives the focus to the heading of the page, as to a page that was just opened. */
export function focusTitle(): void {
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
}
