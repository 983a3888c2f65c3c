/**
 * Which way imports may point (docs/decisions/0003). Read by dependency-cruiser, which parses with swc.
 * Imports of types count as imports, so a circle of types is a violation as well.
 */
const source = '^packages/server/src'
const notTests = '\\.(test|conformance)\\.ts$|/testing/'

/** Inside domain/, lowest first: a folder may import those before it. */
const order = [
  ['files', 'jobs', 'custom-attributes'],
  ['audit', 'feeds'],
  ['mail'],
  ['access', 'users', 'tokens', 'sign-in', 'second-factors'],
  ['projects', 'namespaces', 'members', 'import-sources', 'hooks', 'idempotency'],
  ['topics', 'uploads', 'avatars', 'deploy-tokens', 'findings'],
  ['bots'],
  ['oidc'],
  ['vulnerabilities'],
  ['dependencies'],
  ['reports', 'markdown', 'exports', 'trackers'],
  ['notifications', 'vex'],
  ['removal'],
  ['backup'],
]
/** Folders that share tables with their neighbours of one level. */
const inOneLevel = new Set([...order[3], ...order[4]])
const upwards = order
  .flatMap((level, index) =>
    level.map((folder) => ({
      name: `domain-${folder}-looks-down`,
      severity: 'error',
      from: { path: `${source}/domain/${folder}/`, pathNot: notTests },
      to: {
        path: `${source}/domain/(${order
          .flatMap((names, at) => (at > index || (at === index && !inOneLevel.has(folder)) ? names : []))
          .filter((name) => name !== folder)
          .join('|')})/`,
        // The scales are constants, which webhooks filter by.
        ...(folder === 'hooks' && { pathNot: `${source}/domain/findings/scales\\.ts$` }),
      },
    })),
  )
  .filter(({ to }) => !to.path.includes('/()/'))

/** Files that contain SQL, outside `db/`. */
const sqlFiles = `${source}/domain/.*-(queries|sql)\\.ts$`

const forbid = (name, from, to) => ({ name, severity: 'error', from, to })

module.exports = {
  forbidden: [
    forbid('no-circular', { path: source, pathNot: notTests }, { circular: true }),
    forbid(
      'platform-knows-nothing',
      { path: `${source}/platform/` },
      { path: `${source}/(db|domain|http|api|app|routes|jobs)` },
    ),
    forbid(
      'db-knows-platform-only',
      { path: `${source}/db/`, pathNot: notTests },
      { path: `${source}/(domain|http|api|app|routes|jobs)` },
    ),
    forbid(
      'domain-knows-no-http',
      { path: `${source}/domain/`, pathNot: notTests },
      { path: `${source}/(http|api|app|routes|jobs)` },
    ),
    forbid(
      'http-knows-no-routes',
      { path: `${source}/http/`, pathNot: notTests },
      { path: `${source}/(api|app|main|jobs|routes)` },
    ),
    forbid('api-is-below-app', { path: `${source}/api/`, pathNot: notTests }, { path: `${source}/(app|main|jobs)` }),
    forbid(
      'drivers-in-db-only',
      { pathNot: `${source}/(db|testing)/|^(bench|scripts)/` },
      { path: 'node_modules/(pg|better-sqlite3)/' },
    ),
    // The caller, the permissions and the keys of repeated requests are part of every request; `app.ts` passes in the rest.
    forbid(
      'http-knows-no-noun',
      { path: `${source}/http/`, pathNot: notTests },
      { path: `${source}/domain/`, pathNot: `${source}/domain/((access|idempotency)/|[^/]+\\.ts$)` },
    ),
    forbid(
      'http-library-in-http-only',
      { path: '^packages/server', pathNot: `${source}/http/|\\.test\\.ts$` },
      { path: 'node_modules/(fastify|@fastify)/' },
    ),
    forbid('tests-are-not-imported', { pathNot: `${notTests}|^packages/server/tests|^bench` }, { path: notTests }),
    forbid(
      'queries-in-domain-only',
      { path: source, pathNot: `${notTests}|${source}/domain/[^/]+/` },
      { path: `${source}/domain/.*queries\\.ts$` },
    ),
    // A noun's owner exports a function instead, and is the only one to write its tables.
    forbid(
      'queries-of-one-noun',
      { path: `${source}/domain/([^/]+)/`, pathNot: notTests },
      { path: `${source}/domain/.*queries\\.ts$`, pathNot: `${source}/domain/$1/` },
    ),
    // `…-sql.ts` holds fragments for the queries of other nouns, such as the columns of a joined table.
    forbid(
      'sql-in-queries-only',
      { path: source, pathNot: `${notTests}|${source}/db/|${sqlFiles}` },
      { path: `node_modules/sql-template-tag/|${source}/domain/.*-sql\\.ts$` },
    ),
    // The command line is a client of the API like the UI. Its tests run against the server.
    forbid(
      'cli-knows-the-client-only',
      { path: '^packages/cli/src', pathNot: notTests },
      { path: '^packages/(server|web)/' },
    ),
    forbid('cli-has-no-circles', { path: '^packages/cli/src', pathNot: notTests }, { circular: true }),
    ...upwards,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    parser: 'swc',
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
}
