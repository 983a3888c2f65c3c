import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'

/** Package of the command line that `npm run build` writes, seen from this file or from the server's flat `dist/`. */
const file = new URL(
  import.meta.url.endsWith('.ts') ? '../../../cli/dist/alcove.tgz' : '../../cli/dist/alcove.tgz',
  import.meta.url,
)

/** Serves the command line as a package of npm, so that pipelines run the version of their server without a registry. */
export function registerClientPackage(app: FastifyInstance): void {
  app.get('/-/alcove.tgz', async ({ headers }, reply) => {
    const bytes = await readFile(file).catch(() => undefined)
    if (!bytes)
      return reply.code(404).type('text/plain').send('The command line has not been built: npm run build does it.\n')
    const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`
    reply.headers({ etag, 'cache-control': 'no-cache' })
    if (headers['if-none-match'] === etag) return reply.code(304).send()
    return reply.type('application/gzip').send(bytes)
  })
}
