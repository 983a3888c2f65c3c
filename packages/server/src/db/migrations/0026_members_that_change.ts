import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Time of a membership's last change; null if it never changed. */
export const membersThatChange: Migration = {
  name: '0026_members_that_change',
  up: (engine) => `alter table members add column updated_at ${columnTypes(engine).time};`,
}
