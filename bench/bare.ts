/** The baseline: a bare fastify server with a route for each answer in a given file. */
import { readFileSync } from 'node:fs'
import { fastify } from 'fastify'

/** The answer of a bare route. */
export interface BareAnswer {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly status: number
  readonly body: string
}

const [file = '', port] = process.argv.slice(2)
const answers = JSON.parse(readFileSync(file, 'utf8')) as BareAnswer[]
const server = fastify()
for (const { method, path, status, body } of answers) {
  server.route({
    method,
    url: path,
    handler: (_request, reply) => {
      reply.code(status).type('application/json; charset=utf-8').send(body)
    },
  })
}
await server.listen({ host: '127.0.0.1', port: Number(port) })
