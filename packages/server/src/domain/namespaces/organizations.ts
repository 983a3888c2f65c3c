import { openCache, perDatabase } from '../../db/cache.ts'
import type { Db } from '../../db/db.ts'
import { invalid, notFound } from '../../platform/failure.ts'
import type { Caller } from '../access/callers.ts'
import { instanceEntity } from '../audit/audit-event.ts'
import { recordAuditEvent } from '../audit/record.ts'
import { type Deps, type RootDeps, transaction } from '../deps.ts'
import { type Page, type PageRequest, pageOf } from '../page.ts'
import type { Visitor } from '../projects/visible.ts'
import type { NewOrganization, Organization } from './organization.ts'
import {
  countOrganizations,
  findOrganization,
  hasPrivateOrganization,
  type Insider,
  insertOrganization,
  listOrganizations,
  lockOrganization,
} from './organization-queries.ts'
import { groupProblems } from './paths.ts'

export const defaultOrganizationId = 1

/** Locks what belongs to the instance as a whole until the transaction ends, by its one row that always exists. */
export const lockInstance = (db: Db): Promise<void> => lockOrganization(db, defaultOrganizationId)

export async function createOrganization(deps: Deps, caller: Caller, fresh: NewOrganization): Promise<Organization> {
  const problems = groupProblems(fresh, true)
  if (Object.keys(problems).length > 0) throw invalid(problems)
  return transaction(deps, async (deps) => {
    const organization = await insertOrganization(deps.db, fresh, caller.user.id, deps.now())
    if (!organization) throw invalid({ path: ['has already been taken'] })
    await recordAuditEvent(deps, 'organization_created', {
      entity: instanceEntity,
      message: 'Created an organization',
      target: { type: 'Organization', id: organization.id, name: organization.path },
    })
    return organization
  })
}

export async function findOrganizations(
  deps: Deps,
  visitor: Visitor | null,
  page: PageRequest,
): Promise<Page<Organization>> {
  const insider = insiderOf(deps, visitor)
  const [rows, counted] = await Promise.all([
    listOrganizations(deps.db, insider, page),
    countOrganizations(deps.db, insider),
  ])
  return pageOf(page, rows, counted)
}

/** Returns an organization. Throws `not-found` when the caller may not read it. */
export async function readOrganization(deps: Deps, visitor: Visitor | null, id: number): Promise<Organization> {
  const organization = await findOrganization(deps.db, id, insiderOf(deps, visitor))
  if (!organization) throw notFound('Organization')
  return organization
}

/** Returns an organization without checking who may read it. */
export async function getOrganization(deps: Deps, id: number): Promise<Organization> {
  const organization = await findOrganization(deps.db, id, undefined)
  if (!organization) throw notFound('Organization')
  return organization
}

/** Throws `not-found` when the caller may not read the given organization. The first one needs no query. */
export async function assertOrganizationReadable(
  deps: Deps,
  visitor: Visitor | null,
  id: number | undefined,
): Promise<void> {
  if (id !== undefined && id !== defaultOrganizationId) await readOrganization(deps, visitor, id)
}

/** Returns true when any organization is private. The result is cached. */
export function hasHiddenOrganizations(deps: RootDeps): Promise<boolean> {
  return privates(deps.db).get('any', () => hasPrivateOrganization(deps.db))
}

const privates = perDatabase((changes) => openCache<boolean>(changes, ['organizations'], 1))

function insiderOf(deps: Deps, visitor: Visitor | null): Insider | undefined {
  return visitor?.isAdmin ? undefined : { userId: visitor?.user.id, today: deps.now().slice(0, 10) }
}
