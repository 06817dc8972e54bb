/** The images that servers and Load Balancers are made of. */
import { linesOf, type Machine } from '../machine.ts'
import type { RunScript, Step } from '../steps.ts'
import { makeImageScript } from '../texts.ts'
import { suitesOf } from './packages.ts'

/** Debian's release by the name that its image has in the catalogue. */
const suites: Readonly<Record<string, string>> = { 'debian-12': 'bookworm', 'debian-13': 'trixie' }
const balancer = 'wolke-balancer'

/** Without an option: the release of the machine itself, and what Load Balancers are made of. */
export function wantedImages({ options, decided: { release } }: Machine): readonly string[] {
  const own = Object.keys(suites).find((name) => suites[name] === release)!
  return options.images ?? [own, balancer]
}

/** An image is built of packages of Debian, or made of two files that the operator has. */
export function imageStep(machine: Machine, name: string): Step {
  const { options, wolke, decided } = machine
  const suite = suites[name] ?? decided.release
  const isGiven = options.imageMetadata !== undefined && options.imageRoot !== undefined
  const packages = name === balancer ? ['--include=haproxy,socat'] : []
  const built = '/var/tmp/wolke-image'
  const begin: RunScript = { name: 'image-folder', text: `rm -rf ${built}\nmkdir -p ${built}\n` }
  const build = async (): Promise<RunScript> => ({
    name: 'make-image',
    text: makeImageScript,
    args: [
      built,
      suite,
      ...(await sourceLines(machine.shell, suite)),
      ...packages,
      ...(await proxiesOf(machine.shell)),
    ],
  })
  return {
    name: `image ${name}`,
    title: `Image ${name}`,
    async isSo() {
      const { code, stdout } = await wolke('infrastructure', 'image', '--json')
      if (code !== 0) return false
      const all = JSON.parse(stdout) as readonly { readonly name: string; readonly isThere: boolean }[]
      return all.some((image) => image.name === name && image.isThere)
    },
    scripts: async () => (isGiven ? [] : [begin, await build()]),
    async finish() {
      const [metadata, root] = isGiven
        ? [options.imageMetadata!, options.imageRoot!]
        : [`${built}/metadata.tar.xz`, `${built}/root.squashfs`]
      const { code, stderr } = await wolke('infrastructure', 'image', name, '--metadata', metadata, '--root', root)
      if (code !== 0) throw new Error(`The image ${name} cannot be imported: ${stderr.trim()}`)
      if (!isGiven) await machine.shell.script('image-remove', `rm -rf ${built}\n`, [])
    },
  }
}

/** The sources of apt of this machine, for a release that may be another one. */
async function sourceLines(shell: Machine['shell'], suite: string): Promise<string[]> {
  const all = await suitesOf(shell)
  const main = all.find((one) => /^[a-z]+$/.test(one.suite))
  const security = all.find((one) => one.suite.endsWith('-security'))
  return [
    ...(main ? [`deb ${main.uri} ${suite} main`] : []),
    ...(security ? [`deb ${security.uri} ${suite}-security main`] : []),
  ]
}

/** How apt of this machine reaches its sources is how they are reached for an image, which keeps nothing of that. */
async function proxiesOf(shell: Machine['shell']): Promise<string[]> {
  const lines = await linesOf(shell, 'apt-config', 'dump')
  const found = lines.filter((line) => /^Acquire::(https?::Proxy|Check-Valid-Until)[: ]/.test(line))
  if (found.length === 0) return []
  return [...found.map((line) => `--aptopt=${line}`), '--customize-hook=rm "$1/etc/apt/apt.conf.d/99mmdebstrap"']
}
