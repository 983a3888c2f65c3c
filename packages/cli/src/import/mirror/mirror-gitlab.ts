import { RequestFailed } from '@alcove/client'
import { type CommandFailed, type ExitCode, exitCodes, readFailure, wrongUsage } from '../../exit.ts'
import type { Io } from '../../io.ts'
import type { Copy } from '../gitlab/copy.ts'
import { copyAll, copyKnownProject } from '../gitlab/copy-all.ts'
import { connectServers, type GitlabImportOptions, openCopy } from '../gitlab/import-gitlab.ts'
import { openMissingSince } from './missing-since.ts'
import { removeVanished } from './remove-vanished.ts'
import { type ListenAddress, listenForWebhooks, parseListenAddress, type WebhookListener } from './webhook-listener.ts'

export interface MirrorOptions extends GitlabImportOptions {
  /** Seconds between two complete copies. */
  interval: number
  localChanges: 'none' | 'triage' | 'all'
  /** Days after which what has vanished from the source is deleted. Without it, nothing is deleted. */
  deleteAfter?: number
  /** Loopback address at which webhooks of the source arrive. */
  listen?: string
  /** Number of complete copies after which the command ends. */
  rounds?: number
}

const dayMs = 24 * 60 * 60 * 1000

/** Repeats the import, and prints a report after each copy. */
export async function runMirror(io: Io, options: MirrorOptions): Promise<ExitCode> {
  if (options.dryRun || options.resume) throw wrongUsage('--mirror cannot be combined with --dry-run or --resume.')
  const { rounds = Number.POSITIVE_INFINITY, listen } = options
  const hooks = listen === undefined ? undefined : { address: parseListenAddress(listen), secret: webhookSecret(io) }
  const copies = await openRounds(io, options)
  const listener = hooks && (await openListener(io, hooks))
  try {
    for (let round = 1; ; round++) {
      await copies.copyAll()
      const isLast = round >= rounds
      await untilNextRound(io, { listener, intervalMs: isLast ? 0 : options.interval * 1000 }, copies.copyProject)
      if (isLast) return exitCodes.passed
    }
  } finally {
    await listener?.close()
  }
}

function webhookSecret({ env }: Io): string {
  const secret = env['ALCOVE_MIRROR_SECRET']?.trim() ?? ''
  if (secret.length >= 16) return secret
  throw wrongUsage('--listen needs a secret of at least 16 characters in ALCOVE_MIRROR_SECRET, as set for the webhook.')
}

async function openListener(
  io: Io,
  { address, secret }: { address: ListenAddress; secret: string },
): Promise<WebhookListener> {
  const listener = await listenForWebhooks(address, secret)
  io.stderr.write(`Listening for webhooks at ${address.host}:${address.port}.\n`)
  return listener
}

/** Waits for the next complete copy. Projects that webhooks name are copied meanwhile. */
async function untilNextRound(
  io: Io,
  { listener, intervalMs }: { listener: WebhookListener | undefined; intervalMs: number },
  copyProject: (sourceId: string) => Promise<boolean>,
): Promise<void> {
  let isDue = false
  const due = io.sleep(intervalMs).then(() => {
    isDue = true
  })
  for (;;) {
    // A project that is not known needs a complete copy.
    for (const id of listener?.take() ?? []) if (!(await copyProject(id))) return
    if (isDue) return
    await (listener ? Promise.race([due, listener.changed()]) : due)
  }
}

/** Opens what the copies share. A copy that fails is reported, and the next one starts again. */
async function openRounds(io: Io, options: MirrorOptions) {
  const { group: groups = [], localChanges, deleteAfter } = options
  const servers = await connectServers(io, options)
  const scope = { from: servers.source.url, to: servers.url, groups: [...groups].sort() }
  const missing = await openMissingSince(io, scope, options.state)
  const selectedIds = new Map<string, string>()
  // A killed mirror begins again with a complete copy, so there is no progress to store.
  const state = { isDone: () => false, markDone: async () => {}, save: async () => {}, remove: async () => {} }

  async function run<Result>(work: (copy: Copy) => Promise<Result>, ofFailure: Result): Promise<Result> {
    const isExpired = (kind: string, id: number) => {
      const ageMs = io.now() - Date.parse(missing.since(`${kind} ${id}`))
      return deleteAfter !== undefined && ageMs >= deleteAfter * dayMs
    }
    try {
      const copy = await openCopy(io, servers, {
        isDryRun: false,
        state,
        mirror: { localChanges, isExpired },
        selectedIds,
      })
      const result = await work(copy).finally(() => copy.progress.clear())
      const { report } = copy
      // One line for each copy. Texts have no line breaks in JSON.
      const json = () => report.json(false).replaceAll(/\n */g, '')
      io.stdout.write(options.json ? `${json()}\n` : `${report.lines(false).join('\n')}\n`)
      return result
    } catch (error) {
      io.stderr.write(`The copy failed and is repeated: ${temporary(error).message}\n`)
      return ofFailure
    }
  }

  return {
    copyAll: () =>
      run(async (copy) => {
        await copyAll(copy, groups)
        await removeVanished(copy)
        await missing.finish()
      }, undefined),
    copyProject: (sourceId: string) => run((copy) => copyKnownProject(copy, sourceId), true),
  }
}

/** Returns an error after which the next copy may succeed. Throws others: wrong options, and tokens that are rejected. */
function temporary(error: unknown): CommandFailed {
  const failure = readFailure(error)
  const isTemporary = error instanceof RequestFailed ? error.status !== 401 : failure.exitCode === exitCodes.unreachable
  if (!isTemporary) throw failure
  return failure
}
