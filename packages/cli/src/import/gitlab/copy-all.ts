import type { Copy } from './copy.ts'
import { copyGroup, listGroups } from './copy-groups.ts'
import { copyMembers } from './copy-members.ts'
import { archiveProject, copyProject, listProjects, topicsOf } from './copy-projects.ts'
import { copyTopics } from './copy-topics.ts'
import { copyUploads } from './copy-uploads.ts'
import { copyUsers } from './copy-users.ts'
import { copyVulnerabilities } from './copy-vulnerabilities.ts'
import { rowOf, type SourceRow, textOf } from './source-row.ts'
import { findLinksOfProject } from './upload-links.ts'

/** Copies the selected groups, or everything that the token may read. */
export async function copyAll(copy: Copy, paths: readonly string[]): Promise<void> {
  const isWhole = paths.length === 0
  if (isWhole) await copyUsers(copy)
  const { groups, selected } = await listGroups(copy, paths)
  for (const group of groups) await copyGroup(copy, group)
  const projects = await listProjects(copy, isWhole ? undefined : selectedGroups(groups, selected))
  await copyTopics(copy, isWhole ? undefined : topicsOf(projects))
  for (const project of projects) await copyProject(copy, project)
  for (const row of groups) {
    const place = { kind: 'group', sourceId: String(row['id']), name: textOf(row, 'full_path') ?? '' } as const
    await copyMembers(copy, place)
    // Links to files of a group are in texts that GitLab has no list of, such as epics.
    await copyUploads(copy, place, async () => new Map())
  }
  for (const row of projects) await copyContents(copy, row)
}

/**
 * Copies a project that was copied before, unless it was detached. Returns false when that is not possible without its
 * groups.
 */
export async function copyKnownProject(copy: Copy, sourceId: string): Promise<boolean> {
  const known = copy.sources.find('project', sourceId)
  if (known?.mirror === 'detached') return true
  if (!known || known.mirror === null) return false
  const row = await copy.source.get(`/projects/${sourceId}`)
  const namespace = rowOf(row, 'namespace') ?? {}
  const group = copy.sources.find('group', String(namespace['id']))
  if (textOf(namespace, 'kind') !== 'user' && !group) return false
  if (group) copy.ids.record('group', group.source_id, group.target_id)
  await copyTopics(copy, topicsOf([row]))
  await copyProject(copy, row)
  await copyContents(copy, row)
  return true
}

/** Copies what belongs to a project. A resumed import skips projects that are complete. */
async function copyContents(copy: Copy, row: SourceRow): Promise<void> {
  const sourceId = String(row['id'])
  if (copy.state.isDone('project', sourceId)) return
  const name = textOf(row, 'path_with_namespace') ?? ''
  const place = { kind: 'project', sourceId, name } as const
  const { skipped } = copy.report
  await copyMembers(copy, place)
  await copyUploads(
    copy,
    place,
    once(() => findLinksOfProject(copy, row)),
  )
  await copyVulnerabilities(copy, row)
  await archiveProject(copy, row)
  // A resumed import tries again what has failed.
  if (copy.report.skipped === skipped) await copy.state.markDone('project', sourceId)
}

/** Returns a function that calls another one at most once. */
function once<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined
  return () => {
    result ??= work()
    return result
  }
}

/** Returns the groups below the selected paths. Others are only copied because they contain them. */
function selectedGroups(groups: readonly SourceRow[], paths: readonly string[]): SourceRow[] {
  return groups.filter((row) => {
    const fullPath = (textOf(row, 'full_path') ?? '').toLowerCase()
    return paths.some((path) => `${fullPath}/`.startsWith(`${path.toLowerCase()}/`))
  })
}
