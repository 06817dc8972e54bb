/** Makes the package for npm, with `npm pack` and its options in the environment: the program and its documentation. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyProgram, manifest, root, write, writePages } from './tree.ts'

const folder = mkdtempSync(join(tmpdir(), 'wolke-npm-'))
try {
  const { scripts, devDependencies, workspaces, allowScripts, overrides, ...published } = manifest
  write(join(folder, 'package.json'), `${JSON.stringify(published, undefined, 2)}\n`)
  for (const path of ['LICENSE', 'CHANGELOG.md', 'clients'])
    cpSync(join(root, path), join(folder, path), { recursive: true })
  copyProgram(join(folder, 'dist'))
  writePages(folder, ['LICENSE', 'CHANGELOG.md'])
  // A relative destination is that of the caller.
  execFileSync('npm', ['pack', folder], { cwd: root, stdio: 'inherit' })
} finally {
  rmSync(folder, { recursive: true })
}
