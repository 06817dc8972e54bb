/** A button that reads a text file. */
import { useRef } from 'react'
import { Button } from '../../ui/button.tsx'

interface FilePickProps {
  readonly label: string
  readonly accept?: string
  readonly small?: boolean
  readonly onText: (text: string, name: string) => void
}

export function FilePick({ label, accept, small = true, onText }: FilePickProps) {
  const input = useRef<HTMLInputElement>(null)
  const read = async () => {
    const file = input.current?.files?.[0]
    if (!file) return
    onText(await file.text(), file.name)
    // The same file can be chosen again after it was changed.
    if (input.current) input.current.value = ''
  }
  return (
    <span>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={label}
        {...(accept ? { accept } : {})}
        onChange={() => void read()}
      />
      <Button small={small} icon="upload" onClick={() => input.current?.click()}>
        {label}
      </Button>
    </span>
  )
}
