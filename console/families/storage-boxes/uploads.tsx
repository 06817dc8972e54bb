/** Shows files on their way into a Storage Box: how much of each has gone, and what became of it. */
import { Button, IconButton } from '../../ui/button.tsx'
import { Card, List } from '../../ui/card.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { Progress } from '../../ui/progress.tsx'
import { type Mood, State } from '../../ui/state.tsx'
import styles from './boxes.module.css'
import { files as w } from './files.words.ts'
import { sizeText } from './usage.ts'
import type { Upload, useUploads } from './use-uploads.ts'

const moods = { waiting: 'off', sending: 'busy', done: 'ok', stopped: 'warn', failed: 'bad' } as const satisfies Record<
  Upload['state'],
  Mood
>

export function UploadsCard({ all, isBusy, stop, clear }: ReturnType<typeof useUploads>) {
  if (all.length === 0) return null
  return (
    <Card
      title={w.uploads}
      end={
        !isBusy && (
          <Button small onClick={clear}>
            {w.clear}
          </Button>
        )
      }
    >
      <List>
        {all.map((one) => (
          <li key={one.key}>
            <span className={styles.upload}>
              <b>{one.name}</b>
              {one.state === 'failed' ? (
                <FailureNote cause={one.cause} what={w.notUploaded(one.name)} />
              ) : (
                <UploadState {...one} />
              )}
            </span>
            {(one.state === 'waiting' || one.state === 'sending') && (
              <span className="end">
                <IconButton small icon="x" label={w.stop(one.name)} onClick={() => stop(one.key)} />
              </span>
            )}
          </li>
        ))}
      </List>
    </Card>
  )
}

function UploadState({ name, state, sent, size }: Upload) {
  const share = size === 0 ? 100 : (sent / size) * 100
  const texts = { waiting: w.waiting, done: w.uploaded, stopped: w.stopped }
  return (
    <>
      <State mood={moods[state]} progress={share}>
        <span role="status">
          {state === 'sending' || state === 'failed'
            ? w.sentOf(sizeText(sent), sizeText(size))
            : `${texts[state]} · ${sizeText(size)}`}
        </span>
      </State>
      {state === 'sending' && <Progress value={share} label={w.uploading(name)} />}
    </>
  )
}
