import { type Copy, unlessMissing } from './copy.ts'
import { type SourceRow, textOf } from './source-row.ts'

/** Maximum number of branches of a project that the report names. */
const maxNamed = 10

/**
 * Reports that the import does not copy on which branches other than the default branch vulnerabilities are present. GitLab
 * has no list of them. Alcove has, but the target records presence only from reports.
 */
export async function reportOtherBranches(copy: Copy, sourceId: string, name: string): Promise<void> {
  const refs = await unlessMissing(readRefs(copy, sourceId))
  if (!refs) {
    return copy.report.note(
      'the source does not list on which other branches a vulnerability is present, so the next report of each branch records it',
    )
  }
  const others = refs.filter((ref) => ref['default'] !== true && ref['closed_at'] === null)
  if (others.length === 0) return
  const named = others.slice(0, maxNamed).map((ref) => textOf(ref, 'name'))
  const more = others.length > maxNamed ? ` and ${others.length - maxNamed} more` : ''
  copy.report.note(
    `${name}: presence of vulnerabilities on ${named.join(', ')}${more} is not copied, because the target records it only from reports; the next report of each branch does`,
  )
}

/** Lists the branches and tags with reports, which only Alcove has. */
async function readRefs({ source }: Copy, sourceId: string): Promise<SourceRow[]> {
  const refs: SourceRow[] = []
  for await (const ref of source.list(`/projects/${sourceId}/refs`)) refs.push(ref)
  return refs
}
