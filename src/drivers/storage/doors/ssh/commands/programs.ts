/**
 * Programs of the system that work in a jail: `rsync` and `borg`. Each is started first, with words that make it open
 * nothing, and gets the first byte of its client when the home is its root.
 */
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { type Account, jailOf } from '../../accounts.ts'
import { confine, type Jail, type Prisoner, startProgram } from '../../jail/confine.ts'
import { programAt } from '../../jail/possible.ts'
import { withPlaces } from '../../sftp/server.ts'

/** The command is not one that a box serves. */
export class Refused extends Error {}

export interface Program {
  readonly words: readonly string[]
  /** Its first bytes of output, which say that it is loaded and waits; whether they are for its client. */
  readonly ready: { readonly length: number; readonly isSaid: boolean }
  /** It is told this when its home is its root; most are told nothing. */
  readonly go: Buffer | undefined
}

/** Options of rsync that name no file outside of what is transferred, and start nothing. */
const rsyncOptions = new RegExp(
  `^--(${[
    'server|sender|delete(-before|-during|-delay|-after|-excluded|-missing-args)?|del|force|ignore-errors|partial|inplace|append(-verify)?',
    'numeric-ids|size-only|existing|ignore-existing|ignore-non-existing|ignore-missing-args|update|checksum|whole-file|sparse',
    'remove-source-files|no-[a-z-]+|delay-updates|list-only|relative|dirs|old-dirs|mkpath|fsync|preallocate|stats|from0',
    'safe-links|copy-unsafe-links|munge-links|copy-dirlinks|keep-dirlinks|fake-super|super|open-noatime|omit-dir-times|omit-link-times',
    'backup|atimes|crtimes|acls|xattrs|hard-links|links|perms|times|owner|group|devices|specials|one-file-system|fuzzy|new-compress|old-compress',
    '(max-delete|max-size|min-size|max-alloc|modify-window|block-size|bwlimit|timeout|contimeout|compress-level|compress-choice|checksum-choice|checksum-seed|skip-compress|zc|zl|cc)=[\\w.,:+-]*',
    '(partial-dir|temp-dir|backup-dir|suffix|link-dest|compare-dest|copy-dest|usermap|groupmap|log-format|out-format|info|debug)=.*',
  ].join('|')})$`,
  's',
)

/** Options whose value may stand in the next word. */
const rsyncPairs = new Set([
  '--partial-dir',
  '--temp-dir',
  '--backup-dir',
  '--link-dest',
  '--compare-dest',
  '--copy-dest',
  '--log-format',
  '--suffix',
])

/** `rsync --server`, as a client asks for it. Errors: `Refused`. */
export function rsync(words: readonly string[]): Program {
  if (words[0] !== '--server') throw new Refused('rsync is served to its own clients alone')
  const path = programAt('rsync')
  if (path === undefined) throw new Refused('rsync is not installed on this cloud')
  let isOptions = true
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    if (!isOptions || !word.startsWith('-')) continue
    if (word === '--') isOptions = false
    else if (rsyncPairs.has(word)) at++
    else if (word.startsWith('--') ? !rsyncOptions.test(word) : !isShort(word)) {
      throw new Refused(`the option ${word} of rsync is not served`)
    }
  }
  // It says its version before it looks at any file.
  return { words: [path, ...words], ready: { length: 4, isSaid: true }, go: undefined }
}

/** Letters, and what both sides can after an `e`. With `-s` arguments would come later, unseen. */
function isShort(word: string): boolean {
  const [, letters] = /^-([a-zA-Z0-9@]*?)(e[0-9.][\w.]*)?$/.exec(word) ?? []
  return letters !== undefined && !/[seMTf]/.test(letters)
}

/**
 * Loads all of borg, lets nothing be loaded from files any more, says that it is there, and begins when it is told to: what a
 * customer names like a module of Python must not be run.
 */
const borgLoader = `
import os, sys, importlib, pkgutil, encodings.idna
sys.path[:] = [path for path in sys.path if path]
import borg.archiver, msgpack
modules = [*pkgutil.walk_packages(borg.__path__, 'borg.'), *pkgutil.walk_packages(msgpack.__path__, 'msgpack.')]
for module in modules:
    if '.testsuite' in module.name or module.name.endswith(('__main__', 'fuse', 'fuse_impl')): continue
    try: importlib.import_module(module.name)
    except ImportError: pass
from borg.archiver import main
# Its tests of itself write files where temporary ones are, which is not here.
os.environ['BORG_SELFTEST'] = 'disabled'
sys.path_hooks.clear(); sys.path_importer_cache.clear(); sys.path.clear()
os.write(1, b'!')
if os.read(0, 1) != b'!': sys.exit(1)
sys.argv = ['borg'] + sys.argv[1:]
sys.exit(main())
`

const borgOptions =
  /^--(info|debug|verbose|warning|error|critical|append-only|umask=[0-7]+|debug-topic=[\w.]+|lock-wait=\d+|remote-buffer=\d+|upload-buffer=\d+|rsh=.*|storage-quota=\w+|restrict-to-(path|repository)=.*)$/s

/** `borg serve`, as a client asks for it. Errors: `Refused`. */
export function borg(words: readonly string[]): Program {
  const python = programAt('python3')
  if (programAt('borg') === undefined || python === undefined) throw new Refused('borg is not installed on this cloud')
  if (!words.includes('serve')) throw new Refused('only `borg serve` is served')
  const rest = words.filter((word) => word !== 'serve')
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at]!
    if (/^--(restrict-to-(path|repository)|umask|storage-quota)$/.test(word)) at++
    else if (!borgOptions.test(word) && word !== '-v') throw new Refused(`the option ${word} of borg is not served`)
  }
  return {
    words: [python, '-I', '-c', borgLoader, 'serve', ...rest],
    ready: { length: 1, isSaid: false },
    go: Buffer.from('!'),
  }
}

const startMs = 20_000

/**
 * Starts a program in its jail. Returns it with what it has to say first. Errors: `Refused` when it ends too soon, those of
 * `startProgram`, `confine` and `withPlaces`.
 */
export function startInJail(program: Program, account: Account): Promise<{ prisoner: Prisoner; first: Buffer }> {
  return withPlaces(jailOf(account), (jail) => start(program, jail, account.place.ledger?.room()))
}

async function start(program: Program, jail: Jail, room?: number): Promise<{ prisoner: Prisoner; first: Buffer }> {
  const prisoner = await startProgram(program.words, jail, room)
  const { child, stdin, stdout } = prisoner
  const patience = setTimeout(() => child.kill('SIGKILL'), startMs)
  try {
    const first = await firstBytes(stdout, program.ready.length)
    if (first === undefined) throw new Refused(prisoner.lastWords().trim() || 'the program does not start')
    await confine(prisoner, jail)
    if (program.go) stdin.write(program.go)
    return { prisoner, first: program.ready.isSaid ? first : first.subarray(program.ready.length) }
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  } finally {
    clearTimeout(patience)
  }
}

/** Returns the beginning of a program's output; undefined when it ends before. */
async function firstBytes(output: Readable, length: number): Promise<Buffer | undefined> {
  const ended = once(output, 'close').then(() => undefined)
  let bytes = Buffer.alloc(0)
  while (bytes.length < length) {
    const readable = await Promise.race([once(output, 'readable').then(() => true), ended])
    if (!readable) return undefined
    for (let chunk = output.read() as Buffer | null; chunk; chunk = output.read() as Buffer | null) {
      bytes = Buffer.concat([bytes, chunk])
    }
  }
  output.pause()
  return bytes
}
