import Type from 'typebox'
import type { Caller } from '../../../domain/access/callers.ts'
import type { RootDeps } from '../../../domain/deps.ts'
import type { Namespace } from '../../../domain/namespaces/namespace.ts'
import type { Project } from '../../../domain/projects/project.ts'
import {
  type FlawActor,
  type FlawChange,
  type FlawPlace,
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

const permissions = {
  project: { list: 'vulnerability.list', change: 'vulnerability.flaw' },
  group: { list: 'group.vulnerability.flaw', change: 'group.vulnerability.flaw' },
} as const

/** Parts of a request. A row of the permissions that is on a group provides one, and so on. */
interface Request {
  deps: RootDeps
  caller: Caller
  project?: Project
  group?: Namespace
}

async function actorOf(context: object): Promise<FlawActor> {
  const { deps, caller, project, group } = context as Request // the guard provides what the permission's row promises
  const scope = project ? projectScope(project.id) : await readableScope(deps, caller, { group })
  return { place: placeOf(context), scope, user: caller.user }
}

function placeOf(context: object): FlawPlace {
  const { project, group } = context as Request // the guard provides what the permission's row promises
  return project ? { kind: 'project', id: project.id } : { kind: 'group', id: group?.id ?? 0 }
}

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

function routesOf(kind: 'project' | 'group', texts: Texts): Route[] {
  const flaw = `/${kind}s/:id/vulnerability_flaws/:flaw_id`
  const changes = `/${kind}s/:id/vulnerability_flaw_changes`
  const may = permissions[kind]
  return [
    route({
      ...created,
      path: `${flaw}/split`,
      summary: texts.split,
      permission: may.change,
      input: splitInput,
      async handle(context) {
        const { flaw_id: key, vulnerability_ids: vulnerabilityIds } = context.input
        return viewChange(await splitFlaw(context.deps, await actorOf(context), { key, vulnerabilityIds }))
      },
    }),
    route({
      ...created,
      path: `${flaw}/join`,
      summary: texts.join,
      permission: may.change,
      input: joinInput,
      async handle(context) {
        const { flaw_id: key, other_flaw_id: otherKey } = context.input
        return viewChange(await joinFlaws(context.deps, await actorOf(context), { key, otherKey }))
      },
    }),
    route({
      ...listed,
      path: changes,
      summary: `List splits and joins of flaws in a ${kind}, newest first`,
      permission: may.list,
      async handle(context) {
        const found = await findFlawChanges(context.deps, placeOf(context), context.page)
        return { ...found, rows: found.rows.map(viewChange) }
      },
    }),
    route({
      ...created,
      path: `${changes}/:change_id/undo`,
      summary: `Undo a split or join of flaws in a ${kind}`,
      permission: may.change,
      input: undoInput,
      handle: async (context) =>
        viewChange(await undoChange(context.deps, await actorOf(context), context.input.change_id)),
    }),
  ]
}

interface Texts {
  split: string
  join: string
}

/** Splits and joins of flaws in a project or a group. */
export const flawChangeRoutes: readonly Route[] = [
  ...routesOf('project', {
    split: 'Take vulnerabilities of a project out of their flaw',
    join: 'Join two flaws in a project',
  }),
  ...routesOf('group', {
    split: 'Take vulnerabilities of a group’s projects out of their flaw',
    join: 'Join two flaws in the projects of a group and its subgroups',
  }),
]
