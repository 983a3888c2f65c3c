import { promisify } from 'node:util'
import {
  type BrotliOptions,
  brotliCompress,
  brotliCompressSync,
  constants,
  gzip,
  gzipSync,
  type ZlibOptions,
} from 'node:zlib'

export type Encoding = 'br' | 'gzip'

/** The encodings of this server, the preferred one first. */
const encodings: readonly Encoding[] = ['br', 'gzip']

/** Minimum size of a body that is worth compressing. */
export const minCompressedBytes = 1024

/** Larger bodies are compressed on another thread. One of this size takes less than half a millisecond. */
const maxBlockingBytes = 64 * 1024

const cached = new Map<string, Encoding | undefined>()
const maxCached = 1000
/** Longer headers are ignored, because no client needs them. */
const maxHeaderLength = 500

/**
 * Returns the encoding that an `Accept-Encoding` header prefers (RFC 9110, 12.5.3), or `undefined` for the plain bytes.
 * Caches the result, because each client sends the same header with every request.
 */
export function chooseEncoding(header: string | undefined): Encoding | undefined {
  if (header === undefined || header.length > maxHeaderLength) return undefined
  if (cached.has(header)) return cached.get(header)
  const encoding = negotiate(header)
  if (cached.size >= maxCached) cached.clear()
  cached.set(header, encoding)
  return encoding
}

function negotiate(header: string): Encoding | undefined {
  const weights = readWeights(header)
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0
  const [best] = encodings.toSorted((one, other) => weightOf(other) - weightOf(one))
  // The plain bytes win only where the header names them with a higher weight.
  return best && weightOf(best) > 0 && weightOf(best) >= (weights.get('identity') ?? 0) ? best : undefined
}

/** Returns the weight of each listed encoding, from 0 (not acceptable) to 1. */
function readWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>()
  for (const listed of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = listed.split(';').map((part) => part.trim())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    const value = weight === undefined ? 1 : Number(weight.slice(2))
    if (name !== '') weights.set(name === 'x-gzip' ? 'gzip' : name, value >= 0 && value <= 1 ? value : 0)
  }
  return weights
}

/** Compressed forms of one body, made when a client first accepts them. */
export type CompressedForms = Partial<Record<Encoding, Buffer>>

/** Returns the compressed body. Returns a promise for a large one, which is compressed on another thread. */
export function compress(body: Buffer, encoding: Encoding): Buffer | Promise<Buffer> {
  const isLarge = body.length > maxBlockingBytes
  if (encoding === 'gzip') return isLarge ? gzipAside(body, gzipOptions) : gzipSync(body, gzipOptions)
  return isLarge ? brotliAside(body, brotliOptions) : brotliCompressSync(body, brotliOptions)
}

// Higher levels take several times as long to save a few percent (decision 53).
const gzipOptions: ZlibOptions = { level: 3 }
const brotliOptions: BrotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }

const gzipAside = promisify<Buffer, ZlibOptions, Buffer>(gzip)
const brotliAside = promisify<Buffer, BrotliOptions, Buffer>(brotliCompress)
