import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Sessions that were signed in with a token. They have the token's rights and end with it. */
export const sessionsOfTokens: Migration = {
  name: '0023_sessions_of_tokens',
  up(engine) {
    const { integer } = columnTypes(engine)
    return `
alter table sessions add column token_id ${integer} references access_tokens(id) on delete cascade;
create index sessions_token on sessions (token_id);
`
  },
}
