import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Dataset, openDataset } from './data/dataset.ts'
import { scratchProjects } from './data/seed.ts'
import { measureExpected } from './expected.ts'
import { measureFeeds } from './feeds.ts'
import { fileComparisons, fileRows, identicalFiles } from './files.ts'
import { measureHuge } from './huge/huge.ts'
import { measureLargeReport } from './large-report.ts'
import { measureMarkdown } from './markdown.ts'
import { measureMixedLoad } from './mixed-load.ts'
import { hasNginx, nginxComparisons, sizesBesideNginx, startNginx } from './nginx.ts'
import { isAsked, type Options, readOptions } from './options.ts'
import { measurePages } from './pages.ts'
import { measureParse } from './peers/parse.ts'
import { measurePeers } from './peers/peers.ts'
import { type Running, startCeiling, startServer } from './processes.ts'
import { measureReadsUnderWrites } from './reads-under-writes.ts'
import { measureMemoryOfImport, measureReports } from './reports.ts'
import { authorization, type Comparison, compare, recordResponses } from './requests.ts'
import { listRows } from './rows.ts'
import { measureSeveralProcesses } from './several-processes.ts'
import { measureStaleReads } from './stale-reads.ts'
import { measureStarts, memoryRows } from './starts.ts'
import { type Cell, printTable } from './table.ts'
import { hasWrk } from './wrk.ts'

// Prints speed and memory of the built server, compared with the ceiling measured in the same run.
const options = readOptions(process.argv.slice(2))
const startedAt = performance.now()
const folder = await mkdtemp(join(tmpdir(), 'alcove-bench-run-'))
try {
  const dataset = await openDataset(options)
  try {
    await measure(dataset, options)
  } finally {
    await dataset.close()
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
console.log(`\n${Math.round((performance.now() - startedAt) / 1000)} s in all`)
process.exit()

async function measure(dataset: Dataset, options: Options): Promise<void> {
  const { sizes, env } = dataset
  const findings = sizes.allFindings ? [sizes.allFindings] : sizes.findings
  console.log(
    `Alcove on ${options.engine}, Node ${process.version}, ${availableParallelism()} cores; ` +
      `${sizes.topics.toLocaleString('en')} topics, ${findings.map((count) => count.toLocaleString('en')).join(' + ')} findings ` +
      `in ${sizes.projects.toLocaleString('en')} projects`,
  )
  if (sizes.allFindings) return measureHuge(dataset, options)
  if (isAsked(options, 'starts')) printTable('Starts', await measureStarts(env, options.rounds))
  if (isAsked(options, 'feeds')) printTable('Feeds', await measureFeeds(options.rounds))

  if (isAsked(options, 'peers')) printTable('Peers', await measurePeers(folder, options))
  // Creates its own databases.
  if (options.engine === 'postgres' && isAsked(options, 'parse server')) {
    const rows = await measureParse(folder, options)
    if (rows) printTable('Parse Server', rows)
  }
  const [filesProject = 0, plainProject = 0, promotedProject = 0, memoryProject = 0, ...reportProjects] = await prepare(
    dataset,
    5 + options.rounds,
  )
  // SQLite serves one process.
  if (options.engine === 'postgres' && isAsked(options, 'several processes')) {
    const projects = [filesProject, plainProject, promotedProject, memoryProject, ...reportProjects]
    if (hasWrk()) printTable('Several processes', await measureSeveralProcesses(env, options, projects, folder))
    else console.log('\nwrk is not installed: several processes are not measured')
  }
  if (options.engine === 'postgres' && isAsked(options, 'stale reads')) {
    printTable('Stale reads', await measureStaleReads(dataset, options))
  }
  // Takes a minute after the import.
  if (isAsked(options, 'memory after an import') && (!options.isQuick || options.only.length > 0)) {
    printTable('Memory after an import', await measureMemoryOfImport(env, memoryProject, sizes.report))
  }
  const server = await startServer(env)
  try {
    if (isAsked(options, 'pages')) {
      printTable('Cost of one page', await measurePages(server, sizes, options.rounds))
    }
    await measureRequests(server, filesProject, options)
    // Half the rounds, because each of 18 rows has five measurements. The short form leaves them out.
    if (isAsked(options, 'reads under writes') && (!options.isQuick || options.only.length > 0)) {
      const rounds = Math.ceil(options.rounds / 2)
      printTable('Reads under writes', await measureReadsUnderWrites(server, { ...options, rounds }))
    }
    if (isAsked(options, 'mixed load')) {
      printTable('Mixed load', await measureMixedLoad(server, filesProject, options))
    }
    const identical = identicalFiles(filesProject)
    if (isAsked(options, 'identical', identical.name)) {
      printTable('Identical files', await compare([identical], server, server, options))
    }
    await measureNginx(server, filesProject, options)
    if (isAsked(options, 'markdown')) printTable('Markdown', await measureMarkdown(server, options.rounds))
    await measureImports(server, { dataset, options, plainProject, promotedProject, reportProjects })
    if (options.isChecked || options.isRecorded) return
    await sleep(2_000)
    printTable('After all this', memoryRows('two seconds later', [server.memory()]))
  } finally {
    await server.stop()
    await prepare(dataset, 0)
  }
}

interface Imports {
  dataset: Dataset
  options: Options
  plainProject: number
  promotedProject: number
  reportProjects: readonly number[]
}

async function measureImports(server: Running, imports: Imports): Promise<void> {
  const { dataset, options, plainProject, promotedProject, reportProjects } = imports
  const { sizes, env } = dataset
  if (isAsked(options, 'reports')) {
    const databaseUrl = env['ALCOVE_DATABASE_URL']
    const [manyProject = 0, ...projects] = reportProjects
    printTable('Reports', await measureReports(server, projects, { entries: sizes.report, databaseUrl }))
    if (!options.isQuick) {
      const many = { entries: 100_000, databaseUrl }
      printTable('Reports with many findings', await measureReports(server, [manyProject], many))
    }
  }
  if (isAsked(options, 'large report')) {
    const projects = [plainProject, promotedProject] as const
    printTable('A large report', await measureLargeReport(server, projects, sizes.largeReport, folder))
  }
}

/** Removes the data that the last run wrote. */
async function prepare({ open, env }: Dataset, projects: number): Promise<number[]> {
  await rm(join(env['ALCOVE_DATA'] ?? '', 'objects'), { recursive: true, force: true })
  const db = await open()
  try {
    return await scratchProjects(db, projects)
  } finally {
    await db.close()
  }
}

async function measureRequests(server: Running, filesProject: number, options: Options): Promise<void> {
  const asked = listRows(options.sizes).filter(({ name }) => isAsked(options, 'requests', name))
  const listed = asked.map((row, index) => ({ ...row, paths: row.paths(), answer: `answer-${index}` }))
  const answers = listed.map(({ answer, paths }) => ({ name: answer, path: paths[0] ?? '' }))
  const ceiling = await startCeiling(await recordResponses(server, answers, folder))
  try {
    const rows: Comparison[] = listed.map(({ name, paths, aim, answer }) => ({
      name,
      server: { paths, headers: authorization },
      ceiling: { paths: [`/${answer}`], headers: authorization },
      connections: 32,
      ...(aim && { cpuAim: aim }),
    }))
    if (isAsked(options, 'requests', ...fileRows)) {
      const files = await fileComparisons(server, filesProject, folder)
      rows.push(...files.filter(({ name }) => isAsked(options, 'requests', name)))
    }
    const failure = await measureExpected(rows, options, async (rows) => {
      const results = await compare(rows, server, ceiling, options)
      if (rows.length > 0) printTable('Requests', results)
      return results
    })
    if (failure) {
      console.error(`\n${failure}`)
      process.exitCode = 1
    }
  } finally {
    await ceiling.stop()
  }
}

/** Skips the comparison with a message if nginx is not installed. */
async function measureNginx(server: Running, filesProject: number, options: Options): Promise<void> {
  const asked = sizesBesideNginx(options)
  if (asked.length === 0) return
  if (!hasNginx()) return console.log('\nnginx is not installed: no comparison with it')
  const nginx = await startNginx(folder)
  try {
    const results: Record<string, Cell>[] = []
    // One size at a time: files of 100 MB evict the data of small files from the caches.
    for (const size of asked) {
      const rows = await nginxComparisons(server, filesProject, folder, size)
      results.push(...(await compare(rows, server, nginx, options)))
    }
    printTable('Files beside nginx', results)
  } finally {
    await nginx.stop()
  }
}
