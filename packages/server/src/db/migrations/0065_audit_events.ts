import type { Dialect } from '../db.ts'
import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/**
 * The audit log. An event is inserted in the transaction of its action; a place in the hash chain is assigned after the
 * commit. Events have no foreign keys, because they outlive what they are about.
 */
export const auditEvents: Migration = {
  name: '0065_audit_events',
  up(engine) {
    const { id, integer, json, time } = columnTypes(engine)
    return `
create table audit_events (
  id ${id},
  name text not null,
  author_id ${integer}, -- null for anonymous requests and for the system
  entity_type text not null,
  entity_id ${integer} not null,
  details ${json} not null,
  created_at ${time} not null,
  position ${integer}, -- in the chain; null until the event is sealed
  hash text -- of the event and of the hash before it
);
create unique index audit_events_position on audit_events (position);
create index audit_events_unsealed on audit_events (id) where position is null;
create index audit_events_entity on audit_events (entity_type, entity_id, id);
create index audit_events_author on audit_events (author_id, id);
create index audit_events_created on audit_events (created_at);

-- One row: the end of the chain, and the checkpoint from which it can be verified.
create table audit_chain (
  id ${integer} primary key,
  position ${integer} not null,
  hash text not null,
  base_position ${integer} not null, -- events up to here may be deleted
  base_hash text not null
);
insert into audit_chain (id, position, hash, base_position, base_hash) values (1, 0, '', 0, '');
${guards[engine]}
-- Inserts a history entry together with its audit event in one statement.
create view audited_history as
select h.vulnerability_id, h.kind, h.user_id, h.from_value, h.to_value, h.comment, h.dismissal_reason, h.created_at,
  e.name as event_name, e.entity_id as project_id, e.details as event_details
from vulnerability_history h join audit_events e on e.id = h.id where 1 = 0;
${insertThroughView[engine]}
`
  },
}

const isUnchangeable = `old.position is not null or new.name <> old.name or new.entity_type <> old.entity_type
  or new.entity_id <> old.entity_id or new.author_id is distinct from old.author_id or new.created_at <> old.created_at
  or new.id <> old.id or cast(new.details as text) <> cast(old.details as text)`

const isKept = `old.position is null or old.position > (select base_position from audit_chain where id = 1)`

/** Triggers that let only the chain be added to an event, and only events before the checkpoint be deleted. */
const guards: Readonly<Record<Dialect['engine'], string>> = {
  sqlite: `
create trigger audit_events_update before update on audit_events for each row when ${isUnchangeable}
begin select raise(abort, 'audit events cannot be changed'); end;
create trigger audit_events_delete before delete on audit_events for each row when ${isKept}
begin select raise(abort, 'audit events cannot be deleted before the checkpoint of the chain'); end;`,
  postgres: `
create function audit_events_update() returns trigger language plpgsql as $$
begin raise exception 'audit events cannot be changed'; end $$;
create trigger audit_events_update before update on audit_events for each row when (${isUnchangeable})
execute function audit_events_update();
create function audit_events_delete() returns trigger language plpgsql as $$
begin
  if ${isKept} then raise exception 'audit events cannot be deleted before the checkpoint of the chain'; end if;
  return old;
end $$;
create trigger audit_events_delete before delete on audit_events for each row execute function audit_events_delete();`,
}

const inserts = `
  insert into vulnerability_history (vulnerability_id, kind, user_id, from_value, to_value, comment, dismissal_reason,
    created_at, updated_at)
  values (new.vulnerability_id, new.kind, new.user_id, new.from_value, new.to_value, new.comment, new.dismissal_reason,
    new.created_at, new.created_at);
  insert into audit_events (name, author_id, entity_type, entity_id, details, created_at)
  values (new.event_name, new.user_id, 'Project', new.project_id, new.event_details, new.created_at);`

const insertThroughView: Readonly<Record<Dialect['engine'], string>> = {
  sqlite: `create trigger audited_history_insert instead of insert on audited_history for each row begin${inserts}\nend;`,
  postgres: `create function audited_history_insert() returns trigger language plpgsql as $$
begin${inserts}
return new;
end $$;
create trigger audited_history_insert instead of insert on audited_history for each row
execute function audited_history_insert();`,
}
