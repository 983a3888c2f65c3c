import Type from 'typebox'
import type { FoundUpload } from '../../../domain/uploads/search/found-upload.ts'
import { findUploadsByName } from '../../../domain/uploads/search/search-uploads.ts'
import { text } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { timestamp } from '../views.ts'

const foundUploadView = Type.Object(
  {
    id: Type.Integer(),
    filename: Type.String(),
    content_type: Type.String(),
    size: Type.Integer(),
    created_at: timestamp,
    owner: Type.Object({
      kind: Type.Enum(['project', 'group']),
      id: Type.Integer(),
      name: Type.String(),
      full_path: Type.String(),
    }),
  },
  { title: 'FoundUpload' },
)

const viewFound = ({ id, filename, contentType, bytes, createdAt, owner }: FoundUpload) => ({
  id,
  filename,
  content_type: contentType,
  size: bytes,
  created_at: createdAt,
  owner: { kind: owner.kind, id: owner.id, name: owner.name, full_path: owner.fullPath },
})

export const uploadSearchRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/uploads',
    summary: 'Search the uploads of all projects and groups in which the caller is at least a maintainer, newest first',
    permission: 'instance.upload.list',
    input: Type.Object({
      search: text({ allowBlank: false, description: 'Words of the filename, of at least three characters' }),
    }),
    status: 200,
    output: Type.Array(foundUploadView),
    paged: true,
    unknownFilters: 'refused',
    async handle({ deps, caller, input, page }) {
      const found = await findUploadsByName(deps, caller, input.search, page)
      return { ...found, rows: found.rows.map(viewFound) }
    },
  }),
]
