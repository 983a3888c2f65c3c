import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Setting of a group: whether its new projects promote findings. Null inherits from the parent. */
export const groupPromotion: Migration = {
  name: '0049_group_promotion',
  up: (engine) => `alter table namespaces add column promote_on_ingestion ${columnTypes(engine).boolean};`,
}
