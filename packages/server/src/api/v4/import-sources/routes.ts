import Type, { type Static } from 'typebox'
import { groupEntity, instanceEntity, projectEntity, userEntity } from '../../../domain/audit/audit-event.ts'
import type { Deps } from '../../../domain/deps.ts'
import {
  type ImportKind,
  type ImportSource,
  importKinds,
  localChanges,
} from '../../../domain/import-sources/import-source.ts'
import {
  detachGroup,
  detachProject,
  detachTopic,
  findImportSources,
  type ImportTarget,
  recordImportSource,
} from '../../../domain/import-sources/import-sources.ts'
import { getGroup } from '../../../domain/namespaces/groups.ts'
import { findProjectById } from '../../../domain/projects/projects.ts'
import { getTopic } from '../../../domain/topics/topics.ts'
import { getUser } from '../../../domain/users/users.ts'
import { integer, nullable, oneOf, optional, text } from '../../../http/params/input.ts'
import { noOutput, type Route } from '../../../http/route.ts'
import { notFound, parameterProblem } from '../../../platform/failure.ts'
import { route } from '../route.ts'
import { nullableInteger, nullableString, timestamp } from '../views.ts'

const importSourceView = Type.Object(
  {
    id: Type.Integer(),
    source: Type.String({ description: 'Address of the other server' }),
    kind: Type.Enum(importKinds),
    source_id: Type.String(),
    target_id: Type.Integer({ description: 'ID of the object on this server' }),
    mirror: Type.Unsafe<ImportSource['mirror']>({
      type: ['string', 'null'],
      enum: [...localChanges, 'detached', null],
      description: 'Changes that the mirror permits here. Null: the object is not a mirror',
    }),
    mirrored_by_id: nullableInteger,
    avatar_sha256: nullableString,
    created_at: timestamp,
    updated_at: timestamp,
  },
  { title: 'ImportSource' },
)

function viewImportSource(row: ImportSource): Static<typeof importSourceView> {
  return {
    id: row.id,
    source: row.source,
    kind: row.kind,
    source_id: row.sourceId,
    target_id: row.targetId,
    mirror: row.mirror,
    mirrored_by_id: row.mirroredById,
    avatar_sha256: row.avatarSha256,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  }
}

const source = text({ description: 'Address of the other server, such as `https://gitlab.example.com`' })

export const importSourceRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/import_sources',
    summary: 'List which objects of other servers were imported as which objects of this one, oldest first',
    permission: 'import-source.read',
    input: Type.Object({ source: optional(source), kind: optional(oneOf(importKinds)) }),
    status: 200,
    output: Type.Array(importSourceView),
    paged: true,
    unknownFilters: 'refused',
    async handle({ deps, input, page }) {
      const filter = { source: input.source && sourceAddress(input.source), kind: input.kind }
      const found = await findImportSources(deps, filter, page)
      return { ...found, rows: found.rows.map(viewImportSource) }
    },
  }),
  route({
    method: 'PUT',
    path: '/import_sources',
    summary: 'Record from which object of another server an object was imported, and make it a mirror',
    permission: 'import-source.manage',
    input: Type.Object({
      source,
      kind: oneOf(importKinds),
      source_id: text({ description: 'ID on the other server' }),
      target_id: integer({ description: 'ID of the object on this server' }),
      local_changes: optional(
        oneOf(localChanges, {
          description:
            'Makes the object a mirror, which only the caller may change apart from this. Not for users. Default: unchanged',
        }),
      ),
      avatar_sha256: optional(nullable(text({ description: 'SHA-256 of the avatar on the other server' }))),
    }),
    status: 200,
    output: importSourceView,
    async handle({ deps, caller, input }) {
      const { kind, source_id: sourceId, target_id: targetId } = input
      assertShort('source_id', sourceId)
      assertShort('avatar_sha256', input.avatar_sha256)
      if (kind === 'user' && input.local_changes !== undefined) throw parameterProblem('local_changes is invalid')
      const target = await targetOf(deps, kind, targetId)
      const draft = {
        source: sourceAddress(input.source),
        kind,
        sourceId,
        targetId,
        localChanges: input.local_changes,
        avatarSha256: input.avatar_sha256,
      }
      return viewImportSource(await recordImportSource(deps, caller, draft, target))
    },
  }),
  route({
    method: 'DELETE',
    path: '/projects/:id/mirror',
    summary: 'Detach a project from the server that it mirrors',
    permission: 'mirror.detach',
    status: 204,
    output: noOutput,
    handle: ({ deps, project }) => detachProject(deps, project),
  }),
  route({
    method: 'DELETE',
    path: '/groups/:id/mirror',
    summary: 'Detach a group, its subgroups and their projects from the server that they mirror',
    permission: 'group.mirror.detach',
    status: 204,
    output: noOutput,
    handle: ({ deps, group }) => detachGroup(deps, group),
  }),
  route({
    method: 'DELETE',
    path: '/topics/:id/mirror',
    summary: 'Detach a topic from the server that it mirrors',
    permission: 'topic.manage',
    input: Type.Object({ id: integer() }),
    status: 204,
    output: noOutput,
    handle: async ({ deps, input }) => detachTopic(deps, input.id, await targetOf(deps, 'topic', input.id)),
  }),
]

/** Maximum length of an address, an id in the source and a hash, which indexes and responses contain. */
const maxLength = 255

/**
 * Returns the address without a slash at its end, as the importer writes it. Everyone who can read a mirror sees it, so it
 * may contain no credentials.
 */
function sourceAddress(address: string): string {
  assertShort('source', address)
  const { protocol, username, password } = URL.canParse(address) ? new URL(address) : nowhere
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '') throw parameterProblem('source is invalid')
  // Linear time: the address has at most 255 characters.
  return address.replace(/\/+$/, '')
}

const nowhere = { protocol: '', username: '', password: '' }

function assertShort(name: string, value: string | null | undefined): void {
  if (value && value.length > maxLength)
    throw parameterProblem(`${name} is too long (maximum is ${maxLength} characters)`)
}

async function targetOf(deps: Deps, kind: ImportKind, id: number): Promise<ImportTarget> {
  if (kind === 'topic') return { entity: instanceEntity, name: (await getTopic(deps, id)).name }
  if (kind === 'user') {
    const user = await getUser(deps, id)
    return { entity: userEntity(user), name: user.username }
  }
  const place = kind === 'group' ? await getGroup(deps, id) : await findProjectById(deps.db, id)
  if (!place) throw notFound('Project')
  return { entity: kind === 'group' ? groupEntity(place) : projectEntity(place), name: place.fullPath }
}
