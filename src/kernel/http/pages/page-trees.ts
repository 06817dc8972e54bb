/** Open pages below a common base, such as the files of the console. They need no credentials and charge nobody. */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../../errors.ts'
import { strangeHostRefusal } from '../admission/console-api.ts'
import type { SentPage } from './open-pages.ts'

export interface PageTree {
  /** Such as `/console`. Routes below it that are declared by themselves come first. */
  readonly base: string
  /** The page at a path below the base, which is empty or begins with a slash; undefined when there is nothing. */
  answer(path: string, asked: IncomingHttpHeaders): Promise<SentPage | undefined>
}

/** Refusals: `not_found`, and `invalid_input` with status 421 for a foreign host. */
export function mountTree(
  server: FastifyInstance,
  { base, answer }: PageTree,
  publicOrigins: readonly string[] | undefined,
): void {
  const config = { isPageTree: true }
  const reach = (url: string) =>
    server.get(url, { config }, async (request, reply) => {
      const refusal = strangeHostRefusal(request, publicOrigins)
      if (refusal) throw refusal
      const page = await answer(request.url.split('?', 1)[0]!.slice(base.length), request.headers)
      if (!page) throw new ApiError('not_found', 'there is nothing at this path')
      return reply.code(page.status).headers(page.headers).send(page.body)
    })
  reach(base)
  reach(`${base}/*`)
}

/** Tells whether a request leads to a page of a tree. */
export function isInTree({ routeOptions }: FastifyRequest): boolean {
  return (routeOptions.config as { readonly isPageTree?: boolean }).isPageTree === true
}
