/** The button that uploads files, and the question before some take the place of others. */
import { useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { list } from '../../words/format.ts'
import { files as w } from './files.words.ts'

interface UploadButtonProps {
  /** The folder has these by now. */
  readonly files: readonly { readonly name: string }[]
  readonly reason: string | undefined
  readonly onFiles: (files: readonly File[]) => void
}

export function UploadButton({ files, reason, onFiles }: UploadButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  const [asked, ask] = useState<readonly File[]>([])
  const there = new Set(files.map(({ name }) => name))
  const replacedBy = (chosen: readonly File[]) => chosen.map(({ name }) => name).filter((name) => there.has(name))
  const replaced = replacedBy(asked)
  const take = () => {
    const chosen = [...(input.current?.files ?? [])]
    // The same file can be chosen again after it was changed.
    if (input.current) input.current.value = ''
    if (replacedBy(chosen).length > 0) ask(chosen)
    else onFiles(chosen)
  }
  return (
    <>
      <input ref={input} type="file" multiple hidden aria-label={w.upload} onChange={take} />
      <Button look="primary" icon="upload" reason={reason} onClick={() => input.current?.click()}>
        {w.upload}
      </Button>
      {replaced.length > 0 && (
        <Confirm
          title={w.replaceTitle(replaced.length)}
          text={w.replaceText(list(replaced, w.moreNames))}
          act={w.replaceAct(replaced.length)}
          onConfirm={async () => onFiles(asked)}
          onClose={() => ask([])}
        />
      )}
    </>
  )
}
