#!/usr/bin/env bash
# yaml 2.9.1 for JavaScript: a document with an alias to an anchor that is nowhere has no errors and no warnings. Whoever
# has looked at `errors`, as the documentation says, meets the problem only when the values are asked for: `toJS` throws a
# ReferenceError, which has neither a position nor a line, while every other error of a document has both. A program that
# tells its users where their file is wrong has to visit the aliases itself and compare them with the anchors before them.
#
# Seen:
#   duplicate key     errors 1, at line 2, toJS gives a value
#   unresolved alias  errors 0, toJS throws ReferenceError, position undefined
#   alias before it   errors 0, toJS throws ReferenceError, position undefined
#
# Fails when this changes. Needs node and npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund yaml@2.9.1 >/dev/null
cat >see.mjs <<'JAVASCRIPT'
import assert from 'node:assert/strict'
import { LineCounter, parseDocument } from 'yaml'

function see(text) {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter })
  const [error] = document.errors
  const at = error ? `, at line ${error.linePos[0].line}` : ''
  try {
    document.toJS()
    return `errors ${document.errors.length}${at}, toJS gives a value`
  } catch (thrown) {
    return `errors ${document.errors.length}${at}, toJS throws ${thrown.name}, position ${thrown.pos ?? thrown.linePos}`
  }
}

const cases = {
  'duplicate key': 'servers: 1\nservers: 2\n',
  'unresolved alias': 'server: *web\n',
  'alias before it': 'server: *web\nother: &web 1\n',
}
const seen = Object.entries(cases).map(([name, text]) => [name, see(text)])
for (const [name, result] of seen) console.log(`${name.padEnd(18)}${result}`)
const late = 'errors 0, toJS throws ReferenceError, position undefined'
assert.deepEqual(seen.map(([, result]) => result), ['errors 1, at line 2, toJS gives a value', late, late])
JAVASCRIPT
node see.mjs
