#!/usr/bin/env bash
# ssh2 1.17.0 for Node.js: what a server is given to answer SFTP with has no way to send an exit status, unlike the streams of
# `exec` and `shell`, so that a session that ends by its `end()` ends without one. OpenSSH's sftp does not mind. Its scp, which
# speaks SFTP since version 9.0, exits with 1 and prints nothing, although the file has arrived whole.
#
# Seen (exit code of the client, what it prints on standard error, whether the file has arrived):
#   sftp                  0  nothing  whole
#   scp                   1  nothing  whole
#   scp, given a status   0  nothing  whole   (by ssh2's own protocol object, which is not documented)
#
# Fails when this changes. Needs node, npm, ssh-keygen, sftp, and scp of OpenSSH 9.0 or newer.
set -euo pipefail
folder=$(mktemp -d)
server=''
cleanup() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  rm -rf "$folder"
}
trap cleanup EXIT
cd "$folder"
npm install --silent --no-fund --no-audit --omit=optional --ignore-scripts ssh2@1.17.0 >/dev/null
ssh-keygen -q -t ed25519 -N '' -f host
ssh-keygen -q -t ed25519 -N '' -f key

cat >server.mjs <<'JS'
import { readFileSync, writeFileSync } from 'node:fs'
import ssh2 from 'ssh2'

const { STATUS_CODE } = ssh2.utils.sftp
const [sendsStatus, portFile] = [process.argv[2] === 'status', process.argv[3]]
const attributes = { mode: 0o40755, uid: 0, gid: 0, size: 0, atime: 0, mtime: 0 }

/** Keeps what is written to any file in `arrived`. */
function answer(sftp) {
  let content = Buffer.alloc(0)
  const ok = (id) => sftp.status(id, STATUS_CODE.OK)
  sftp.on('REALPATH', (id, path) => sftp.name(id, [{ filename: `/${path}`, longname: path, attrs: attributes }]))
  for (const name of ['STAT', 'LSTAT']) sftp.on(name, (id) => sftp.attrs(id, attributes))
  for (const name of ['SETSTAT', 'FSETSTAT']) sftp.on(name, ok)
  sftp.on('OPEN', (id) => sftp.handle(id, Buffer.from('file')))
  sftp.on('WRITE', (id, handle, offset, data) => {
    content = Buffer.concat([content.subarray(0, offset), data])
    ok(id)
  })
  sftp.on('CLOSE', (id) => {
    writeFileSync('arrived', content)
    ok(id)
  })
  sftp.on('end', () => {
    if (sendsStatus) sftp._protocol.exitStatus(sftp.outgoing.id, 0)
    sftp.end()
  })
}

const server = new ssh2.Server({ hostKeys: [readFileSync('host')] }, (client) => {
  client.on('error', () => undefined)
  client.on('authentication', (context) => context.accept())
  client.on('ready', () => {
    client.on('session', (accept) => accept().on('sftp', (acceptSftp) => answer(acceptSftp())))
  })
})
server.listen(0, '127.0.0.1', () => writeFileSync(portFile, `${server.address().port}\n`))
JS

head -c 100000 /dev/urandom >file
options=(-F none -i key -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR)
changed=0

# seen KIND TITLE EXPECTED COMMAND...: runs a client against a server of a kind, and compares what comes of it.
seen() {
  local kind=$1 title=$2 expected=$3 code=0 port
  shift 3
  rm -f port arrived
  node server.mjs "$kind" port &
  server=$!
  until [ -s port ]; do sleep 0.05; done
  port=$(cat port)
  timeout 20 "$@" -P "$port" "${options[@]}" ${batch:+-b "$batch"} ${source:-} "x@127.0.0.1${target:-}" >/dev/null 2>said || code=$?
  local result
  result="$code  $([ -s said ] && head -n 1 said || echo nothing)  $(cmp -s file arrived && echo whole || echo 'not whole')"
  printf '%-24s %s\n' "$title" "$result"
  [ "$result" = "$expected" ] || changed=1
  kill "$server"
  wait "$server" 2>/dev/null || true
  server=''
}

node -p '"ssh2 " + require("ssh2/package.json").version'
ssh -V
echo 'put file file' >batch-file
batch=batch-file seen none sftp '0  nothing  whole' sftp
source=file target=:file seen none scp '1  nothing  whole' scp
source=file target=:file seen status 'scp, given a status' '0  nothing  whole' scp
exit "$changed"
