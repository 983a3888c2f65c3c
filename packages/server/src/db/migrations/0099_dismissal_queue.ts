import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Who issued a token, who is behind a request for a dismissal, and the bulk change that it belongs to. */
export const dismissalQueue: Migration = {
  name: '0099_dismissal_queue',
  up(engine) {
    const { integer, json } = columnTypes(engine)
    return `
-- The user who created the token or rotated it. Null for older tokens.
alter table access_tokens add column issued_by_id ${integer} references users(id) on delete set null;
create index access_tokens_issued_by on access_tokens (issued_by_id) where issued_by_id is not null;

-- Ids of the other users who know the credential of the request. They cannot decide about it.
alter table dismissal_requests add column involved_ids ${json};
alter table dismissal_requests add column bulk_id ${integer} references vulnerability_bulk_changes(id) on delete set null;
create index dismissal_requests_bulk on dismissal_requests (bulk_id, vulnerability_id) where bulk_id is not null;
-- The requests of a user, and those of all projects, newest first.
create index dismissal_requests_by_requester on dismissal_requests (requested_by_id, id);
drop index dismissal_requests_requested_by;
create index dismissal_requests_by_state on dismissal_requests (state, id);
-- Requests of the change that its undo withdrew. Null before the undo.
alter table vulnerability_bulk_changes add column withdrawn ${integer};
`
  },
}
