/** Asks before a request is sent that loses something, by the name of what is lost. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useProjectId } from '../../api/api.ts'
import { type AnyRequest, type OperationId, operationOf } from '../../api/operations.ts'
import { knownResource } from '../../shell/known-resource.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { raw as w } from '../../words/raw.ts'
import { descriptionOf } from './descriptions.ts'

interface QuestionProps {
  readonly request: AnyRequest
  readonly onConfirm: () => void
  readonly onClose: () => void
}

export function Question({ request, onConfirm, onClose }: QuestionProps) {
  const cache = useQueryClient()
  const project = useProjectId()
  return (
    <Confirm
      title={`${descriptionOf(request.operation).summary}?`}
      text={w.askText(nameIn(cache, project, request))}
      act={w.send}
      onConfirm={async () => onConfirm()}
      onClose={onClose}
    />
  )
}

/** Returns the name of what a request is about where it is known here, else its method and path. */
function nameIn(cache: QueryClient, project: number | undefined, request: AnyRequest): string {
  // What is deleted is known by the same path that reads it.
  const reading = request.operation.replace(/_remove$/, '_get') as OperationId
  const name = knownResource(cache, project, { ...request, operation: reading })?.name
  const { path, method } = operationOf(request.operation)
  const { params = {} } = request
  return name ?? `${method} ${path.replace(/\{(\w+)\}/g, (_, key: string) => String(params[key]))}`
}
