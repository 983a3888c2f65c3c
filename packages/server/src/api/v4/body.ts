import type { FastifyRequest } from 'fastify'
import { Failure, parameterProblem, tooLarge } from '../../platform/failure.ts'
import { type Arriving, openArriving } from './arriving.ts'
import { type Bag, bagFromPairs, type Pair, parseJsonObject, parseUrlencoded } from './bag.ts'
import { tellToGoOn } from './expectations.ts'
import { type MultipartForm, type MultipartOptions, readMultipart } from './multipart.ts'

/** JSON and urlencoded bodies are held in memory, so they are kept small; a topic's description may have 1 MiB. */
const maxTextBytes = 4 * 1024 * 1024
/** What a form with text fields may have beside its file. */
export const maxFormBytes = 2 * maxTextBytes
/** What the framing of a form that is nothing but a file may add to it. */
export const maxFramingBytes = 64 * 1024

/** `file`: the body is nothing but a file, which only some routes take. */
export type BodyKind = 'none' | 'json' | 'urlencoded' | 'multipart' | 'file' | 'other'

export function bodyKind(request: FastifyRequest): BodyKind {
  if (request.method === 'GET' || request.method === 'HEAD') return 'none'
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (type === 'multipart/form-data') return 'multipart'
  if (type === 'application/json' || type.endsWith('+json')) return 'json'
  if (type === 'application/x-www-form-urlencoded') return 'urlencoded'
  if (request.headers['content-length'] === undefined && request.headers['transfer-encoding'] === undefined)
    return 'none'
  return request.headers['content-length'] === '0' ? 'none' : 'other'
}

/** Answers before anything is read when the length that the client announces is too much. */
export function assertAnnouncedLength(
  request: FastifyRequest,
  kind: BodyKind,
  maxFileBytes: number,
  sentence?: string,
): void {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (kind !== 'none' && announced > (mayHoldFile(kind) ? maxFileBytes : maxTextBytes)) throw tooLarge(sentence)
}

export const mayHoldFile = (kind: BodyKind) => kind === 'multipart' || kind === 'file'

/** What the body says, as a bag. Files are stored while they come in, as the options say. */
export async function readBody(request: FastifyRequest, kind: BodyKind, files: MultipartOptions): Promise<Bag> {
  switch (kind) {
    case 'none':
      return bagFromPairs([])
    case 'json':
      return parseJsonObject(await readBytes(request))
    case 'urlencoded':
      return parseUrlencoded(await readBytes(request))
    case 'multipart':
      return bagFromForm(await readMultipart(request, files))
    case 'file':
      return bagFromPairs(await readAsFile(request, files))
    case 'other':
      throw new Failure({ kind: 'unsupported-content-type', contentType: request.headers['content-type'] ?? '' })
  }
}

/** A name that is used for text and for a file is the file: some clients send a blank field of the same name along. */
function bagFromForm({ fields, files }: MultipartForm): Bag {
  return bagFromPairs([...fields, ...files])
}

/** Nobody named the file, and nothing depends on its name. */
async function readAsFile({ raw }: FastifyRequest, { fileFields, receive }: MultipartOptions): Promise<Pair[]> {
  const [name] = fileFields
  if (name === undefined) return []
  const arriving = openArriving(raw, endedTooEarly)
  try {
    return [[name, await receive({ name, filename: name, content: untilEnd(arriving) })]]
  } finally {
    arriving.stop()
  }
}

async function* untilEnd({ next }: Arriving): AsyncGenerator<Buffer> {
  for (let chunk = await next(); chunk; chunk = await next()) yield chunk
}

const endedTooEarly = () => parameterProblem('the request body ended too early')

/** By events, not by `for await`: leaving such a loop early destroys the socket that the answer has to go through. */
function readBytes({ raw }: FastifyRequest): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const settle = (act: () => void) => {
      raw.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken)
      act()
    }
    const onData = (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > maxTextBytes) settle(() => reject(tooLarge()))
      else chunks.push(chunk)
    }
    const onEnd = () => settle(() => resolve(Buffer.concat(chunks)))
    const onBroken = () => settle(() => reject(endedTooEarly()))
    raw.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken)
    tellToGoOn(raw)
  })
}
