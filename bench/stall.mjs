/** Preloaded like `tether.mjs`: reports the longest stall of the server's event loop. */
import { monitorEventLoopDelay } from 'node:perf_hooks'

const resolutionMs = 1
const delays = monitorEventLoopDelay({ resolution: resolutionMs })
delays.enable()

process.on('message', (question) => {
  if (question === 'reset') delays.reset()
  else process.send?.(Math.max(0, delays.max / 1e6 - resolutionMs))
})
process.channel?.unref()
