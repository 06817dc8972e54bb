/** The program of the commit before, built beside the tree with the libraries of the tree. */
import { execFile } from 'node:child_process'
import { cpSync, globSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Refusal } from '../options.ts'

const run = promisify(execFile)
/** What the program is built from. */
const sources = ['src', 'console', 'scripts', 'build.mjs', 'package.json', 'package-lock.json', ':(exclude)*.test.ts']

/** The commit to compare with; or why there is none. */
export type Found =
  | { readonly commit: string; readonly says: string }
  | { readonly commit: undefined; readonly says: string }

/**
 * Finds the commit before the newest one in `tree` that changed sources, or the checked out one while they are changed: what
 * came after it, such as documentation, is no other program. A first commit has none.
 * Errors: `Refusal` for a tree without its history, where nobody could know what was lost.
 */
export async function commitBefore(tree: string, against?: string): Promise<Found> {
  const git = async (...args: string[]) => (await run('git', ['-C', tree, ...args])).stdout.trim()
  const isShallow = await git('rev-parse', '--is-shallow-repository').catch(() => undefined)
  if (isShallow === undefined) throw new Refusal('--check compares with the commit before, and this is no clone of git')
  const hasChanges = (await git('status', '--porcelain', '--', ...sources)) !== ''
  const changed = (await git('log', '-1', '--format=%H', '--', ...sources)) || 'HEAD'
  const name = against ?? (hasChanges ? 'HEAD' : `${changed}^`)
  const commit = await git('rev-parse', '--verify', '--quiet', `${name}^{commit}`).catch(() => undefined)
  if (commit) return { commit, says: `compared with ${await git('log', '-1', '--format=%h %s', commit)}` }
  if (against !== undefined) throw new Refusal(`there is no commit '${against}'`)
  if (isShallow === 'true') {
    throw new Refusal('--check compares with the commit before, which this clone lacks: git fetch --deepen=1 brings it')
  }
  return { commit: undefined, says: 'this is the first commit: nothing was there before to compare with' }
}

/** A built program, or undefined when there is none to compare with; and what there is to say about it. */
export interface Built {
  readonly program: string | undefined
  readonly says: readonly string[]
}

/**
 * Builds a commit of `tree` in an empty folder. What of the build is the same is taken over from the tree. Errors: of a build
 * that fails although its libraries are those of the tree.
 */
export async function buildBefore(tree: string, commit: string, folder: string): Promise<Built> {
  await extract(tree, commit, folder)
  symlinkSync(join(tree, 'node_modules'), join(folder, 'node_modules'))
  for (const made of ['dist', 'console/generated']) {
    cpSync(join(tree, made), join(folder, made), { recursive: true })
  }
  const hasOtherLibraries = isDifferent(tree, folder, 'package-lock.json')
  const says = hasOtherLibraries
    ? ['its libraries are others: it was built with those of now, so what these cost is not seen']
    : []
  try {
    await run(process.execPath, ['build.mjs'], { cwd: folder })
  } catch (error) {
    if (!hasOtherLibraries) throw error
    return {
      program: undefined,
      says: ['it cannot be built with the libraries of now, which are others: nothing was compared'],
    }
  }
  if (isSame(join(tree, 'dist'), join(folder, 'dist'))) {
    return { program: undefined, says: [...says, 'its program is the same: there is nothing to compare'] }
  }
  return { program: join(folder, 'dist/main.js'), says }
}

async function extract(tree: string, commit: string, folder: string): Promise<void> {
  // tar reads no further than the end that the archive says, which a pipe takes for a failure.
  const archive = join(folder, 'commit.tar')
  await run('git', ['-C', tree, 'archive', '--output', archive, commit])
  await run('tar', ['-xf', archive, '-C', folder])
  rmSync(archive)
}

const isDifferent = (one: string, other: string, path: string) =>
  !readFileSync(join(one, path)).equals(readFileSync(join(other, path)))

/** Whether two programs run the same code. */
function isSame(one: string, other: string): boolean {
  const [files, others] = [one, other].map((cwd) => globSync('*.js', { cwd }).sort())
  return files!.join() === others!.join() && files!.every((path) => !isDifferent(one, other, path))
}
