/** Runs in every page before anything else: notes what the page does. console-noted.ts describes it. */
{
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  let inputAt = 0
  let changedAt = 0
  const tasks = []
  const noted = {
    rowsAt: null,
    everythingAt: null,
    fcp: 0,
    lcp: 0,
    cls: 0,
    /** Lighthouse counts it so, too: from the first paint on. */
    get blockedMs() {
      return tasks
        .map(({ startTime, duration }) => startTime + duration - Math.max(startTime, noted.fcp))
        .reduce((sum, ms) => sum + Math.max(0, ms - 50), 0)
    },
    interactions: [],
    watchInput() {
      inputAt = 0
      const take = ({ timeStamp }) => {
        inputAt = timeStamp
      }
      document.addEventListener('input', take, { once: true, capture: true })
    },
    async settled() {
      while (inputAt === 0) await nextFrame()
      let quiet = 0
      for (let last = changedAt; quiet < 15; last = changedAt) {
        await nextFrame()
        quiet = changedAt === last ? quiet + 1 : 0
      }
      return Math.max(0, changedAt - inputAt)
    },
    async scrolled(pixels = document.documentElement.scrollHeight / 120) {
      const frames = []
      window.scrollTo(0, 0)
      let before = await nextFrame()
      for (let step = 1; step <= 120; step++) {
        window.scrollBy(0, pixels)
        const now = await nextFrame()
        frames.push(now - before)
        before = now
      }
      return frames
    },
    async followed(link) {
      const titleOf = () => document.querySelector('h1')?.textContent
      const before = titleOf()
      const start = performance.now()
      link.click()
      while ([before, undefined].includes(titleOf())) await nextFrame()
      return performance.now() - start
    },
    async changed(id) {
      const textOf = () => document.querySelector(`tr[data-row="${id}"]`)?.textContent
      const before = textOf()
      // Looked at with every change: what was so for less than a frame counts, too.
      await new Promise((resolve) => {
        const row = new MutationObserver(() => {
          if (textOf() === before) return
          row.disconnect()
          resolve()
        })
        row.observe(document, { subtree: true, childList: true, characterData: true })
      })
      await nextFrame()
      return performance.timeOrigin + performance.now()
    },
  }
  globalThis.noted = noted
  const observe = (type, take, options = {}) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true, ...options })
  observe('paint', ({ name, startTime }) => {
    if (name === 'first-contentful-paint') noted.fcp = startTime
  })
  observe('largest-contentful-paint', ({ startTime }) => {
    noted.lcp = startTime
  })
  observe('layout-shift', ({ value, hadRecentInput }) => {
    if (!hadRecentInput) noted.cls += value
  })
  observe('longtask', (task) => {
    tasks.push(task)
  })
  const take = ({ duration, interactionId }) => {
    if (interactionId > 0) noted.interactions.push(duration)
  }
  observe('event', take, { durationThreshold: 16 })
  /** Says it on the console, because whoever asks a page by a script has it compile that script first. */
  const say = (what) => {
    noted[what] = performance.now()
    console.info(what, noted[what])
  }
  const look = async () => {
    const row = document.querySelector('tr[data-row]')
    const isLong = row !== null && row.closest('table').getBoundingClientRect().height > 200_000
    await nextFrame()
    if (row !== null && noted.rowsAt === null) say('rowsAt')
    if (isLong) say('everythingAt')
    else look()
  }
  look()
  const observer = new MutationObserver(() => {
    changedAt = performance.now()
  })
  observer.observe(document, { subtree: true, childList: true, characterData: true })
}
