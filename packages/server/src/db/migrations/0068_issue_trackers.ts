import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Issue trackers of projects and groups, and the issues that vulnerabilities create in them. */
export const issueTrackers: Migration = {
  name: '0068_issue_trackers',
  up(engine) {
    const { id, integer, time, json } = columnTypes(engine)
    return `
-- Exactly one of project_id and namespace_id is set.
create table issue_trackers (
  id ${id},
  project_id ${integer} unique references projects(id) on delete cascade,
  namespace_id ${integer} unique references namespaces(id) on delete cascade,
  kind text not null, -- gitlab, github, gitea, jira
  url text not null, -- of the tracker's web UI
  place text not null, -- path of the project, or its key in Jira
  token text not null,
  email text, -- of the token's user in Jira Cloud
  issue_type text not null, -- in Jira
  labels ${json} not null,
  title_template text not null,
  description_template text not null,
  paused_until ${time}, -- the tracker asked for no requests until then
  tested_at ${time},
  polled_at ${time},
  synchronized_until ${time}, -- newest change of an issue that was read, by the tracker's clock
  sync_error text,
  created_at ${time} not null,
  updated_at ${time} not null
);

-- The row is inserted before the issue is requested, and its uniqueness keeps a vulnerability from creating two issues.
create table tracker_issues (
  id ${id},
  vulnerability_id ${integer} not null unique references vulnerabilities(id) on delete cascade,
  tracker_id ${integer} references issue_trackers(id) on delete set null,
  link_id ${integer} references vulnerability_links(id) on delete cascade, -- set when the issue exists
  marker text not null unique, -- part of the issue's description
  state text not null, -- creating, created, failed, unknown
  issue_key text, -- number or key of the issue in the tracker
  error text,
  attempts ${integer} not null,
  sent_at ${time}, -- a request was sent then, and its outcome is not known
  busy_until ${time}, -- a process sends requests until then
  requested_at ${time} not null
);
create index tracker_issues_tracker on tracker_issues (tracker_id, issue_key);
create index tracker_issues_link on tracker_issues (link_id);

alter table vulnerability_links add column state text not null default 'opened'; -- opened, closed: of the issue
alter table vulnerability_links add column closed_at ${time};
`
  },
}
