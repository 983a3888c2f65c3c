import type { ColumnTypes } from '../column-types.ts'

/**
 * Vulnerabilities, their counts and history. Severities and confidences are stored as GitLab's numbers, which sort
 * correctly.
 */
export const vulnerabilities = ({ id, integer, boolean, time, json }: ColumnTypes) => `
create table vulnerabilities (
  id ${id},
  project_id ${integer} not null references projects(id) on delete cascade,
  author_id ${integer} references users(id) on delete set null,
  title text not null,
  description text,
  state text not null check (state in ('detected', 'confirmed', 'resolved', 'dismissed')),
  severity ${integer} not null,
  is_severity_overridden ${boolean} not null default false,
  confidence ${integer} not null,
  report_type text not null,
  -- Scanner of the finding, 0 for none. Not a foreign key, because both are deleted with their project.
  scanner_id ${integer} not null default 0,
  is_on_default_branch ${boolean} not null default true,
  is_resolved_on_default_branch ${boolean} not null default false,
  is_auto_resolved ${boolean} not null default false,
  confirmed_at ${time},
  confirmed_by_id ${integer} references users(id) on delete set null,
  dismissed_at ${time},
  dismissed_by_id ${integer} references users(id) on delete set null,
  dismissal_reason text,
  resolved_at ${time},
  resolved_by_id ${integer} references users(id) on delete set null,
  created_at ${time} not null,
  updated_at ${time} not null
);
create index vulnerabilities_by_severity on vulnerabilities (project_id, is_on_default_branch, severity desc, id desc);
-- For each combination of facets, a range in id order.
create index vulnerabilities_by_facets on vulnerabilities (project_id, is_on_default_branch, severity, state, report_type,
  scanner_id, is_resolved_on_default_branch, coalesce(dismissal_reason, ''), id);
create index vulnerabilities_no_longer_detected on vulnerabilities (project_id, report_type, id)
  where is_resolved_on_default_branch = true and state = 'detected';
create index vulnerabilities_author on vulnerabilities (author_id);
create index vulnerabilities_confirmed_by on vulnerabilities (confirmed_by_id);
create index vulnerabilities_dismissed_by on vulnerabilities (dismissed_by_id);
create index vulnerabilities_resolved_by on vulnerabilities (resolved_by_id);

-- Facet counts, updated in the transaction that changes a vulnerability, so that rows are never counted. Each row counts
-- one combination of the columns.
create table vulnerability_counts (
  project_id ${integer} not null references projects(id) on delete cascade,
  is_on_default_branch ${boolean} not null,
  severity ${integer} not null,
  state text not null,
  report_type text not null,
  scanner_id ${integer} not null,
  is_resolved_on_default_branch ${boolean} not null,
  dismissal_reason text not null, -- '' for none
  total ${integer} not null,
  seconds ${integer} not null, -- sum of times from detection to resolution
  primary key (project_id, is_on_default_branch, severity, state, report_type, scanner_id,
    is_resolved_on_default_branch, dismissal_reason)
);

-- Daily growth (UTC) of the number of active vulnerabilities on the default branch.
create table vulnerability_days (
  project_id ${integer} not null references projects(id) on delete cascade,
  day text not null, -- YYYY-MM-DD
  severity ${integer} not null,
  growth ${integer} not null,
  primary key (project_id, day, severity)
);

-- Changes of many vulnerabilities at once, which can be undone.
create table vulnerability_bulk_changes (
  id ${id},
  project_id ${integer} not null references projects(id) on delete cascade,
  user_id ${integer} references users(id) on delete set null,
  action text not null,
  changed ${integer} not null,
  unchanged ${integer} not null,
  created_at ${time} not null,
  undone_at ${time},
  undone_by_id ${integer} references users(id) on delete set null,
  restored ${integer} -- null unless undone
);
create index vulnerability_bulk_changes_newest on vulnerability_bulk_changes (project_id, id desc);
create index vulnerability_bulk_changes_user on vulnerability_bulk_changes (user_id);
create index vulnerability_bulk_changes_undone_by on vulnerability_bulk_changes (undone_by_id);

-- History of a vulnerability, in id order. Only notes are ever changed or deleted.
create table vulnerability_history (
  id ${id},
  vulnerability_id ${integer} not null references vulnerabilities(id) on delete cascade,
  kind text not null,
  user_id ${integer} references users(id) on delete set null,
  import_id ${integer} references imports(id) on delete set null,
  bulk_id ${integer} references vulnerability_bulk_changes(id) on delete set null,
  ref text,
  from_value text,
  to_value text,
  comment text,
  dismissal_reason text,
  details ${json}, -- values before a bulk change, reason of a match, or the link
  created_at ${time} not null,
  updated_at ${time} not null
);
create index vulnerability_history_vulnerability on vulnerability_history (vulnerability_id, id);
create index vulnerability_history_user on vulnerability_history (user_id) where user_id is not null;
create index vulnerability_history_import on vulnerability_history (import_id) where import_id is not null;
create index vulnerability_history_bulk on vulnerability_history (bulk_id, id) where bulk_id is not null;

-- Links to issue trackers. At most one is the issue that was created from the vulnerability.
create table vulnerability_links (
  id ${id},
  vulnerability_id ${integer} not null references vulnerabilities(id) on delete cascade,
  user_id ${integer} references users(id) on delete set null,
  link_type text not null check (link_type in ('related', 'created')),
  url text not null,
  title text not null,
  created_at ${time} not null,
  updated_at ${time} not null,
  unique (vulnerability_id, url)
);
create unique index vulnerability_links_created on vulnerability_links (vulnerability_id) where link_type = 'created';
create index vulnerability_links_user on vulnerability_links (user_id);
`
