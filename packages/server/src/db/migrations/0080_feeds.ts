import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** EPSS scores, known exploited vulnerabilities and aliases, as they were loaded from files. */
export const feeds: Migration = {
  name: '0080_feeds',
  up(engine) {
    const { integer, boolean, time } = columnTypes(engine)
    return `
-- Rows of a feed have the generation of their load. Readers use one generation, and a load switches to its own when all
-- of its rows are stored.
create table feeds (
  kind text primary key check (kind in ('epss', 'kev', 'osv')),
  generation ${integer} not null default 0, -- 0 before the first load
  last_generation ${integer} not null default 0, -- of loads that have begun
  loading_until ${time}, -- a process loads until then; null otherwise
  row_count ${integer} not null default 0,
  version text, -- as the publisher names it
  published_at ${time},
  file_name text,
  loaded_at ${time}
);
insert into feeds (kind) values ('epss'), ('kev'), ('osv');

-- Files that were read, so that each is read once. Digests find copies of a file on other hosts.
create table feed_files (
  name text not null,
  bytes ${integer} not null,
  modified_at ${time} not null,
  digest text not null,
  kind text, -- null if it was not recognised
  outcome text not null check (outcome in ('loaded', 'older', 'rejected')),
  error text,
  read_at ${time} not null,
  primary key (name, bytes, modified_at)
);
create index feed_files_digest on feed_files (digest);
create index feed_files_read on feed_files (read_at);

create table epss_scores (
  generation ${integer} not null,
  cve text not null,
  score_millionths ${integer} not null,
  percentile_millionths ${integer} not null,
  primary key (generation, cve)
);
create table kev_entries (
  generation ${integer} not null,
  cve text not null,
  added_on text not null, -- YYYY-MM-DD
  due_on text, -- YYYY-MM-DD
  is_ransomware ${boolean} not null,
  primary key (generation, cve)
);
-- Each identifier of an advisory with each of its others, in capitals.
create table osv_aliases (
  generation ${integer} not null,
  name text not null,
  alias text not null,
  primary key (generation, name, alias)
);
`
  },
}
