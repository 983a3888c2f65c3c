import Type from 'typebox'
import type { RootDeps } from '../../../domain/deps.ts'
import type { PageRequest } from '../../../domain/page.ts'
import { type ListScope, projectScope } from '../../../domain/vulnerabilities/list/filter.ts'
import { readableScope } from '../../../domain/vulnerabilities/list/readable-scope.ts'
import { findTags } from '../../../domain/vulnerabilities/triage/tagging.ts'
import { maxTagLength, maxTags, readTags } from '../../../domain/vulnerabilities/triage/tags.ts'
import { changeVulnerability } from '../../../domain/vulnerabilities/triage/triage.ts'
import { optional, text, textList } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { instanceScope, projectFilter, scopeProperties } from './scope-filters.ts'
import { given } from './triage-routes.ts'
import { viewChanged, vulnerabilityView } from './views.ts'

/** Parameter of tags. */
export const tagList = textList({
  commaSeparated: true,
  description: `Tags of up to ${maxTagLength} characters without commas, compared case-insensitively; a vulnerability has at most ${maxTags}`,
})

const search = optional(text({ description: 'Only tags that contain this text' }))

const tagView = Type.Object({ name: Type.String() }, { title: 'VulnerabilityTag' })

async function listTags(
  deps: RootDeps,
  scope: ListScope,
  { input, page }: { input: { search?: string | undefined }; page: PageRequest },
) {
  const found = await findTags(deps, scope, { search: input.search?.trim(), page })
  return { ...found, rows: found.rows.map((name) => ({ name })) }
}

const list = {
  method: 'GET',
  status: 200,
  output: Type.Array(tagView),
  paged: true,
  unknownFilters: 'refused',
} as const

/** Changes the tags of one vulnerability. */
const tagRoute = (method: 'PUT' | 'POST' | 'DELETE', action: 'set_tags' | 'tag' | 'untag', summary: string): Route =>
  route({
    method,
    path: '/vulnerabilities/:id/tags',
    summary,
    permission: 'vulnerability.tag',
    input: Type.Object({
      tags: tagList,
      comment: optional(text({ description: 'Stored in the history; at most 50,000 characters' })),
    }),
    status: method === 'POST' ? 201 : 200,
    output: vulnerabilityView,
    async handle({ deps, project, vulnerability, caller, input, origin }) {
      const change = { action, tags: readTags(input.tags), comment: given(input.comment) }
      const changed = await changeVulnerability(deps, project, caller.user, { id: vulnerability.id, change })
      return viewChanged(deps, project, changed, origin)
    },
  })

export const vulnerabilityTagRoutes: readonly Route[] = [
  tagRoute('PUT', 'set_tags', 'Replace the tags of a vulnerability'),
  tagRoute('POST', 'tag', 'Add tags to a vulnerability'),
  tagRoute('DELETE', 'untag', 'Remove tags from a vulnerability'),
  route({
    ...list,
    path: '/projects/:id/vulnerability_tags',
    summary: 'List the tags of a project’s vulnerabilities',
    permission: 'vulnerability.list',
    input: Type.Object({ search }),
    handle: ({ deps, project, input, page }) => listTags(deps, projectScope(project.id), { input, page }),
  }),
  route({
    ...list,
    path: '/groups/:id/vulnerability_tags',
    summary: 'List the tags of the vulnerabilities of all readable projects in a group and its subgroups',
    permission: 'group.vulnerability.list',
    input: Type.Object({ search, project_id: projectFilter }),
    async handle({ deps, caller, group, input, page }) {
      const scope = await readableScope(deps, caller, { group, projectIds: input.project_id })
      return listTags(deps, scope, { input, page })
    },
  }),
  route({
    ...list,
    path: '/vulnerability_tags',
    summary: 'List the tags of the vulnerabilities of all readable projects',
    permission: 'instance.vulnerability.list',
    input: Type.Object({ search, ...scopeProperties }),
    handle: async ({ deps, caller, input, page }) =>
      listTags(deps, await instanceScope(deps, caller, input), { input, page }),
  }),
]
