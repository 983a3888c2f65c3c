import Type from 'typebox'
import { findLargestOwners, measureStorage, type StoredBy } from '../../../domain/uploads/storage.ts'
import type { Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { nullableInteger, timestamp } from '../views.ts'

const usageView = Type.Object({ files: Type.Integer(), bytes: Type.Integer() })

const storageView = Type.Object(
  {
    database: Type.Unsafe<string>({ type: 'string', enum: ['sqlite', 'postgres'] }),
    object_store: Type.Unsafe<string>({ type: 'string', enum: ['disk', 's3'] }),
    uploads: usageView,
    deleted_uploads: Type.Unsafe<{ files: number; bytes: number }>({
      ...usageView,
      description: 'Deleted uploads that can still be restored',
    }),
    measured_at: timestamp,
  },
  { title: 'Storage' },
)

const ownerView = Type.Object(
  {
    kind: Type.Unsafe<string>({ type: 'string', enum: ['project', 'group'] }),
    id: Type.Integer(),
    full_path: Type.String(),
    web_url: Type.String(),
    files: Type.Integer(),
    bytes: Type.Integer(),
    quota_bytes: nullableInteger,
  },
  { title: 'StorageOwner' },
)

function viewOwner(owner: StoredBy, origin: string) {
  return {
    kind: owner.kind,
    id: owner.id,
    full_path: owner.fullPath,
    web_url: `${origin}/${owner.kind === 'group' ? 'groups/' : ''}${owner.fullPath}`,
    files: owner.files,
    bytes: owner.bytes,
    quota_bytes: owner.quotaBytes,
  }
}

export const storageRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/admin/storage',
    summary: 'Get the total storage used by uploads, cached for up to one minute',
    permission: 'storage.read',
    status: 200,
    output: storageView,
    async handle({ deps }) {
      const { stored, deleted, measuredAt } = await measureStorage(deps)
      return {
        database: deps.db.dialect.engine,
        object_store: deps.settings.s3 ? 's3' : 'disk',
        uploads: stored,
        deleted_uploads: deleted,
        measured_at: measuredAt,
      }
    },
  }),
  route({
    method: 'GET',
    path: '/admin/storage/owners',
    summary: 'List projects and groups with uploads, largest storage use first',
    permission: 'storage.read',
    status: 200,
    output: Type.Array(ownerView),
    paged: true,
    unknownFilters: 'refused',
    async handle({ deps, page, origin }) {
      const found = await findLargestOwners(deps, page)
      return { ...found, rows: found.rows.map((owner) => viewOwner(owner, origin)) }
    },
  }),
]
