#!/usr/bin/env node
/** The entry of the bundle. It uses only old Node.js features, so that it can report that Node.js is too old. */
import * as modules from 'node:module'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
// Before 24.9, requests that offer another protocol could not be answered as if they had not.
if (major < 24 || (major === 24 && minor < 9)) {
  console.error(`wolke: needs Node.js 24.9 or newer, not ${process.version}`)
  process.exitCode = 2
} else {
  // Caches compiled code beside the bundle, which makes the next start faster.
  modules.enableCompileCache(`${import.meta.dirname}/.cache`)
  await import('./main.ts')
}
