import type { Migration } from '../migrate.ts'

/** SHA-256 of avatars and exports, as of uploads. Null for files that were stored before. */
export const fileDigests: Migration = {
  name: '0051_file_digests',
  up: () => `
alter table topics add column avatar_sha256 text;
alter table topic_merges add column source_avatar_sha256 text;
alter table vulnerability_exports add column sha256 text;
`,
}
