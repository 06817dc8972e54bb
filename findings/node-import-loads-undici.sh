#!/usr/bin/env bash
# `import 'node:http'` loads the whole of undici, also in a program that uses neither fetch nor WebSocket. `node:http` has
# lazy getters (`WebSocket`, `CloseEvent`, `MessageEvent`) that load it when somebody asks for them; an ES module, however,
# has a binding for each export, so that Node reads all of them with the first import, of whichever name. Neither
# `require('node:http')` nor `process.getBuiltinModule('node:http')` does. Nor does importing `node:https`, which has no
# such getters and loads the parts of `node:http` behind the module.
#
# Seen with Node.js 24.21.0 on Linux x64: 223 internal modules instead of 148, 61 MB of resident memory instead of 47, and
# 30 ms more processor time, in a program that does nothing else. A server whose start is to be short asks for the module
# in one of the other ways, or lets its bundler do so.
#
# Needs npm. Exits with 1 when Node behaves otherwise than written here.
set -euo pipefail

node_version=24.21.0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-fund --no-audit --prefix "$work" "node@$node_version"
node=$work/node_modules/node/bin/node
[ "$("$node" --version)" = "v$node_version" ]

cat >tell.mjs <<'JS'
export function tell() {
  const isThere = process.moduleLoadList.some((name) => name.endsWith('undici/undici'))
  const rss = Math.round(process.memoryUsage().rss / 1e6)
  console.error(`${process.argv[1].split('/').at(-1)}: ${process.moduleLoadList.length} modules, ${rss} MB`)
  console.log(isThere ? 'undici' : 'nothing')
}
JS
echo "import 'node:http'; import { tell } from './tell.mjs'; tell()" >import-all.mjs
echo "import { createServer } from 'node:http'; import { tell } from './tell.mjs'; tell()" >import-one-name.mjs
echo "import 'node:https'; import { tell } from './tell.mjs'; tell()" >import-https.mjs
echo "process.getBuiltinModule('node:http').createServer; import { tell } from './tell.mjs'; tell()" >get-builtin.mjs
echo "require('node:http').createServer; import('./tell.mjs').then(({ tell }) => tell())" >require.cjs

failed=0
expect() {
  local seen
  seen=$("$node" "$1")
  if [ "$seen" != "$2" ]; then
    echo "$1 loads $seen, not $2"
    failed=1
  fi
}
expect import-all.mjs undici
expect import-one-name.mjs undici
expect import-https.mjs nothing
expect get-builtin.mjs nothing
expect require.cjs nothing
[ $failed = 0 ] && echo 'as written'
exit $failed
