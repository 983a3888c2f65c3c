import Type from 'typebox'
import type { Caller } from '../../../domain/access/callers.ts'
import type { RootDeps } from '../../../domain/deps.ts'
import type { Namespace } from '../../../domain/namespaces/namespace.ts'
import {
  type FlawActor,
  type FlawChange,
  findFlawChanges,
  joinFlaws,
  splitFlaw,
  undoChange,
} from '../../../domain/vulnerabilities/flaws/flaw-changes.ts'
import { projectScope } from '../../../domain/vulnerabilities/list/filter.ts'
import { readableScope } from '../../../domain/vulnerabilities/list/readable-scope.ts'
import { integer, integerList } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { nullableInteger, nullableTimestamp, timestamp } from '../views.ts'

const changeKinds = ['split', 'join'] as const

const changeView = Type.Object(
  {
    id: Type.Integer(),
    kind: Type.Unsafe<FlawChange['kind']>({ type: 'string', enum: changeKinds }),
    project_id: nullableInteger,
    group_id: nullableInteger,
    from_flaw_id: Type.Integer(),
    to_flaw_id: Type.Integer({ description: 'The flaw that the vulnerabilities have become' }),
    vulnerability_count: Type.Integer(),
    author_id: nullableInteger,
    created_at: timestamp,
    undone_at: nullableTimestamp,
    undone_by_id: nullableInteger,
  },
  { title: 'VulnerabilityFlawChange' },
)

const viewChange = (change: FlawChange) => ({
  id: change.id,
  kind: change.kind,
  project_id: change.projectId,
  group_id: change.namespaceId,
  from_flaw_id: change.fromKey,
  to_flaw_id: change.toKey,
  vulnerability_count: change.total,
  author_id: change.userId,
  created_at: change.createdAt,
  undone_at: change.undoneAt,
  undone_by_id: change.undoneById,
})

const inProject = ({ id }: { id: number }, { user }: Caller): FlawActor => ({
  place: { kind: 'project', id },
  scope: projectScope(id),
  user,
})

const inGroup = async (deps: RootDeps, group: Namespace, caller: Caller): Promise<FlawActor> => ({
  place: { kind: 'group', id: group.id },
  scope: await readableScope(deps, caller, { group }),
  user: caller.user,
})

const splitInput = Type.Object({
  flaw_id: integer(),
  vulnerability_ids: integerList({ commaSeparated: true, allowBlank: false, description: 'Members of the flaw' }),
})
const joinInput = Type.Object({
  flaw_id: integer(),
  other_flaw_id: integer({ description: 'The flaw whose vulnerabilities become part of this one' }),
})
const undoInput = Type.Object({ change_id: integer() })

const created = { method: 'POST', status: 201, output: changeView } as const
const listed = {
  method: 'GET',
  status: 200,
  output: Type.Array(changeView),
  paged: true,
  unknownFilters: 'refused',
} as const

/** Splits and joins of flaws in a project or a group. */
export const flawChangeRoutes: readonly Route[] = [
  route({
    ...created,
    path: '/projects/:id/vulnerability_flaws/:flaw_id/split',
    summary: 'Take vulnerabilities of a project out of their flaw',
    permission: 'vulnerability.flaw',
    input: splitInput,
    handle: async ({ deps, project, caller, input }) => {
      const split = { key: input.flaw_id, vulnerabilityIds: input.vulnerability_ids }
      return viewChange(await splitFlaw(deps, inProject(project, caller), split))
    },
  }),
  route({
    ...created,
    path: '/groups/:id/vulnerability_flaws/:flaw_id/split',
    summary: 'Take vulnerabilities of a group’s projects out of their flaw',
    permission: 'group.vulnerability.flaw',
    input: splitInput,
    handle: async ({ deps, group, caller, input }) => {
      const split = { key: input.flaw_id, vulnerabilityIds: input.vulnerability_ids }
      return viewChange(await splitFlaw(deps, await inGroup(deps, group, caller), split))
    },
  }),
  route({
    ...created,
    path: '/projects/:id/vulnerability_flaws/:flaw_id/join',
    summary: 'Join two flaws in a project',
    permission: 'vulnerability.flaw',
    input: joinInput,
    handle: async ({ deps, project, caller, input }) => {
      const join = { key: input.flaw_id, otherKey: input.other_flaw_id }
      return viewChange(await joinFlaws(deps, inProject(project, caller), join))
    },
  }),
  route({
    ...created,
    path: '/groups/:id/vulnerability_flaws/:flaw_id/join',
    summary: 'Join two flaws in the projects of a group and its subgroups',
    permission: 'group.vulnerability.flaw',
    input: joinInput,
    handle: async ({ deps, group, caller, input }) => {
      const join = { key: input.flaw_id, otherKey: input.other_flaw_id }
      return viewChange(await joinFlaws(deps, await inGroup(deps, group, caller), join))
    },
  }),
  route({
    ...listed,
    path: '/projects/:id/vulnerability_flaw_changes',
    summary: 'List splits and joins of flaws in a project, newest first',
    permission: 'vulnerability.list',
    async handle({ deps, project, page }) {
      const found = await findFlawChanges(deps, { kind: 'project', id: project.id }, page)
      return { ...found, rows: found.rows.map(viewChange) }
    },
  }),
  route({
    ...listed,
    path: '/groups/:id/vulnerability_flaw_changes',
    summary: 'List splits and joins of flaws in a group, newest first',
    permission: 'group.vulnerability.flaw',
    async handle({ deps, group, page }) {
      const found = await findFlawChanges(deps, { kind: 'group', id: group.id }, page)
      return { ...found, rows: found.rows.map(viewChange) }
    },
  }),
  route({
    ...created,
    path: '/projects/:id/vulnerability_flaw_changes/:change_id/undo',
    summary: 'Undo a split or join of flaws in a project',
    permission: 'vulnerability.flaw',
    input: undoInput,
    handle: async ({ deps, project, caller, input }) =>
      viewChange(await undoChange(deps, inProject(project, caller), input.change_id)),
  }),
  route({
    ...created,
    path: '/groups/:id/vulnerability_flaw_changes/:change_id/undo',
    summary: 'Undo a split or join of flaws in a group',
    permission: 'group.vulnerability.flaw',
    input: undoInput,
    handle: async ({ deps, group, caller, input }) =>
      viewChange(await undoChange(deps, await inGroup(deps, group, caller), input.change_id)),
  }),
]
