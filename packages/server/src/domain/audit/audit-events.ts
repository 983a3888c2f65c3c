import { notFound } from '../../platform/failure.ts'
import type { Deps } from '../deps.ts'
import { maxCountedRows, type Page, type PageRequest, pageOf } from '../page.ts'
import type { AuditEvent } from './audit-event.ts'
import { type AuditEventFilter, countAuditEvents, findAuditEvent, listAuditEvents } from './audit-event-queries.ts'

export type { AuditEventFilter }

/** Returns a page of events, newest first. */
export async function findAuditEvents(
  { db }: Deps,
  filter: AuditEventFilter,
  page: PageRequest,
): Promise<Page<AuditEvent>> {
  const [rows, counted] = await Promise.all([
    listAuditEvents(db, filter, page),
    page.keyset ? undefined : countAuditEvents(db, filter, maxCountedRows),
  ])
  return pageOf(page, rows, counted)
}

export async function getAuditEvent({ db }: Deps, filter: AuditEventFilter, id: number): Promise<AuditEvent> {
  const event = await findAuditEvent(db, filter, id)
  if (!event) throw notFound('Audit Event')
  return event
}
