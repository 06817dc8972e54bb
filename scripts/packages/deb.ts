/**
 * Makes the package for Debian: the program with Node.js, its service, manual page and completions. The same sources at the
 * same `SOURCE_DATE_EPOCH`, which is the time of the commit by default, make the same bytes. The first argument is the
 * folder of the package (default: this one); a second one is another version. Prints the path.
 */
import { execFileSync } from 'node:child_process'
import { globSync, lstatSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import {
  architecture,
  epoch,
  licenses,
  manifest,
  output,
  setTimes,
  write,
  writePages,
  writeProgramWithNode,
} from './tree.ts'

const [folder = '.', version = `${manifest.version}-1`] = process.argv.slice(2)
const seconds = epoch()
const date = new Date(seconds * 1_000)
const maintainer = 'The Wolke developers <wolke@wolke.example>'
const own = (name: string) => readFileSync(join(import.meta.dirname, 'debian', name), 'utf8')

const units = ['wolke.service', 'wolke.socket', 'wolke-backup.service', 'wolke-backup.timer']

const tree = mkdtempSync(join(tmpdir(), 'wolke-deb-'))
try {
  const path = resolve(folder, `wolke_${version}_${architecture()}.deb`)
  writeProgram()
  writeDocumentation()
  writeService()
  writeControl()
  setTimes(tree, seconds)
  // How many threads compress decides about the bytes.
  const fixed = { SOURCE_DATE_EPOCH: String(seconds), DPKG_DEB_THREADS_MAX: '1' }
  execFileSync('dpkg-deb', ['--root-owner-group', '--build', tree, path], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...fixed },
  })
  console.log(path)
} finally {
  rmSync(tree, { recursive: true })
}

function put(path: string, contents: string | Uint8Array, mode = 0o644): void {
  write(join(tree, path), contents, mode)
}

function writeProgram(): void {
  writeProgramWithNode(join(tree, 'usr/lib/wolke'))
  put('usr/bin/wolke', own('wolke'), 0o755)
  const says = (...args: readonly string[]) => output(process.execPath, 'dist/main.js', ...args)
  put('usr/share/man/man1/wolke.1.gz', packed(says('manual', '--date', date.toISOString().slice(0, 10))))
  put('usr/share/bash-completion/completions/wolke', `${says('completion', 'bash')}\n`)
  put('usr/share/zsh/vendor-completions/_wolke', `${says('completion', 'zsh')}\n`)
  put('usr/share/fish/vendor_completions.d/wolke.fish', `${says('completion', 'fish')}\n`)
}

function packed(text: string): Buffer {
  return gzipSync(`${text.trimEnd()}\n`, { level: 9 })
}

function writeDocumentation(): void {
  const docs = 'usr/share/doc/wolke'
  writePages(join(tree, docs), [])
  put(`${docs}/copyright`, copyright())
  for (const name of ['THIRD-PARTY-NOTICES.txt', 'LICENSE.node'] as const)
    put(`${docs}/${name}.gz`, packed(licenses()[name]))
  const day = date.toUTCString().replace('GMT', '+0000')
  put(
    `${docs}/changelog.Debian.gz`,
    packed(
      `wolke (${version}) stable; urgency=medium\n\n  * Version ${manifest.version}.\n\n -- ${maintainer}  ${day}`,
    ),
  )
  put('usr/share/lintian/overrides/wolke', own('lintian-overrides'))
}

function copyright(): string {
  return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: wolke
Comment: The libraries within the program have their licenses in THIRD-PARTY-NOTICES.txt.gz beside this file, and
 Node.js with its own libraries in LICENSE.node.gz.

Files: *
Copyright: 2026 The Wolke developers
License: Apache-2.0

Files: usr/lib/wolke/node
Copyright: Node.js contributors
License: Expat

License: Apache-2.0
 On Debian systems the text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.

License: Expat
 The text is at the beginning of LICENSE.node.gz.
`
}

function writeService(): void {
  for (const name of units) put(`usr/lib/systemd/system/${name}`, own(name))
  put('usr/lib/wolke/backup', own('backup'), 0o755)
  put('etc/wolke/wolke.yaml', own('wolke.yaml'))
  put('etc/default/wolke', own('wolke.default'), 0o640)
  put('DEBIAN/conffiles', '/etc/default/wolke\n/etc/wolke/wolke.yaml\n')
  for (const name of ['postinst', 'prerm', 'postrm']) put(`DEBIAN/${name}`, own(name), 0o755)
}

function writeControl(): void {
  const paths = globSync('**', { cwd: tree, exclude: ['DEBIAN/**'] }).sort()
  const files = paths.filter((path) => lstatSync(join(tree, path)).isFile())
  const kibibytes = files.reduce((sum, path) => sum + Math.ceil(statSync(join(tree, path)).size / 1_024), paths.length)
  const sums = execFileSync('md5sum', files, { cwd: tree, encoding: 'utf8' })
  put('DEBIAN/md5sums', sums)
  put(
    'DEBIAN/control',
    `Package: wolke
Version: ${version}
Architecture: ${architecture()}
Maintainer: ${maintainer}
Installed-Size: ${kibibytes}
Depends: adduser, init-system-helpers (>= 1.54~), libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 9)
Suggests: haproxy, hcloud-cli, postgresql
Section: net
Priority: optional
Description: cloud that you run yourself
 Wolke is an infrastructure API for Projects, servers, networks, Load
 Balancers, firewalls, certificates, DNS zones and more, which existing clients
 such as hcloud and Terraform work with unmodified. It serves a small cloud of
 your own, or a realistic one to test infrastructure code against.
`,
  )
}
