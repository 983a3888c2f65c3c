import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Absences that an import holds until a maintainer decides, and the share of findings above which it does. */
export const heldAbsences: Migration = {
  name: '0052_held_absences',
  up(engine) {
    const { integer } = columnTypes(engine)
    return `
alter table projects add column max_absent_percent ${integer} default 50; -- null holds no absences
alter table imports add column absences text not null default 'none'; -- none, held, applied, discarded, superseded
alter table imports add column findings_held ${integer} not null default 0;
create index imports_held on imports (project_id, ref) where absences = 'held';
create table held_absences (
  import_id ${integer} not null references imports(id) on delete cascade,
  finding_id ${integer} not null references findings(id) on delete cascade,
  primary key (import_id, finding_id)
);
create index held_absences_finding on held_absences (finding_id);
`
  },
}
