import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** States of virus scans. Files that exist already are not scanned. */
export const uploadScans: Migration = {
  name: '0119_upload_scans',
  up(engine) {
    const { time } = columnTypes(engine)
    return `
alter table uploads add column scan_state text not null default 'not_scanned'
  check (scan_state in ('not_scanned', 'pending', 'clean', 'infected', 'released'));
alter table uploads add column scan_signature text;
alter table uploads add column scanned_at ${time};
create index uploads_infected on uploads (scanned_at, id) where scan_state = 'infected';
create index uploads_pending on uploads (id) where scan_state = 'pending';
`
  },
}
