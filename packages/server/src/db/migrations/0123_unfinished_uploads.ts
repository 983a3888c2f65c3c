import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Unfinished uploads count towards quotas, those of non-members also towards their share. */
export const unfinishedUploads: Migration = {
  name: '0123_unfinished_uploads',
  up: (engine) =>
    `alter table resumable_uploads add column is_from_outsider ${columnTypes(engine).boolean} not null default false;`,
}
