import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** When a membership changed last; null of one that never did. */
export const membersThatChange: Migration = {
  name: '0026_members_that_change',
  up: (engine) => `alter table members add column updated_at ${columnTypes(engine).time};`,
}
