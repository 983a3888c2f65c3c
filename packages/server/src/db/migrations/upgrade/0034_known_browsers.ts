import type { Migration } from '../../migrate.ts'
import { columnTypes } from '../column-types.ts'

/** Browsers that a user has signed in from, and the time at which a session's user last authenticated. */
export const knownBrowsers: Migration = {
  name: '0034_known_browsers',
  up(engine) {
    const { integer, time } = columnTypes(engine)
    return `
create table known_browsers (
  digest text not null, -- SHA-256 of the browser's cookie
  user_id ${integer} not null references users(id) on delete cascade,
  last_used_at ${time} not null,
  primary key (digest, user_id)
);
create index known_browsers_user on known_browsers (user_id, last_used_at);
create index known_browsers_last_used on known_browsers (last_used_at);

-- Time at which the password, or the token that the session was signed in with, was last entered; null for the sign-in.
alter table sessions add column authenticated_at ${time};
`
  },
}
