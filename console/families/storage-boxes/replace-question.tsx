/** Asks before files of a folder are replaced by what was taken to be uploaded. */
import { Confirm } from '../../ui/dialog.tsx'
import { list } from '../../words/format.ts'
import { files as w } from './files.words.ts'
import type { Taken } from './taken.ts'

/** Says which of what was taken has a name that the folder has already, files and folders apart. */
export function takenNames(taken: readonly Taken[], there: readonly { readonly name: string }[]) {
  const names = new Set(there.map(({ name }) => name))
  const first = [...new Set(taken.map(({ path }) => path.split('/', 1)[0]!))].filter((name) => names.has(name))
  const isFile = (name: string) => taken.some(({ path, file }) => path === name && file !== undefined)
  return { files: first.filter(isFile), folders: first.filter((name) => !isFile(name)) }
}

interface QuestionProps extends ReturnType<typeof takenNames> {
  readonly onConfirm: () => void
  readonly onClose: () => void
}

export function ReplaceQuestion({ files, folders, onConfirm, onClose }: QuestionProps) {
  const texts = [
    ...(files.length > 0 ? [w.replaceText(list(files, w.moreNames))] : []),
    ...(folders.length > 0 ? [w.mergeText(list(folders, w.moreNames))] : []),
  ]
  return (
    <Confirm
      title={folders.length > 0 ? w.mergeTitle : w.replaceTitle(files.length)}
      text={texts.join(' ')}
      act={folders.length > 0 ? w.mergeAct : w.replaceAct(files.length)}
      onConfirm={async () => onConfirm()}
      onClose={onClose}
    />
  )
}
