import { runAdminCommand } from './admin-command.ts'
import { depsFrom, openApp, openDatabaseFor, openDeps, openObjectsFor } from './app.ts'
import { runAuditCommand } from './audit-command.ts'
import { runBackupCommand } from './backup-command.ts'
import { type Command, readCommand, usage, WrongUsage } from './command-line.ts'
import { migrate, pendingMigrations } from './db/migrate.ts'
import { migrations } from './db/migrations/all.ts'
import { damagedDatabase } from './db/sqlite/storage-health.ts'
import { readStoredSchema } from './db/sqlite/stored-schema.ts'
import { demoSettings, openDemoFolder, writeDemoData } from './demo-command.ts'
import { ensureAdministrator, type FirstSecrets } from './domain/bootstrap.ts'
import type { RootDeps } from './domain/deps.ts'
import { endAttemptsOfEarlierProcess } from './domain/idempotency/idempotency.ts'
import { endUnconfiguredSessions } from './domain/oidc/configured-sessions.ts'
import { type Examination, examine } from './domain/removal/doctor.ts'
import { signInLinkMinutes } from './domain/sign-in/sign-in-links.ts'
import { runFeedsCommand } from './feeds-command.ts'
import { startJobs } from './jobs.ts'
import { runObjectsCommand } from './objects-command.ts'
import { reasonOf } from './platform/failure.ts'
import { openLifecycle } from './platform/lifecycle.ts'
import { closeDataFolder, keepNewFilesPrivate } from './platform/private-files.ts'
import { drainDelayOf, readSettings, type Settings, WrongSettings } from './platform/settings/settings.ts'
import { allowOptimization, enlargeYoungGenerationUnderLoad, setProcessFlags } from './platform/v8-flags.ts'
import { runRestoreCommand } from './restore-command.ts'
import { runSignInLinkCommand } from './sign-in-link-command.ts'
import { stopServing } from './stop.ts'
import { checkDatabase, checkWhileServing, endWhenBroken } from './storage-watch.ts'
import { runTransferCommand } from './transfer-command.ts'

/**
 * Runs the command of the arguments. Calls `onServing` with the data folder when the server has responded for a while, so
 * that the program can be cached there.
 */
export async function runProgram(onServing: (dataFolder: string) => void): Promise<void> {
  // Again, because this bundle has its own copy of the module, which restores the flags after the start of a thread.
  setProcessFlags()
  keepNewFilesPrivate()
  try {
    await run(readCommand(process.argv.slice(2)), onServing)
  } catch (error) {
    if (error instanceof WrongUsage) stop(`alcove: ${error.message}\n\n${usage}`, 2)
    else stop(explain(error), 1)
  }
}

async function run(command: Command, onServing: (dataFolder: string) => void): Promise<void> {
  if (command.name === 'help') return console.log(usage)
  const settings = readSettings()
  // A server allows it when it has started.
  if (command.name !== 'serve' && command.name !== 'demo') allowOptimization()
  switch (command.name) {
    case 'serve':
      await serve(settings)
      return void setTimeout(endWarmUp, warmUpMs, () => onServing(settings.dataFolder)).unref()
    case 'demo':
      return serveDemo(settings, command.folder)
    case 'migrate':
      return migrateOnly(settings)
    case 'doctor':
      return runDoctor(settings, command)
    case 'backup':
      return failUnless(await runBackupCommand(settings, command))
    case 'restore':
      return failUnless(await runRestoreCommand(settings, command))
    case 'transfer':
      return failUnless(await runTransferCommand(settings, command))
    case 'admin sign-in-link':
      return runSignInLinkCommand(settings, command.user)
    case 'objects copy':
      return failUnless(await runObjectsCommand(settings, command))
    case 'feeds load':
      return failUnless(await runFeedsCommand(settings, command))
    case 'audit verify':
      return failUnless(await runAuditCommand(settings))
    case 'admin':
      return failUnless(await runAdminCommand(settings, command))
  }
}

/** Time in which the functions that most requests need are compiled. */
const warmUpMs = 3_000

/** Changes flags only after the compiled code has been saved, because V8 uses saved code only with the same flags. */
function endWarmUp(saveCode: () => void): void {
  saveCode()
  enlargeYoungGenerationUnderLoad()
}

function failUnless(isRight: boolean): void {
  if (!isRight) process.exitCode = 1
}

interface ServeOptions {
  /** Fills an empty database while the server responds, with the token of the administrator. Jobs start afterwards. */
  fill?: (deps: RootDeps, token: string) => Promise<void>
  /** Called when the server has stopped. */
  onStop?: () => Promise<void>
}

async function serve(settings: Settings, { fill, onStop = async () => {} }: ServeOptions = {}): Promise<void> {
  const lifecycle = openLifecycle()
  const deps = await openDeps(settings, lifecycle)
  await closeDataFolder(settings.dataFolder, deps.log)
  // A database is migrated only after its check.
  const isCheckDeferred = deps.db.canDeferCheck && (await pendingMigrations(deps.db, migrations)).length === 0
  const [app] = await Promise.all([openApp(deps), isCheckDeferred || checkDatabase(deps.db, deps.log)])
  endWhenBroken(deps.db, deps.log)
  await migrate(deps.db, migrations, () => readStoredSchema(migrations))
  await endAttemptsOfEarlierProcess(deps)
  await endUnconfiguredSessions(deps)
  const administrator = await ensureAdministrator(deps)
  // Printed before anything else can fail, because the token cannot be recovered later.
  if (administrator) console.log(firstStart(settings, administrator.token))
  await app.server.listen({ host: settings.host, port: settings.port })
  allowOptimization()
  if (isCheckDeferred) checkWhileServing(deps.db, deps.log)
  let jobs = administrator && fill ? undefined : startJobs(deps)

  const address = settings.externalUrl ?? app.server.listeningOrigin
  console.log(`Alcove serves ${address}`)
  if (administrator && !settings.bootstrapToken) console.log(firstRequest(settings, address, administrator))

  let isStopping = false
  const onSignal = (signal: NodeJS.Signals) => {
    if (isStopping) process.exit(1)
    isStopping = true
    // Ctrl-C comes from a terminal, without a load balancer that would need time to react.
    const drainDelayMs = signal === 'SIGINT' ? 0 : drainDelayOf(settings)
    const stopped = stopServing(app, jobs ?? { stop: async () => {} }, lifecycle, {
      drainDelayMs,
      stopTimeoutMs: settings.stopTimeoutMs,
    })
    stopped.then(onStop).then(
      () => process.exit(0),
      (error: unknown) => stop(explain(error), 1),
    )
  }
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal)

  if (!administrator || !fill) return
  try {
    await fill(deps, administrator.token)
    if (!isStopping) jobs = startJobs(deps)
  } catch (error) {
    if (!isStopping) throw error
  }
}

async function serveDemo(settings: Settings, named: string | undefined): Promise<void> {
  const folder = await openDemoFolder(named)
  if (folder.wasIncomplete) console.log('The history in this folder was incomplete. Starting afresh.')
  await serve(demoSettings(settings, folder.path), {
    async fill(deps, token) {
      console.log('Writing a year of invented history; the pages fill while you look at them …')
      await writeDemoData(deps, token)
      await folder.complete()
      console.log('The history is complete.')
    },
    onStop: folder.close,
  })
}

async function migrateOnly(settings: Settings): Promise<void> {
  const db = await openDatabaseFor(settings)
  try {
    const pending = await pendingMigrations(db, migrations)
    console.log(
      pending.length === 0
        ? 'The schema is up to date.'
        : pending.length === migrations.length
          ? 'Creating the schema …'
          : `Running ${pending.length} migration${pending.length === 1 ? '' : 's'} …`,
    )
    for (const name of await migrate(db, migrations, () => readStoredSchema(migrations))) console.log(name)
  } finally {
    await db.close()
  }
}

/** Runs the doctor. Exits with 1 when a problem remains, so that a monitor can run it. */
async function runDoctor(
  settings: Settings,
  { acceptLoss, ...options }: Examination & { acceptLoss: boolean },
): Promise<void> {
  const db = await openDatabaseFor(settings, { acceptLoss })
  const deps = depsFrom(settings, db, await openObjectsFor(settings))
  try {
    const damage = await db.check({ isThorough: true })
    if (damage.length > 0) throw damagedDatabase(damage)
    const [pending] = await pendingMigrations(deps.db, migrations)
    if (pending) throw new Error('the schema is older than this program; run alcove migrate first')
    const { findings, left, files, objects } = await examine(deps, options)
    for (const { kind, what } of findings) console.log(`${kind}: ${what}`)
    const repaired = options.fix ? [`${findings.length - left} repaired`] : []
    const outcome = findings.length === 0 ? ['no disagreement'] : [...repaired, ...(left > 0 ? [`${left} found`] : [])]
    console.log(`${files} files and ${objects} objects examined: ${outcome.join(', ')}.`)
    if (left > 0) process.exitCode = 1
  } finally {
    await deps.db.close()
    await deps.objects.close()
  }
}

/**
 * Returns the message with the token, of which only a digest is stored. A token chosen by the operator is not repeated.
 */
function firstStart({ bootstrapToken }: Settings, token: string): string {
  const created = 'The database was empty. The administrator "root" was created.'
  if (bootstrapToken) return `${created} Its token is the value of ALCOVE_BOOTSTRAP_TOKEN.`
  return `${created} This is its token; it is not shown again:

  ${token}
`
}

function firstRequest({ hasPasswords }: Settings, address: string, { token, link }: FirstSecrets): string {
  const does = hasPasswords ? 'set the password of root' : 'continue as root'
  const validity = hasPasswords ? '24 hours' : `${signInLinkMinutes} minutes`
  return `
Try it:

  curl --header 'PRIVATE-TOKEN: ${token}' ${address}/api/v4/user

To sign in with a browser, open this link and ${does}. It works once, within ${validity}:

  ${address}${link}
`
}

function explain(error: unknown): string {
  if (error instanceof WrongSettings) return error.sentences.map((sentence) => `alcove: ${sentence}`).join('\n')
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    return `alcove: the address is in use (${error.message}); set ALCOVE_PORT or ALCOVE_HOST to another one.`
  }
  return `alcove: ${reasonOf(error)}`
}

function stop(text: string, code: number): void {
  console.error(text)
  process.exit(code)
}
