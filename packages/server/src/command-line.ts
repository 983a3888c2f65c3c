import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { Place } from './app.ts'

/** Command with its options. */
export type Command =
  | { name: 'serve' | 'migrate' | 'help' }
  | { name: 'doctor'; contents: boolean; fix: boolean; acceptLoss: boolean }
  | { name: 'demo'; folder: string | undefined }
  | { name: 'backup'; target: string }
  | { name: 'objects copy'; from: Place; to: Place }

export const usage = `Usage: alcove [serve | demo [<folder>] | migrate | doctor [--contents] [--fix] [--accept-loss] | backup <file> | objects copy --from <place> --to <place>]

  serve     serve the API (the default); brings the schema of the database up to date first
  demo      serve invented sample data from a temporary folder, or from the named one, which keeps it
  migrate   bring the schema up to date and stop
  doctor    report where database and object store disagree; with --contents read every file as well; with --fix repair;
            with --accept-loss go on without the end of a damaged log of SQLite
  backup    copy a SQLite database to a new file, while the server runs or not
  objects copy
            copy every file from disk to s3 or from s3 to disk, while the server runs or not; run it again to go on

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
    const [target, ...others] = parse({ args, allowPositionals: true })?.positionals ?? []
    return target && others.length === 0 ? { name: 'backup', target } : undefined
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
