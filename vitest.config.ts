import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const source = 'packages/{cli,server}/src/**'
const common = {
  isolate: false,
  pool: 'forks' as const,
  // Tests make much that is gone at once: the collector comes half as often.
  execArgv: ['--max-semi-space-size=64'],
  setupFiles: ['packages/server/src/testing/equal-bytes.ts'],
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // Long enough for a machine that is busy; a test that passes does not wait.
  expect: { poll: { timeout: 40_000 } },
}

/** Tests whose subject may behave differently on the two engines. */
const bothEngines = `${source}/*.db.test.ts`
/** Tests of requests whose subject is not the database: one engine is enough. */
const oneEngine = `${source}/*.api.test.ts`

const database = {
  ...common,
  setupFiles: [...common.setupFiles, 'packages/server/src/testing/close-servers.ts'],
}

/** What has the longest files comes first: one that ran alone at the end would leave a processor without work. */
const order = ['web', 'processes', 'postgres', 'sqlite', 'pure']

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ project }: TestSpecification) => order.indexOf(project.name)
    return (await super.sort(files)).sort((a, b) => place(a) - place(b))
  }
}

/** Rules without a database, requests on SQLite, what depends on the database on both engines, the UI, whole processes. */
export default defineConfig({
  test: {
    // One more than the processors of a small machine: tests of processes and of the UI wait for most of their time.
    maxWorkers: 3,
    // All projects, and later runs, use a module that one of them has transformed. The key is a hash of its text.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: LongFirst },
    projects: [
      {
        test: {
          ...common,
          name: 'pure',
          include: ['packages/*/src/**/*.test.ts', 'bench/**/*.test.ts'],
          exclude: [bothEngines, oneEngine],
        },
      },
      {
        test: {
          ...database,
          name: 'sqlite',
          include: [bothEngines, oneEngine],
          env: { ALCOVE_TEST_ENGINE: 'sqlite' },
          globalSetup: ['packages/server/src/testing/databases/global-sqlite.ts'],
        },
      },
      {
        test: {
          ...database,
          name: 'postgres',
          include: [bothEngines],
          env: { ALCOVE_TEST_ENGINE: 'postgres' },
          globalSetup: ['packages/server/src/testing/databases/global-postgres.ts'],
        },
      },
      {
        test: {
          ...common,
          name: 'web',
          include: ['packages/web/tests/*.web.test.ts'],
          env: { ALCOVE_TEST_ENGINE: 'sqlite' },
          globalSetup: [
            'packages/server/src/testing/databases/global-sqlite.ts',
            'packages/server/tests/global-browser.ts',
          ],
        },
      },
      {
        test: {
          ...common,
          name: 'processes',
          include: ['packages/{cli,server}/tests/**/*.test.ts'],
          testTimeout: 300_000,
          globalSetup: ['packages/server/tests/global-browser.ts'],
        },
      },
    ],
  },
})
