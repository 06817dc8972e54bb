/** Debian's packages come from wherever the packages of this machine do. */
import { output } from './commands.ts'

/** The release of hosts and servers, whatever that of the machine: `bookworm`, or `trixie`. */
export const release = process.env.WOLKE_LAB_RELEASE ?? 'bookworm'

interface Source {
  readonly uri: string
  readonly suite: string
}

/**
 * Lines of apt's sources for a release, its security updates and its backports. Errors: one that says so when the machine
 * has none of Debian.
 */
export async function sources(of = release): Promise<string[]> {
  const targets = await output('apt-get', 'indextargets', '--format', '$(REPO_URI) $(RELEASE)', 'Created-By: Packages')
  const known = targets.split('\n').map((line): Source => {
    const [uri = '', suite = ''] = line.split(' ')
    return { uri, suite }
  })
  const main = known.find(({ uri, suite }) => /\/debian\/?$/.test(uri) && /^[a-z]+$/.test(suite))
  if (!main) throw new Error("The lab is made of Debian's packages, and apt of this machine has no source of them")
  const security = known.find(({ suite }) => suite.endsWith('-security'))
  return [
    `deb ${main.uri} ${of} main`,
    ...(security ? [`deb ${security.uri} ${of}-security main`] : []),
    `deb ${main.uri} ${of}-backports main`,
  ]
}
