import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { AdminCommand } from './admin-command.ts'
import type { Place } from './app.ts'
import type { BackupCommand } from './backup-command.ts'
import type { FeedsCommand } from './feeds-command.ts'
import type { RestoreCommand } from './restore-command.ts'
import type { TransferCommand } from './transfer-command.ts'

/** Command with its options. */
export type Command =
  | { name: 'serve' | 'migrate' | 'help' }
  | { name: 'doctor'; contents: boolean; fix: boolean; acceptLoss: boolean }
  | { name: 'demo'; folder: string | undefined }
  | ({ name: 'backup' } & BackupCommand)
  | ({ name: 'restore' } & RestoreCommand)
  | ({ name: 'transfer' } & TransferCommand)
  | { name: 'audit verify' }
  | ({ name: 'feeds load' } & FeedsCommand)
  | { name: 'admin sign-in-link'; user: string }
  | { name: 'objects copy'; from: Place; to: Place }
  | ({ name: 'admin' } & AdminCommand)

export const usage = `Usage: alcove [serve | demo [<folder>] | migrate | doctor | backup <target> | restore <source> | transfer --to <database> |
               admin <action> <user> | objects copy | audit verify | feeds load <file>…] [options]

  serve     serve the API (the default); brings the schema of the database up to date first
  demo      serve invented sample data from a temporary folder, or from the named one, which keeps it
  migrate   bring the schema up to date and stop
  doctor [--contents] [--fix] [--accept-loss]
            report where database and object store disagree; with --contents read every file as well; with --fix repair;
            with --accept-loss go on without the end of a damaged log of SQLite
  backup <target> [--keep <number>] [--verify]
            back up database and files to a folder or s3://bucket/prefix, while the server runs or not; with --keep remove older backups from
            it; with --verify restore the backup into a temporary place and compare
  restore <source> [--backup <name>] [--force] [--verify] [--list]
            restore the newest or the named backup into the empty database and the files of the settings; with --force
            move what is there aside; with --verify only compare; with --list only print the names
  transfer --to <database>
            copy all rows to an empty database: postgres://… or a folder for SQLite; the server must be stopped
  admin sign-in-link <user>
            print a link that signs in this administrator once, within 15 minutes, while the server runs or not
  admin disable-two-factor <user>
            remove all second factors of a user, who then signs in with the password alone; with SQLite while the server is stopped
  objects copy --from <place> --to <place>
            copy every file from disk to s3 or from s3 to disk, while the server runs or not; run it again to go on
  audit verify
            verify the hash chain of the audit log; print the first event that was modified or removed
  feeds load <file>… [--force]
            replace EPSS scores, known exploited vulnerabilities or aliases of OSV by the data of files, while the server runs
            or not; a folder has advisories of OSV; with --force also by older data, or by much less of it

Settings are environment variables, ALCOVE_…; see docs/operating/configure.md.`

/** The command line is not valid. */
export class WrongUsage extends Error {}

/** Parses the arguments of the program. Throws `WrongUsage` when they are not valid. */
export function readCommand(args: readonly string[]): Command {
  const [word = 'serve', ...rest] = args
  const name = word === '--help' ? 'help' : word
  const parse = Object.hasOwn(parsers, name) ? parsers[name] : undefined
  if (!parse) throw new WrongUsage(`there is no command ${word}.`)
  const command = rest.length === 1 && rest[0] === '--help' ? ({ name: 'help' } as const) : parse(rest)
  if (!command) throw new WrongUsage(`${args.join(' ')} is not understood.`)
  return command
}

/** Parser of the arguments after each command. Returns `undefined` when they are not valid. */
const parsers: Partial<Record<string, (args: string[]) => Command | undefined>> = {
  serve: (args) => withoutArguments('serve', args),
  migrate: (args) => withoutArguments('migrate', args),
  help: (args) => withoutArguments('help', args),
  doctor(args) {
    const parsed = parse({
      args,
      options: { contents: { type: 'boolean' }, fix: { type: 'boolean' }, 'accept-loss': { type: 'boolean' } },
    })
    if (!parsed) return undefined
    const { contents = false, fix = false, 'accept-loss': acceptLoss = false } = parsed.values
    return { name: 'doctor', contents, fix, acceptLoss }
  },
  demo(args) {
    const parsed = parse({ args, allowPositionals: true })
    if (!parsed || parsed.positionals.length > 1) return undefined
    return { name: 'demo', folder: parsed.positionals[0] }
  },
  backup(args) {
    const options = { keep: { type: 'string' }, verify: { type: 'boolean' } } as const
    const parsed = parse({ args, allowPositionals: true, options })
    const [target, ...others] = parsed?.positionals ?? []
    const { keep, verify = false } = parsed?.values ?? {}
    const isRight = keep === undefined || /^[1-9]\d{0,5}$/.test(keep)
    if (!target || others.length > 0 || !isRight) return undefined
    return { name: 'backup', target, keep: keep === undefined ? undefined : Number(keep), verify }
  },
  restore(args) {
    const flags = { force: { type: 'boolean' }, verify: { type: 'boolean' }, list: { type: 'boolean' } } as const
    const parsed = parse({ args, allowPositionals: true, options: { backup: { type: 'string' }, ...flags } })
    const [source, ...others] = parsed?.positionals ?? []
    if (!parsed || !source || others.length > 0) return undefined
    const { backup, force = false, verify = false, list = false } = parsed.values
    return { name: 'restore', source, backup, force, verify, list }
  },
  transfer(args) {
    const to = parse({ args, options: { to: { type: 'string' } } })?.values.to
    return to ? { name: 'transfer', to } : undefined
  },
  admin(args) {
    const [action, user, ...others] = parse({ args, allowPositionals: true })?.positionals ?? []
    if (!user || others.length > 0) return undefined
    if (action === 'sign-in-link') return { name: 'admin sign-in-link', user }
    return action === 'disable-two-factor' ? { name: 'admin', action, user } : undefined
  },
  objects(args) {
    const parsed = parse({
      args,
      allowPositionals: true,
      options: { from: { type: 'string' }, to: { type: 'string' } },
    })
    const from = placeNamed(parsed?.values.from)
    const to = placeNamed(parsed?.values.to)
    const isCopy = parsed?.positionals.join(' ') === 'copy'
    return isCopy && from && to && from !== to ? { name: 'objects copy', from, to } : undefined
  },
  feeds(args) {
    const parsed = parse({ args, allowPositionals: true, options: { force: { type: 'boolean' } } })
    const [action, ...files] = parsed?.positionals ?? []
    if (!parsed || action !== 'load' || files.length === 0) return undefined
    return { name: 'feeds load', files, isForced: parsed.values.force ?? false }
  },
  audit: (args) => (args.join(' ') === 'verify' ? { name: 'audit verify' } : undefined),
}

function withoutArguments(name: 'serve' | 'migrate' | 'help', args: string[]): Command | undefined {
  return args.length === 0 ? { name } : undefined
}

/** Parses arguments, or returns `undefined` for unknown options and missing values. */
function parse<Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>> | undefined {
  try {
    return parseArgs(config)
  } catch {
    return undefined
  }
}

const places: readonly Place[] = ['disk', 's3']

function placeNamed(name: string | undefined): Place | undefined {
  return places.find((place) => place === name)
}
