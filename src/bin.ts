#!/usr/bin/env node
/** The entry of the bundle. It imports nothing that an old Node.js lacks, so that it can say which one is needed. */
import * as modules from 'node:module'

if (Number.parseInt(process.versions.node, 10) < 24) {
  console.error(`wolke: needs Node.js 24 or newer, not ${process.version}`)
  process.exitCode = 2
} else {
  // Compiled code is kept beside the bundle: the next start is quicker.
  modules.enableCompileCache(`${import.meta.dirname}/.cache`)
  await import('./main.ts')
}
