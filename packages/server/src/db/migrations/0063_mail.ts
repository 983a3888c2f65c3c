import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Queue of e-mail, what users want to receive, and which events were announced. */
export const mail: Migration = {
  name: '0063_mail',
  up(engine) {
    const { id, integer, boolean, time, json } = columnTypes(engine)
    return `
create table mails (
  id ${id},
  event_key text not null unique, -- at most one message per key
  kind text not null,
  recipient_id ${integer} references users(id) on delete cascade,
  address text, -- of a recipient without an account
  data ${json}, -- of the template; removed at the end, because it may contain links that grant access
  state text not null default 'queued'
    check (state in ('queued', 'sending', 'sent', 'skipped', 'failed', 'unknown')),
  attempts ${integer} not null default 0,
  last_error text,
  created_at ${time} not null,
  ended_at ${time},
  check ((recipient_id is null) <> (address is null))
);
create index mails_recipient on mails (recipient_id) where recipient_id is not null;
create index mails_open on mails (state) where state in ('queued', 'sending', 'failed', 'unknown');
create index mails_ended on mails (ended_at, id) where ended_at is not null;

-- Events whose recipients were determined.
create table mail_events (
  key text primary key,
  created_at ${time} not null
);
create index mail_events_age on mail_events (created_at);

-- Time until which the vulnerabilities of a project were announced.
create table mail_cursors (
  project_id ${integer} primary key references projects(id) on delete cascade,
  announced_until ${time} not null
);

-- Users without a row have the defaults.
create table notification_settings (
  user_id ${integer} primary key references users(id) on delete cascade,
  new_vulnerabilities ${boolean} not null,
  held_reports ${boolean} not null,
  expiring_tokens ${boolean} not null,
  digest text not null check (digest in ('off', 'daily', 'weekly')),
  updated_at ${time} not null
);
create index notification_settings_digest on notification_settings (digest, user_id) where digest <> 'off';

-- Key of the signatures in links that end a subscription.
create table mail_keys (
  id ${integer} primary key check (id = 1),
  secret text not null
);

-- Conditions that no list of vulnerabilities has, so that no list is read in the order of these indexes.
create index vulnerabilities_urgent on vulnerabilities (created_at, project_id)
  where severity >= 6 and is_on_default_branch = true and id > 0;
create index vulnerabilities_resolved_at on vulnerabilities (resolved_at, project_id) where state = 'resolved' and id > 0;
`
  },
}
