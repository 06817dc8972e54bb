#!/usr/bin/env node
/** The entry of the bundle. It uses only old Node.js features, so that it can report that Node.js is too old. */
import * as modules from 'node:module'

if (Number.parseInt(process.versions.node, 10) < 24) {
  console.error(`wolke: needs Node.js 24 or newer, not ${process.version}`)
  process.exitCode = 2
} else {
  // Caches compiled code beside the bundle, which makes the next start faster.
  modules.enableCompileCache(`${import.meta.dirname}/.cache`)
  await import('./main.ts')
}
