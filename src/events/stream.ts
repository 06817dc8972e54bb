/** The stream of what changes in a Project, for the console. */
import type { StreamPath } from '../kernel/http/streams/streams.ts'
import { Hub, type HubOptions } from './hub.ts'

/** `GET /console/api/projects/{project}/events?away=MILLISECONDS`. */
export function eventStream(options: HubOptions): StreamPath {
  const hub = new Hub(options)
  return {
    path: '/events',
    needs: 'viewer',
    // The edge lets nobody in without a Project.
    open: ({ principal, send, ...was }) => hub.join(principal.scope!.projectId, was, send),
  }
}
