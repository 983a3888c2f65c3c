import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Topics of groups, which their projects inherit. */
export const groupTopics: Migration = {
  name: '0122_group_topics',
  up(engine) {
    const { integer, boolean } = columnTypes(engine)
    return `
create table group_topics (
  group_id ${integer} not null references namespaces(id) on delete cascade,
  topic_id ${integer} not null references topics(id) on delete cascade,
  primary key (group_id, topic_id)
);
create index group_topics_topic on group_topics (topic_id, group_id);
-- At least one of the two is true.
alter table project_topics add column own ${boolean} not null default true;
alter table project_topics add column inherited ${boolean} not null default false;
create table topic_merge_groups (
  merge_id ${integer} not null references topic_merges(id) on delete cascade,
  group_id ${integer} not null, -- not a foreign key, like the projects of a merge
  had_both ${boolean} not null, -- the group had source and target before the merge
  primary key (merge_id, group_id)
);
`
  },
}
