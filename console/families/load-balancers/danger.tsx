/** Protection and deletion of a Load Balancer. */
import type { ApiRequest } from '../../api/operations.ts'
import { Equivalents } from '../../pages/shared/equivalents.tsx'
import { useRequest } from '../../pages/shared/submit.ts'
import { useReason } from '../../shell/may.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { resources as r } from '../../words/resources.ts'
import type { Balancer } from './balancer.ts'
import { balancers as w } from './words.ts'

export function DangerTab({ balancer, onRemove }: { readonly balancer: Balancer; readonly onRemove: () => void }) {
  const { id, name, protection } = balancer
  const mayProtect = useReason('load_balancers_changeProtection')
  const mayDelete = useReason('load_balancers_remove')
  const request: ApiRequest<'load_balancers_changeProtection'> = {
    operation: 'load_balancers_changeProtection',
    params: { id },
    body: { delete: !protection.delete },
  }
  const { isBusy, cause, send } = useRequest({ request, families: ['load_balancers'] })
  return (
    <>
      <Card title={w.protection} padded>
        <p className="dim">{protection.delete ? w.isProtected : w.isNotProtected}</p>
        <span>
          <Button icon="lock" reason={mayProtect} isBusy={isBusy} onClick={send}>
            {protection.delete ? r.unprotect : r.protect}
          </Button>
        </span>
        {cause !== undefined && <FailureNote cause={cause} />}
        <Equivalents request={request} />
      </Card>
      <Card title={w.deletion} padded>
        <p className="dim">{w.lost}</p>
        <span>
          <Button
            look="danger"
            icon="trash"
            reason={mayDelete ?? (protection.delete ? r.isProtected : undefined)}
            onClick={onRemove}
          >
            {r.deleteAct(name)}
          </Button>
        </span>
      </Card>
    </>
  )
}
