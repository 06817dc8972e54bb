/** What the program says of itself to man and to shells, read by the real ones. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { serveOptions } from '../../src/config/config.ts'
import { bundle } from '../program/kit/program.ts'
import { build } from '../run/built.ts'

const folder = mkdtempSync(join(tmpdir(), 'wolke-shells-'))
after(() => rmSync(folder, { recursive: true }))

const says = (...args: readonly string[]) => execFileSync(process.execPath, [bundle, ...args], { encoding: 'utf8' })

before(async () => {
  await build()
  for (const shell of ['bash', 'zsh', 'fish']) writeFileSync(join(folder, shell), says('completion', shell))
  writeFileSync(join(folder, 'wolke.1'), says('manual', '--date', '2026-11-21'))
})

describe('The manual page', () => {
  test('is one for man and mandoc', () => {
    const page = join(folder, 'wolke.1')
    const lint = spawnSync('mandoc', ['-T', 'lint', page], { encoding: 'utf8' })
    assert.deepEqual([lint.status, lint.stdout], [0, ''])
    const shown = spawnSync('man', ['--warnings', '-l', page], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C.UTF-8', MANWIDTH: '200', MANPAGER: 'cat' },
    })
    assert.deepEqual([shown.status, shown.stderr], [0, ''])
    assert.match(shown.stdout, /^ +wolke token create$/m)
  })

  test('has every option of the server with its variable', () => {
    const page = readFileSync(join(folder, 'wolke.1'), 'utf8')
    for (const { long, envVar } of serveOptions()) {
      assert.ok(page.includes(`\\fB${long!.replaceAll('-', '\\-')}\\fR`), long)
      assert.ok(page.includes(envVar!), envVar)
    }
  })
})

/** What a shell offers for the last word of a line. */
const shells: Readonly<Record<string, (line: string) => string[]>> = {
  bash(line) {
    const words = line.split(' ')
    const script = `source ${folder}/bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _wolke; printf '%s\\n' "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' })
      .trim()
      .split('\n')
  },
  fish(line) {
    const script = `source ${folder}/fish; complete -C '${line}'`
    const env = { ...process.env, HOME: folder }
    const printed = execFileSync('fish', ['-c', script], { encoding: 'utf8', env })
    return printed
      .trim()
      .split('\n')
      .map((one) => one.split('\t')[0]!)
  },
  zsh(line) {
    // A shell without a terminal completes nothing; the function is called as it would be, and what it describes is printed.
    const script = `
compdef() { : }
_files() { print files }
_describe() { local -a all; all=("\${(@P)@[-1]}"); print -rl -- "\${(@)all%%:*}" }
source ${folder}/zsh
words=("$@"); CURRENT=$#; PREFIX=$words[-1]
_wolke`
    const printed = execFileSync('zsh', ['-f', '-c', script, 'zsh', ...line.split(' ')], { encoding: 'utf8' })
    const [, current = ''] = / (\S*)$/.exec(line) ?? []
    return printed
      .trim()
      .split('\n')
      .filter((word) => word.startsWith(current))
  },
}

for (const [shell, offers] of Object.entries(shells)) {
  describe(`The completion of ${shell}`, () => {
    const cases: readonly (readonly [line: string, offered: readonly string[]])[] = [
      ['wolke tok', ['token']],
      ['wolke token ', ['create', 'list', 'revoke', 'rotate']],
      ['wolke serve --log-le', ['--log-level']],
      ['wolke serve --log-level ', ['debug', 'error', 'info', 'silent', 'trace', 'warn']],
      ['wolke token create --name serve --pro', ['--project']],
      ['wolke completion ', ['bash', 'fish', 'zsh']],
      ['wolke config ', ['check', 'show']],
    ]
    for (const [line, offered] of cases) {
      test(`of '${line}'`, () => assert.deepEqual(offers(line).sort(), offered))
    }

    test('offers every option of the server', () => {
      const offered = offers('wolke serve --')
      for (const { long } of serveOptions()) assert.ok(offered.includes(long!), long)
    })
  })
}
