import type { Copy } from './copy.ts'

/** Maximum number of vulnerabilities of a project that the report names. */
const maxNamed = 50

/** A project of the target, and the ids under which the vulnerabilities were sent that its source has. */
interface CopiedProject {
  id: number
  name: string
  /** Name of the source, as the target has recorded it. */
  sourceName: string
  present: ReadonlySet<string>
}

/**
 * Names the vulnerabilities of a mirror that were deleted in the source. They are kept, whatever their age, because no
 * API deletes a single vulnerability.
 */
export async function reportMissingVulnerabilities(
  { target, report }: Copy,
  { id, name, sourceName, present }: CopiedProject,
): Promise<void> {
  const missing: string[] = []
  for (let page = 1, isLast = false; !isLast; page++) {
    const { rows, hasNext } = await target.page('GET /projects/{id}/imported_findings', {
      path: { id },
      query: { source: 'gitlab', source_name: sourceName, page, per_page: 100 },
    })
    for (const row of rows) if (!present.has(row.source_id)) missing.push(`${row.source_id} (${row.title})`)
    isLast = !hasNext
  }
  for (const one of missing.slice(0, maxNamed)) report.note(`vulnerability of ${name} ${one}: missing in the source`)
  if (missing.length > maxNamed) {
    report.note(`${missing.length - maxNamed} more vulnerabilities of ${name} are missing in the source`)
  }
  if (missing.length > 0) {
    report.note(
      'vulnerabilities that are missing in the source are kept, because no API deletes a single vulnerability',
    )
  }
}
