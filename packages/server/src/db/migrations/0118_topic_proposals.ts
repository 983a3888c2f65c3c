import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Topics that users propose where only administrators create them. */
export const topicProposals: Migration = {
  name: '0118_topic_proposals',
  up(engine) {
    const { id, integer, time } = columnTypes(engine)
    return `
create table topic_proposals (
  id ${id},
  organization_id ${integer} not null references organizations(id) on delete cascade,
  name text not null,
  name_key text not null, -- in lower case
  title text not null,
  description text,
  project_id ${integer} references projects(id) on delete set null, -- gets the topic when it is approved
  state text not null default 'pending' check (state in ('pending', 'approved', 'rejected')),
  proposed_by_id ${integer} references users(id) on delete set null,
  created_at ${time} not null,
  decided_by_id ${integer} references users(id) on delete set null,
  decided_at ${time},
  comment text, -- of the administrator who decided
  topic_id ${integer} references topics(id) on delete set null -- which the approval created
);
create unique index topic_proposals_pending on topic_proposals (organization_id, name_key) where state = 'pending';
create index topic_proposals_state on topic_proposals (state, id);
create index topic_proposals_proposed_by on topic_proposals (proposed_by_id, id);
create index topic_proposals_project on topic_proposals (project_id) where project_id is not null;
create index topic_proposals_topic on topic_proposals (topic_id) where topic_id is not null;
create index topic_proposals_decided_by on topic_proposals (decided_by_id) where decided_by_id is not null;
`
  },
}
