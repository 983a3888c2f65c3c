import type { Migration } from '../migrate.ts'

/** Index for listing owners by storage usage, largest first. */
export const usageBySize: Migration = {
  name: '0025_usage_by_size',
  up: () => `
create index upload_usage_by_size on upload_usage (bytes desc, project_id, namespace_id) where files > 0;
`,
}
