import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { chooseEncoding } from './response/compression.ts'

/** Output folder of `npm run build` for packages/web, seen from this file or from the server's flat `dist/`. */
const folder = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../../web/dist/' : '../../web/dist/', import.meta.url),
)

/**
 * Allows resources of this origin only, and no inline scripts or styles. `blob:` allows previews of uploads that the page
 * has fetched. Frames inherit this policy, and Chrome treats its PDF viewer as an object.
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
  // The API has other responses at the same URLs.
  vary: 'Origin, Accept, Accept-Encoding',
}

/** Serves the precompressed files of the web UI below /-/assets/. Their names change with their content. */
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

/** Returns true when a browser requests a page at a URL without a route. */
export function isPageRequest({ method, headers, raw }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  const path = raw.url?.split('?', 1)[0] ?? ''
  if (/^\/(api|uploads|-\/assets)(\/|$)/.test(path)) return false
  return path === '/' || /\btext\/html\b/i.test(headers.accept ?? '')
}

/** Sends the HTML page of the UI. It is the same for every URL; its script loads the content from the API. */
export async function sendPage({ headers }: FastifyRequest, reply: FastifyReply): Promise<void> {
  const encoding = chooseEncoding(headers['accept-encoding'])
  const compressed = encoding && (await readPage(extensions[encoding]))
  const page = compressed ?? (await readPage(''))
  if (!page) {
    await reply.code(503).type('text/plain').send('The web UI has not been built: npm run build does it.\n')
    return
  }
  // Uses a content hash: pages of two builds can have the same size, and packages give all files the same date. Each
  // encoding has its own.
  const etag = `"${createHash('sha256').update(page).digest('base64url')}"`
  const known = headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? []
  reply.headers(pageHeaders).header('etag', etag)
  if (known.includes(etag)) return void (await reply.code(304).send())
  if (compressed) reply.header('content-encoding', encoding)
  await reply.type('text/html; charset=utf-8').send(page)
}

const extensions = { br: '.br', gzip: '.gz' }

/** Returns the page or one of the compressed forms that the build has put beside it. */
function readPage(extension: string): Promise<Buffer | undefined> {
  return readFile(`${folder}index.html${extension}`).catch(() => undefined)
}
