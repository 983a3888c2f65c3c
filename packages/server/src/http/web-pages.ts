import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** What `npm run build` makes of packages/web. */
const folder = fileURLToPath(new URL('../../../web/dist/', import.meta.url))

/**
 * Nothing from elsewhere, no script or style in the page itself. Frames and pictures may show what the page has fetched
 * (`blob:`): previews of uploads. A frame has this policy too, and to Chrome its viewer of PDF is an object.
 */
const contentSecurityPolicy = [
  "default-src 'self'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob:",
  "frame-src 'self' blob:",
  'object-src blob:',
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const pageHeaders = {
  'content-security-policy': contentSecurityPolicy,
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-cache',
  // The API has other answers at the same addresses.
  vary: 'Origin, Accept',
}

/** The web UI: its files below /-/assets/, compressed when they were built. Their names change with their content. */
export async function registerAssets(app: FastifyInstance): Promise<void> {
  if (!existsSync(folder)) return
  await app.register(fastifyStatic, {
    root: `${folder}assets`,
    prefix: '/-/assets/',
    preCompressed: true,
    index: false,
    immutable: true,
    maxAge: '365d',
  })
}

/** Whether this is a browser asking for a page, at an address that no route has. */
export function isPageRequest({ method, headers, raw }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  const path = raw.url?.split('?', 1)[0] ?? ''
  if (/^\/(api|uploads|-\/assets)(\/|$)/.test(path)) return false
  return path === '/' || /\btext\/html\b/i.test(headers.accept ?? '')
}

/** One page shows every address of the UI; what is to be seen there its script asks the API. */
export async function sendPage({ headers }: FastifyRequest, reply: FastifyReply): Promise<void> {
  const page = await readFile(`${folder}index.html`).catch(() => undefined)
  if (!page) {
    await reply.code(503).type('text/plain').send('The web UI has not been built: npm run build does it.\n')
    return
  }
  // By its content alone: the pages of two builds are of one size, and packages give all files one date.
  const etag = `"${createHash('sha256').update(page).digest('base64url')}"`
  const known = headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? []
  reply.headers(pageHeaders).header('etag', etag)
  await (known.includes(etag) ? reply.code(304).send() : reply.type('text/html; charset=utf-8').send(page))
}
