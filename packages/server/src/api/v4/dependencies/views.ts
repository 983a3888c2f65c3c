import Type from 'typebox'
import type { ListedDependency } from '../../../domain/dependencies/dependencies.ts'
import {
  type GroupDependency,
  type LicenseCount,
  licenseUrl,
  type UsedPackage,
} from '../../../domain/dependencies/dependency.ts'
import type { Project } from '../../../domain/projects/project.ts'
import { vulnerabilityUrl } from '../findings/web-url.ts'
import { nullableString } from '../views.ts'

const packageUrl = { ...nullableString, description: 'Canonical package URL without qualifiers, if it is known' }
const licenseAddress = { ...nullableString, description: 'Page of the license; null unless its name is an SPDX id' }

export const dependencyView = Type.Object(
  {
    name: Type.String(),
    version: Type.String(),
    package_manager: { ...Type.String(), description: 'Empty if it is unknown' },
    dependency_file_path: { ...Type.String(), description: 'Empty if it is unknown' },
    vulnerabilities: Type.Array(
      Type.Object({ name: Type.String(), severity: Type.String(), id: Type.Integer(), url: Type.String() }),
    ),
    licenses: Type.Array(Type.Object({ name: Type.String(), url: licenseAddress })),
    package_url: packageUrl,
  },
  { title: 'Dependency' },
)

export function viewDependency(project: Project, dependency: ListedDependency, origin: string) {
  return {
    name: dependency.name,
    version: dependency.version,
    package_manager: dependency.packageManager,
    dependency_file_path: dependency.file,
    vulnerabilities: dependency.vulnerabilities.map(({ id, title, severity }) => ({
      name: title,
      severity,
      id,
      url: vulnerabilityUrl(project.fullPath, id, origin),
    })),
    licenses: dependency.licenses.map((name) => ({ name, url: licenseUrl(name) })),
    package_url: dependency.packageUrl,
  }
}

export const licenseCountView = Type.Object(
  {
    name: { ...Type.String(), description: '`unknown` counts the dependencies without a license' },
    url: licenseAddress,
    dependencies: Type.Integer(),
  },
  { title: 'LicenseCount' },
)

export const viewLicenseCount = ({ name, total }: LicenseCount) => ({
  name,
  url: licenseUrl(name),
  dependencies: total,
})

export const usedPackageView = Type.Object(
  {
    name: Type.String(),
    version: Type.String(),
    package_url: packageUrl,
    project_count: { ...Type.Integer(), description: 'Number of readable projects whose default branch depends on it' },
    projects: {
      ...Type.Array(
        Type.Object({
          id: Type.Integer(),
          name: Type.String(),
          path_with_namespace: Type.String(),
          web_url: Type.String(),
        }),
      ),
      description: 'The first 20 of these projects',
    },
  },
  { title: 'UsedPackage' },
)

export const groupDependencyView = Type.Object(
  {
    name: Type.String(),
    version: Type.String(),
    package_manager: { ...Type.String(), description: 'Empty if it is unknown' },
    licenses: Type.Array(Type.Object({ name: Type.String(), url: licenseAddress })),
    occurrence_count: { ...Type.Integer(), description: 'Number of entries in the reports of these projects' },
    project_count: usedPackageView.properties.project_count,
    package_url: packageUrl,
    projects: usedPackageView.properties.projects,
  },
  { title: 'GroupDependency' },
)

export function viewGroupDependency(
  dependency: GroupDependency,
  projects: ReadonlyMap<number, Project>,
  origin: string,
) {
  const used = viewUsedPackage(dependency, projects, origin)
  return {
    ...used,
    package_manager: dependency.packageManager,
    licenses: dependency.licenses.map((name) => ({ name, url: licenseUrl(name) })),
    occurrence_count: dependency.occurrences,
  }
}

export function viewUsedPackage(
  { name, version, packageUrl, projects: total, projectIds }: UsedPackage & { projectIds: readonly number[] },
  projects: ReadonlyMap<number, Project>,
  origin: string,
) {
  return {
    name,
    version,
    package_url: packageUrl,
    project_count: total,
    projects: projectIds.flatMap((id) => {
      const project = projects.get(id)
      if (!project) return []
      return [
        { id, name: project.name, path_with_namespace: project.fullPath, web_url: `${origin}/${project.fullPath}` },
      ]
    }),
  }
}
