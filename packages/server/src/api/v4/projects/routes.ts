import Type, { type Static } from 'typebox'
import { withAvatar } from '../../../domain/avatars/avatars.ts'
import { type RootDeps, transaction } from '../../../domain/deps.ts'
import { getOwnNamespace } from '../../../domain/namespaces/namespace-list.ts'
import type { PageRequest } from '../../../domain/page.ts'
import { storeAttributes } from '../../../domain/projects/gitlab-attributes.ts'
import type { Project } from '../../../domain/projects/project.ts'
import { findProjects, type ProjectQuery } from '../../../domain/projects/project-list.ts'
import {
  changeProject,
  createProject,
  type ProjectChange,
  starProject,
  transferProject,
  unstarProject,
} from '../../../domain/projects/projects.ts'
import type { Visitor } from '../../../domain/projects/visible.ts'
import { removeProject } from '../../../domain/removal/remove.ts'
import { setProjectTopics, topicVisibilityChanged } from '../../../domain/topics/assignment.ts'
import { inheritTopics } from '../../../domain/topics/group-topics/inherited-topics.ts'
import { assertUnmodified } from '../../../domain/unmodified.ts'
import { getUser } from '../../../domain/users/users.ts'
import { flag, integer, optional, text } from '../../../http/params/input.ts'
import { keysetField } from '../../../http/response/keyset.ts'
import { type RenderedRow, renderRow } from '../../../http/response/rendered-row.ts'
import { serialiserOf } from '../../../http/response/serialiser.ts'
import { perMinute, type Route } from '../../../http/route.ts'
import { notFound, refused } from '../../../platform/failure.ts'
import { anyFile } from '../avatars/any-file.ts'
import { addCustomAttributes, withCustomAttributes } from '../custom-attributes/views.ts'
import { route } from '../route.ts'
import { acceptedView, viewAccepted } from '../views.ts'
import {
  assertKeyset,
  organizationField,
  projectAttributes,
  projectAttributesFrom,
  projectExtrasFrom,
  projectListFields,
  projectOrderFrom,
  projectQueryFrom,
  topicsFrom,
} from './input.ts'
import {
  type Detail,
  detailFor,
  type ProjectView,
  projectView,
  renderProjects,
  viewProject,
  viewProjects,
} from './views.ts'

const newProject = Type.Object(
  { ...projectAttributes, namespace_id: optional(integer({ description: 'Default: your own namespace' })) },
  { atLeastOneOf: [['name', 'path']] },
)

const changeable = {
  ...projectAttributes,
  archived: optional(flag({ description: 'Requires the owner role, as do `path` and `visibility`' })),
}

export const projectRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/projects',
    rateLimit: {
      user: { requests: 2000, periodSeconds: 10 * 60 },
      anonymous: { requests: 400, periodSeconds: 10 * 60 },
    },
    summary: 'List the projects that you can read, newest first',
    permission: 'project.list',
    input: Type.Object({ ...projectListFields, ...organizationField, ...keysetField }),
    status: 200,
    output: Type.Array(projectView),
    paged: true,
    async handle({ deps, caller, input, page, origin }) {
      if (input.pagination === 'keyset') assertKeyset(input)
      const detail = detailFor(caller, input.simple)
      const wanted = input.pagination === 'keyset' ? { ...page, page: 1, offset: 0 } : page
      const query = { ...projectQueryFrom(input, caller), organizationId: input.organization_id }
      const found = await findProjects(deps, caller, query, { asked: projectOrderFrom(input), page: wanted })
      const rows = await showProjects(deps, caller, found.rows, { origin, detail, ...withAttributes(input) })
      if (input.pagination !== 'keyset') return { ...found, rows }
      const [last] = found.hasNext ? found.rows.slice(-1) : []
      return { rows, next: last && { [input.sort === 'asc' ? 'id_after' : 'id_before']: last.id } }
    },
  }),
  route({
    method: 'GET',
    path: '/users/:id/projects',
    summary: 'List the personal projects of a user',
    permission: 'project.list',
    input: Type.Object({ id: text({ description: 'ID or username' }), ...projectListFields }),
    status: 200,
    output: Type.Array(projectView),
    paged: true,
    async handle({ deps, caller, input, page, origin }) {
      const within = { namespace: await getOwnNamespace(deps, input.id), descendants: false }
      return listProjects(deps, caller, { query: { ...projectQueryFrom(input, caller), within }, input, page, origin })
    },
  }),
  route({
    method: 'GET',
    path: '/groups/:id/projects',
    rateLimit: perMinute(600),
    summary: 'List the projects of a group',
    permission: 'group.read',
    input: Type.Object({ ...projectListFields, include_subgroups: optional(flag()) }),
    status: 200,
    output: Type.Array(projectView),
    paged: true,
    async handle({ deps, caller, group, input, page, origin }) {
      const within = { namespace: group, descendants: input.include_subgroups ?? false }
      return listProjects(deps, caller, { query: { ...projectQueryFrom(input, caller), within }, input, page, origin })
    },
  }),
  route({
    method: 'POST',
    path: '/projects',
    summary: 'Create a project',
    permission: 'project.create',
    creates: 'project.read',
    input: newProject,
    status: 201,
    output: projectView,
    fileLimit: ({ settings }) => anyFile(settings),
    handle: ({ deps, caller, input, origin }) => create(deps, caller, input, origin),
  }),
  route({
    method: 'POST',
    path: '/projects/user/:user_id',
    summary: 'Create a project for another user',
    permission: 'project.create-for',
    creates: 'project.read',
    input: Type.Object({ user_id: integer(), ...newProject.properties }, { atLeastOneOf: [['name', 'path']] }),
    status: 201,
    output: projectView,
    fileLimit: ({ settings }) => anyFile(settings),
    async handle({ deps, input, origin }) {
      const user = await getUser(deps, input.user_id)
      return create(deps, { user, isAdmin: user.isAdmin }, input, origin)
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id',
    rateLimit: perMinute(400),
    summary: 'Get a project',
    permission: 'project.read',
    input: Type.Object({
      statistics: optional(flag({ description: 'No effect' })),
      license: optional(flag({ description: 'No effect' })),
      ...withCustomAttributes,
    }),
    status: 200,
    output: projectView,
    async handle({ deps, caller, project, input, origin }) {
      const detail = detailFor(caller)
      const [row] = await showProjects(deps, caller, [project], { origin, detail, ...withAttributes(input) })
      if (!row) throw notFound('Project')
      return row
    },
  }),
  route({
    method: 'PUT',
    path: '/projects/:id',
    summary: 'Update a project',
    permission: 'project.update',
    input: Type.Object(changeable, { atLeastOneOf: [Object.keys(changeable)] }),
    status: 200,
    output: projectView,
    fileLimit: ({ settings }) => anyFile(settings),
    async handle({ deps, caller, project, input, origin }) {
      const change = { ...projectAttributesFrom(input), isArchived: input.archived }
      const avatar = input.avatar === '' ? null : input.avatar
      const changed = await withAvatar(deps, 'projects', avatar, (deps) =>
        transaction(deps, async (deps) => {
          const { before, after } = await changeProject(deps, caller, project.id, change)
          await topicVisibilityChanged(deps, after, before.visibility, after.visibility)
          await storeAttributes(deps, 'projects', project.id, projectExtrasFrom(input))
          const topics = topicsFrom(input)
          if (topics) await setProjectTopics(deps, caller, after, topics)
          return after
        }),
      )
      return viewProject(deps, caller, changed, { origin, detail: 'full' })
    },
  }),
  route({
    method: 'DELETE',
    path: '/projects/:id',
    summary: 'Delete a project and everything in it immediately',
    permission: 'project.delete',
    status: 202,
    output: acceptedView,
    async handle({ deps, project, unmodifiedSince }) {
      assertUnmodified(project, unmodifiedSince)
      await removeProject(deps, project)
      return viewAccepted()
    },
  }),
  route({
    method: 'PUT',
    path: '/projects/:id/transfer',
    summary: 'Transfer a project to another namespace',
    permission: 'project.transfer',
    input: Type.Object({
      namespace: text({ description: 'ID or path; requires the maintainer role in that namespace' }),
    }),
    status: 200,
    output: projectView,
    async handle({ deps, caller, project, input, origin }) {
      const transferred = await transaction(deps, async (deps) => {
        const { before, after } = await transferProject(deps, caller, project.id, input.namespace)
        await topicVisibilityChanged(deps, after, before.visibility, after.visibility)
        await inheritTopics(deps, [after.id])
        return after
      })
      return viewProject(deps, caller, transferred, { origin, detail: 'full' })
    },
  }),
  route({
    method: 'POST',
    path: '/projects/:id/restore',
    summary: 'Always rejected, because deleted projects are removed immediately',
    permission: 'project.restore',
    status: 201,
    output: projectView,
    async handle() {
      throw refused('Project has not been marked for deletion')
    },
  }),
  archiving('archive', 'Archive a project', { isArchived: true }),
  archiving('unarchive', 'Unarchive a project', { isArchived: false }),
  starring('star', 'Star a project', starProject),
  starring('unstar', 'Unstar a project', unstarProject),
]

async function listProjects(
  deps: RootDeps,
  caller: Visitor | null,
  {
    query,
    input,
    page,
    origin,
  }: {
    query: ProjectQuery
    input: Parameters<typeof projectOrderFrom>[0] & { simple?: boolean; with_custom_attributes?: boolean }
    page: PageRequest
    origin: string
  },
) {
  const found = await findProjects(deps, caller, query, { asked: projectOrderFrom(input), page })
  return {
    ...found,
    rows: await showProjects(deps, caller, found.rows, {
      origin,
      detail: detailFor(caller, input.simple),
      ...withAttributes(input),
    }),
  }
}

const withAttributes = (input: { with_custom_attributes?: boolean }) => ({
  hasAttributes: input.with_custom_attributes === true,
})

/** Renders projects; with custom attributes, which are not cached, if an administrator requested them. */
async function showProjects(
  deps: RootDeps,
  caller: Visitor | null,
  projects: readonly Project[],
  { hasAttributes, ...shown }: { origin: string; detail: Detail; hasAttributes: boolean },
): Promise<RenderedRow<ProjectView>[]> {
  if (!hasAttributes || !caller?.isAdmin) return renderProjects(deps, caller, projects, shown)
  const views = await addCustomAttributes(deps, 'projects', await viewProjects(deps, caller, projects, shown), true)
  return views.map((view) => renderRow(serialiserOf(projectView)(view)) as RenderedRow<ProjectView>)
}

async function create(deps: RootDeps, creator: Visitor, input: Static<typeof newProject>, origin: string) {
  const project = await withAvatar(deps, 'projects', input.avatar || undefined, (deps) =>
    transaction(deps, async (deps) => {
      const fresh = { ...projectAttributesFrom(input), namespaceId: input.namespace_id }
      const project = await createProject(deps, creator, fresh)
      await storeAttributes(deps, 'projects', project.id, projectExtrasFrom(input))
      await inheritTopics(deps, [project.id])
      const topics = topicsFrom(input)
      if (topics) await setProjectTopics(deps, creator, project, topics)
      return project
    }),
  )
  return viewProject(deps, creator, project, { origin, detail: 'full' })
}

function archiving(word: string, summary: string, change: ProjectChange): Route {
  return route({
    method: 'POST',
    path: `/projects/:id/${word}`,
    summary,
    permission: 'project.archive',
    status: 201,
    output: projectView,
    async handle({ deps, caller, project, origin }) {
      const { after: changed } = await changeProject(deps, caller, project.id, change)
      return viewProject(deps, caller, changed, { origin, detail: 'full' })
    },
  })
}

function starring(word: string, summary: string, change: typeof starProject): Route {
  return route({
    method: 'POST',
    path: `/projects/:id/${word}`,
    summary,
    permission: 'project.star',
    status: 201,
    output: projectView,
    async handle({ deps, caller, project, origin }) {
      return viewProject(deps, caller, await change(deps, caller, project), { origin, detail: 'full' })
    },
  })
}
