import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { TextDecoder } from 'node:util'
import { parameterProblem, tooLarge } from '../../../platform/failure.ts'
import { startingWith } from '../../../platform/object-store/bytes.ts'
import type { ReceivedFile } from '../../../platform/object-store/objects.ts'
import { filePace, memoryPace, openArriving } from '../../pipeline/body/arriving.ts'
import { openCollected } from '../collected.ts'
import { readParameters, readPartHeaders } from './part-headers.ts'
import { malformed, type Part, splitParts, unreadableHeaders } from './split-parts.ts'

export interface MultipartOptions {
  /** Names of the file fields. Files under other names are discarded. */
  readonly fileFields: readonly string[]
  /** Limit for the whole body with its framing. */
  readonly maxBodyBytes?: number
  /** Limit for the total size of all texts. */
  readonly maxTextBytes: number
  /** Stores the file. Reads the content to its end. */
  receive(part: FilePart): Promise<ReceivedFile>
  /** Removes a file that `receive` has stored. Called for every file when the request is rejected. */
  discard(file: ReceivedFile): Promise<void>
}

/** What is read of a request with a form. */
interface FormRequest {
  readonly raw: Readable
  readonly headers: IncomingHttpHeaders
}

export interface FilePart {
  readonly name: string
  /** Decoded but not sanitised: may be empty or contain a path or control characters. */
  readonly filename: string
  readonly content: AsyncIterable<Buffer>
}

/** Texts and files of a form in the order of arrival. Nested names such as `a[]` and `a[b]` are not yet split. */
export interface MultipartForm {
  fields: [name: string, value: string][]
  files: [name: string, file: ReceivedFile][]
}

const maxFiles = 10
const maxFields = 1000
const maxFieldBytes = 1024 * 1024 + 4096
/** Maximum length of a boundary in RFC 2046, 5.1.1. The cost of the search grows with the length of the boundary. */
const maxBoundaryLength = 70
/** Maximum number of bytes drained after an error, so that clients that send the whole body first get the response. */
const maxDrainedBytes = 256 * 1024 * 1024

/**
 * Reads the whole form. Throws a `Failure` when the body is invalid, and rethrows errors of `receive`. On an error it
 * discards the stored files and drains the rest of the body.
 */
export async function readMultipart(request: FormRequest, options: MultipartOptions): Promise<MultipartForm> {
  const form: MultipartForm = { fields: [], files: [] }
  try {
    await readParts(request, options, form).finally(() => drain(request.raw))
    return form
  } catch (error) {
    // A file that cannot be removed now is an orphan, which the orphan cleanup removes.
    await Promise.allSettled(form.files.map(([, file]) => options.discard(file)))
    throw error
  }
}

async function readParts(request: FormRequest, options: MultipartOptions, form: MultipartForm): Promise<void> {
  const { raw, headers } = request
  if (raw.destroyed) throw parameterProblem('the request was closed before its body was read')
  const left: Allowance = {
    files: maxFiles,
    fields: maxFields,
    bytes: maxBytes(options),
    textBytes: options.maxTextBytes,
  }
  if (Number(headers['content-length']) > left.bytes) throw tooLarge()
  const boundary = readParameters(headers['content-type'] ?? '')[1]?.get('boundary')
  if (!boundary) throw parameterProblem('the multipart boundary is missing')
  if (boundary.length > maxBoundaryLength) {
    throw parameterProblem(`the multipart boundary may have up to ${maxBoundaryLength} characters`)
  }

  const arriving = openArriving(raw, options.fileFields.length > 0 ? filePace : memoryPace, malformed)
  try {
    const next = async () => {
      const chunk = await arriving.next()
      left.bytes -= chunk?.length ?? 0
      if (left.bytes < 0) throw tooLarge()
      return chunk
    }
    for await (const part of splitParts(next, boundary)) await readPart(part, options, form, left)
  } finally {
    arriving.stop()
  }
}

async function readPart(part: Part, options: MultipartOptions, form: MultipartForm, left: Allowance): Promise<void> {
  const headers = readPartHeaders(part.headers)
  if (!headers) throw unreadableHeaders()
  const { name, filename, charset } = headers
  if (name in Object.prototype) throw parameterProblem(`${name} is not a name for a field`)

  // An empty file field counts as an empty text.
  const first = filename === '' ? await part.content.next() : undefined
  const content = first?.value ? startingWith(first.value, part.content) : part.content
  if (filename === undefined || first?.done) {
    if (--left.fields < 0) throw parameterProblem(`upload request contains more than ${maxFields} fields`)
    form.fields.push([name, await readText(name, content, charset, left)])
    return
  }
  if (--left.files < 0) throw tooManyFiles()
  if (options.fileFields.includes(name)) {
    form.files.push([name, await options.receive({ name, filename, content })])
  }
}

/** Remaining limits of the request. */
interface Allowance {
  files: number
  fields: number
  bytes: number
  textBytes: number
}

async function readText(
  name: string,
  content: AsyncIterable<Buffer>,
  charset: string | undefined,
  left: Allowance,
): Promise<string> {
  const collected = openCollected(maxFieldBytes, () => parameterProblem(`${name} is too long`))
  for await (const chunk of content) {
    left.textBytes -= chunk.length
    if (left.textBytes < 0) throw tooLarge()
    collected.add(chunk)
  }
  return decoderFor(charset).decode(collected.bytes())
}

function decoderFor(charset = 'utf-8'): TextDecoder {
  try {
    return new TextDecoder(charset, { ignoreBOM: true })
  } catch {
    return new TextDecoder('utf-8', { ignoreBOM: true })
  }
}

const maxBytes = ({ maxBodyBytes }: MultipartOptions) => maxBodyBytes ?? Infinity

function drain(raw: Readable): void {
  if (raw.readableEnded) return
  let left = maxDrainedBytes
  raw.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) raw.destroy()
  })
  raw.resume()
}

const tooManyFiles = () => parameterProblem(`upload request contains more than ${maxFiles} files`)
