import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** What `npm run build` makes of packages/web. */
const folder = fileURLToPath(new URL('../../../../web/dist/', import.meta.url))

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
  return path === '/' || headers.accept?.includes('text/html') === true
}

/** One page shows every address of the UI; what is to be seen there its script asks the API. */
export function sendPage(reply: FastifyReply): void {
  if (existsSync(`${folder}index.html`)) {
    reply.headers(pageHeaders).sendFile('index.html', folder, { cacheControl: false })
  } else {
    reply.code(503).type('text/plain').send('The web UI has not been built: npm run build does it.\n')
  }
}
