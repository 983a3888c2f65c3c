import Type from 'typebox'
import type { Permission } from '../../../domain/access/permissions.ts'
import type { Deps } from '../../../domain/deps.ts'
import type { UploadOwner } from '../../../domain/uploads/owner.ts'
import { importUpload, roomFor } from '../../../domain/uploads/uploads.ts'
import type { User } from '../../../domain/users/user.ts'
import { findUserByReference } from '../../../domain/users/users.ts'
import { dateTime, filePart, integer, optional, text } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { refused } from '../../../platform/failure.ts'
import { route } from '../route.ts'
import { ownerOf } from './owner-of.ts'
import { uploadListItem, viewListItem } from './routes.ts'

const permissionOf = {
  project: 'upload.import',
  group: 'group.upload.import',
} as const satisfies Record<UploadOwner['kind'], Permission>

function importRouteOf(kind: UploadOwner['kind']): Route {
  return route({
    method: 'POST',
    path: `/${kind}s/:id/uploads/import`,
    summary: `Import an upload of a ${kind} from another server with its secret, date and uploader`,
    permission: permissionOf[kind],
    input: Type.Object({
      file: filePart,
      secret: text({ description: 'Secret of the address: 10 to 32 lower-case hexadecimal digits' }),
      created_at: dateTime(),
      uploaded_by: optional(integer({ description: 'ID of the user. Without it the uploader is unknown' })),
    }),
    status: 201,
    output: uploadListItem,
    fileLimit: (deps, found) => roomFor(deps, ownerOf(found), true),
    async handle(context) {
      const { deps, input } = context
      if (!/^[0-9a-f]{10,32}$/.test(input.secret)) throw refused('secret must be 10 to 32 hexadecimal digits')
      const uploader = await findUploader(deps, input.uploaded_by)
      const origin = { secret: input.secret, createdAt: input.created_at, uploader }
      return viewListItem(await importUpload(deps, ownerOf(context), origin, input.file), true)
    },
  })
}

async function findUploader(deps: Deps, id: number | undefined): Promise<User | null> {
  if (id === undefined) return null
  const user = await findUserByReference(deps, String(id))
  if (!user) throw refused('uploaded_by is not a user')
  return user
}

export const uploadImportRoutes: readonly Route[] = [importRouteOf('project'), importRouteOf('group')]
