/** The buttons that upload files and a folder. */
import { useRef } from 'react'
import { Button } from '../../ui/button.tsx'
import { files as w } from './files.words.ts'
import { chosenIn, type Taken } from './taken.ts'

export interface TakeProps {
  readonly reason: string | undefined
  readonly onTake: (taken: readonly Taken[]) => void
}

export function UploadButtons(props: TakeProps) {
  return (
    <>
      <UploadButton {...props} label={w.uploadFolder} isFolder />
      <UploadButton {...props} label={w.upload} />
    </>
  )
}

interface ButtonProps extends TakeProps {
  readonly label: string
  readonly isFolder?: boolean
}

function UploadButton({ label, isFolder = false, reason, onTake }: ButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  const take = () => {
    const taken = chosenIn(input.current?.files ?? [])
    // The same file can be chosen again after it was changed.
    if (input.current) input.current.value = ''
    if (taken.length > 0) onTake(taken)
  }
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={label}
        onChange={take}
        {...(isFolder && { webkitdirectory: '' })}
      />
      <Button
        look={isFolder ? undefined : 'primary'}
        icon={isFolder ? 'folder' : 'upload'}
        reason={reason}
        onClick={() => input.current?.click()}
      >
        {label}
      </Button>
    </>
  )
}
