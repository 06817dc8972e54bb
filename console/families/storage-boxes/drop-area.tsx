/** The area of the files of a folder, on which others are dropped to upload them. */
import { type DragEvent, type ReactNode, useState } from 'react'
import styles from './boxes.module.css'
import { droppedIn } from './taken.ts'
import type { TakeProps } from './upload-button.tsx'

/** Takes files and folders that are dropped on what is in it. */
export function DropArea({ reason, onTake, children }: TakeProps & { readonly children: ReactNode }) {
  const [isOver, setOver] = useState(false)
  const isTaking = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes('Files')
  const over = (event: DragEvent) => {
    if (!isTaking(event)) return
    event.preventDefault()
    event.dataTransfer.dropEffect = reason === undefined ? 'copy' : 'none'
    setOver(reason === undefined)
  }
  // The way from one part of the area to another does not lead out of it.
  const leave = ({ currentTarget, relatedTarget }: DragEvent) => {
    if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOver(false)
  }
  const drop = async (event: DragEvent) => {
    if (!isTaking(event)) return
    event.preventDefault()
    setOver(false)
    if (reason !== undefined) return
    const taken = await droppedIn(event.dataTransfer)
    if (taken.length > 0) onTake(taken)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way beside the buttons
    <div
      className={styles.drop}
      data-over={isOver || undefined}
      onDragOver={over}
      onDragLeave={leave}
      onDrop={(event) => void drop(event)}
    >
      {children}
    </div>
  )
}
