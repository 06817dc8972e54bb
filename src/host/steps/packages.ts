/** Sources of apt, and packages. */
import { rmSync } from 'node:fs'
import type { StepRecord } from '../journal.ts'
import { linesOf, type Machine } from '../machine.ts'
import type { RunScript, Step } from '../steps.ts'
import { packagesScript } from '../texts.ts'

/** Debian 12 has Incus among its backports alone. */
export function sourcesStep({ shell, decided: { release } }: Machine): Step {
  const path = '/etc/apt/sources.list.d/wolke-backports.list'
  const suites = () => suitesOf(shell)
  return {
    name: 'sources',
    title: 'Sources of apt',
    async files() {
      const main = (await suites()).find(({ suite }) => suite === release)
      return release !== 'bookworm' || (await hasBackports()) || main === undefined
        ? []
        : [{ path, text: `deb ${main.uri} bookworm-backports main\n` }]
    },
    isSo: async () => release !== 'bookworm' || (await hasBackports()),
    scripts: () => [{ name: 'update', text: 'apt-get update -q\n' }],
  }

  async function hasBackports(): Promise<boolean> {
    return (await suites()).some(({ suite }) => suite === 'bookworm-backports')
  }
}

export interface AptSource {
  readonly uri: string
  readonly suite: string
}

/** The sources of packages of Debian that apt knows. */
export async function suitesOf(shell: Machine['shell']): Promise<AptSource[]> {
  const format = ['--format', '$(REPO_URI) $(RELEASE)', 'Created-By: Packages']
  const lines = await linesOf(shell, 'apt-get', 'indextargets', ...format)
  const found = new Map(lines.map((line) => [line, line.split(' ')]))
  return [...found.values()].map(([uri = '', suite = '']) => ({ uri, suite }))
}

/** The packages that a script of apt installs: each word that is neither an option nor the value of one. */
function namesIn(text: string): string[] {
  const lines = text.replaceAll(/\\\n/g, ' ').split('\n')
  const words = lines.filter((line) => line.startsWith('apt-get install')).flatMap((line) => line.split(/\s+/).slice(2))
  return words.filter((word) => /^[a-z0-9][a-z0-9.+-]+$/.test(word))
}

/** The packages of a host, and those that the setup itself needs. */
export function packagesStep({ shell, options }: Machine): Step {
  const own = ['openssl', 'mmdebstrap']
  if (options.acmeEmail !== undefined) own.push('certbot')
  if (options.incusType === 'virtual-machine') {
    own.push('qemu-system-x86', 'ovmf', 'swtpm', 'genisoimage', 'e2fsprogs', 'incus')
  }
  const ownText = [
    '# An installation that was cut off is brought to its end first.',
    'dpkg --configure -a',
    `apt-get install -q -y --no-install-recommends ${own.join(' ')}`,
    '',
  ].join('\n')
  const wanted = [...namesIn(packagesScript), ...own]
  return {
    name: 'packages',
    title: 'Packages',
    isSo: async () => {
      const there = await installed(shell)
      return wanted.every((name) => there.has(name))
    },
    scripts: () => [
      { name: 'finish-cut-off', text: 'dpkg --configure -a\n' },
      { name: 'packages', text: packagesScript },
      { name: 'own-packages', text: ownText },
    ],
    // What is there before the first try stays, however often it is tried.
    async note({ notes }) {
      notes.before ??= [...(await installed(shell))].join(' ')
    },
    async finish({ notes }) {
      const before = new Set(notes.before?.split(' '))
      notes.installed = [...(await installed(shell))].filter((name) => !before.has(name)).join(' ')
    },
    undo: (made) => removePackages(shell, made),
  }
}

async function installed(shell: Machine['shell']): Promise<Set<string>> {
  const lines = await linesOf(shell, 'dpkg-query', '--list')
  const there = lines.filter((line) => line.startsWith('ii '))
  // The architecture may be behind the name.
  return new Set(there.map((line) => line.split(/\s+/)[1]!.split(':')[0]!))
}

/** Removes what was installed, unless something of the operator's needs it by now. */
async function removePackages(shell: Machine['shell'], { notes }: StepRecord): Promise<void> {
  const there = await installed(shell)
  const before = new Set(notes.before?.split(' '))
  // Where an installation was cut off, nobody knows more than what the scripts would have installed.
  const ours = (notes.installed?.split(' ') ?? namesIn(packagesScript)).filter(
    (name) => there.has(name) && !before.has(name),
  )
  if (ours.length === 0) return
  const leaving = async (names: readonly string[]) => {
    const lines = await linesOf(shell, 'apt-get', '--simulate', 'purge', ...names)
    return lines.filter((line) => /^(Purg|Remv) /.test(line)).map((line) => line.split(' ')[1]!)
  }
  const isOurs = (name: string) => ours.includes(name)
  let removed = ours
  if (!(await leaving(ours)).every(isOurs)) {
    removed = []
    for (const name of ours) if ((await leaving([name])).every(isOurs)) removed.push(name)
  }
  const purge: RunScript = { name: 'purge', text: 'apt-get purge -q -y "$@"\n', args: removed }
  await shell.script(purge.name, purge.text, removed)
  // What daemons have written goes with them: the setup began where nothing of it was.
  const left = {
    ovn: ['/var/lib/ovn', '/etc/ovn'],
    openvswitch: ['/etc/openvswitch', '/var/lib/openvswitch'],
    incus: ['/var/lib/incus'],
  }
  for (const [name, paths] of Object.entries(left)) {
    if (!removed.some((one) => one.startsWith(name))) continue
    for (const path of [...paths, `/var/log/${name}`]) rmSync(path, { recursive: true, force: true })
  }
}
