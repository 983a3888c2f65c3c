import type { FastifyRequest } from 'fastify'
import { Failure, parameterProblem, tooLarge } from '../../platform/failure.ts'
import { type Arriving, filePace, memoryPace, openArriving } from '../pipeline/body/arriving.ts'
import { openCollected } from './collected.ts'
import { type MultipartForm, type MultipartOptions, readMultipart } from './multipart/multipart.ts'
import { type Pair, paramsFromPairs, parseJsonObject, parseUrlencoded, type RawParams } from './raw-params.ts'

/** Default limit for the text of a body, which is held in memory. A topic's description can have 1 MiB. */
export const maxTextBytes = 4 * 1024 * 1024
/** Limit for the text of a body before authentication, and for routes that need no more. */
export const maxSmallTextBytes = 64 * 1024
/** Allowance for the multipart framing, in addition to text and files. */
const maxFramingBytes = 64 * 1024

/**
 * Kinds of request body. Only some routes accept `file`, a raw file, and `raw` and `streamed`, bytes that the route reads
 * itself, whole or while they arrive.
 */
export type BodyKind = 'none' | 'json' | 'urlencoded' | 'multipart' | 'file' | 'raw' | 'streamed' | 'other'

/** Limits and callbacks for reading a body. */
export interface BodyOptions extends Omit<MultipartOptions, 'maxBodyBytes'> {
  /** Limit for the total size of all files in the body. */
  maxFileBytes: number
  /** Detail of a 413 response about a limit that depends on the resource. */
  sentence?: string
}

export function bodyKind(request: FastifyRequest): BodyKind {
  if (request.method === 'GET' || request.method === 'HEAD') return 'none'
  const type = mediaType(request)
  if (type === 'multipart/form-data') return 'multipart'
  if (type === 'application/json' || type.endsWith('+json')) return 'json'
  if (type === 'application/x-www-form-urlencoded') return 'urlencoded'
  if (request.headers['content-length'] === undefined && request.headers['transfer-encoding'] === undefined)
    return 'none'
  return request.headers['content-length'] === '0' ? 'none' : 'other'
}

export const mediaType = ({ headers }: FastifyRequest): string => mediaTypeOf(headers['content-type'] ?? '')

/** Returns the media type of a `Content-Type` without its parameters. */
export function mediaTypeOf(contentType: string): string {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/** Throws when `Content-Length` exceeds the limit, before reading the body. */
export function assertAnnouncedLength(
  request: FastifyRequest,
  kind: BodyKind,
  limits: Pick<BodyOptions, 'maxFileBytes' | 'maxTextBytes' | 'sentence'>,
): void {
  const announced = Number(request.headers['content-length'] ?? 0)
  const maxBytes = mayHoldFile(kind) ? maxBodyBytes(limits) : limits.maxTextBytes
  if (kind === 'none' || kind === 'streamed' || announced <= maxBytes) return
  throw tooLarge(limits.sentence ?? (mayHoldFile(kind) ? undefined : textLimit(maxBytes)))
}

export function textLimit(maxBytes: number): string {
  return `the text of this request may have up to ${maxBytes / 1024} KiB`
}

export const mayHoldFile = (kind: BodyKind) => kind === 'multipart' || kind === 'file'

/** Returns the limit for a whole form. Allows extra bytes for framing, which depends on the number of fields. */
function maxBodyBytes(limits: Pick<BodyOptions, 'maxFileBytes' | 'maxTextBytes'>): number {
  return limits.maxFileBytes + 2 * limits.maxTextBytes + maxFramingBytes
}

/** Reads the body into raw parameters. Stores files while they arrive, through `options.receive`. */
export async function readBody(
  request: FastifyRequest,
  kind: Exclude<BodyKind, 'raw' | 'streamed'>,
  options: BodyOptions,
): Promise<RawParams> {
  assertAnnouncedLength(request, kind, options)
  switch (kind) {
    case 'none':
      return paramsFromPairs([])
    case 'json':
      return parseJsonObject(await readBytes(request, options))
    case 'urlencoded':
      return parseUrlencoded(await readBytes(request, options))
    case 'multipart':
      return paramsFromForm(
        await readMultipart(request, { ...options, maxBodyBytes: maxBodyBytes(options) }),
        options.fileFields,
      )
    case 'file':
      return paramsFromPairs(await readAsFile(request, options))
    case 'other':
      throw new Failure({ kind: 'unsupported-content-type', contentType: request.headers['content-type'] ?? '' })
  }
}

/**
 * Gives files precedence over texts of the same name, because some clients also send a blank text field. Repeated files of
 * a list are collected whether their name ends with `[]` or not.
 */
function paramsFromForm({ fields, files }: MultipartForm, fileFields: readonly string[]): RawParams {
  const listed = files.map(([name, file]): Pair => {
    const asList = `${name}[]`
    return [fileFields.includes(asList) ? asList : name, file]
  })
  return paramsFromPairs([...fields, ...listed])
}

/** Stores the body as a file. The filename is the name of the field, because a raw body has no filename. */
async function readAsFile({ raw }: FastifyRequest, { fileFields, receive }: BodyOptions): Promise<Pair[]> {
  const [name] = fileFields
  if (name === undefined) return []
  const arriving = openArriving(raw, filePace, endedTooEarly)
  try {
    return [[name, await receive({ name, filename: name, content: untilEnd(arriving) })]]
  } finally {
    arriving.stop()
  }
}

/** Returns the bytes of a body while they arrive, for a route that limits them itself. */
export async function* streamBody({ raw }: FastifyRequest): AsyncGenerator<Buffer, void> {
  const arriving = openArriving(raw, filePace, endedTooEarly)
  try {
    yield* untilEnd(arriving)
  } finally {
    arriving.stop()
  }
}

async function* untilEnd({ next }: Arriving): AsyncGenerator<Buffer> {
  for (let chunk = await next(); chunk; chunk = await next()) yield chunk
}

const endedTooEarly = () => parameterProblem('the request body ended too early')

/** Reads the whole body into memory. */
export async function readBytes(
  { raw }: FastifyRequest,
  { maxTextBytes, sentence }: Pick<BodyOptions, 'maxTextBytes' | 'sentence'>,
): Promise<Buffer> {
  const collected = openCollected(maxTextBytes, () => tooLarge(sentence ?? textLimit(maxTextBytes)))
  const arriving = openArriving(raw, memoryPace, endedTooEarly)
  try {
    for (let chunk = await arriving.next(); chunk; chunk = await arriving.next()) collected.add(chunk)
    return collected.bytes()
  } finally {
    arriving.stop()
  }
}
