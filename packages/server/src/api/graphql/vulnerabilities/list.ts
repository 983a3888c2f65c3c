import { hash } from 'node:crypto'
import { type Cursor, compareIn } from '../../../domain/findings/list/cursor.ts'
import { severityRanks } from '../../../domain/findings/scales.ts'
import type { ListScope } from '../../../domain/vulnerabilities/list/filter.ts'
import {
  type ListQuery,
  listOrder,
  listVulnerabilityIds,
  loadVulnerabilities,
} from '../../../domain/vulnerabilities/list/list.ts'
import { summarizeList } from '../../../domain/vulnerabilities/list/summary.ts'
import type { VulnerabilityWithFinding } from '../../../domain/vulnerabilities/vulnerability.ts'
import { connectionOf, emptyConnection, invalidCursor, type PageOfNodes, readPageOfNodes } from '../connection.ts'
import type { Context } from '../context.ts'
import { readFilterArgs, readProjectIds, type VulnerabilityArgs } from './arguments.ts'

/** Returns a page of the vulnerabilities of some projects; an empty one without them. */
export async function listVulnerabilities(context: Context, scope: ListScope | null, args: VulnerabilityArgs) {
  const asked = readPageOfNodes(args)
  const bounds = { after: readCursor(args.after), before: readCursor(args.before) }
  const filter = await readFilterArgs(context, scope, args)
  const narrowed = scope && narrowScope(scope, readProjectIds(args.projectId))
  if (!narrowed || !filter) return { ...emptyConnection(), count: 0 }
  const query = { scope: narrowed, filter, sort: args.sort ?? 'severity_desc', isReversed: asked.isBackward }
  const { rows, isMore } = await readRows(context, query, asked, bounds)
  const { isBackward } = asked
  const connection = connectionOf(isBackward ? rows.reverse() : rows, (row) => writeCursor(positionOf(row)), {
    hasNextPage: isBackward ? bounds.before !== undefined : isMore,
    hasPreviousPage: isBackward ? isMore : bounds.after !== undefined,
  })
  return { ...connection, count: async () => (await summarizeList(context.deps, narrowed, filter)).total ?? null }
}

/** Narrows a scope to some of its projects. */
export function narrowScope(scope: ListScope, projectIds: readonly number[] | undefined): ListScope {
  if (!projectIds) return scope
  const chosen = new Set(projectIds)
  const ids = scope.projectIds.filter((id) => chosen.has(id))
  return { key: `projects ${hash('sha1', ids.join())}`, projectIds: ids }
}

/** Reads rows in the direction of the page, from one cursor to the other. */
async function readRows(
  { deps }: Context,
  query: ListQuery,
  { limit, isBackward }: PageOfNodes,
  { after, before }: { after: Cursor | undefined; before: Cursor | undefined },
): Promise<{ rows: VulnerabilityWithFinding[]; isMore: boolean }> {
  const [from, to] = isBackward ? [before, after] : [after, before]
  const page = { page: 1, perPage: limit, offset: 0, keyset: { after: from } }
  const found = await listVulnerabilityIds(deps, query, page)
  const rows = await loadVulnerabilities(deps, found.rows)
  const compare = compareIn(listOrder(query))
  const within = to ? rows.filter((row) => compare(positionOf(row), to) < 0) : rows
  return { rows: within, isMore: found.hasNext === true || within.length < rows.length }
}

function positionOf({ vulnerability: { severity, id } }: VulnerabilityWithFinding): Cursor {
  return { severity: severityRanks[severity], id }
}

function writeCursor({ severity, id }: Cursor): string {
  return Buffer.from(`${severity}:${id}`).toString('base64url')
}

function readCursor(cursor: string | null | undefined): Cursor | undefined {
  if (!cursor) return undefined
  const [, severity, id] = /^(\d{1,2}):(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (severity === undefined || id === undefined) throw invalidCursor()
  return { severity: Number(severity), id: Number(id) }
}
