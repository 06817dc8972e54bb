/** Shows files on their way into a Storage Box: how much of all and of each has gone, and what became of it. */
import { Button, IconButton } from '../../ui/button.tsx'
import { Card, List } from '../../ui/card.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { Progress } from '../../ui/progress.tsx'
import { type Mood, State } from '../../ui/state.tsx'
import styles from './boxes.module.css'
import { files as w } from './files.words.ts'
import { sizeText } from './usage.ts'
import { isOver, type Upload, type useUploads } from './use-uploads.ts'

const moods = { waiting: 'off', sending: 'busy', done: 'ok', stopped: 'warn', failed: 'bad' } as const satisfies Record<
  Upload['state'],
  Mood
>

/** Above so many those alone are shown that are on their way or have failed, and how many others there are. */
const mostShown = 20

export function UploadsCard({ all, isBusy, stop, stopAll, clear }: ReturnType<typeof useUploads>) {
  if (all.length === 0) return null
  const shown = all.length > mostShown ? all.filter(({ state }) => state === 'sending' || state === 'failed') : all
  const end = isBusy ? (
    all.length > 1 && (
      <Button small onClick={stopAll}>
        {w.stopAll}
      </Button>
    )
  ) : (
    <Button small onClick={clear}>
      {w.clear}
    </Button>
  )
  return (
    <Card title={w.uploads} end={end}>
      <List>
        {all.length > 1 && (
          <li>
            <Whole all={all} isBusy={isBusy} />
          </li>
        )}
        {shown.map((one) => (
          <li key={one.key}>
            <span className={styles.upload}>
              <b>{one.name}</b>
              {one.state === 'failed' ? (
                <FailureNote cause={one.cause} what={w.notUploaded(one.name)} />
              ) : (
                <UploadState {...one} />
              )}
            </span>
            {!isOver(one) && (
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

/** How much of all has gone. What has failed or was stopped is no part of it any more. */
function Whole({ all, isBusy }: Pick<ReturnType<typeof useUploads>, 'all' | 'isBusy'>) {
  const going = all.filter(({ state }) => state !== 'failed' && state !== 'stopped')
  const sum = (of: (one: Upload) => number) => going.reduce((total, one) => total + of(one), 0)
  const [sent, size, done] = [
    sum((one) => one.sent),
    sum((one) => one.size),
    sum(({ state }) => Number(state === 'done')),
  ]
  return (
    <span className={styles.upload}>
      <span className="dim">
        {w.doneOf(done, all.length)} · {w.sentOf(sizeText(sent), sizeText(size))}
      </span>
      {isBusy && <Progress value={size === 0 ? 0 : (sent / size) * 100} label={w.whole} />}
    </span>
  )
}

function UploadState({ name, isFolder, state, sent, size }: Upload) {
  const share = size === 0 ? 100 : (sent / size) * 100
  const texts = { waiting: w.waiting, done: isFolder ? w.made : w.uploaded, stopped: w.stopped }
  return (
    <>
      <State mood={moods[state]} progress={share}>
        <span role="status">
          {state === 'sending' || state === 'failed'
            ? w.sentOf(sizeText(sent), sizeText(size))
            : [texts[state], ...(isFolder ? [] : [sizeText(size)])].join(' · ')}
        </span>
      </State>
      {state === 'sending' && <Progress value={share} label={w.uploading(name)} />}
    </>
  )
}
