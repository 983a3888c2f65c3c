import Type, { type Static } from 'typebox'
import { listProjectIdsBelow } from '../../../domain/projects/projects.ts'
import { assignInBulk, type BulkAssignment } from '../../../domain/topics/bulk-assignment.ts'
import { flag, integerList, optional, textList } from '../../../http/params/input.ts'
import type { Route, RouteContext } from '../../../http/route.ts'
import { Failure, parameterProblem } from '../../../platform/failure.ts'
import { route } from '../route.ts'

/** Maximum number of projects in one request. */
const maxProjects = 1000

const changeFields = {
  add: optional(textList({ commaSeparated: true, description: 'Topic names' })),
  remove: optional(textList({ commaSeparated: true, description: 'Topic names; unknown names are ignored' })),
  dry_run: flag({ default: false, description: 'Dry run: return what would change without changing anything' }),
}
const changesInput = Type.Object(changeFields, { atLeastOneOf: [['add', 'remove']] })
const bulkInput = Type.Object(
  {
    project_ids: integerList({ commaSeparated: true, description: 'At most 1,000 projects that you may update' }),
    ...changeFields,
  },
  { atLeastOneOf: [['add', 'remove']] },
)

const bulkView = Type.Object(
  {
    dry_run: Type.Boolean(),
    changed: Type.Integer(),
    unchanged: Type.Integer(),
    skipped: Type.Integer({ description: 'Archived projects of the group' }),
    created_topics: Type.Array(Type.String()),
    changes: Type.Array(
      Type.Object({
        project: Type.Object({ id: Type.Integer(), path_with_namespace: Type.String() }),
        added: Type.Array(Type.String()),
        removed: Type.Array(Type.String()),
      }),
    ),
  },
  { title: 'BulkTopicAssignment' },
)

function viewBulk({ changes, unchanged, created }: BulkAssignment, dryRun: boolean, skipped: number) {
  return {
    dry_run: dryRun,
    changed: changes.length,
    unchanged,
    skipped,
    created_topics: created,
    changes: changes.map(({ project, added, removed }) => ({
      project: { id: project.id, path_with_namespace: project.fullPath },
      added,
      removed,
    })),
  }
}

export const topicBulkRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/topics/bulk',
    summary: 'Add topics to projects, or remove topics from them, all in one transaction',
    permission: 'topic.assign',
    input: bulkInput,
    status: 201,
    output: bulkView,
    async handle({ deps, caller, permit, input }) {
      const ids = [...new Set(input.project_ids)].sort((a, b) => a - b)
      assertFew(ids)
      const refused = await filterRefused(permit, ids)
      if (refused.length > 0) {
        const some = refused.slice(0, 20).join(', ')
        throw parameterProblem(`project_ids contains projects that you may not update: ${some}`)
      }
      return viewBulk(await assignInBulk(deps, caller, ids, changesFrom(input)), input.dry_run, 0)
    },
  }),
  route({
    method: 'POST',
    path: '/groups/:id/topics/bulk',
    summary: 'Add topics to all projects of a group and its subgroups, or remove topics from them',
    permission: 'group.topic.assign',
    input: changesInput,
    status: 201,
    output: bulkView,
    async handle({ deps, caller, permit, group, input }) {
      const below = await listProjectIdsBelow(deps.db, [group])
      assertFew(below)
      // A maintainer of the group may update each of its projects that is not archived.
      const archived = await filterRefused(permit, below)
      const ids = below.filter((id) => !archived.includes(id)).sort((a, b) => a - b)
      return viewBulk(await assignInBulk(deps, caller, ids, changesFrom(input)), input.dry_run, archived.length)
    },
  }),
]

function changesFrom({ add = [], remove = [], dry_run: dryRun }: Static<typeof changesInput>) {
  return { add, remove, dryRun }
}

function assertFew(ids: readonly number[]): void {
  if (ids.length > maxProjects) throw parameterProblem(`there are more than ${maxProjects} projects`)
}

/** Returns the projects that the caller may not update, or that do not exist. */
async function filterRefused(permit: RouteContext['permit'], ids: readonly number[]): Promise<number[]> {
  const refused: number[] = []
  for (const id of ids) {
    try {
      await permit('project.update', String(id))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      refused.push(id)
    }
  }
  return refused
}
