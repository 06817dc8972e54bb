/** Shows what a Load Balancer listens for, and how it checks its targets. */
import { useState } from 'react'
import type { ApiRequest } from '../../api/operations.ts'
import { sh } from '../../commands/shell.ts'
import { FormDialog } from '../../pages/shared/form-dialog.tsx'
import { useReason } from '../../shell/may.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { State } from '../../ui/state.tsx'
import { type Column, ListFrame, Table, Tools } from '../../ui/table.tsx'
import { None, Tag, Tags } from '../../ui/tag.tsx'
import { common as c } from '../../words/common.ts'
import { number } from '../../words/format.ts'
import { type Balancer, healthOf, moodOf, type Service } from './balancer.ts'
import { serviceText } from './health.ts'
import { ServiceDialog } from './service-dialog.tsx'
import { balancers as w } from './words.ts'

type Asked = { readonly kind: 'add' } | { readonly kind: 'edit' | 'delete'; readonly service: Service }

export function ServicesTab({ balancer }: { readonly balancer: Balancer }) {
  const [asked, ask] = useState<Asked>()
  const mayAdd = useReason('load_balancers_addService')
  const mayChange = useReason('load_balancers_updateService')
  const mayDelete = useReason('load_balancers_deleteService')
  const { id, name, services } = balancer
  const add = (
    <Button look="primary" icon="plus" reason={mayAdd} onClick={() => ask({ kind: 'add' })}>
      {w.addService}
    </Button>
  )
  const close = () => ask(undefined)
  return (
    <>
      {services.length === 0 ? (
        <Empty
          title={w.noServices}
          text={w.noServicesText}
          action={add}
          command={sh`hcloud load-balancer add-service --protocol http ${id}`}
        />
      ) : (
        <ListFrame>
          <Tools end={add}>
            <span className="faint">
              {w.servicesOf(number(services.length), number(balancer.load_balancer_type.max_services))}
            </span>
          </Tools>
          <Table
            caption={w.servicesCaption(name)}
            columns={columnsOf(balancer)}
            rows={services}
            idOf={({ listen_port }) => listen_port}
            nameOf={serviceText}
            menu={(service) => [
              {
                key: 'edit',
                isEdit: true,
                label: c.change,
                icon: 'settings',
                reason: mayChange,
                onSelect: () => ask({ kind: 'edit', service }),
              },
              'line',
              {
                key: 'delete',
                label: c.delete,
                icon: 'trash',
                isBad: true,
                reason: mayDelete,
                onSelect: () => ask({ kind: 'delete', service }),
              },
            ]}
          />
          <span className="only-narrow">{add}</span>
        </ListFrame>
      )}
      {asked && asked.kind !== 'delete' && (
        <ServiceDialog
          balancer={balancer}
          service={asked.kind === 'edit' ? asked.service : undefined}
          onClose={close}
        />
      )}
      {asked?.kind === 'delete' && (
        <FormDialog
          title={w.deleteServiceTitle(serviceText(asked.service))}
          text={w.deleteServiceText}
          act={w.deleteService}
          isBad
          request={
            {
              operation: 'load_balancers_deleteService',
              params: { id },
              body: { listen_port: asked.service.listen_port },
            } satisfies ApiRequest<'load_balancers_deleteService'>
          }
          families={['load_balancers']}
          onClose={close}
        />
      )}
    </>
  )
}

function columnsOf({ targets }: Balancer): readonly Column<Service>[] {
  return [
    { key: 'service', label: w.service, card: 'key', isNarrow: true, cell: serviceText },
    {
      key: 'health',
      label: w.columns.health,
      card: 'stat',
      cell: ({ listen_port: port }) => {
        const own = healthOf(targets).filter(({ listen_port }) => listen_port === port)
        const healthy = own.filter(({ status }) => status === 'healthy').length
        return (
          <State mood={own.length === 0 ? 'off' : moodOf(own)}>
            {own.length === 0 ? w.noTargets : w.healthyOf(number(healthy), number(own.length))}
          </State>
        )
      },
    },
    {
      key: 'options',
      label: w.options,
      card: 'sub',
      cell: ({ proxyprotocol, http }) => {
        const options = [
          ...(proxyprotocol ? [w.proxyProtocol] : []),
          ...(http?.sticky_sessions ? [w.sticky] : []),
          ...(http?.redirect_http ? [w.redirect] : []),
          ...(http?.certificates.length ? [w.certificateCount(http.certificates.length)] : []),
        ]
        if (options.length === 0) return <None />
        return (
          <Tags>
            {options.map((option) => (
              <Tag key={option}>{option}</Tag>
            ))}
          </Tags>
        )
      },
    },
    {
      key: 'check',
      label: w.healthCheck,
      rank: 2,
      cell: ({ health_check: { protocol, port, interval, timeout, retries, http } }) => (
        <>
          {`${protocol} ${port}${http ? ` ${http.path}` : ''}`}
          <small>{w.checkText(interval, timeout, retries)}</small>
        </>
      ),
    },
  ]
}
