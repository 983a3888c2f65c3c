import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Number of findings that await promotion, as each export states it. */
export const waitingFindings: Migration = {
  name: '0053_waiting_findings',
  up: (engine) => `
alter table vulnerability_exports add column waiting_findings ${columnTypes(engine).integer}; -- null until the file is written
`,
}
