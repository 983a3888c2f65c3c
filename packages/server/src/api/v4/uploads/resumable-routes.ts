import Type from 'typebox'
import type { UploadOwner } from '../../../domain/uploads/owner.ts'
import type { ResumableUpload } from '../../../domain/uploads/resumable/resumable-upload.ts'
import {
  beginUpload,
  continueUpload,
  endUpload,
  findFinished,
  getResumable,
  tooManyBytes,
} from '../../../domain/uploads/resumable/resumable-uploads.ts'
import { text } from '../../../http/params/input.ts'
import { noOutput, type Route, type RouteContext } from '../../../http/route.ts'
import { Failure, parameterProblem } from '../../../platform/failure.ts'
import { route } from '../route.ts'
import { timestamp } from '../views.ts'
import { isMember, ownerOf } from './owner-of.ts'
import { uploadView, viewUpload } from './views.ts'

const stateView = Type.Object(
  {
    filename: Type.String(),
    size: Type.Integer({ description: 'Size of the whole file' }),
    offset: Type.Integer({ description: 'Number of bytes that have arrived' }),
    expires_at: timestamp,
    upload: Type.Unsafe<ReturnType<typeof viewUpload> | null>({ anyOf: [uploadView, { type: 'null' }] }),
  },
  { title: 'ResumableUpload' },
)

const createPermission = { project: 'upload.create', group: 'group.upload.create' } as const

/** Headers of tus 1.0 (https://tus.io/protocols/resumable-upload). */
const version = '1.0.0'

function readVersion({ raw, headers }: Pick<RouteContext, 'raw' | 'headers'>): void {
  headers['tus-resumable'] = version
  headers['tus-version'] = version
  headers['cache-control'] = 'no-store'
  if (raw.headers['tus-resumable'] !== version) throw new Failure({ kind: 'precondition-failed' })
}

function describe(headers: RouteContext['headers'], { receivedBytes, totalBytes, expiresAt }: ResumableUpload): void {
  headers['upload-offset'] = String(receivedBytes)
  headers['upload-length'] = String(totalBytes)
  headers['upload-expires'] = new Date(expiresAt).toUTCString()
}

function readNumber({ raw }: Pick<RouteContext, 'raw'>, name: string): number {
  const value = raw.headers[name.toLowerCase()]
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : undefined
  if (number === undefined) throw parameterProblem(`the header ${name} is missing or not a number`)
  return number
}

/** Returns the `filename` of the header `Upload-Metadata`: pairs of a name and a value in Base64, between commas. */
function readFilename({ raw }: Pick<RouteContext, 'raw'>): string {
  const value = raw.headers['upload-metadata']
  for (const pair of typeof value === 'string' ? value.split(',') : []) {
    const [name, encoded = ''] = pair.trim().split(' ')
    if (name !== 'filename') continue
    const filename = Buffer.from(encoded, 'base64').toString()
    if (filename.includes('\0')) throw parameterProblem('the filename in the header Upload-Metadata is invalid')
    return filename
  }
  throw parameterProblem('the header Upload-Metadata has no filename')
}

const byKey = Type.Object({ upload_key: text() })

function resumableRoutesOf(kind: UploadOwner['kind']): readonly Route[] {
  const base = `/${kind}s/:id/uploads/resumable`
  const permission = createPermission[kind]
  return [
    route({
      method: 'POST',
      path: base,
      summary: `Begin a resumable upload (tus 1.0) to a ${kind}`,
      permission,
      status: 201,
      output: stateView,
      async handle(context) {
        const { deps, caller, headers, origin } = context
        readVersion(context)
        const owner = ownerOf(context)
        const file = { filename: readFilename(context), bytes: readNumber(context, 'Upload-Length') }
        const begun = await beginUpload(deps, owner, { user: caller.user, isMember: isMember(context) }, file)
        describe(headers, begun)
        headers['location'] = `${origin}/api/v4/${kind}s/${owner.id}/uploads/resumable/${begun.uploadKey}`
        const upload = await findFinished(deps, begun)
        return viewState(begun, upload && viewUpload(upload))
      },
    }),
    route({
      method: 'GET',
      path: `${base}/:upload_key`,
      summary: `Get the state of a resumable upload to a ${kind}, and the upload once it is finished`,
      permission,
      input: byKey,
      status: 200,
      output: stateView,
      async handle(context) {
        const { deps, caller, headers, input } = context
        const found = await getResumable(deps, ownerOf(context), caller.user.id, input.upload_key)
        headers['tus-resumable'] = version
        headers['cache-control'] = 'no-store'
        describe(headers, found)
        const upload = await findFinished(deps, found)
        return viewState(found, upload && viewUpload(upload))
      },
    }),
    route({
      method: 'PATCH',
      path: `${base}/:upload_key`,
      summary: `Continue a resumable upload to a ${kind} at \`Upload-Offset\`; the last byte finishes it`,
      permission,
      input: byKey,
      status: 204,
      output: noOutput,
      streamedBody: 'application/offset+octet-stream',
      async handle(context) {
        const { deps, caller, headers, input, raw } = context
        readVersion(context)
        const owner = ownerOf(context)
        const begun = await getResumable(deps, owner, caller.user.id, input.upload_key)
        const uploader = { user: caller.user, isMember: isMember(context) }
        const offset = readNumber(context, 'Upload-Offset')
        if (offset + Number(raw.headers['content-length'] ?? 0) > begun.totalBytes) throw tooManyBytes()
        describe(headers, await continueUpload(deps, { owner, uploader, begun }, offset, raw.stream()))
      },
    }),
    route({
      method: 'DELETE',
      path: `${base}/:upload_key`,
      summary: `End a resumable upload to a ${kind} and remove what has arrived; a finished file stays`,
      permission,
      input: byKey,
      status: 204,
      output: noOutput,
      async handle(context) {
        readVersion(context)
        const { deps, caller, input } = context
        await endUpload(deps, await getResumable(deps, ownerOf(context), caller.user.id, input.upload_key))
      },
    }),
  ]
}

function viewState(
  { filename, totalBytes, receivedBytes, expiresAt }: ResumableUpload,
  upload: ReturnType<typeof viewUpload> | undefined,
) {
  return { filename, size: totalBytes, offset: receivedBytes, expires_at: expiresAt, upload: upload ?? null }
}

export const resumableUploadRoutes: readonly Route[] = [...resumableRoutesOf('project'), ...resumableRoutesOf('group')]
