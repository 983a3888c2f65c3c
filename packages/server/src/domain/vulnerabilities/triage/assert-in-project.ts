import { invalid } from '../../../platform/failure.ts'
import { forEachBatch } from '../../batches.ts'

/** Maximum number of ids in the message. */
const maxNamed = 20

/** Throws unless all ids belong to the project, or to another place. `listMembers` returns those of a batch that do. */
export async function assertOfProject(
  field: 'vulnerability_ids' | 'finding_ids',
  ids: readonly number[],
  listMembers: (slice: readonly number[]) => Promise<number[]>,
  place = 'this project',
): Promise<void> {
  const missing: number[] = []
  await forEachBatch(ids, async (slice) => {
    const there = new Set(await listMembers(slice))
    missing.push(...slice.filter((id) => !there.has(id)))
  })
  if (missing.length === 0) return
  const more = missing.length > maxNamed ? ` and ${missing.length - maxNamed} more` : ''
  throw invalid({
    [field]: [`not found in ${place}: ${missing.slice(0, maxNamed).join(', ')}${more}; nothing was changed`],
  })
}
