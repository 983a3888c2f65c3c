import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** The time at which the state of an issue was last read from its tracker. */
export const synchronizedIssues: Migration = {
  name: '0074_synchronized_issues',
  up(engine) {
    const { time } = columnTypes(engine)
    return `
alter table tracker_issues add column synchronized_at ${time};
`
  },
}
