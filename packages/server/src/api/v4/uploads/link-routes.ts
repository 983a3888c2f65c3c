import Type from 'typebox'
import type { Permission } from '../../../domain/access/permissions.ts'
import type { UploadLink } from '../../../domain/uploads/links/upload-link.ts'
import { createLink, findLinks, openLink, revokeLink } from '../../../domain/uploads/links/upload-links.ts'
import type { UploadOwner } from '../../../domain/uploads/owner.ts'
import { getUpload } from '../../../domain/uploads/uploads.ts'
import { dateTime, integer, optional, text } from '../../../http/params/input.ts'
import { fileOutput, noOutput, type Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { nullableTimestamp, timestamp } from '../views.ts'
import { browserDownload } from './browser-download.ts'
import { ownerOf } from './owner-of.ts'

const linkView = {
  id: Type.Integer(),
  name: Type.String(),
  created_at: timestamp,
  created_by: Type.Unsafe<{ id: number; username: string; name: string } | null>({
    type: ['object', 'null'],
    properties: { id: { type: 'integer' }, username: { type: 'string' }, name: { type: 'string' } },
  }),
  expires_at: timestamp,
  uses: Type.Integer({ description: 'Number of downloads' }),
  last_used_at: nullableTimestamp,
}

const listedLink = Type.Object(linkView, { title: 'UploadLink' })
const createdLink = Type.Object(
  { ...linkView, url: Type.String({ description: 'Address of the file. Only this response has it' }) },
  { title: 'CreatedUploadLink' },
)

function viewLink({ id, name, createdAt, createdBy, expiresAt, uses, lastUsedAt }: UploadLink) {
  return {
    id,
    name,
    created_at: createdAt,
    created_by: createdBy,
    expires_at: expiresAt,
    uses,
    last_used_at: lastUsedAt,
  }
}

const permissionsOf = {
  project: { read: 'upload.link.read', manage: 'upload.link.manage' },
  group: { read: 'group.upload.link.read', manage: 'group.upload.link.manage' },
} as const satisfies Record<UploadOwner['kind'], Record<string, Permission>>

const byId = { upload_id: integer() }

function linkRoutesOf(kind: UploadOwner['kind']): readonly Route[] {
  const base = `/${kind}s/:id/uploads/:upload_id/links`
  const may = permissionsOf[kind]
  return [
    route({
      method: 'GET',
      path: base,
      summary: `List the links to an upload of a ${kind} that have not expired, newest first`,
      permission: may.read,
      input: Type.Object(byId),
      status: 200,
      output: Type.Array(listedLink),
      async handle(context) {
        const { deps, input } = context
        const upload = await getUpload(deps, ownerOf(context), input.upload_id)
        return (await findLinks(deps, upload)).map(viewLink)
      },
    }),
    route({
      method: 'POST',
      path: base,
      summary: `Create a link with which anyone can download an upload of a ${kind} until it expires`,
      permission: may.manage,
      input: Type.Object({
        ...byId,
        name: optional(text({ allowBlank: true, description: 'What the link is for, at most 255 characters' })),
        expires_at: optional(dateTime({ description: 'Default: in 7 days. The server limits the lifetime' })),
      }),
      status: 201,
      output: createdLink,
      async handle(context) {
        const { deps, input, caller, origin } = context
        const upload = await getUpload(deps, ownerOf(context), input.upload_id)
        const options = { name: input.name, expiresAt: input.expires_at }
        const { link, token } = await createLink(deps, upload, caller.user, options)
        return { ...viewLink(link), url: `${origin}/-/links/${token}` }
      },
    }),
    route({
      method: 'DELETE',
      path: `${base}/:link_id`,
      summary: `Revoke a link to an upload of a ${kind}`,
      permission: may.manage,
      input: Type.Object({ ...byId, link_id: integer() }),
      status: 204,
      output: noOutput,
      async handle(context) {
        const { deps, input } = context
        await revokeLink(deps, await getUpload(deps, ownerOf(context), input.upload_id), input.link_id)
      },
    }),
  ]
}

export const uploadLinkRoutes: readonly Route[] = [
  ...linkRoutesOf('project'),
  ...linkRoutesOf('group'),
  route({
    method: 'GET',
    path: '/-/links/:token',
    outside: true,
    summary: 'Download an upload by a link, without signing in',
    permission: 'upload.link.open',
    input: Type.Object({ token: text() }),
    status: 200,
    output: fileOutput,
    async handle({ deps, input }) {
      const { upload, count } = await openLink(deps, input.token)
      const download = browserDownload(deps, upload)
      return {
        ...download,
        async open(range) {
          // A HEAD request opens the first byte only.
          if (!range || range.end > 0) await count(range !== undefined && range.start > 0)
          return download.open(range)
        },
      }
    },
  }),
]
