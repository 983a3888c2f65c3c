import type { Migration } from '../migrate.ts'
import { searchIndexes } from './initial/search.ts'

/**
 * Indexes for the activity feed, whose pages follow each other by time: imported decisions have the times of their source.
 * And for the search of uploads by name.
 */
export const activityAndFiles: Migration = {
  name: '0134_activity_and_files',
  up: (engine) => `
drop index vulnerability_history_decisions;
create index vulnerability_history_decisions on vulnerability_history (created_at, id)
  where kind = 'state' and user_id is not null and bulk_id is null;
create index vulnerability_bulk_changes_by_time on vulnerability_bulk_changes (created_at, id);
create index imports_with_absences on imports (shown_at, id) where shown_at is not null and findings_held > 0;
${searchIndexes(engine, 'uploads', ['filename'])}
${engine === 'sqlite' ? "insert into uploads_search (uploads_search) values ('rebuild');" : ''}
`,
}
