import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Destinations to which audit events are sent, and how far each of them has come. */
export const auditStreams: Migration = {
  name: '0070_audit_streams',
  up(engine) {
    const { integer } = columnTypes(engine)
    return `
create table audit_streams (
  destination text primary key,
  position ${integer} not null, -- in the chain, of the last event that the destination has accepted
  failures ${integer} not null default 0, -- consecutive failed attempts
  last_error text
);
`
  },
}
