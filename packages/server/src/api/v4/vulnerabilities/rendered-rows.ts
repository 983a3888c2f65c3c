import type { RootDeps } from '../../../domain/deps.ts'
import type { Mirror } from '../../../domain/import-sources/import-source.ts'
import { readMirrors } from '../../../domain/import-sources/mirrors.ts'
import type { Project } from '../../../domain/projects/project.ts'
import { listVersions, loadVulnerabilities, versionOf } from '../../../domain/vulnerabilities/list/list.ts'
import { withProjects } from '../../../domain/vulnerabilities/list/readable-scope.ts'
import { seenOnRef } from '../../../domain/vulnerabilities/triage/dismissals/ref-dismissals.ts'
import type { VulnerabilityWithFinding } from '../../../domain/vulnerabilities/vulnerability.ts'
import { digestOf, type RowSource } from '../../../http/response/row-cache.ts'
import { viewMirror } from '../import-sources/views.ts'
import { addMirror, todayOf, viewProject, viewVulnerability, vulnerabilityView } from './views.ts'

const tables = ['vulnerabilities', 'findings', 'users', 'import_sources']

/** Returns a digest of everything that a rendered vulnerability depends on, except its row, its finding and its assignee. */
function contextDigest(project: Project, mirror: Mirror | undefined, origin: string): string {
  const known = mirror ? undefined : digests.get(project)
  if (known?.origin === origin) return known.digest
  const parts = [viewProject(project), project.defaultBranch, project.isArchived, mirror && viewMirror(mirror), origin]
  const digest = digestOf(parts)
  if (!mirror) digests.set(project, { origin, digest })
  return digest
}

/** Digests of projects that are no mirrors. Projects are never changed in place, so each is hashed once for its rows. */
const digests = new WeakMap<Project, { origin: string; digest: string }>()

interface ViewOptions {
  origin: string
  /** Shows the states on this ref instead of those on the default branch. */
  ref?: string | undefined
}

const onRef = (row: VulnerabilityWithFinding, ref: string | undefined): VulnerabilityWithFinding => {
  const { vulnerability, finding, scanner, identifiers, assignee } = row
  return { vulnerability: seenOnRef(vulnerability, ref), finding, scanner, identifiers, assignee }
}

/** Rendered vulnerabilities of a project. */
export async function vulnerabilityRows(
  deps: RootDeps,
  project: Project,
  { origin, ref }: ViewOptions,
): Promise<RowSource<typeof vulnerabilityView>> {
  const today = todayOf(deps)
  const mirror = (await readMirrors(deps, 'project', [project.id])).get(project.id)
  const name = `vulnerability ${JSON.stringify([today, ref])} ${contextDigest(project, mirror, origin)}`
  return {
    name,
    view: vulnerabilityView,
    tables,
    projectId: project.id,
    listVersions: async (ids) => new Map((await listVersions(deps, ids)).map(({ id, version }) => [id, version])),
    load: async (ids) =>
      (await loadVulnerabilities(deps, ids)).map((row) => ({
        key: row.vulnerability.id,
        version: versionOf(row),
        view: addMirror(viewVulnerability(project, onRef(row, ref), origin, today), mirror),
      })),
  }
}

/** Tables that rendered vulnerabilities of any number of projects depend on. */
export const multiProjectTables: readonly string[] = [...tables, 'projects', 'namespaces']

/** Adds the project to each row, and the source of those that are mirrors. */
async function withMirrors<Row extends { projectId: number }>(deps: RootDeps, rows: readonly Row[]) {
  const mirrors = await readMirrors(deps, 'project', [...new Set(rows.map(({ projectId }) => projectId))])
  const found = await withProjects(deps, rows)
  return found.map(({ row, project }) => ({ row, project, mirror: mirrors.get(project.id) }))
}

/** Rendered vulnerabilities of any projects, whose data is part of the version. */
export function vulnerabilityRowsOfMany(
  deps: RootDeps,
  { origin, ref }: ViewOptions,
): RowSource<typeof vulnerabilityView> {
  const today = todayOf(deps)
  return {
    name: `vulnerability of any project ${JSON.stringify([today, ref])} ${origin}`,
    view: vulnerabilityView,
    tables: multiProjectTables,
    async listVersions(ids) {
      const rows = await withMirrors(deps, await listVersions(deps, ids))
      return new Map(
        rows.map(({ row, project, mirror }) => [row.id, `${row.version} ${contextDigest(project, mirror, origin)}`]),
      )
    },
    async load(ids) {
      const loaded = await loadVulnerabilities(deps, ids)
      const rows = await withMirrors(
        deps,
        loaded.map((row) => ({ ...row, projectId: row.vulnerability.projectId })),
      )
      return rows.map(({ row, project, mirror }) => ({
        key: row.vulnerability.id,
        version: `${versionOf(row)} ${contextDigest(project, mirror, origin)}`,
        view: addMirror(viewVulnerability(project, onRef(row, ref), origin, today), mirror),
      }))
    },
  }
}
