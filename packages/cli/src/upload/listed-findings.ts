import { type Client, RequestFailed } from '@alcove/client'
import { bySeverity, type ListedFinding } from '../findings.ts'
import type { Comparison } from '../gate/comparison.ts'

/** The findings behind the counts of a comparison. */
export interface FindingLists {
  new: ListedFinding[]
  known: ListedFinding[]
  fixed: ListedFinding[]
  /** False when they are samples, because nothing is stored or the token may not read findings. */
  isComplete: boolean
}

const pageSize = 100

/**
 * Reads the new, fixed and known findings of a ref. A token that may only send reports cannot read them; the lists then have
 * the samples of the comparison.
 */
export async function listFindings(
  client: Client,
  { project, ref, comparison }: { project: string; ref: string; comparison: Comparison },
): Promise<FindingLists> {
  try {
    const present = await readList(client, project, { ref })
    const target = comparison.ref
    const fresh = target === null ? [] : await readList(client, project, { ref, not_on: target })
    const fixed = target === null ? [] : await readList(client, project, { ref: target, not_on: ref, scanned_on: ref })
    const newUuids = new Set(fresh.map(({ uuid }) => uuid))
    const known = present.filter(({ uuid }) => !newUuids.has(uuid))
    return {
      new: fresh.sort(bySeverity),
      known: known.sort(bySeverity),
      fixed: fixed.sort(bySeverity),
      isComplete: true,
    }
  } catch (error) {
    if (!(error instanceof RequestFailed) || ![401, 403, 404].includes(error.status)) throw error
    return sampledFindings(comparison)
  }
}

/** Returns the samples of a comparison as lists. */
export function sampledFindings({ samples, new: fresh, fixed: gone, known }: Comparison): FindingLists {
  const isComplete = samples.new.length === fresh && samples.fixed.length === gone && known === 0
  return { new: [...samples.new], known: [], fixed: [...samples.fixed], isComplete }
}

async function readList(
  client: Client,
  project: string,
  filter: { ref: string; not_on?: string; scanned_on?: string },
): Promise<ListedFinding[]> {
  const rows: ListedFinding[] = []
  let cursor: string | undefined
  do {
    const query = { ...filter, pagination: 'keyset', per_page: pageSize, cursor } as const
    const page = await client.page('GET /projects/{id}/vulnerability_findings', { path: { id: project }, query })
    rows.push(...page.rows)
    cursor = page.hasNext ? page.cursor : undefined
  } while (cursor)
  return rows
}
