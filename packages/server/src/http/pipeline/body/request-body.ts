import type { FastifyRequest } from 'fastify'
import { Failure, tooLarge, unauthenticated } from '../../../platform/failure.ts'
import { newObjectKey } from '../../../platform/object-store/key.ts'
import { receiveFile } from '../../../platform/object-store/receive.ts'
import {
  assertAnnouncedLength,
  type BodyOptions,
  maxSmallTextBytes,
  readBody as readBodyOfKind,
  textLimit,
} from '../../params/body.ts'
import type { FilePart } from '../../params/multipart/multipart.ts'
import { emptyParams, type RawParams } from '../../params/raw-params.ts'
import type { FileLimit } from '../../route.ts'
import type { Endpoint } from '../endpoint.ts'
import { type RequestState, resourceContext } from '../request-state.ts'

/** Rejects a body with 413 before any of it is read, when its announced length is too large. */
export function rejectAnnouncedLength(endpoint: Endpoint, { request, bodyKind }: RequestState): void {
  assertAnnouncedLength(request, bodyKind, endpoint)
}

/** Reads the body of a request whose caller is known, unless its form has been read before. Stores files on arrival. */
export function readBody(endpoint: Endpoint, state: RequestState): void | Promise<void> {
  if (!state.body && state.bodyKind !== 'none') return readUnreadBody(endpoint, state)
}

async function readUnreadBody(endpoint: Endpoint, state: RequestState): Promise<void> {
  const { request, caller, early, bodyKind } = state
  if (bodyKind === 'raw') {
    state.bytes = await endpoint.readRawBody(request, endpoint)
    state.body = emptyParams()
    return
  }
  if (bodyKind === 'streamed') {
    state.body = emptyParams()
    return
  }
  const limit =
    early && !(early instanceof Failure)
      ? await endpoint.route.fileLimit?.(endpoint.deps, resourceContext(early))
      : undefined
  const kind = bodyKind === 'other' && endpoint.route.ignoresRawBody ? 'none' : bodyKind
  try {
    state.body = await readBodyOfKind(request, kind, optionsFor(endpoint, state, limit))
  } catch (error) {
    throw isTooLarge(error) && !caller && endpoint.row.who !== 'anyone' ? unauthenticated() : error
  }
}

/** Reads a form before its sender is known. */
export function readForm(endpoint: Endpoint, state: RequestState): Promise<RawParams> {
  return readBodyOfKind(state.request, 'urlencoded', optionsFor(endpoint, state, undefined))
}

/** Whether a body may be read from an unknown sender; false when its length is not announced. */
export function isSmallBody({ headers }: FastifyRequest): boolean {
  return Number(headers['content-length']) <= maxSmallTextBytes
}

/** Without a limit no file is stored, because the caller may not send one. */
function optionsFor(endpoint: Endpoint, { caller, files }: RequestState, limit: FileLimit | undefined): BodyOptions {
  const { deps, transformFile: transform } = endpoint
  const sentence = limit?.sentence ?? (caller ? undefined : anonymousTextLimit)
  const maxBytes = limit?.maxBytes ?? 0
  return {
    fileFields: limit ? endpoint.fileFields : [],
    maxFileBytes: limit || !caller ? maxBytes : endpoint.maxFileBytes,
    maxTextBytes: caller ? endpoint.maxTextBytes : Math.min(endpoint.maxTextBytes, maxSmallTextBytes),
    ...(sentence !== undefined && { sentence }),
    async receive({ filename, content }: FilePart) {
      const options = { filename, maxBytes, newKey: () => newObjectKey(deps), transform }
      const file = await receiveFile(deps.objects, content, options).catch((error: unknown) => {
        throw isTooLarge(error) ? tooLarge(sentence) : error
      })
      files.push(file)
      return file
    },
    discard: (file) => deps.objects.remove(file.key),
  }
}

/** Removes stored files that the handler has not committed. What cannot be removed now is left to the orphan cleanup. */
export async function removeUncommittedFiles({ deps }: Endpoint, { files }: RequestState): Promise<void> {
  await Promise.allSettled(files.filter(({ kept }) => !kept).map(({ key }) => deps.objects.remove(key)))
}

const anonymousTextLimit = `${textLimit(maxSmallTextBytes)} unless its headers hold a token`

function isTooLarge(error: unknown): boolean {
  return error instanceof Failure && error.cause.kind === 'too-large'
}

const maxUnreadBytes = 64 * 1024 * 1024
const maxUnreadMs = 10_000
/** Reading a chunk of one byte costs as much as reading this many bytes. */
const chunkCostBytes = 1024

/** Lets a client that is still sending read the response first, for a limited time and number of chunks. */
export function limitUnreadBody({ raw }: FastifyRequest): void {
  if (raw.complete) return
  let left = maxUnreadBytes
  const timer = setTimeout(() => raw.destroy(), maxUnreadMs).unref()
  raw.on('data', (chunk: Buffer) => {
    left -= chunk.length + chunkCostBytes
    if (left < 0) raw.destroy()
  })
  raw.once('close', () => clearTimeout(timer))
  raw.resume()
}
