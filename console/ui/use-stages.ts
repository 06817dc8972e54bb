/** Draws what takes long in stages, each with a picture of its own, so that a slow machine answers in between. */
import { startTransition, useEffect, useState } from 'react'

/** The stage that is drawn now: counts from 0 to `last`, and on when `last` rises. */
export function useStages(last: number): number {
  const [stage, setStage] = useState(0)
  useEffect(() => {
    if (stage >= last) return
    const frame = requestAnimationFrame(() => startTransition(() => setStage(stage + 1)))
    return () => cancelAnimationFrame(frame)
  }, [stage, last])
  return stage
}
