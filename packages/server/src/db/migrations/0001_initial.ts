import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'
import { accounts } from './initial/accounts.ts'
import { findings } from './initial/findings.ts'
import { jobs } from './initial/jobs.ts'
import { projects } from './initial/projects.ts'
import { reports } from './initial/reports.ts'
import { topics } from './initial/topics.ts'
import { uploads } from './initial/uploads.ts'
import { vulnerabilities } from './initial/vulnerabilities.ts'
import { unreleased } from './upgrade/unreleased.ts'

/** Schema of a new database. Each part refers only to tables of the parts before it. */
const parts = [accounts, projects, topics, uploads, reports, vulnerabilities, findings, jobs]

export const initial: Migration = {
  name: '0001_initial',
  replaces: unreleased,
  up: (engine) =>
    (engine === 'postgres' ? 'create extension if not exists pg_trgm;' : '') +
    parts.map((part) => part(columnTypes(engine))).join(''),
}
