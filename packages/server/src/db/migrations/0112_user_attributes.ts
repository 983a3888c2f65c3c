import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Attributes of GitLab's users that have no effect. */
export const userAttributes: Migration = {
  name: '0112_user_attributes',
  up(engine) {
    const { json } = columnTypes(engine)
    return `
alter table users add column gitlab_attributes ${json}; -- stored and returned, without effect
`
  },
}
