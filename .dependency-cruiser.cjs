/**
 * Which way imports may point (docs/decisions/0003). Read by dependency-cruiser, which parses with swc.
 * Cycles are Biome's to find: swc does not tell imports of types, which may be circular, from others.
 */
const source = '^packages/server/src'
const notTests = '\\.(test|conformance)\\.ts$|/testing/'

/** Inside domain/, lowest first: a folder may import those before it. */
const order = [
  ['files', 'jobs'],
  ['access'],
  ['projects'],
  ['webhooks'],
  ['topics', 'uploads', 'vulnerabilities'],
  ['reports', 'markdown', 'exports'],
  ['removal'],
]
const upwards = order
  .flatMap((level, index) =>
    level.map((folder) => ({
      name: `domain-${folder}-looks-down`,
      severity: 'error',
      from: { path: `${source}/domain/${folder}/`, pathNot: notTests },
      to: {
        path: `${source}/domain/(${order
          .flatMap((names, at) => (at >= index ? names : []))
          .filter((name) => name !== folder)
          .join('|')})/`,
      },
    })),
  )
  .filter(({ to }) => !to.path.includes('/()/'))

const forbid = (name, from, to) => ({ name, severity: 'error', from, to })

module.exports = {
  forbidden: [
    forbid(
      'platform-knows-nothing',
      { path: `${source}/platform/` },
      { path: `${source}/(db|domain|api|app|routes|jobs)` },
    ),
    forbid(
      'db-knows-platform-only',
      { path: `${source}/db/`, pathNot: notTests },
      { path: `${source}/(domain|api|app|routes|jobs)` },
    ),
    forbid(
      'domain-knows-no-http',
      { path: `${source}/domain/`, pathNot: notTests },
      { path: `${source}/(api|app|routes|jobs)` },
    ),
    forbid('api-is-below-app', { path: `${source}/api/`, pathNot: notTests }, { path: `${source}/(app|main|jobs)` }),
    forbid(
      'drivers-in-db-only',
      { pathNot: `${source}/(db|testing)/|^(bench|scripts)/` },
      { path: 'node_modules/(pg|better-sqlite3)/' },
    ),
    forbid(
      'http-library-in-api-only',
      { path: source, pathNot: `${source}/(api/v4|testing|app)` },
      { path: 'node_modules/(fastify|@fastify)/', dependencyTypesNot: ['type-only'] },
    ),
    forbid('tests-are-not-imported', { pathNot: `${notTests}|^packages/server/tests|^bench` }, { path: notTests }),
    forbid(
      'queries-stay-home',
      { path: `${source}/api/`, pathNot: notTests },
      { path: `${source}/domain/.*queries\\.ts$` },
    ),
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
