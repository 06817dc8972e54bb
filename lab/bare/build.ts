/** Builds what bare hosts are made of: the file system of a Debian that was just installed, and the archive that apt finds there. */
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { folderOf, part, patienceMs, runBuilder, withTemporary } from '../build.ts'
import { output, outputWithin } from '../commands.ts'
import { currentLab } from '../lab.ts'
import { sources } from '../sources.ts'
import { serveArchive } from './archive.ts'

const here = import.meta.dirname

/** The releases of Debian that bare hosts may have. */
export const bareReleases = ['bookworm', 'trixie'] as const
export type BareRelease = (typeof bareReleases)[number]

const recipe = ['archive.ts', 'build.ts', 'customize.sh', 'guests', 'packages', 'record.sh'].map(
  (file) => `bare/${file}`,
)
const folders = (of: BareRelease) => folderOf(of, ...recipe)

export interface BareParts {
  /** The file system of bare hosts, which each sees through a layer of its own. */
  readonly tree: string
  /** What the servers of Debian have for them, by URL. */
  readonly archive: string
}

/** Builds what is missing for a release, which takes a minute or two. Errors: one that has what the programs said. */
export async function buildBare(release: BareRelease): Promise<BareParts> {
  const folder = folders(release)
  if (!existsSync(folder)) {
    // There is no way out of a lab.
    if (currentLab()) throw new Error('What bare hosts are made of is not there yet: node lab/main.ts build')
    await runBuilder(import.meta.filename, release)
  }
  return { tree: join(folder, 'tree'), archive: join(folder, 'archive') }
}

/** What an installation of Debian without tasks has, and nothing else; and the archive, by what apt asks it for. */
async function makeBare(release: BareRelease, folder: string): Promise<void> {
  const [tree, archive] = [join(folder, 'tree'), join(folder, 'archive')]
  const installed = (await sources(release)).filter((line) => !line.includes('-backports'))
  const how = ['--mode=root', '--variant=important', '--dpkgopt=force-unsafe-io']
  const include = '--include=ca-certificates,dbus,ethtool,openssh-server'
  const customize = `--customize-hook=sh ${join(here, 'customize.sh')} "$1"`
  await outputWithin(patienceMs, 'mmdebstrap', ...how, include, customize, release, tree, ...installed)
  mkdirSync(archive)
  const [, mirror = ''] = installed[0]!.split(' ')
  await record(folder, tree, archive, mirror)
}

/** Lets apt ask for packages over a layer, because what that leaves behind is no part of hosts. */
async function record(folder: string, tree: string, archive: string, mirror: string): Promise<void> {
  const [layer, work, merged] = ['layer', 'work', 'merged'].map((name) => join(folder, name))
  const parts = [layer!, work!, merged!]
  for (const path of parts) mkdirSync(path)
  await output('mount', '-t', 'overlay', 'overlay', '-o', `lowerdir=${tree},upperdir=${layer},workdir=${work}`, merged!)
  for (const file of ['guests', 'packages', 'record.sh']) cpSync(join(here, file), join(merged!, 'root', file))
  const server = await serveArchive(archive, { isRecording: true })
  const proxy = `http://127.0.0.1:${server.port}`
  await outputWithin(patienceMs, 'chroot', merged!, 'sh', '/root/record.sh', proxy, mirror)
  await server.close()
  await output('umount', merged!)
  for (const path of parts) rmSync(path, { recursive: true })
}

if (import.meta.main) {
  const [release] = process.argv.slice(2) as [BareRelease]
  await withTemporary(() => part(folders(release), (folder) => makeBare(release, folder)))
}
