import Type from 'typebox'
import {
  countLicenses,
  countProjectLicenses,
  type DependencyFilter,
  listGroupDependencies,
  listProjectDependencies,
  searchPackages,
} from '../../../domain/dependencies/dependencies.ts'
import { packageManagers } from '../../../domain/dependencies/dependency.ts'
import { listProjectsById } from '../../../domain/projects/projects.ts'
import { readableScope } from '../../../domain/vulnerabilities/list/readable-scope.ts'
import { listOf, optional, text } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { parameterProblem } from '../../../platform/failure.ts'
import { route } from '../route.ts'
import { instanceScope, scopeProperties } from '../vulnerabilities/scope-filters.ts'
import {
  dependencyView,
  groupDependencyView,
  licenseCountView,
  usedPackageView,
  viewDependency,
  viewGroupDependency,
  viewLicenseCount,
  viewUsedPackage,
} from './views.ts'

const ref = optional(text({ allowBlank: false, description: 'Branch or tag. Default: the default branch' }))

const filters = {
  package_manager: optional(listOf(packageManagers, { commaSeparated: true })),
  search: optional(text({ description: 'Part of a name' })),
  license: optional(text({ allowBlank: false, description: 'SPDX id, expression or name of a license' })),
  ref,
}

interface FilterInput {
  search?: string
  package_manager?: readonly string[]
  license?: string
}

const filterFrom = ({ search, package_manager: packageManagers, license }: FilterInput): DependencyFilter => ({
  search: search?.trim() || undefined,
  packageManagers,
  license,
})

export const dependencyRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/projects/:id/dependencies',
    summary: 'List the dependencies of a project by name',
    permission: 'dependency.list',
    input: Type.Object(filters),
    status: 200,
    output: Type.Array(dependencyView),
    paged: true,
    async handle({ deps, project, input, page, origin }) {
      const filter = filterFrom(input)
      const place = { projectId: project.id, ref: input.ref ?? project.defaultBranch }
      const found = await listProjectDependencies(deps, place, filter, page)
      return { ...found, rows: found.rows.map((row) => viewDependency(project, row, origin)) }
    },
  }),
  route({
    method: 'GET',
    path: '/projects/:id/dependencies/licenses',
    summary: 'Count the dependencies of a project by license',
    permission: 'dependency.list',
    input: Type.Object({ ref }),
    status: 200,
    output: Type.Array(licenseCountView),
    unknownFilters: 'refused',
    async handle({ deps, project, input }) {
      const place = { projectId: project.id, ref: input.ref ?? project.defaultBranch }
      return (await countProjectLicenses(deps, place)).map(viewLicenseCount)
    },
  }),
  route({
    method: 'GET',
    path: '/groups/:id/dependencies',
    summary: 'List the packages on which the default branches of readable projects of a group depend',
    permission: 'group.dependency.list',
    input: Type.Object({
      package_manager: filters.package_manager,
      search: filters.search,
      license: filters.license,
      project_id: scopeProperties.project_id,
    }),
    status: 200,
    output: Type.Array(groupDependencyView),
    paged: true,
    unknownFilters: 'refused',
    async handle({ deps, group, caller, input, page, origin }) {
      const { projectIds } = await readableScope(deps, caller, { group, projectIds: input.project_id })
      const filter = filterFrom(input)
      const found = await listGroupDependencies(deps, projectIds, filter, page)
      const ids = new Set(found.rows.flatMap((row) => row.projectIds))
      const projects = new Map((await listProjectsById(deps.db, [...ids])).map((project) => [project.id, project]))
      return { ...found, rows: found.rows.map((row) => viewGroupDependency(row, projects, origin)) }
    },
  }),
  route({
    method: 'GET',
    path: '/dependencies',
    summary: 'Find a package in the default branches of all readable projects',
    permission: 'instance.dependency.list',
    input: Type.Object({
      search: text({
        description: 'Package URL with or without a version, or words of at least three letters in a name',
      }),
      ...scopeProperties,
    }),
    status: 200,
    output: Type.Array(usedPackageView),
    paged: true,
    unknownFilters: 'refused',
    async handle({ deps, caller, input, page, origin }) {
      const { projectIds } = await instanceScope(deps, caller, input)
      const found = await searchPackages(deps, projectIds, input.search, page)
      if (!found) throw parameterProblem('search has no word of at least three letters, and is not a valid package URL')
      const ids = new Set(found.rows.flatMap((row) => row.projectIds))
      const projects = new Map((await listProjectsById(deps.db, [...ids])).map((project) => [project.id, project]))
      return { ...found, rows: found.rows.map((row) => viewUsedPackage(row, projects, origin)) }
    },
  }),
  route({
    method: 'GET',
    path: '/dependencies/licenses',
    summary: 'Count the dependencies of all readable projects by license',
    permission: 'instance.dependency.list',
    input: Type.Object(scopeProperties),
    status: 200,
    output: Type.Array(licenseCountView),
    unknownFilters: 'refused',
    async handle({ deps, caller, input }) {
      const { projectIds } = await instanceScope(deps, caller, input)
      return (await countLicenses(deps, projectIds)).map(viewLicenseCount)
    },
  }),
]
