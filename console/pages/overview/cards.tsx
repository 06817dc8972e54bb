/** The parts of the forecast. */

import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import { useLack } from '../../api/session.ts'
import { groupOf, isAt, moodOf, type Server } from '../../families/servers/server.ts'
import { servers as s } from '../../families/servers/words.ts'
import { linkTo } from '../../families.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { Card, List } from '../../ui/card.tsx'
import { cx } from '../../ui/cx.ts'
import { Link } from '../../ui/link.tsx'
import { Breakable, FactLine } from '../../ui/page.tsx'
import { Sign } from '../../ui/state.tsx'
import { date, span } from '../../words/format.ts'
import { overview as w } from '../../words/overview.ts'
import { type Entry, entryOfAction, moods as stateMoods, typesIn } from '../activity/entries.ts'
import { useNames } from '../activity/names.ts'
import { startersIn } from '../activity/starter.ts'
import type { Coming, comingDays } from './forecast.ts'
import styles from './overview.module.css'

export function WeekCard({ coming }: { readonly coming: ReturnType<typeof comingDays> }) {
  return (
    <Card title={w.week}>
      <ol className={styles.week}>
        {coming.map((day, index) => (
          <li key={day.from} className={cx(index === 0 && styles.today)}>
            <h3>
              {index === 0 ? w.today : date(day.from, { weekday: 'short' })}
              <span>{date(day.from, index === 0 ? { day: 'numeric', month: 'short' } : { day: 'numeric' })}</span>
            </h3>
            {day.coming.length > 0 && (
              <ul>
                {day.coming.map((one) => (
                  <li key={one.kind === 'certificate' ? one.certificate.id : one.kind}>
                    <Event coming={one} />
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ol>
    </Card>
  )
}

function Event({ coming }: { readonly coming: Coming }) {
  if (coming.kind === 'backups') {
    return (
      <>
        <Sign mood="off" />
        <span>{w.backupsFrom(coming.hour)}</span>
      </>
    )
  }
  return (
    <>
      <Sign mood={coming.what === 'renews' ? 'ok' : 'bad'} />
      <span>
        <Breakable text={w.certificates[coming.what](coming.certificate.name ?? '')} />
      </span>
    </>
  )
}

const groups = ['running', 'moving', 'off', 'attention'] as const
const moods = { running: 'ok', moving: 'busy', off: 'off', attention: 'unknown' } as const
const mostShown = 8

/** The servers by place, as the sky is shown by region. */
export function SkyCard({ servers }: { readonly servers: readonly Server[] }) {
  const places = [...Map.groupBy(servers, isAt)]
  const facts = groups.map((group) => [group, servers.filter((server) => groupOf(server) === group).length] as const)
  return (
    <Card
      title={w.servers}
      end={
        <FactLine>
          {facts.map(
            ([group, count]) =>
              count > 0 && (
                <span key={group}>
                  <Sign mood={moods[group]} />
                  {w.states[group](count)}
                </span>
              ),
          )}
        </FactLine>
      }
    >
      <div className={styles.sky}>
        {places.map(([place, some]) => (
          <div key={place}>
            <h3>
              {place} <span className="faint">{some[0]?.location?.city}</span>
            </h3>
            {some.slice(0, mostShown).map((server) => (
              <ServerLine key={server.id} server={server} />
            ))}
            {some.length > mostShown && <p className="faint">+ {some.length - mostShown}</p>}
          </div>
        ))}
      </div>
    </Card>
  )
}

function ServerLine({ server }: { readonly server: Server }) {
  return (
    <Link {...linkTo('servers', 'one', { id: server.id })}>
      <Sign mood={moodOf(server)} />
      {server.name}
      <span className="faint">{server.status === 'running' ? server.server_type.name : s.statuses[server.status]}</span>
    </Link>
  )
}

export function ActivityCard() {
  const api = useApi()
  const params = { project_id: api.project ?? 0 }
  const { data } = useQuery(api.query('audit_activity', { params, query: { per_page: 10 } }))
  const mayAudit = useLack('audit_list') === undefined
  const audit = useQuery({ ...api.query('audit_list', { params, query: { per_page: 50 } }), enabled: mayAudit })
  const last = data?.activity.slice(0, 5) ?? []
  const starters = startersIn(audit.data?.audit ?? [])
  const nameOf = useNames(typesIn(last))
  if (!data) return null
  return (
    <Card
      title={w.activity}
      end={
        <ButtonLink look="quiet" small to="/projects/$project/activity">
          {w.all}
        </ButtonLink>
      }
    >
      {last.length === 0 ? (
        <p className={styles.nothing}>{w.nothingDone}</p>
      ) : (
        <List>
          {last.map((action) => (
            <Done key={action.id} entry={entryOfAction(action, nameOf, starters.get(action.id))} />
          ))}
        </List>
      )}
    </Card>
  )
}

function Done({ entry: { state, progress, title, resources, started, by } }: { readonly entry: Entry }) {
  return (
    <li>
      <Sign mood={stateMoods[state]} progress={progress} />
      <span>
        {title}
        <small>{[resources[0], by].filter(Boolean).join(' · ')}</small>
      </span>
      <time className="faint end nw" dateTime={started}>
        {span(Date.now() - Date.parse(started))}
      </time>
    </li>
  )
}
